// SPDX-License-Identifier: MIT
//
// Raw kernels as the CUDA driver sees them. NVRTC compiles them, and a fake driver counts the calls
// (support/fake_cuda.hpp). Each hidden test case runs in its own process, which has its own driver.
#include <cuda.h>

#include <cstring>
#include <fstream>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/compile_count.hpp"
#include "support/cuda_source.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#include "support/scoped_variable.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using kgen::test::allocations_of;
using kgen::test::compiles_during;

namespace {

constexpr const char* text =
    "struct Pair { char first; double second; };\n"
    "template <class T> struct View { T* data; long long shape[2], strides[2]; };\n"
    "__constant__ float scale[2];\n"
    "__device__ int counter;\n"
    "template <class T, int n>\n"
    "__global__ void axpby(T a, const T* x, T* y, unsigned char k, Pair p, View<T> v) {\n"
    "    y[k] = a * x[k] * n + p.second + v.data[0] + scale[1] + ++counter;\n"
    "}\n"
    "extern \"C\" __global__ void plain(float* x, long long n) { x[n] = 1; }\n"
    "__global__ void fetch(unsigned long long image, float* x) { *x = image; }\n"
    "__global__ void shared(int* x) {\n"
    "    extern __shared__ int tile[];\n"
    "    tile[threadIdx.x] = *x;\n"
    "    *x = tile[31 - threadIdx.x];\n"
    "}\n";

struct Pair {
    char first;
    double second;
};

// Returns the bytes at an offset in the parameters of the last launch.
template <typename T>
T given(const Driver& driver, std::size_t offset) {
    T value;
    std::memcpy(&value, driver.fake.record().parameters + offset, sizeof value);
    return value;
}

}  // namespace

TEST_CASE("a raw kernel is compiled and launched with its arguments", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawModule module(text, {.names = {"axpby<float, 3>", "axpby<double, 2>"}});
    const RawKernel axpby = module.kernel("axpby<float,3>");
    const Array x = empty({4, 5}, float32);
    const Array y = empty({20}, float32);
    const Stream stream = Stream::create();
    const auto launch = [&](const Array& from) {
        axpby.launch({.grid = {7, 2}, .block = {32, 2}, .stream = stream},
                     2.5,
                     from,
                     y,
                     3,
                     Pair{1, 0.5},
                     raw(x));
    };
    launch(x);
    const FakeCudaRecord& record = driver.fake.record();
    CHECK(record.stream == stream.handle());
    CHECK(record.launch.grid[0] == 7);
    CHECK(record.launch.grid[1] == 2);
    CHECK(record.launch.block[1] == 2);
    REQUIRE(record.parameters_bytes == 88);
    CHECK(given<float>(driver, 0) == 2.5F);
    CHECK(given<void*>(driver, 8) == x.data());
    CHECK(given<void*>(driver, 16) == y.data());
    CHECK(given<unsigned char>(driver, 24) == 3);
    CHECK(given<Pair>(driver, 32).second == 0.5);
    CHECK(given<void*>(driver, 48) == x.data());
    CHECK(given<std::int64_t>(driver, 64) == 5);
    CHECK(given<std::int64_t>(driver, 72) == 20);
    CHECK(allocations_of([&] { launch(x); }) == 0);
    const Array other = empty({4, 5}, float32);
    launch(other);
    CHECK(given<void*>(driver, 8) == other.data());

    const int launches = driver.fake.calls("cuLaunchKernel");
    axpby.launch({.grid = {3, 0}, .block = {32}}, 1, x, y, 0, Pair(), raw(x));
    CHECK(driver.fake.calls("cuLaunchKernel") == launches);
    CHECK(KGEN_MESSAGE_OF(TypeError, axpby.launch({}, 1, x, y, 256, Pair(), raw(x))) ==
          "kernel 'axpby<float,3>': argument 4 of 6: 256 does not fit unsigned char (0 to 255)");
    CHECK(KGEN_MESSAGE_OF(TypeError, axpby.launch({}, 1, x, y, 0, 'a', raw(x))) ==
          "kernel 'axpby<float,3>': argument 5 of 6 has 1 byte, the kernel expects "
          "16; did you pass a char for a struct?");
    CHECK(KGEN_MESSAGE_OF(TypeError, axpby.launch({}, 1, x, y, 0, Pair(), raw(y))) ==
          "kernel 'axpby<float,3>': argument 6 of 6 has 24 bytes, the kernel expects "
          "40; did you pass an array of 1 axes for one of 2?");
    CHECK(driver.fake.calls("cuLaunchKernel") == launches);

    // The symbol of an extern "C" kernel does not tell the kinds of its parameters; the compiled code does.
    const RawKernel plain = module.kernel("plain");
    plain.launch({}, x, 5);
    CHECK(given<long long>(driver, 8) == 5);
    CHECK(KGEN_MESSAGE_OF(TypeError, plain.launch({}, 5, 5)) ==
          "kernel 'plain': argument 1 of 2 is the number 5, the kernel expects a pointer\npass an "
          "array, a pointer, nullptr or, for an address, an unsigned long long");
    report("ok");
}

TEST_CASE("a bound raw kernel shows what it gives to the driver", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawKernel shared(text, "shared");
    const Array x = empty({32}, int32);
    const BoundLaunch bound =
        shared.bind({.grid = {2, 3, 4}, .block = {8, 2, 2}, .shared_bytes = 128}, x);
    const NativeLaunch native = bound.native();
    bound();
    const FakeCudaRecord& record = driver.fake.record();
    CHECK(native.function != nullptr);
    CHECK(native.grid_z == record.launch.grid[2]);
    CHECK(native.grid_z == 4);
    CHECK(native.block == 8);
    CHECK(native.block_y == record.launch.block[1]);
    CHECK(native.shared_bytes == record.shared_bytes);
    REQUIRE(native.parameter_bytes == record.parameters_bytes);
    CHECK(std::memcmp(native.parameters, record.parameters, native.parameter_bytes) == 0);
    CHECK(driver.was_given(x.data()));
    CHECK(allocations_of([&] { bound(); }) == 0);
    report("ok");
}

TEST_CASE("a raw kernel runs where its arrays are", "[cuda][raw]") {
    if (!in_new_process("2")) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawKernel plain(text, "plain");
    const Array near = empty({4}, float32);
    const Array far = empty({4}, float32, {Device::cuda(1)});
    const auto context = [&](const Array& x) {
        plain.launch({}, x, 1);
        CHECK(driver.was_given(x.data()));
        return driver.fake.record().stream;
    };
    const Stream stream = Stream::create(Device::cuda(1));
    set_current_stream(stream);
    CHECK(context(near) == nullptr);
    CHECK(context(far) == stream.handle());
    CHECK(KGEN_MESSAGE_OF(ShapeError, plain.launch({.stream = stream}, near, 1)) ==
          "kernel 'plain': the stream is on cuda:1, but the call is on cuda:0");
    const RawKernel two("__global__ void two(float* x, float* y) { *x = *y; }", "two");
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, two.launch({}, near, far)) ==
        "kernel 'two': argument 2 of 2 is on cuda:1 but argument 1 is on cuda:0; move one of them "
        "with to()");
    const Surface surface = Surface::create({4, 4}, float32, 1, Device::cuda(1));
    const RawKernel fetch(text, "fetch");
    CHECK(KGEN_MESSAGE_OF(
              ShapeError,
              fetch.launch({.stream = Stream::legacy(Device::cuda(0))}, surface, nullptr)) ==
          "kernel 'fetch': the stream is on cuda:0, but the call is on cuda:1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, fetch.launch({}, surface, near)) ==
          "kernel 'fetch': argument 2 of 2 is on cuda:0 but argument 1 is on cuda:1; move one of "
          "them with to()");
    fetch.launch({}, surface, nullptr);
    CHECK(given<std::uint64_t>(driver, 0) == surface.handle());
    CHECK(KGEN_MESSAGE_OF(TypeError, fetch.launch({}, surface, surface)) ==
          "kernel 'fetch': argument 2 of 2 is a surface, the kernel expects a pointer");
    report("ok");
}

TEST_CASE("a texture is kept while bound launches use it", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawKernel fetch(text, "fetch");
    std::optional<Texture> image = Texture::create(zeros({4, 4}, float32));
    const std::uint64_t handle = image->handle();
    const Array x = empty({1}, float32);
    fetch.launch({}, *image, x);
    CHECK(given<std::uint64_t>(driver, 0) == handle);
    std::optional<BoundLaunch> bound = fetch.bind({}, *image, x);
    image.reset();
    CHECK(driver.fake.calls("cuTexObjectDestroy") == 0);
    (*bound)();
    CHECK(given<std::uint64_t>(driver, 0) == handle);
    bound.reset();
    CHECK(driver.fake.calls("cuTexObjectDestroy") == 1);
    report("ok");
}

TEST_CASE("names that are not there are told with those that are", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    CHECK(KGEN_MESSAGE_OF(CompileError, RawKernel(text, "plane").prepare()) ==
          "kernel 'plane': the name 'plane' is rejected: identifier \"plane\" is undefined\n"
          "the source declares 'axpby', 'plain', 'fetch', 'shared'");
    CHECK(KGEN_MESSAGE_OF(CompileError, RawKernel(text, "axpby<float>").prepare()) ==
          "kernel 'axpby<float>': the name 'axpby<float>' is rejected: cannot determine which "
          "instance of function template \"axpby\" is intended");
    const RawModule module(text, {.names = {"axpby<float, 1>", "axpby<Nothing, 1>"}});
    CHECK(KGEN_MESSAGE_OF(CompileError, module.prepare()) ==
          "module 'module.cu': the name 'axpby<Nothing, 1>' is rejected: identifier \"Nothing\" is "
          "undefined\n"
          "the source declares 'axpby', 'plain', 'fetch', 'shared'");
    const std::string nvrtc = kgen::test::nvrtc_name();
    CHECK(KGEN_MESSAGE_OF(CompileError, RawKernel(text, "axpby<Pair, 1>").prepare()) ==
          "kernel 'axpby<Pair, 1>': " + nvrtc +
              " rejected the source for sm_90\n"
              "axpby.cu(7:14): error: no operator \"*\" matches these operands\n"
              "      y[k] = a * x[k] * n + p.second + v.data[0] + scale[1] + ++counter;\n"
              "               ^\n"
              "in the instantiation 'void axpby<T,n>(T, const T *, T *, unsigned char, Pair, "
              "View<T>) [with T=Pair, n=1]'");
    report("ok");
}

TEST_CASE("the variables of a module are the driver's", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawModule module(text, {.names = {"axpby<float, 3>"}});
    const GlobalVariable scale = module.global("scale");
    CHECK(scale.size_bytes() == 8);
    const Array pair = scale.array(float32);
    CHECK(pair.shape() == Dims{2});
    CHECK(pair.data() == scale.data());
    pair.assign(full({2}, 2.5, float32));
    CHECK(KGEN_MESSAGE_OF(TypeError, scale.read<float>()) ==
          "module 'module.cu': variable 'scale' has 8 bytes, but 4 were given");
    const GlobalVariable counter = module.global("counter");
    counter.write(41);
    CHECK(counter.read<int>() == 41);
    CHECK(KGEN_MESSAGE_OF(CompileError, module.global("scales")) ==
          "module 'module.cu': there is no variable 'scales': the module has 'counter', 'scale'\n"
          "did you mean 'scale'?\n"
          "the compiler drops variables that no kernel uses: '&scales' in RawModuleOptions::names "
          "keeps it");
    report("ok");
}

TEST_CASE("a lost device is told by every later launch", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawKernel plain(text, "plain");
    const Array x = empty({4}, float32);
    plain.launch({}, x, 1);
    const BoundLaunch bound = plain.bind({}, x, 1);
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:700");
    const std::string lost = KGEN_MESSAGE_OF(DeviceError, plain.launch({}, x, 1));
    CHECK(lost.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
    CHECK(lost.find("kernel 'plain'") != std::string::npos);
    CHECK(KGEN_MESSAGE_OF(DeviceError, plain.launch({}, x, 1)) == lost);
    CHECK(KGEN_MESSAGE_OF(DeviceError, bound()) == lost);
    const RawKernel other("__global__ void other() {}", "other");
    CHECK(KGEN_MESSAGE_OF(DeviceError, other.prepare()) == lost);
    report("ok");
}

TEST_CASE("a file of compiled code is a module", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const TempDir folder;
    const std::string path = folder / "code.bin";
    {
        CompileJob job{.kernel = "code",
                       .source = text,
                       .target = {.kind = DeviceKind::cuda, .arch = "sm_90"},
                       .kind = SourceKind::raw};
        job.name_expressions = {"axpby<float, 3>"};
        const Image image = compiler(DeviceKind::cuda).compile(job);
        const std::vector<std::byte>& bytes = image.find(ImageKind::cubin)->bytes;
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size()));
    }
    const RawModule module({.file = path});
    CHECK(module.code().empty());
    CHECK(module.log().empty());
    CHECK(module.kernel_names() ==
          std::vector<std::string>{"axpby<float, 3>", "fetch", "plain", "shared"});
    const Array x = empty({4}, float32);
    module.kernel("fetch").launch({}, 5, x);
    CHECK(given<std::uint64_t>(driver, 0) == 5);
    CHECK(driver.was_given(x.data()));
    // A mangled symbol tells the types of a kernel's parameters. An extern "C" symbol does not.
    CHECK(KGEN_MESSAGE_OF(TypeError, module.kernel("fetch").launch({}, 5, 5)) ==
          "kernel 'fetch': argument 2 of 2 is the number 5, the kernel expects a pointer\npass an "
          "array, a pointer, nullptr or, for an address, an unsigned long long");
    CHECK(KGEN_MESSAGE_OF(TypeError, module.kernel("plain").launch({}, x, 5)) ==
          "kernel 'plain': argument 2 of 2 has 4 bytes, the kernel expects 8; did you pass an int "
          "for a long long?");
    CHECK(KGEN_MESSAGE_OF(CompileError, module.kernel("axpby<float, 4>").prepare()) ==
          "kernel 'axpby<float, 4>': module '" + path +
              "' has no such kernel: it has 'axpby<float, 3>', 'fetch', 'plain', 'shared'\ndid you "
              "mean 'axpby<float, 3>'?");
    CHECK(KGEN_MESSAGE_OF(DeviceError, module.prepare(Device::host())) ==
          "module '" + path + "': the file holds code for a GPU, which the host cannot run");
    report("ok");
}

TEST_CASE("fresh: a raw kernel of a template comes from the cache", "[.fresh]") {
    const Driver driver;
    if (!finds_nvrtc()) return;
    const RawKernel axpby(text, "axpby<float, 4>");
    const int compiles = compiles_during("axpby<float, 4>", [&] { axpby.prepare(); });
    CHECK(axpby.log().empty());
    report(std::to_string(compiles));
}

TEST_CASE("a second process compiles no raw kernel of a template", "[cuda][raw]") {
    const TempDir folder;
    const auto run = [&] {
        return run_fresh("fresh: a raw kernel of a template comes from the cache",
                         {{"KGEN_CUDA_PATH", FakeCuda::path()},
                          {"FAKE_CUDA_DEVICES", "1"},
                          {"KGEN_DEVICE", "cuda:0"},
                          {"KGEN_CACHE_DIR", folder.path()}})
            .text;
    };
    const std::string first = run();
    if (first == "no NVRTC") return;
    CHECK(first == "1");
    CHECK(run() == "0");
}
