// SPDX-License-Identifier: MIT
//
// Statements whose reductions are one kernel that reads the rows once, and whose elements are another one (Joining::folds). GPUs
// choose it for long rows; here it runs for all. Separate kernels and plain loops are the references.
#include <cmath>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "api/statement_table.hpp"
#include "api/step_parts.hpp"
#include "dtype/strides.hpp"
#include "expression/tape.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

// Computes the expressions in one statement, with as few passes over its rows as possible.
std::vector<Array> all_by_folds(std::initializer_list<const Expression*> expressions,
                                std::size_t kernels) {
    const TapeHolder tape;
    for (const Expression* const each : expressions)
        tape->append(detail::ExpressionAccess::tape(*each));
    const KnownStatement& known = find_statement(*tape, Joining::folds);
    REQUIRE(known.kernels.size() == kernels);
    StepParts parts(*tape, {}, nullptr);
    std::vector<Array> results(known.statement.result_count);
    for (std::size_t k = 0; k < kernels; ++k) {
        const Step& step = known.statement.steps[k];
        CHECK(!step.definition.rows);
        parts.list(known, k, false, nullptr, results);
        known.kernels[k].call_parts(tape->parts,
                                    {&results[step.first_result], step.outputs.size()});
    }
    std::vector<Array> roots;
    for (const std::size_t each : known.statement.results) roots.push_back(results[each]);
    return roots;
}
Array by_folds(const Expression& expression) {
    return all_by_folds({&expression}, 2)[0];
}

Array random_array(const Dims& shape, DType dtype, Device device, std::mt19937_64& random) {
    std::vector<double> values(static_cast<std::size_t>(extent_product(shape)));
    const double shift = std::normal_distribution<double>(0, 30)(random);
    for (double& each : values) each = std::normal_distribution<double>(shift, 2)(random);
    return from_host(values.data(), float64, shape, {.device = device}).astype(dtype);
}

double unit_of(DType dtype) {
    return dtype == float64   ? 0x1p-52
           : dtype == float32 ? 0x1p-23
           : dtype == float16 ? 0x1p-10
                              : 0x1p-7;
}

// The largest distance from the reference in units of the dtype, of numbers of about 1 or more. NaN equals NaN.
double worst_error(const Array& found, const Array& reference) {
    const std::vector<double> left = found.astype(float64).to_vector<double>();
    const std::vector<double> right = reference.astype(float64).to_vector<double>();
    REQUIRE(found.shape() == reference.shape());
    double worst = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
        if (left[k] == right[k] || (std::isnan(left[k]) && std::isnan(right[k]))) continue;
        const double error = std::abs(left[k] - right[k]) / std::max(1.0, std::abs(right[k]));
        if (!(error / unit_of(found.dtype()) <= worst)) worst = error / unit_of(found.dtype());
    }
    return worst;
}

// softmax, log-softmax and layer norm by kernels of their own for each step, in float64.
Array softmax_by_steps(const Array& x, int along) {
    const Array largest = max(x, axis(along), keepdims);
    const Array e = exp(x - largest);
    const Array total = sum(e, axis(along), keepdims);
    return e / total;
}
Array log_softmax_by_steps(const Array& x, int along) {
    const Array largest = max(x, axis(along), keepdims);
    const Array below = x - largest;
    const Array total = sum(exp(below), axis(along), keepdims);
    return below - log(total);
}
Array layer_norm_by_steps(const Array& x, int along) {
    const Array means = mean(x, axis(along), keepdims);
    const Array centred = x - means;
    const Array variance = mean(square(centred), axis(along), keepdims);
    return centred / sqrt(variance + 1e-5);
}
// The distance of a layer norm in units of the dtype. A rounding of the mean counts as often as the variance magnifies it.
double layer_norm_error(const Array& found, const Array& x, int along) {
    const Array means = mean(x, axis(along), keepdims);
    const Array variance = mean(square(Array(x - means)), axis(along), keepdims);
    const Array scale = abs(means) / sqrt(variance + 1e-5);
    const Array norm = layer_norm_by_steps(x, along);
    return max(abs(found.astype(float64) - norm) / (1 + abs(norm) + scale)).item<double>() /
           unit_of(found.dtype());
}

}  // namespace

TEST_CASE("rows that are folded in one pass have the accuracy of separate passes", "[rows]") {
    const auto seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const Device device : present_devices()) {
        for (const DType dtype : {float32, float64, float16, bfloat16}) {
            const auto extent = [&](int most) {
                return std::uniform_int_distribution<std::int64_t>(1, most)(random);
            };
            const Dims shape = {extent(9), extent(300), extent(9)};
            Array x = random_array(shape, dtype, device, random);
            if (random() % 2 == 0) x = x.transpose();
            const Array exact = x.astype(float64);
            {
                const int along = static_cast<int>(random() % 3);
                CAPTURE(dtype, to_text(shape), x.strides(), along, device);
                CHECK(worst_error(by_folds(softmax(x, axis(along))),
                                  softmax_by_steps(exact, along)) < 8);
                // The largest element is rounded as in separate passes, so long rows far from 0 lose no more digits.
                CHECK(worst_error(by_folds(log_softmax(x, axis(along))),
                                  log_softmax_by_steps(exact, along)) < 8);
                CHECK(layer_norm_error(by_folds(layer_norm(x, axis(along))), exact, along) < 8);
            }
        }
    }
}

TEST_CASE("rows that are folded in one pass keep special values", "[rows]") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Device device : present_devices()) {
        const Array x = array({{1.0f, nan, 2.0f, 3.0f},
                               {inf, 1.0f, 2.0f, inf},
                               {1.0f, 2.0f, inf, 1.0f},
                               {-inf, -inf, -inf, -inf},
                               {-inf, 1.0f, -inf, 2.0f},
                               {1e30f, 3e38f, -3e38f, 0.0f},
                               {5.0f, 5.0f, 5.0f, 5.0f},
                               {-0.0f, 0.0f, -0.0f, 0.0f},
                               {1e19f, -1e19f, 0.0f, 0.0f},
                               {700.0f, 1000.0f, -1000.0f, 999.0f}},
                              {.device = device});
        for (const int along : {0, 1}) {
            CAPTURE(along, device);
            CHECK(worst_error(by_folds(softmax(x, axis(along))), softmax_by_steps(x, along)) < 8);
            CHECK(worst_error(by_folds(log_softmax(x, axis(along))),
                              log_softmax_by_steps(x, along)) < 8);
            CHECK(worst_error(by_folds(layer_norm(x, axis(along))), layer_norm_by_steps(x, along)) <
                  32);
        }
    }
}

TEST_CASE("results of folded rows may be outputs, too", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = arange(35, float32, {.device = device}).reshape(5, 7) * 0.37f;
        const Value means = mean(x, axis(1), keepdims), largest = max(x, axis(1), keepdims);
        const Value variances = mean(square(x - means), axis(1), keepdims);
        const Expression norm = (x - means) / sqrt(variances), mean_one = means + 0,
                         variance = variances + 0;
        const std::vector<Array> found = all_by_folds({&norm, &mean_one, &variance}, 2);
        const Array exact_means = mean(x, axis(1), keepdims);
        const Array exact_variances = var(x, axis(1), keepdims);
        CHECK(worst_error(found[0], (x - exact_means) / sqrt(exact_variances)) < 32);
        CHECK(worst_error(found[1], exact_means) < 8);
        CHECK(worst_error(found[2], exact_variances) < 8);
        // Three reductions of which two share an accumulator, in one kernel and no elements.
        const Expression sums = sum(exp(x - largest), axis(1)), products = sum(x * x, axis(1));
        const Expression tops = max(x, axis(1));
        const std::vector<Array> folded = all_by_folds({&sums, &products, &tops}, 1);
        CHECK(worst_error(folded[1], sum(square(x), axis(1)).compute()) < 8);
        CHECK(array_equal(folded[2], max(x, axis(1))));
        const Array exact_largest = max(x, axis(1), keepdims);
        CHECK(worst_error(folded[0], sum(exp(x - exact_largest), axis(1)).compute()) < 8);
    }
}

TEST_CASE("a largest element of -0 keeps its sign", "[rows]") {
    const Array x = array({-0.0f, -1.0f, -0.0f}, {.device = Device::host()});
    const Value largest = max(x, keepdims);
    const Expression sums = sum(exp(x - largest), keepdims), tops = largest * 1.0;
    CHECK(std::signbit(all_by_folds({&sums, &tops}, 1)[1].item<float>()));
}

TEST_CASE("only reductions that one pass can compute are folded in one", "[rows]") {
    const Array x = zeros({4, 5}, float32, {.device = Device::host()});
    const auto kernels = [](const Expression& expression) {
        const TapeHolder tape;
        tape->append(detail::ExpressionAccess::tape(expression));
        const KnownStatement& known = find_statement(*tape, Joining::folds);
        return known.statement.has_rows ? known.kernels.size() : 0;
    };
    CHECK(kernels(softmax(x)) == 2);
    CHECK(kernels(log_softmax(x, axis(0))) == 2);
    CHECK(kernels(layer_norm(x)) == 2);
    CHECK(kernels((x - mean(x, axis(1), keepdims)) / stddev(x, axis(-1), keepdims)) == 2);
    // The maximum runs along another axis, is another array's, or has no keepdims; the numbers are float16 in between.
    const Array square_one = zeros({5, 5}, float32, {.device = Device::host()});
    CHECK(kernels(exp(x - max(x, axis(0), keepdims)) /
                  sum(exp(x - max(x, axis(0), keepdims)), axis(1), keepdims)) == 0);
    CHECK(kernels(exp(x) / sum(exp(x - max(2 * x, axis(1), keepdims)), axis(1), keepdims) *
                  max(x, axis(1), keepdims)) == 0);
    CHECK(kernels(square_one /
                  sum(exp(square_one - max(square_one, axis(1))), axis(1), keepdims)) == 0);
    const Array narrow = x.astype(float16);
    CHECK(kernels(exp(narrow - max(narrow, axis(1), keepdims)) /
                  sum(exp(narrow - max(narrow, axis(1), keepdims)), axis(1), keepdims)) == 0);
}
