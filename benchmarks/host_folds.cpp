// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <kgen/kgen.hpp>

#include "benchmarks/host_timing.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kgen::bench {

namespace {

// Length of a sum in float. The sums of chunks are added in double.
constexpr Size chunk_length = 65536;
constexpr double least_speed_of_all = 0.9;
constexpr double agreement = 1e-5;

float plain_sum(const float* x, Size count) {
    float parts[8] = {};
    Size k = 0;
    for (; k + 8 <= count; k += 8) {
        for (Size j = 0; j < 8; ++j) parts[j] += x[k + j] * x[k + j];
    }
    for (; k < count; ++k) parts[0] += x[k] * x[k];
    float sum = 0;
    for (const float part : parts) sum += part;
    return sum;
}

#if defined(__x86_64__)
// Sums squares. Eight accumulators hide the latency of the multiply-add.
__attribute__((target("avx2,fma"))) float vector_sum(const float* x, Size count) {
    __m256 sums[8];
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j) sums[j] = _mm256_setzero_ps();
    Size k = 0;
    for (; k + 64 <= count; k += 64) {
#pragma GCC unroll 8
        for (int j = 0; j < 8; ++j) {
            const __m256 values = _mm256_loadu_ps(x + k + Size{8} * j);
            sums[j] = _mm256_fmadd_ps(values, values, sums[j]);
        }
    }
    for (; k + 8 <= count; k += 8) {
        const __m256 values = _mm256_loadu_ps(x + k);
        sums[0] = _mm256_fmadd_ps(values, values, sums[0]);
    }
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) sums[j] = _mm256_add_ps(sums[j], sums[j + 4]);
    const __m256 two =
        _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]), _mm256_add_ps(sums[2], sums[3]));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(two), _mm256_extractf128_ps(two, 1));
    const __m128 eight = _mm_add_ps(four, _mm_movehl_ps(four, four));
    float sum = _mm_cvtss_f32(_mm_add_ss(eight, _mm_shuffle_ps(eight, eight, 1)));
    for (; k < count; ++k) sum += x[k] * x[k];
    return sum;
}
#endif

using Sum = float (*)(const float* x, Size count);

Sum best_sum() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return vector_sum;
#endif
    return plain_sum;
}

double sum_of_chunks(const float* x, Size count) {
    static const Sum sum = best_sum();
    double total = 0;
    for (Size at = 0; at < count; at += chunk_length) {
        total += sum(x + at, std::min(chunk_length, count - at));
    }
    return total;
}

// Sums squares of columns [begin, end). The sums stay in the L1 cache.
KGEN_BENCH_EVERY_WIDTH void sum_columns(
    const float* x, float* y, Size rows, Size columns, Size begin, Size end) {
    std::fill(y + begin, y + end, 0.0F);
    for (Size row = 0; row < rows; ++row) {
        const float* from = x + row * columns;
        for (Size k = begin; k < end; ++k) y[k] += from[k] * from[k];
    }
}

struct Shape {
    const char* name;
    Size rows;
    Size columns;
};
constexpr Shape shapes[] = {{"4096 x 4096", 4096, 4096}, {"160 x 200", 160, 200}};

enum class Folded { all, rows, columns };

struct FoldCase {
    const char* name;
    Folded folded;
};
constexpr FoldCase cases[] = {{"sum of all", Folded::all},
                              {"sums of rows", Folded::rows},
                              {"sums of columns", Folded::columns}};

void run_reference(
    Folded folded, const float* x, const Shape& shape, std::vector<float>& sums, int threads) {
    const Size elements = shape.rows * shape.columns;
    if (folded == Folded::all) {
        std::vector<double> parts(static_cast<std::size_t>(threads));
        split_over_threads(elements, elements, threads, [&](Size begin, Size end, int thread) {
            parts[static_cast<std::size_t>(thread)] = sum_of_chunks(x + begin, end - begin);
        });
        double sum = 0;
        for (const double part : parts) sum += part;
        sums[0] = static_cast<float>(sum);
    } else if (folded == Folded::rows) {
        split_over_threads(shape.rows, elements, threads, [&](Size begin, Size end, int) {
            for (Size row = begin; row < end; ++row) {
                sums[static_cast<std::size_t>(row)] =
                    static_cast<float>(sum_of_chunks(x + row * shape.columns, shape.columns));
            }
        });
    } else {
        split_over_threads(shape.columns, elements, threads, [&](Size begin, Size end, int) {
            sum_columns(x, sums.data(), shape.rows, shape.columns, begin, end);
        });
    }
}

bool agree(const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float one, float other) {
        return std::abs(one - other) <= agreement * std::abs(other);
    });
}

HostLoopRow measure(const FoldCase& given, const Shape& shape, int repetitions) {
    const ArrayOptions on_host{Device::host()};
    const Size elements = shape.rows * shape.columns;
    std::vector<float> numbers(static_cast<std::size_t>(elements));
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        numbers[k] = static_cast<float>((k * 7 + 3) % 101) * 0.125F;
    }
    const Array x = from_vector(numbers, {shape.rows, shape.columns}, on_host);
    const Dims kept = given.folded == Folded::all    ? Dims{}
                      : given.folded == Folded::rows ? Dims{shape.rows}
                                                     : Dims{shape.columns};
    const Array y = empty(kept, float32, on_host);
    std::vector<float> reference(static_cast<std::size_t>(y.size()));
    const ReductionKernel kernel(
        "float32 x", "float32 y", "x * x", "a + b", "y = a", "0", "host_fold");
    CallOptions options{.outputs = {y}};
    if (given.folded != Folded::all) options.axes = {given.folded == Folded::rows ? 1 : 0};
    const std::vector<Argument> arguments = {x};
    HostLoopRow row;
    row.name = std::string(given.name) + " " + shape.name;
    row.threads = host_thread_count();
    if (given.folded == Folded::all) row.least_speed = least_speed_of_all;
    time_in_turn(
        row,
        [&] { kernel.call(arguments, options); },
        [&] { run_reference(given.folded, numbers.data(), shape, reference, row.threads); },
        elements < 1'000'000 ? 200 : 1,
        repetitions);
    row.equal = agree(y.to_vector<float>(), reference);
    return row;
}

}  // namespace

std::vector<HostLoopRow> measure_host_folds(int repetitions) {
    std::vector<HostLoopRow> rows;
    for (const Shape& shape : shapes) {
        for (const FoldCase& given : cases) rows.push_back(measure(given, shape, repetitions));
    }
    return rows;
}

}  // namespace kgen::bench
