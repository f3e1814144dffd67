// SPDX-License-Identifier: MIT
//
// What the first call of a process costs. One measurement a process, since each can be made once:
//
//     kgen_startup call         the first call of a kernel, memory and context there already
//     kgen_startup bare         opening NVRTC and compiling the same source with it, nothing else
//     kgen_startup host-loop    a contiguous kernel on the host beside a loop compiled with this file
//
// `call` says whether NVRTC was mapped into the process. Run it with an empty KGEN_CACHE_DIR for a
// cold call, and again for a warm one.
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "measurement.hpp"

namespace {

using namespace kgen;
using Clock = std::chrono::steady_clock;

const ElementwiseKernel& kernel() {
    static const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    return squared_diff;
}

bool is_mapped(const std::string& library) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(library) != std::string::npos) return true;
    }
    return false;
}

void measure_call() {
    const std::vector<float> values(1024, 1.0f);
    const Array x = from_vector(values);
    const Array y = from_vector(values);
    const Array z = empty({1024}, float32);
    synchronize();
    const auto first_start = Clock::now();
    kernel()(x, y, out(z));
    synchronize();
    const double first = bench::milliseconds_since(first_start);
    const auto second_start = Clock::now();
    kernel()(x, y, out(z));
    synchronize();
    fmt::print("first call {:.3f} ms, second {:.3f} ms, NVRTC {}\n",
               first,
               bench::milliseconds_since(second_start),
               is_mapped("libnvrtc") ? "mapped" : "not mapped");
}

template <typename Function>
Function* entry(void* library, const char* name) {
    void* found = ::dlsym(library, name);
    if (found == nullptr) throw std::runtime_error(std::string(name) + " is missing");
    return reinterpret_cast<Function*>(found);
}

// The path of NVRTC, from what explain() says of the producer: "NVRTC 13.0, /path".
std::string nvrtc_path(const std::string& producer) {
    const std::size_t comma = producer.find(", ");
    return comma == std::string::npos ? "libnvrtc.so.13" : producer.substr(comma + 2);
}

void measure_bare() {
    const ArraySpec spec{float32, {1024}, {}};
    const std::vector<Argument> arguments = {spec, spec};
    const Explanation explanation = kernel().explain(arguments, {}, {.device = Device::cuda()});
    std::vector<const char*> options;
    for (const std::string& option : explanation.options) options.push_back(option.c_str());
    options.push_back("-no-cache");
    const std::string path = nvrtc_path(explanation.producer);
    const auto start = Clock::now();
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(::dlerror());
    using Program = void*;
    Program program = nullptr;
    int result =
        entry<int(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
            library, "nvrtcCreateProgram")(
            &program, explanation.source.c_str(), "bare.cu", 0, nullptr, nullptr);
    if (result == 0) {
        result = entry<int(Program, int, const char* const*)>(library, "nvrtcCompileProgram")(
            program, static_cast<int>(options.size()), options.data());
    }
    std::size_t bytes = 0;
    if (result == 0)
        result = entry<int(Program, std::size_t*)>(library, "nvrtcGetCUBINSize")(program, &bytes);
    std::string cubin(bytes, '\0');
    if (result == 0)
        result = entry<int(Program, char*)>(library, "nvrtcGetCUBIN")(program, cubin.data());
    if (result != 0) throw std::runtime_error(fmt::format("NVRTC returned {}", result));
    fmt::print("bare compile {:.3f} ms, {} bytes\n", bench::milliseconds_since(start), bytes);
}

// Not inlined and compiled for this machine (see CMakeLists.txt): the loop a C++ programmer writes.
__attribute__((noinline)) void plain_loop(const float* x,
                                          const float* y,
                                          float* z,
                                          std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) z[k] = (x[k] - y[k]) * (x[k] - y[k]);
}

void measure_host_loop() {
    for (const int log2 : {15, 25}) {
        const std::int64_t count = std::int64_t{1} << log2;
        const ArrayOptions host{.device = Device::host()};
        const Array x = arange(count, float32, host);
        const Array y = full({count}, 3, float32, host);
        const Array z = empty({count}, float32, host);
        std::vector<double> ratios;
        double kgen_ms = 0;
        double plain_ms = 0;
        const int calls = log2 == 25 ? 3 : 2000;
        for (int round = 0; round < 15; ++round) {  // interleaved pairs
            auto start = Clock::now();
            for (int call = 0; call < calls; ++call) kernel()(x, y, out(z));
            kgen_ms = bench::milliseconds_since(start) / calls;
            start = Clock::now();
            for (int call = 0; call < calls; ++call) {
                plain_loop(static_cast<const float*>(x.data()),
                           static_cast<const float*>(y.data()),
                           static_cast<float*>(z.data()),
                           count);
            }
            plain_ms = bench::milliseconds_since(start) / calls;
            ratios.push_back(plain_ms / kgen_ms);
        }
        fmt::print(
            "host 2^{}: kgen at {:.2f} of the plain loop (median of 15 pairs; last {:.4f} and "
            "{:.4f} ms)\n",
            log2,
            bench::quartiles(ratios).median,
            kgen_ms,
            plain_ms);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "call") {
        measure_call();
    } else if (what == "bare") {
        measure_bare();
    } else if (what == "host-loop") {
        measure_host_loop();
    } else {
        fmt::print(stderr, "usage: kgen_startup call | bare | host-loop\n");
        return 2;
    }
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "kgen_startup: {}\n", error.what());
    return 1;
}
