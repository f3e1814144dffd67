// SPDX-License-Identifier: MIT
#include "benchmarks/reduction_kernels.hpp"

#include <cmath>
#include <limits>

namespace kgen::bench {

namespace {

// Tolerance of a sum in float32, in which about ten thousand additions follow each other at most.
constexpr double float32_sum = 2e-5;
constexpr double float64_sum = 1e-12;
// One rounding of the result, and the remaining error of the terms.
constexpr double compensated_sum = 2e-7;

// Sums each chunk in double and the sums of chunks in long double, which is more precise than float64.
template <typename Term>
class SumFold final : public Fold {
public:
    SumFold(Term term, DType result) : term_(term), result_(result) {}

    void add(const double* const* inputs, std::int64_t count) override {
        double parts[8] = {};
        std::int64_t k = 0;
        for (; k + 8 <= count; k += 8) {
            for (std::int64_t j = 0; j < 8; ++j) parts[j] += term_(inputs, k + j);
        }
        for (; k < count; ++k) parts[0] += term_(inputs, k);
        for (const double part : parts) sum_ += part;
    }

    std::vector<Number> outputs() const override {
        if (result_ != int32) return {static_cast<double>(sum_)};
        // Wraps modulo 2^32, as C++20 does.
        const auto whole = static_cast<std::int64_t>(sum_);
        return {static_cast<double>(static_cast<std::int32_t>(whole))};
    }

private:
    Term term_;
    DType result_;
    long double sum_ = 0;
};

template <typename Term>
FoldReference sum_of(Term term, DType result) {
    return [=] { return std::make_unique<SumFold<Term>>(term, result); };
}

class LargestFold final : public Fold {
public:
    void add(const double* const* inputs, std::int64_t count) override {
        for (std::int64_t k = 0; k < count; ++k, ++position_) {
            if (inputs[0][k] > value_) {
                value_ = inputs[0][k];
                index_ = position_;
            }
        }
    }
    std::vector<Number> outputs() const override { return {value_, static_cast<double>(index_)}; }

private:
    double value_ = -std::numeric_limits<double>::infinity();
    std::int64_t index_ = 0;
    std::int64_t position_ = 0;
};

// Sums the differences to the first value, and their squares, as precisely as SumFold does.
class MomentsFold final : public Fold {
public:
    void add(const double* const* inputs, std::int64_t count) override {
        if (count_ == 0) first_ = inputs[0][0];
        double sum = 0;
        double squares = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            const double difference = inputs[0][k] - first_;
            sum += difference;
            squares += difference * difference;
        }
        sum_ += sum;
        squares_ += squares;
        count_ += count;
    }
    std::vector<Number> outputs() const override {
        const long double mean = sum_ / static_cast<long double>(count_);
        const long double variance = squares_ / static_cast<long double>(count_) - mean * mean;
        return {static_cast<double>(first_ + mean), static_cast<double>(variance)};
    }

private:
    double first_ = 0;
    long double sum_ = 0;
    long double squares_ = 0;
    std::int64_t count_ = 0;
};

// The index has 32 bits, which avoids 64-bit arithmetic in the loop; these arrays have fewer elements. A NaN
// never replaces another value.
constexpr const char* indexed_preamble = R"(
struct Indexed {
    float value;
    unsigned index;
};
__device__ inline Indexed larger(const Indexed& a, const Indexed& b) {
    const bool second = b.value > a.value || (b.value == a.value && b.index < a.index);
    return second ? b : a;
})";

// Merges two parts as Chan's algorithm does, but with moments about the first value of each part instead of
// the mean. This needs no division until the end. It is as stable, because the distance of a value from the
// mean is of the order of the standard deviation. Merging one element, if `count` is 1 at compile time, takes
// three operations.
constexpr const char* moments_preamble = R"(
struct Moments {
    float origin;
    float sum;      // of differences to the origin
    float squares;  // of these
    int count;
};
__device__ inline Moments merged(const Moments& a, const Moments& b) {
    Moments both = a;
    if (a.count == 0) both.origin = b.origin;
    const float shift = b.origin - both.origin;
    both.count += b.count;
    if (b.count == 1) {
        both.sum += shift;
        both.squares += shift * shift;
    } else {
        const float count = b.count;
        both.sum += b.sum + count * shift;
        both.squares += b.squares + shift * (2 * b.sum + count * shift);
    }
    return both;
})";

}  // namespace

Reduction sum_of_squares(DType dtype, Accuracy accuracy) {
    const bool narrow = dtype == float16 || dtype == bfloat16;
    const DType result = narrow ? float32 : dtype;
    const double plain = result == float64 ? float64_sum : float32_sum;
    return {.inputs = narrow ? std::string(to_text(dtype)) + " x" : "T x",
            .outputs = narrow ? "float32 y" : "T y",
            .map = narrow ? "float(x) * float(x)" : "x * x",
            .reduce = "a + b",
            .post_map = "y = a",
            .identity = "0",
            .output_dtypes = {result},
            .reference = sum_of(
                [](const double* const* x, std::int64_t k) { return x[0][k] * x[0][k]; }, result),
            .tolerance = accuracy == Accuracy::compensated ? compensated_sum : plain,
            .options = {.accuracy = accuracy}};
}

Reduction integer_sum(DType dtype, DType result) {
    return {.inputs = std::string(to_text(dtype)) + " x",
            .outputs = std::string(to_text(result)) + " y",
            .map = "x",
            .reduce = "a + b",
            .post_map = "y = a",
            .identity = "0",
            .output_dtypes = {result},
            .reference =
                sum_of([](const double* const* x, std::int64_t k) { return x[0][k]; }, result)};
}

Reduction largest(DType dtype) {
    return {.inputs = "T x",
            .outputs = "T y",
            .map = "x",
            .reduce = "max(a, b)",
            .post_map = "y = a",
            .identity = "",
            .output_dtypes = {dtype},
            .reference = [] { return std::make_unique<LargestFold>(); }};
}

Reduction squared_distance() {
    return {.inputs = "T x, T y",
            .outputs = "T z",
            .map = "(x - y) * (x - y)",
            .reduce = "a + b",
            .post_map = "z = a",
            .identity = "0",
            .output_dtypes = {float32},
            .reference =
                sum_of([](const double* const* x,
                          std::int64_t k) { return (x[0][k] - x[1][k]) * (x[0][k] - x[1][k]); },
                       float32),
            .tolerance = float32_sum};
}

Reduction largest_with_index() {
    return {.inputs = "float32 x",
            .outputs = "float32 value, int64 index",
            .map = "Indexed{x, (unsigned)i}",
            .reduce = "larger(a, b)",
            .post_map = "value = a.value; index = a.index",
            .identity = "Indexed{-CUDART_INF_F, 0xffffffffu}",
            .output_dtypes = {float32, int64},
            .reference = [] { return std::make_unique<LargestFold>(); },
            .options = {.reduce_type = "Indexed", .preamble = indexed_preamble}};
}

Reduction mean_and_variance() {
    return {.inputs = "float32 x",
            .outputs = "float32 mean, float32 variance",
            .map = "Moments{x, 0, 0, 1}",
            .reduce = "merged(a, b)",
            .post_map =
                "const float shift = a.sum / a.count;\n"
                "mean = a.origin + shift;\n"
                "variance = a.squares / a.count - shift * shift",
            .identity = "Moments{0, 0, 0, 0}",
            .output_dtypes = {float32, float32},
            .reference = [] { return std::make_unique<MomentsFold>(); },
            .tolerance = float32_sum,
            .options = {.reduce_type = "Moments", .preamble = moments_preamble}};
}

}  // namespace kgen::bench
