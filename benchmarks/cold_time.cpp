// SPDX-License-Identifier: MIT
#include "benchmarks/cold_time.hpp"

#include <fmt/format.h>

#include "benchmarks/bare_driver.hpp"
#include "benchmarks/case_kernels.hpp"
#include "benchmarks/reduction_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr std::size_t flush_bytes = std::size_t{256} << 20;  // several times the largest L2 cache
constexpr int samples = 201;
constexpr double longest_queueing_ms = 300;
constexpr int most_late = 20;  // samples that are queued later, before the case fails

// Blocks the stream until the flag is set, for about a second at most.
const ElementwiseKernel& blocker() {
    static const ElementwiseKernel kernel(
        "raw _non_const int32 flag",
        "",
        "const volatile int* seen = &flag[0];\n"
        "const long long start = clock64();\n"
        "while (*seen == 0 && clock64() - start < 2000000000ll) {}",
        "block_stream");
    return kernel;
}

}  // namespace

std::vector<Case> cold_cases(const std::vector<int>& log2) {
    const std::vector<int> element_sizes = log2.empty() ? std::vector{16, 20, 24} : log2;
    const std::vector<int> fold_sizes = log2.empty() ? std::vector{12, 16, 20, 24} : log2;
    const auto operand = [](int size) { return Operand{float32, {std::int64_t{1} << size}}; };
    std::vector<Case> cases;
    for (const int size : element_sizes) {
        cases.push_back({fmt::format("sqdiff_f32_2^{}_cold", size),
                         "cold",
                         squared_difference(float32),
                         {operand(size), operand(size)},
                         operand(size)});
    }
    for (const int size : fold_sizes) {
        cases.push_back({fmt::format("sumsq_f32_2^{}_cold", size),
                         "cold",
                         sum_of_squares(float32),
                         {operand(size)}});
    }
    return cases;
}

Quartiles cold_time_ms(const std::function<void()>& work) {
    const Stream stream = current_stream();
    const Array flush = empty({static_cast<std::int64_t>(flush_bytes)}, uint8);
    PinnedFlag flag;
    const std::vector<Argument> flag_argument = {
        Array::view(flag.address(), int32, {1}, {.device = stream.device()})};
    const CallOptions one_thread{.size = 1, .block_size = 32};
    flag.set(1);
    blocker().call(flag_argument, one_thread);
    work();
    synchronize();
    Event begin;
    Event end;
    std::vector<double> times;
    // A sample that is queued too late, on a busy machine, is measured again.
    for (int sample = 0, late = 0; std::ssize(times) < samples; ++sample) {
        flag.set(0);
        const auto start = std::chrono::steady_clock::now();
        bare_memset(flush.data(), sample & 0xff, flush_bytes, stream.handle());
        blocker().call(flag_argument, one_thread);
        begin.record(stream);
        work();
        end.record(stream);
        flag.set(1);
        const bool is_late = milliseconds_since(start) > longest_queueing_ms;
        end.synchronize();
        if (is_late && ++late > most_late)
            throw DeviceError("cold samples were not queued while their stream was blocked");
        if (is_late) continue;
        times.push_back(end.elapsed_ms(begin));
    }
    return quartiles(std::move(times));
}

}  // namespace kgen::bench
