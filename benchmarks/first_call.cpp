// SPDX-License-Identifier: MIT
#include "benchmarks/first_call.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/new_process.hpp"

namespace kgen::bench {

namespace {

using Clock = std::chrono::steady_clock;

// Target for a first call with an empty cache, beyond opening NVRTC and compiling the same source.
constexpr double most_added_ms = 8;
// Target for the first call of a raw kernel from the cache.
constexpr double most_warm_raw_ms = 1;

const ElementwiseKernel& kernel() {
    static const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    return squared_diff;
}

const ReductionKernel& reduction() {
    static const ReductionKernel sum_of_squares(
        "T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares");
    return sum_of_squares;
}

const RawKernel& raw_kernel() {
    static const RawKernel scaled(
        "template <typename T> __global__ void scaled(const T* x, T* y, T a, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) y[i] = a * x[i];\n"
        "}\n",
        "scaled<float>");
    return scaled;
}

Explanation explanation_of(Called called) {
    const ArraySpec spec{float32, {1024}, {}};
    const TargetOptions target{.device = current_device()};
    if (called == Called::reduction) {
        return reduction().explain(std::vector<Argument>{spec}, {}, target);
    }
    return kernel().explain(std::vector<Argument>{spec, spec}, {}, target);
}

bool is_mapped(const std::string& library) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(library) != std::string::npos) return true;
    }
    return false;
}

template <typename Function>
Function* entry(void* library, const char* name) {
    void* found = ::dlsym(library, name);
    if (found == nullptr) throw Error(fmt::format("NVRTC has no {}", name));
    return reinterpret_cast<Function*>(found);
}

// Returns the path of NVRTC from the producer that explain() names: "NVRTC 13.0, /path".
std::string nvrtc_path(const std::string& producer) {
    const std::size_t comma = producer.find(", ");
    if (comma == std::string::npos) throw Error(producer);
    return producer.substr(comma + 2);
}

void check(const char* call, int result) {
    if (result != 0) throw Error(fmt::format("{} returned {}", call, result));
}

nlohmann::json measured(const std::string& what, const std::string& cache_directory) {
    return nlohmann::json::parse(
        run_new_process({"bench", "--measure", what, "--device", to_text(current_device())},
                        {{"KGEN_CACHE_DIR", cache_directory}, {"KGEN_CACHE", ""}}));
}

}  // namespace

nlohmann::ordered_json first_call_here(Called called) {
    const std::vector<float> values(1024, 1.0f);
    const Array x = from_vector(values);
    const Array y = from_vector(values);
    const Array z = empty({1024}, float32);
    const Array sum = empty({}, float32);
    const auto call = [&] {
        if (called == Called::reduction) {
            reduction()(x, out(sum));
        } else if (called == Called::raw) {
            raw_kernel().launch({.grid = {4}, .block = {256}}, x, z, 2.0F, 1024);
        } else {
            kernel()(x, y, out(z));
        }
        synchronize();
    };
    synchronize();
    const auto first_start = Clock::now();
    call();
    const double first_ms = milliseconds_since(first_start);
    const auto second_start = Clock::now();
    call();
    return {{"first_ms", first_ms},
            {"second_ms", milliseconds_since(second_start)},
            {"nvrtc_is_mapped", is_mapped("libnvrtc")}};
}

nlohmann::ordered_json bare_compile_here(Called called) {
    const Explanation explanation = explanation_of(called);
    std::vector<const char*> options;
    for (const std::string& option : explanation.options) options.push_back(option.c_str());
    options.push_back("-no-cache");
    const std::string path = nvrtc_path(explanation.producer);
    const auto start = Clock::now();
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(::dlerror());
    using Program = void*;
    Program program = nullptr;
    auto* create =
        entry<int(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
            library, "nvrtcCreateProgram");
    auto* compile = entry<int(Program, int, const char* const*)>(library, "nvrtcCompileProgram");
    auto* get_size = entry<int(Program, std::size_t*)>(library, "nvrtcGetCUBINSize");
    auto* get_cubin = entry<int(Program, char*)>(library, "nvrtcGetCUBIN");
    std::size_t bytes = 0;
    check("nvrtcCreateProgram",
          create(&program, explanation.source.c_str(), "bare.cu", 0, nullptr, nullptr));
    check("nvrtcCompileProgram",
          compile(program, static_cast<int>(options.size()), options.data()));
    check("nvrtcGetCUBINSize", get_size(program, &bytes));
    std::string cubin(bytes, '\0');
    check("nvrtcGetCUBIN", get_cubin(program, cubin.data()));
    return {{"ms", milliseconds_since(start)}};
}

namespace {

void add_first_calls(std::vector<FirstCall>& results, Called called, int rounds) {
    const bool on_cuda = current_device().kind() == DeviceKind::cuda;
    const bool is_reduction = called == Called::reduction;
    const bool is_raw = called == Called::raw;
    const std::string first_call = is_reduction ? "first-reduction"
                                   : is_raw     ? "first-raw"
                                                : "first-call";
    std::vector<double> bare;
    std::vector<double> cold;
    std::vector<double> warm;
    std::vector<double> later;
    for (int round = 0; round < rounds; ++round) {
        const ScratchFolder cache;
        if (on_cuda && !is_raw) {
            const char* what = is_reduction ? "bare-reduction" : "bare-compile";
            bare.push_back(measured(what, cache.path()).at("ms"));
        }
        cold.push_back(measured(first_call, cache.path()).at("first_ms"));
        const nlohmann::json hit = measured(first_call, cache.path());
        if (hit.at("nvrtc_is_mapped").get<bool>()) throw Error("a warm first call opened NVRTC");
        warm.push_back(hit.at("first_ms"));
        later.push_back(hit.at("second_ms"));
    }
    const std::string prefix = is_reduction ? "reduction: " : is_raw ? "raw kernel: " : "";
    FirstCall first{prefix + "first call, empty cache", quartiles(cold)};
    if (on_cuda && !is_raw) {
        const FirstCall compile{prefix + "bare compile", quartiles(bare)};
        if (is_reduction) first.most_ms = compile.ms.median + most_added_ms;
        results.push_back(compile);
    }
    results.push_back(first);
    FirstCall hit{prefix + "first call, warm cache", quartiles(warm)};
    if (on_cuda && is_raw) hit.most_ms = most_warm_raw_ms;
    results.push_back(hit);
    results.push_back({prefix + "second call", quartiles(later)});
}

}  // namespace

std::vector<FirstCall> measure_first_calls(Scale scale) {
    const int rounds = scale == Scale::quick ? 1 : 11;
    {  // brings the files of the program and its libraries into the page cache
        const ScratchFolder unused;
        measured("first-call", unused.path());
    }
    std::vector<FirstCall> results;
    add_first_calls(results, Called::elementwise, rounds);
    add_first_calls(results, Called::reduction, rounds);
    add_first_calls(results, Called::raw, rounds);
    return results;
}

}  // namespace kgen::bench
