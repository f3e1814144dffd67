// SPDX-License-Identifier: MIT
//
// Random reductions: sums, counts, extremes, and accumulators of their own. Floating-point sums add numbers
// that are not negative, so that rounding errors stay small compared with the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "benchmarks/random_kernels.hpp"
#include "benchmarks/reduction_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr double random_float32_sum = 2e-5;  // as for the cases, see reduction_kernels.cpp
constexpr double random_float64_sum = 1e-12;

const std::vector<DType> narrow_integers = {
    DType::bool_, int8, int16, int32, uint8, uint16, uint32};
const std::vector<DType> sum_integers = {int8, int16, int32, int64, uint8, uint16, uint32, uint64};
const std::vector<DType> real_dtypes = {float16, bfloat16, float32, float32, float64};

// Returns a number as the dtype holds it after C++'s conversion from an integer.
double wrapped_into(DType dtype, std::int64_t number) {
    return visit_dtype(dtype, [&]<typename T>() -> double {
        if constexpr (std::is_integral_v<T>) return static_cast<double>(static_cast<T>(number));
        return static_cast<double>(number);
    });
}

// Adds term(inputs, k) of each place, exactly in std::int64_t or in long double.
template <typename Sum, typename Term>
class RandomSumFold final : public Fold {
public:
    RandomSumFold(Term term, DType result) : term_(term), result_(result) {}
    void add(const double* const* inputs, std::int64_t count) override {
        for (std::int64_t k = 0; k < count; ++k) sum_ += static_cast<Sum>(term_(inputs, k));
    }
    std::vector<Number> outputs() const override {
        if constexpr (std::is_integral_v<Sum>) return {wrapped_into(result_, sum_)};
        return {static_cast<double>(sum_)};
    }

private:
    Term term_;
    DType result_;
    Sum sum_ = 0;
};

template <typename Sum, typename Term>
FoldReference random_sum_of(DType result, Term term) {
    return [=] { return std::make_unique<RandomSumFold<Sum, Term>>(term, result); };
}

class EndsFold final : public Fold {
public:
    void add(const double* const* inputs, std::int64_t count) override {
        const auto [low, high] = std::minmax_element(inputs[0], inputs[0] + count);
        low_ = std::min(low_, *low);
        high_ = std::max(high_, *high);
    }
    std::vector<Number> outputs() const override { return {low_, high_}; }

private:
    double low_ = std::numeric_limits<double>::infinity();
    double high_ = -std::numeric_limits<double>::infinity();
};

class AnyOrAllFold final : public Fold {
public:
    AnyOrAllFold(bool any, double other) : any_(any), other_(other) {}
    void add(const double* const* inputs, std::int64_t count) override {
        const bool whole = std::all_of(
            inputs[0], inputs[0] + count, [&](double x) { return (x != other_) != any_; });
        decided_ |= !whole;
    }
    std::vector<Number> outputs() const override { return {decided_ == any_ ? 1.0 : 0.0}; }

private:
    bool any_;
    double other_;
    bool decided_ = false;  // an element that decides the result was found
};

// Sums in long double what complex_sum() draws.
class ComplexSumFold final : public Fold {
public:
    explicit ComplexSumFold(int form) : form_(form) {}
    void add(const double* const* inputs, std::int64_t count) override {
        const std::size_t parts = form_ == 3 ? 2 : 1;  // imaginary parts follow the real ones
        for (std::int64_t k = 0; k < count; ++k) {
            const Number x(inputs[0][k], inputs[parts][k]);
            const Number other = form_ == 3 ? Number(inputs[1][k], inputs[parts + 1][k]) : x;
            const Number term = form_ == 0 ? x : form_ == 1 ? x * x : x * std::conj(other);
            real_ += term.real();
            imaginary_ += term.imag();
            magnitude_ += std::abs(term);
        }
    }
    std::vector<Number> outputs() const override {
        return {{static_cast<double>(real_), static_cast<double>(imaginary_)}};
    }
    double magnitude() const override { return magnitude_; }

private:
    int form_;
    long double real_ = 0;
    long double imaginary_ = 0;
    double magnitude_ = 0;
};

// Returns "map(x0) + map(x1) + ..." and declares the inputs.
Reduction random_sum(const std::vector<DType>& inputs, const std::string& map, DType result) {
    Reduction reduction{.outputs = fmt::format("{} y", to_text(result)),
                        .reduce = "a + b",
                        .post_map = "y = a",
                        .identity = "0",
                        .output_dtypes = {result}};
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const std::string x = fmt::format("x{}", k);
        reduction.inputs += fmt::format("{}{} {}", k == 0 ? "" : ", ", to_text(inputs[k]), x);
        reduction.map += (k == 0 ? "" : " + ") + fmt::format(fmt::runtime(map), fmt::arg("x", x));
    }
    return reduction;
}

// `expression` is JSON, see RandomCase.
RandomKernel with_inputs(Reduction reduction, std::vector<DType> inputs, std::string expression) {
    const std::vector<DType> outputs = reduction.output_dtypes;
    return {.kernel = std::move(reduction),
            .inputs = std::move(inputs),
            .outputs = outputs,
            .expression = std::move(expression)};
}

std::string kind_text(std::string_view kind) {
    return fmt::format(R"({{"kind":"{}"}})", kind);
}

std::vector<DType> some_dtypes(Draw& draw, const std::vector<DType>& list) {
    std::vector<DType> dtypes(
        static_cast<std::size_t>(1 + draw.weighted({60, 20, 6, 4, 3, 3, 2, 2})));
    const DType most = draw.among(list);
    const bool mixed = draw.chance(30);
    for (DType& dtype : dtypes) dtype = mixed ? draw.among(list) : most;
    return dtypes;
}

RandomKernel sum_of_many_squares(Draw& draw) {
    const std::vector<DType> inputs = some_dtypes(draw, real_dtypes);
    const bool wide = std::find(inputs.begin(), inputs.end(), float64) != inputs.end();
    const DType result = wide ? float64 : draw.chance(15) ? bfloat16 : float32;
    const bool compensated = draw.chance(15) && !wide;
    const char* real = wide ? "double" : "float";
    Reduction reduction = random_sum(inputs, fmt::format("{0}({{x}}) * {0}({{x}})", real), result);
    reduction.tolerance =
        (wide ? random_float64_sum : random_float32_sum) + (result == bfloat16 ? 0x1.1p-8 : 0);
    if (compensated) reduction.options.accuracy = Accuracy::compensated;
    const std::size_t count = inputs.size();
    reduction.reference =
        random_sum_of<long double>(result, [count](const double* const* x, std::int64_t k) {
            double sum = 0;
            for (std::size_t j = 0; j < count; ++j) sum += x[j][k] * x[j][k];
            return sum;
        });
    return with_inputs(
        std::move(reduction),
        inputs,
        fmt::format(R"({{"kind":"sum_squares","wide":{},"compensated":{}}})", wide, compensated));
}

RandomKernel sum_of_integers(Draw& draw) {
    const std::vector<DType> inputs =
        some_dtypes(draw, draw.chance(30) ? sum_integers : narrow_integers);
    const DType result = draw.among(sum_integers);
    // One input is often summed as it is.
    const bool plain = inputs.size() == 1 && draw.chance(50);
    Reduction reduction = random_sum(inputs, plain ? "{x}" : "(long long){x}", result);
    const std::size_t count = inputs.size();
    reduction.reference =
        random_sum_of<std::int64_t>(result, [count](const double* const* x, std::int64_t k) {
            double sum = 0;
            for (std::size_t j = 0; j < count; ++j) sum += x[j][k];
            return sum;
        });
    return with_inputs(std::move(reduction), inputs, kind_text("sum"));
}

RandomKernel count_of_true(Draw& draw) {
    const DType result = draw.among(std::vector<DType>{int64, int32, uint32, uint16});
    if (draw.chance(50)) {
        Reduction reduction = random_sum({DType::bool_}, "{x}", result);
        reduction.reference = random_sum_of<std::int64_t>(
            result, [](const double* const* x, std::int64_t k) { return x[0][k]; });
        return with_inputs(std::move(reduction), {DType::bool_}, kind_text("count"));
    }
    const DType dtype = draw.among(real_dtypes);
    Reduction reduction = random_sum({dtype, dtype}, "", result);
    reduction.map = "double(float(x0)) > double(float(x1))";
    if (dtype == float64) reduction.map = "x0 > x1";
    reduction.reference = random_sum_of<std::int64_t>(
        result, [](const double* const* x, std::int64_t k) { return x[0][k] > x[1][k] ? 1 : 0; });
    return with_inputs(std::move(reduction), {dtype, dtype}, kind_text("count_greater"));
}

// The least and the greatest element, by a struct.
RandomKernel both_ends(Draw& draw) {
    const auto dtype = static_cast<DType>(draw.below(static_cast<int>(DType::complex64)));
    const std::string_view name = to_text(dtype);
    Reduction reduction{
        .inputs = fmt::format("{} x", name),
        .outputs = fmt::format("{0} low, {0} high", name),
        .map = "Ends{x, x}",
        .reduce = "Ends{b.low < a.low ? b.low : a.low, b.high > a.high ? b.high : a.high}",
        .post_map = "low = a.low; high = a.high",
        .output_dtypes = {dtype, dtype},
        .reference = [] { return std::make_unique<EndsFold>(); },
        .options = {.reduce_type = "Ends",
                    .preamble = fmt::format("struct Ends {{ {} low, high; }};", name)}};
    return with_inputs(std::move(reduction), {dtype}, kind_text("extremes"));
}

// Whether any of the elements, or all, are true.
RandomKernel any_or_all(Draw& draw) {
    const bool any = draw.chance(50);
    const DType dtype = draw.chance(50) ? DType::bool_ : draw.among(sum_integers);
    // No random integer is 0, so that some calls compare with another number.
    const bool compares = dtype != DType::bool_ && draw.chance(50);
    const double other = compares ? 7 : 0;
    Reduction reduction = random_sum({dtype}, "{x}", DType::bool_);
    if (dtype != DType::bool_) reduction.map = compares ? "x0 != 7" : "x0 != 0";
    reduction.reduce = any ? "a || b" : "a && b";
    reduction.identity = any ? "false" : "true";
    if (draw.chance(50)) reduction.options.reduce_type = "bool";
    reduction.reference = [any, other] { return std::make_unique<AnyOrAllFold>(any, other); };
    return with_inputs(
        std::move(reduction),
        {dtype},
        fmt::format(R"({{"kind":"{}","differs_from":{}}})", any ? "any" : "all", other));
}

// Sums of x, x * x, x * conj(x), and of products with a second array. Their terms cancel.
RandomKernel complex_sum(Draw& draw) {
    const DType dtype = draw.chance(70) ? complex64 : complex128;
    const int form = draw.weighted({35, 20, 20, 25});
    static constexpr const char* maps[] = {"x0", "x0 * x0", "x0 * conj(x0)", "x0 * conj(x1)"};
    const std::vector<DType> inputs(form == 3 ? 2 : 1, dtype);
    Reduction reduction = random_sum(inputs, "{x}", dtype);
    reduction.map = maps[form];
    reduction.tolerance = dtype == complex64 ? random_float32_sum : random_float64_sum;
    reduction.reference = [form] { return std::make_unique<ComplexSumFold>(form); };
    return with_inputs(std::move(reduction),
                       inputs,
                       fmt::format(R"({{"kind":"complex_sum","map":"{}"}})", maps[form]));
}

}  // namespace

RandomKernel random_reduction(Draw& draw) {
    switch (draw.weighted({33, 19, 11, 10, 8, 5, 5, 5, 4})) {
        case 0:
            return sum_of_many_squares(draw);
        case 1:
            return sum_of_integers(draw);
        case 2:
            return count_of_true(draw);
        case 3: {
            const auto dtype =
                static_cast<DType>(draw.between(1, static_cast<int>(DType::float64)));
            return with_inputs(largest(dtype), {dtype}, kind_text("max"));
        }
        case 4:
            return with_inputs(mean_and_variance(), {float32}, kind_text("moments"));
        case 5: {
            Reduction reduction = largest_with_index();
            reduction.map = "Indexed{x, (unsigned)_J}";  // along the reduced axes
            return with_inputs(std::move(reduction), {float32}, kind_text("argmax"));
        }
        case 6:
            return both_ends(draw);
        case 7:
            return complex_sum(draw);
        default:
            return any_or_all(draw);
    }
}

}  // namespace kgen::bench
