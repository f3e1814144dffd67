// SPDX-License-Identifier: MIT
//
// The user's own programs, from text to a loaded kernel. NVRTC compiles them, and a fake device reads only
// the PTX (support/fake_raw.hpp).
#include "raw/raw_program.hpp"

#include <kgen/kgen.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/at_once.hpp"
#include "support/catch.hpp"
#include "support/compile_count.hpp"
#include "support/cuda_source.hpp"
#include "support/fake_raw.hpp"
#include "support/fresh_process.hpp"
#include "support/never_compiled.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

FakeRawDevice& device() {
    static auto* device = new FakeRawDevice(Device::cuda(40));
    return *device;
}

std::string kernel_error(const RawProgram& program, const std::string& name) {
    return KGEN_MESSAGE_OF(CompileError, program.make_ready(name, device()));
}

constexpr const char* overloads =
    "__global__ void scale(float* x) { *x *= 2; }\n"
    "__global__ void scale(double* x) { *x *= 2; }\n"
    "template <class T> __global__ void axpby(T* x) { *x = 1; }\n"
    "namespace ns { __global__ void saxpy(float* x, int n) { x[n] = 1; } }\n"
    "extern \"C\" __global__ void plain(int* x) { *x = 1; }\n"
    "__device__ int counter;\n"
    "__global__ void count() { ++counter; }\n";

}  // namespace

TEST_CASE("a kernel of a module is found by its name in C++", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const RawProgram program(define_module(overloads, {}));
    const auto ready = program.make_ready("ns::saxpy", device());
    REQUIRE(ready->parameters.size() == 2);
    CHECK(ready->parameters[0].offset == 0);
    CHECK(ready->parameters[0].bytes == 8);
    CHECK(ready->parameters[0].kind == ParameterKind::pointer);
    CHECK(ready->parameters[1].offset == 8);
    CHECK(ready->parameters[1].bytes == 4);
    CHECK(ready->parameters[1].kind == ParameterKind::integer);
    CHECK(ready->block_bytes == 12);
    CHECK(ready->backend == &device());
    CHECK(program.make_ready("plain", device())->parameters[0].type.text ==
          "int*");  // the type in the source
    CHECK(program.make_ready("scale(double*)", device())->kernel !=
          program.make_ready("scale(float*)", device())->kernel);
    CHECK(program.make_ready("count", device())->block_bytes == 0);

    CHECK(kernel_error(program, "saxpi") ==
          "kernel 'saxpi': module 'module.cu' has no such kernel: it has 'count', 'ns::saxpy', "
          "'plain', 'scale', 'scale'");
    CHECK(kernel_error(program, "plan") ==
          "kernel 'plan': module 'module.cu' has no such kernel: it has 'count', 'ns::saxpy', "
          "'plain', 'scale', 'scale'\ndid you mean 'plain'?");
    CHECK(kernel_error(program, "scale") ==
          "kernel 'scale': module 'module.cu' has 2 of that name: 'scale(double*)', "
          "'scale(float*)'\nname one with its parameters");
    CHECK(kernel_error(program, "axpby") ==
          "kernel 'axpby': module 'module.cu' has no such kernel: it has 'count', 'ns::saxpy', "
          "'plain', 'scale', 'scale'\n"
          "the source declares it, but no code was generated for it: list templates in "
          "RawModuleOptions::names");
}

TEST_CASE("a variable of a module is found, and its size is checked", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const RawProgram program(define_module(overloads, {}));
    const GlobalVariable counter = program.variable("counter", device());
    CHECK(counter.size_bytes() == 8);  // the fake device gives every variable 8 bytes
    CHECK(counter.data() != nullptr);
    CHECK(KGEN_MESSAGE_OF(TypeError, counter.read<int>()) ==
          "module 'module.cu': variable 'counter' has 8 bytes, but 4 were given");
    CHECK(KGEN_MESSAGE_OF(TypeError, counter.write('a')) ==
          "module 'module.cu': variable 'counter' has 8 bytes, but 1 were given");
    CHECK(KGEN_MESSAGE_OF(ShapeError, counter.array(complex128)) ==
          "module 'module.cu': variable 'counter' has 8 bytes, which is not a multiple of the 16 "
          "of complex128");
    CHECK(KGEN_MESSAGE_OF(ShapeError, counter.array(float32, Dims{3})) ==
          "module 'module.cu': variable 'counter' has 8 bytes, but shape (3,) of float32 needs 12");
    CHECK(KGEN_MESSAGE_OF(CompileError, program.variable("countre", device())) ==
          "module 'module.cu': there is no variable 'countre': the module has 'counter'\n"
          "did you mean 'counter'?\n"
          "the compiler drops variables that no kernel uses: '&countre' in RawModuleOptions::names "
          "keeps it");
}

TEST_CASE("programs with equal texts share their code, and one compile", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const std::string text = "__global__ void shared_by_two(int* x) { *x = 1; }" + never_compiled();
    const int loads = device().fake.loads;
    const RawProgram first(define_kernel(text, "shared_by_two", {}));
    const RawProgram second(define_kernel(text, "shared_by_two", {}));
    CHECK(compiles_during("shared_by_two", [&] {
              CHECK(first.make_ready("shared_by_two", device())->kernel ==
                    second.make_ready("shared_by_two", device())->kernel);
              first.make_ready("shared_by_two", device());
          }) == 1);
    CHECK(device().fake.loads == loads + 1);
    const RawProgram other(define_kernel(text, "shared_by_two", {.options = {"-DOTHER"}}));
    other.make_ready("shared_by_two", device());
    CHECK(device().fake.loads == loads + 2);
}

TEST_CASE("threads that meet in a new program compile it once", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const std::string text =
        "__global__ void met_by_threads(int* x) { *x = 1; }" + never_compiled();
    const RawProgram shared(define_kernel(text, "met_by_threads", {}));
    const int loads = device().fake.loads;
    CHECK(compiles_during("met_by_threads", [&] {
              CHECK(failures([&](int number) {
                        const RawProgram own(define_kernel(text, "met_by_threads", {}));
                        (number % 2 == 0 ? shared : own).make_ready("met_by_threads", device());
                        return true;
                    }) == 0);
          }) == 1);
    CHECK(device().fake.loads == loads + 1);
}

TEST_CASE("a cached image that the driver rejects is compiled anew, once", "[nvrtc]") {
    if (!has_nvrtc()) return;
    constexpr const char* text = "__global__ void rejected_image(int* x) { *x = 1; }";
    const RawProgram program(define_kernel(text, "rejected_image", {}));
    program.make_ready("rejected_image", device());
    static auto* second = new FakeRawDevice(Device::cuda(41));
    second->fake.rejections_left = 1;
    CHECK(compiles_during("rejected_image",
                          [&] { program.make_ready("rejected_image", *second); }) == 1);
    CHECK(second->fake.loads == 1);
    // The recompiled image is in the cache again. If the driver rejects it too, its error is thrown.
    static auto* third = new FakeRawDevice(Device::cuda(42));
    third->fake.rejections_left = 2;
    CHECK(KGEN_MESSAGE_OF(DeviceError, program.make_ready("rejected_image", *third)) ==
          "kernel 'rejected_image': no kernel image");
    CHECK(third->fake.loads == 0);
    CHECK(compiles_during("rejected_image",
                          [&] { program.make_ready("rejected_image", *third); }) == 0);
}

TEST_CASE("an image that was just compiled and is rejected is not compiled again", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const RawProgram program(
        define_module("__global__ void rejected_at_once() {}" + never_compiled(), {.sources = {}}));
    static auto* other = new FakeRawDevice(Device::cuda(43));
    other->fake.rejections_left = 1;
    CHECK(compiles_during("module.cu", [&] {
              CHECK(KGEN_MESSAGE_OF(DeviceError, program.on(*other)) ==
                    "module 'module.cu': no kernel image");
          }) == 1);
    CHECK(other->fake.rejections_left == 0);
}

TEST_CASE("fresh: a raw kernel is loaded from the cache", "[.fresh]") {
    const RawProgram program(
        define_kernel("__global__ void of_the_cache(int* x) { *x = 1; }", "of_the_cache", {}));
    const int compiles =
        compiles_during("of_the_cache", [&] { program.make_ready("of_the_cache", device()); });
    report(std::to_string(compiles) + " compiles");
}

TEST_CASE("a second process compiles no raw kernel", "[nvrtc]") {
    if (!has_nvrtc()) return;
    const TempDir folder;
    const auto run = [&] {
        return run_fresh("fresh: a raw kernel is loaded from the cache",
                         {{"KGEN_CACHE_DIR", folder.path()}})
            .text;
    };
    CHECK(run() == "1 compiles");
    CHECK(run() == "0 compiles");
}
