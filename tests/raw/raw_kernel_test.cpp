// SPDX-License-Identifier: MIT
//
// Raw kernels and modules on every device present.
#include <cstdint>
#include <fstream>
#include <kgen/kgen.hpp>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/compile_count.hpp"
#include "support/devices.hpp"
#include "support/fresh_process.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr const char* saxpy_text =
    "__global__ void saxpy(float a, const float* x, const float* y, float* z, int n) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) z[i] = a * x[i] + y[i];\n"
    "}\n";

std::vector<float> line(std::int64_t count, float slope, float start) {
    std::vector<float> values;
    for (std::int64_t k = 0; k < count; ++k)
        values.push_back(slope * static_cast<float>(k) + start);
    return values;
}

std::vector<float> floats(const Array& array) {
    return array.to_vector<float>();
}

}  // namespace

TEST_CASE("a raw kernel computes what its text says", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawKernel saxpy(saxpy_text, "saxpy");
        CHECK(saxpy.name() == "saxpy");
        CHECK(saxpy.code() == saxpy_text);
        for (const int n : {1, 255, 256, 1000}) {
            const Array x = from_vector(line(n, 1, 0), {device});
            const Array y = from_vector(line(n, 0, 3), {device});
            const Array z = zeros({n}, float32, {device});
            saxpy.launch({.grid = {(n + 255) / 256}, .block = {256}}, 2.0, x, y, z, n);
            CHECK(floats(z) == line(n, 2, 3));
        }
    }
}

TEST_CASE("a grid without blocks launches nothing, but its arguments are checked", "[raw]") {
    for (const Device device : present_devices()) {
        const RawKernel saxpy(saxpy_text, "saxpy");
        const Array x = from_vector(line(4, 1, 0), {device});
        saxpy.launch({.grid = {0}, .block = {256}}, 2, x, x, x, 4);
        CHECK(floats(x) == line(4, 1, 0));
        CHECK(KGEN_MESSAGE_OF(TypeError, saxpy.launch({.grid = {0}, .block = {256}}, 2, x)) ==
              "kernel 'saxpy': got 2 arguments, expected 5");
    }
}

TEST_CASE("what does not fit the parameters is refused before anything runs", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawKernel saxpy(saxpy_text, "saxpy");
        const Array x = from_vector(line(4, 1, 0), {device});
        const Array z = zeros({4}, float32, {device});
        const LaunchConfig config{.grid = {1}, .block = {32}};
        CHECK(KGEN_MESSAGE_OF(TypeError, saxpy.launch(config, 2.0, x, x, z, 2.5)) ==
              "kernel 'saxpy': argument 5 of 5: 2.5 does not fit int (it is not an integer)");
        CHECK(KGEN_MESSAGE_OF(TypeError, saxpy.launch(config, 2.0, x, 3, z, 4)) ==
              "kernel 'saxpy': argument 3 of 5 is the number 3, the kernel expects a pointer\npass "
              "an array, a pointer, nullptr or, for an address, an unsigned long long");
        CHECK(KGEN_MESSAGE_OF(TypeError, saxpy.launch(config, x, x, x, z, 4)) ==
              "kernel 'saxpy': argument 1 of 5 is an array, the kernel expects a floating-point "
              "number of 4 bytes");
        const Array strided = from_vector(line(8, 1, 0), {device}).slice({{0, 8, 2}});
        CHECK(KGEN_MESSAGE_OF(ShapeError, saxpy.launch(config, 2.0, strided, x, z, 4)) ==
              "kernel 'saxpy': argument 2 of 5 is not C-contiguous: its shape is (4,), its strides "
              "are (8,)\npass x.ascontiguous(), raw(x) to a kernel that takes a kgen::array, or "
              "x.data()");
        CHECK(floats(z) == line(4, 0, 0));
        saxpy.launch(config, 2.0, strided.ascontiguous(), x, z, 4);
        CHECK(floats(z) == line(4, 5, 0));
    }
}

TEST_CASE("structs, pointers and enumerations are passed by value", "[raw]") {
    struct Affine {
        float slope;
        double start;
        short count[3];
    };
    enum class Mode : int { plain, doubled };
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const DeviceScope scope(device);  // no argument determines the device
        const RawKernel apply(
            "struct Affine { float slope; double start; short count[3]; };\n"
            "enum class Mode { plain, doubled };\n"
            "__global__ void apply(Affine f, Mode mode, float* z, const float* absent, bool on) {\n"
            "    int i = threadIdx.x;\n"
            "    if (i >= f.count[2] || absent != nullptr || !on) return;\n"
            "    z[i] = (float)(f.slope * i + f.start) * (mode == Mode::doubled ? 2 : 1);\n"
            "}\n",
            "apply");
        const Array z = zeros({8}, float32, {device});
        apply.launch(
            {.block = {8}}, Affine{2, 1, {0, 0, 6}}, Mode::doubled, z.data(), nullptr, true);
        CHECK(floats(z) == std::vector<float>{2, 6, 10, 14, 18, 22, 0, 0});
    }
}

TEST_CASE("templates are named by their C++ expressions", "[raw]") {
    constexpr const char* text =
        "enum class Mode { sum, difference };\n"
        "namespace pairs {\n"
        "constexpr int two = 2;\n"
        "template <class T, int n, Mode mode> __global__ void axpby(T a, const T* x, T* y) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    T other = n * y[i];\n"
        "    y[i] = mode == Mode::sum ? a * x[i] + other : a * x[i] - other;\n"
        "}\n"
        "}\n"
        "__global__ void plain(float* x) { x[threadIdx.x] = 7; }\n";
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawModule module(text,
                               {.names = {"pairs::axpby<float, pairs::two, Mode::sum>",
                                          "pairs::axpby<int, 3, Mode::difference>"}});
        const Array x = from_vector(line(4, 1, 0), {device});
        const Array y = from_vector(line(4, 0, 1), {device});
        module.kernel("pairs::axpby<float,pairs::two,Mode::sum>").launch({.block = {4}}, 10, x, y);
        CHECK(floats(y) == line(4, 10, 2));
        const Array i = from_vector(std::vector<std::int32_t>{1, 2, 3}, {device});
        module.kernel("pairs::axpby<int, 3, Mode::difference>").launch({.block = {3}}, 4, i, i);
        CHECK(i.to_vector<std::int32_t>() == std::vector<std::int32_t>{1, 2, 3});
        module.kernel("plain").launch({.block = {4}}, y);
        CHECK(floats(y) == line(4, 0, 7));
        CHECK(module.kernel_names(device) ==
              std::vector<std::string>{"pairs::axpby<float, pairs::two, Mode::sum>",
                                       "pairs::axpby<int, 3, Mode::difference>",
                                       "plain"});
        CHECK(KGEN_MESSAGE_OF(CompileError, module.kernel("plan").prepare(device)) ==
              "kernel 'plan': module 'module.cu' has no such kernel: it has "
              "'pairs::axpby<float, pairs::two, Mode::sum>', 'pairs::axpby<int, 3, "
              "Mode::difference>', 'plain'\ndid you mean 'plain'?");
        // A RawKernel can instantiate a template without a module.
        const RawKernel single(text, "pairs::axpby<double, 1, Mode::sum>");
        const Array d = from_vector(std::vector<double>{1, 2}, {device});
        single.launch({.block = {2}}, 0.5, d, d);
        CHECK(d.to_vector<double>() == std::vector<double>{1.5, 3});
        CHECK(single.module().kernel_names(device) ==
              std::vector<std::string>{"pairs::axpby<double, 1, Mode::sum>", "plain"});
    }
}

TEST_CASE("a kernel is bound once and launched often", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawKernel saxpy(saxpy_text, "saxpy");
        const Array x = from_vector(line(300, 1, 0), {device});
        const Array z = zeros({300}, float32, {device});
        const BoundLaunch step = saxpy.bind({.grid = {2}, .block = {256}}, 1, x, z.copy(), z, 300);
        const BoundLaunch add = saxpy.bind({.grid = {2}, .block = {256}}, 1, x, z, z, 300);
        step();
        add();
        CHECK(floats(z) == line(300, 2, 0));
        CHECK(allocations_of([&] { add(); }) == 0);
        add.launch();
        CHECK(floats(z) == line(300, 4, 0));
        CHECK(step.outputs().empty());
        if (device.kind() == DeviceKind::host) {
            CHECK(KGEN_MESSAGE_OF(DeviceError, step.native()) ==
                  "kernel 'saxpy': it is bound to the host, which has no native launch; call "
                  "launch()");
        }
    }
}

TEST_CASE("a launch allocates nothing", "[raw]") {
    for (const Device device : present_devices()) {
        const RawKernel saxpy(saxpy_text, "saxpy");
        const Array x = from_vector(line(4, 1, 0), {device});
        const Array z = zeros({4}, float32, {device});
        const auto run = [&] { saxpy.launch({.block = {4}}, 2.0, x, x, z, 4); };
        run();
        CHECK(allocations_of(run) == 0);
    }
}

TEST_CASE("the variables of a module are read and written by name", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawModule module(
            "__constant__ float scale[4];\n"
            "namespace ns { __device__ int counter = 5; }\n"
            "template <class T> __device__ T bias = 3;\n"
            "__global__ void apply(float* x) {\n"
            "    x[threadIdx.x] = x[threadIdx.x] * scale[threadIdx.x] + bias<float>;\n"
            "    if (threadIdx.x == 0) ns::counter += 1;\n"
            "}\n",
            {.names = {"&bias<float>"}});
        const GlobalVariable scale = module.global("scale", device);
        CHECK(scale.size_bytes() == 16);
        struct Four {
            float values[4];
        };
        scale.write(Four{{1, 2, 3, 4}});
        CHECK(scale.read<Four>().values[3] == 4);
        const Array x = from_vector(line(4, 0, 10), {device});
        const RawKernel apply = module.kernel("apply");
        apply.launch({.block = {4}}, x);
        CHECK(floats(x) == std::vector<float>{13, 23, 33, 43});
        const GlobalVariable counter = module.global("ns::counter", device);
        CHECK(counter.read<int>() == 6);
        counter.write(40);
        module.global("bias<float>", device).write(0.5F);
        scale.array(float32, Dims{2, 2}).assign(from_vector(line(2, 0, 2), {device}));
        apply.launch({.block = {4}}, x);
        CHECK(floats(x) == std::vector<float>{26.5F, 46.5F, 66.5F, 86.5F});
        CHECK(counter.read<int>() == 41);
        CHECK(floats(scale.array(float32)) == line(4, 0, 2));
    }
}

TEST_CASE("a file is compiled with what lies beside it", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const TempDir folder;
        std::ofstream(folder / "weights.h") << "constexpr float weight = 3;\n";
        std::ofstream(folder / "filter.cu")
            << "#include \"weights.h\"\n"
               "#include \"bias.h\"\n"
               "__global__ void filter(float* x) { x[threadIdx.x] = weight * x[threadIdx.x] + "
               "bias; }\n";
        const Array x = from_vector(line(4, 1, 0), {device});
        const auto run = [&] {
            const RawModule module({.headers = {{"bias.h", "constexpr float bias = 1;\n"}},
                                    .file = folder / "filter.cu"});
            module.kernel("filter").launch({.block = {4}}, x);
        };
        run();
        CHECK(floats(x) == line(4, 3, 1));
        // The text of a header is part of the program, so a changed header compiles again.
        std::ofstream(folder / "weights.h") << "constexpr float weight = -1;\n";
        run();
        CHECK(floats(x) == line(4, -3, 0));
    }
}

TEST_CASE("threads launch one raw kernel, their own, and one that fails", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        constexpr int thread_count = 8;
        const RawKernel shared("__global__ void by_threads(int* x, int n) { x[threadIdx.x] += n; }",
                               "by_threads");
        const RawKernel broken("__global__ void by_threads(int* x) { nothing; }", "by_threads");
        std::vector<std::vector<std::int32_t>> results(thread_count);
        std::vector<std::string> errors(thread_count);
        std::latch start(thread_count);
        std::vector<std::thread> threads;
        for (int number = 0; number < thread_count; ++number) {
            threads.emplace_back([&, number] {
                const auto k = static_cast<std::size_t>(number);
                start.arrive_and_wait();
                try {
                    const RawKernel copy = shared;
                    const Array x = zeros({32}, int32, {device});
                    for (int round = 0; round < 20; ++round)
                        (round % 2 == 0 ? shared : copy).launch({.block = {32}}, x, number);
                    results[k] = x.to_vector<std::int32_t>();
                    broken.launch({.block = {32}}, x);
                } catch (const CompileError& error) {
                    errors[k] = error.what();
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (int number = 0; number < thread_count; ++number) {
            const auto k = static_cast<std::size_t>(number);
            CHECK(results[k] == std::vector<std::int32_t>(32, 20 * number));
            CHECK(errors[k].find("by_threads.cu(1:") != std::string::npos);
        }
    }
}

TEST_CASE("what a kernel needs and how much of it fits is told", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const RawKernel sums(
            "__global__ void sums(float* x) {\n"
            "    __shared__ float tile[64];\n"
            "    tile[threadIdx.x] = x[threadIdx.x];\n"
            "    __syncthreads();\n"
            "    x[threadIdx.x] = tile[63 - threadIdx.x];\n"
            "}\n",
            "sums");
        const KernelAttributes attributes = sums.attributes(device);
        CHECK(attributes.shared_bytes == 256);
        CHECK(attributes.max_threads_per_block >= 64);
        const Array x = from_vector(line(64, 1, 0), {device});
        sums.launch({.block = {64}}, x);
        CHECK(floats(x) == line(64, -1, 63));
        if (device.kind() == DeviceKind::host) continue;
        CHECK(attributes.registers > 0);
        CHECK(sums.max_blocks_per_multiprocessor(64, 0, device) > 0);
        const SuggestedLaunch suggested = sums.suggested_launch(0, 0, device);
        CHECK(suggested.block % 32 == 0);
        CHECK(suggested.block > 0);
        CHECK(suggested.grid > 0);
        sums.set_max_dynamic_shared_bytes(65536, device);
        CHECK(sums.attributes(device).max_dynamic_shared_bytes == 65536);
        sums.set_shared_carveout(50, device);
        CHECK(sums.attributes(device).shared_carveout == 50);
    }
}

TEST_CASE("fresh: a template kernel runs from the cache", "[.fresh]") {
    int compiles = 0;
    for (const Device device : present_devices()) {
        const RawKernel twice("template <class T> __global__ void twice(T* x) { *x = 2 * *x; }",
                              "twice<float>");
        compiles += compiles_during("twice<float>", [&] {
            const Array x = from_vector(std::vector<float>{21}, {device});
            twice.launch({}, x);
            report(std::to_string(x.item<float>()) + " ");
        });
    }
    report(std::to_string(compiles) + " compiles");
}

TEST_CASE("a second process compiles no template kernel", "[raw]") {
    const TempDir folder;
    const auto run = [&] {
        return run_fresh("fresh: a template kernel runs from the cache",
                         {{"KGEN_CACHE_DIR", folder.path()}})
            .text;
    };
    std::string results;
    for (std::size_t k = 0; k < present_devices().size(); ++k) results += "42.000000 ";
    CHECK(run() == results + std::to_string(present_devices().size()) + " compiles");
    CHECK(run() == results + "0 compiles");
}
