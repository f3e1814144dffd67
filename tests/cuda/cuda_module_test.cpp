// SPDX-License-Identifier: MIT
//
// Tests of CudaModule on the fake CUDA driver (support/fake_cuda.hpp): its kernels, their parameters, its
// variables, and the messages for code that does not load.
#include "cuda/kernel/cuda_module.hpp"

#include <string>
#include <vector>

#include "support/fake_raw_kernels.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string load_failure(const Image& image, const char* name = "x.cubin") {
    FakeCuda fake;
    const DriverLibrary driver(FakeCuda::path());
    const CudaBackend backend(driver, 0);
    return KGEN_MESSAGE_OF(DeviceError, backend.raw().load_module(image, name));
}

}  // namespace

TEST_CASE("a module's kernels are loaded one by one, when they are asked for", "[cuda][raw]") {
    RawFixture f;
    CHECK(f.fake.calls("cuLibraryLoadData") == 1);
    CHECK(f.fake.calls("cuFuncLoad") == 0);
    const auto axpy = f.kernel("axpy");
    CHECK(f.kernel("axpy") == axpy);
    CHECK(f.fake.calls("cuFuncLoad") == 1);
    CHECK(axpy->native_function() != nullptr);
    CHECK(f.kernel("nothing") == nullptr);
    CHECK(f.kernel("counter") == nullptr);
    CHECK(f.fake.record().capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);  // restored
}

TEST_CASE("a module tells all its kernels", "[cuda][raw]") {
    RawFixture f;
    CHECK(f.module->kernel_symbols() ==
          std::vector<std::string>{
              "axpy", "bound", "clustered", "empty", "large", "open", "sharing"});
    CHECK(f.fake.calls("cuFuncLoad") == 0);
}

TEST_CASE("a driver that cannot list kernels leaves those that the compiler named", "[cuda][raw]") {
    for (const char* missing :
         {"cuLibraryGetKernelCount", "cuLibraryEnumerateKernels", "cuKernelGetName"}) {
        const ScopedVariable without("FAKE_CUDA_MISSING", missing);
        RawFixture f;
        Image named = raw_image();
        named.lowered_names = {{"large", "large"}, {"&counter", "counter"}, {"axpy", "axpy"}};
        const auto module = f.raw.load_module(named, "filters.cu");
        CHECK(module->kernel_symbols() == std::vector<std::string>{"large", "axpy"});
    }
}

TEST_CASE("parameters are where the driver says, of the kinds that the PTX says", "[cuda][raw]") {
    RawFixture f;
    const auto axpy = f.kernel("axpy");
    const std::vector<KernelParameter> expected = {{0, 4, ParameterKind::floating},
                                                   {8, 8, ParameterKind::pointer},
                                                   {16, 8, ParameterKind::integer},
                                                   {24, 8, ParameterKind::integer}};
    const auto found = axpy->parameters();
    CHECK(std::vector<KernelParameter>(found.begin(), found.end()) == expected);
    CHECK(f.kernel("empty")->parameters().empty());
}

TEST_CASE("without PTX, or with another kernel's, the kinds are unknown", "[cuda][raw]") {
    RawFixture f;
    Image bare = raw_image();
    bare.sections.pop_back();
    Image other = bare;
    other.sections.push_back({ImageKind::ptx, bytes_of(".entry axpy(.param .f64 a) { ret; }")});
    for (const Image& each : {bare, other}) {
        const auto kernel = f.raw.load_module(each, "x.cubin")->kernel("axpy");
        CHECK(kernel->parameters().size() == 4);
        for (const KernelParameter& parameter : kernel->parameters())
            CHECK(parameter.kind == ParameterKind::unknown);
    }
}

TEST_CASE("variables are found in global, constant and managed memory", "[cuda][raw]") {
    RawFixture f;
    const auto counter = f.module->variable("counter");
    REQUIRE(counter.has_value());
    CHECK(counter->bytes == 4);
    CHECK(counter->pointer != nullptr);
    CHECK(f.module->variable("total")->bytes == 8);
    CHECK_FALSE(f.module->variable("axpy").has_value());
    CHECK(f.module->variable_symbols() == std::vector<std::string>{"counter"});
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryGetGlobal:1");
    CHECK(KGEN_MESSAGE_OF(DeviceError, f.module->variable("counter")) ==
          "module 'filters.cu' on cuda:0: cuLibraryGetGlobal failed: CUDA_ERROR_INVALID_VALUE "
          "(invalid argument)");
}

TEST_CASE("a driver without managed variables has the others", "[cuda][raw]") {
    const ScopedVariable without("FAKE_CUDA_MISSING", "cuLibraryGetManaged");
    RawFixture f;
    CHECK(f.module->variable("counter").has_value());
    CHECK_FALSE(f.module->variable("total").has_value());
}

TEST_CASE("the cubin is loaded first, then a fatbin, then PTX with its NUL", "[cuda][raw]") {
    RawFixture f;
    Image all;
    all.sections = {{ImageKind::ptx, bytes_of("ptx text")},
                    {ImageKind::fatbin, bytes_of("fatbin bytes")},
                    {ImageKind::cubin, bytes_of("cubin bytes")}};
    for (const char* expected : {"cubin bytes", "fatbin bytes", "ptx text"}) {
        f.raw.load_module(all, "x");
        CHECK(std::string(f.fake.record().loaded_text) == expected);
        all.sections.pop_back();
        if (!all.sections.empty() && all.sections.back().kind == ImageKind::ptx)
            all.sections.back().bytes.pop_back();  // a PTX file has no terminating NUL
    }
    CHECK(load_failure(all) ==
          "module 'x.cubin' on cuda:0: cuLibraryLoadData failed: error 200\nthe image has neither "
          "a cubin nor PTX");
}

TEST_CASE("code that the GPU cannot run says for what it is", "[cuda][raw]") {
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:209");
        CHECK(load_failure(raw_image("sm_80")) ==
              "module 'x.cubin' on cuda:0: its code is for sm_80, but the GPU is sm_90");
        CHECK(load_failure(raw_image("")) ==
              "module 'x.cubin' on cuda:0: it has no code for the GPU, which is sm_90");
        CHECK(load_failure(raw_image("sm_90")) ==
              "module 'x.cubin' on cuda:0: it has no code for the GPU, which is sm_90");
    }
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:222");
        CHECK(load_failure(raw_image(), "x.ptx") ==
              "module 'x.ptx' on cuda:0: its PTX is newer than the driver, which is for CUDA 13.0: "
              "install a newer driver, or compile with an older toolkit");
    }
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLibraryLoadData:218");
        Image text;
        text.sections.push_back({ImageKind::ptx, bytes_of("ptx text")});
        CHECK(load_failure(text, "x.ptx") ==
              "module 'x.ptx' on cuda:0: cuLibraryLoadData failed: CUDA_ERROR_INVALID_PTX\nptxas: "
              "line 1: it is wrong");
    }
    // With lazy loading the driver may find the error only here.
    RawFixture f;
    const auto module = f.raw.load_module(raw_image("sm_80"), "x.cubin");
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuFuncLoad:209");
    try {
        module->kernel("axpy");
        FAIL("loaded");
    } catch (const DeviceError& error) {
        CHECK(std::string(error.what()) ==
              "module 'x.cubin' on cuda:0: its code is for sm_80, but the GPU is sm_90");
        CHECK(error.code() == CUDA_ERROR_NO_BINARY_FOR_GPU);
        CHECK(error.call() == "cuFuncLoad");
    }
}
