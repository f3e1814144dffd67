// SPDX-License-Identifier: MIT
//
// Statements whose reductions run along the same axes, as one kernel. The references are loops in long double.
#include <algorithm>
#include <cmath>
#include <functional>
#include <kgen/kgen.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "dtype/strides.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::indexing;
using kgen::test::present_devices;

namespace {

using Row = std::vector<long double>;

long double mean_of(const Row& row) {
    return std::accumulate(row.begin(), row.end(), 0.0L) / static_cast<long double>(row.size());
}

Row softmax_of(Row row) {
    const long double largest = *std::max_element(row.begin(), row.end());
    long double sum = 0;
    for (long double& each : row) sum += each = std::exp(each - largest);
    for (long double& each : row) each /= sum;
    return row;
}
Row log_softmax_of(Row row) {
    for (long double& each : row = softmax_of(row)) each = std::log(each);
    return row;
}
Row layer_norm_of(Row row) {
    const long double mean = mean_of(row);
    Row squares;
    for (long double& each : row) {
        each -= mean;
        squares.push_back(each * each);
    }
    const long double scale = 1 / std::sqrt(mean_of(squares) + 1e-5L);
    for (long double& each : row) each *= scale;
    return row;
}
Row rms_norm_of(Row row) {
    Row squares;
    for (const long double each : row) squares.push_back(each * each);
    const long double scale = 1 / std::sqrt(mean_of(squares) + 1e-5L);
    for (long double& each : row) each *= scale;
    return row;
}
Row normalize_of(Row row) {
    long double sum = 0;
    for (const long double each : row) sum += each * each;
    for (long double& each : row) each /= std::max(std::sqrt(sum), 1e-12L);
    return row;
}

// Applies a function of rows to the rows of x along an axis.
std::vector<long double> by_rows(const Array& x, int axis, Row (*function)(Row)) {
    const std::vector<double> values = x.astype(float64).to_vector<double>();
    std::vector<long double> results(values.size());
    const Dims& shape = x.shape();
    std::int64_t inner = 1, outer = 1;
    for (int k = 0; k < axis; ++k) outer *= shape[k];
    for (int k = axis + 1; k < shape.rank(); ++k) inner *= shape[k];
    const auto place = [&](std::int64_t o, std::int64_t k, std::int64_t i) {
        return static_cast<std::size_t>((o * shape[axis] + k) * inner + i);
    };
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
            Row row;
            for (std::int64_t k = 0; k < shape[axis]; ++k) row.push_back(values[place(o, k, i)]);
            row = function(row);
            for (std::int64_t k = 0; k < shape[axis]; ++k)
                results[place(o, k, i)] = row[static_cast<std::size_t>(k)];
        }
    }
    return results;
}

double unit_of(DType dtype) {
    return dtype == float64    ? 0x1p-52
           : dtype == float32  ? 0x1p-23
           : dtype == float16  ? 0x1p-10
           : dtype == bfloat16 ? 0x1p-7
                               : 0x1p-52;
}

// The largest distance in units of the dtype, of numbers of about 1 or more.
double worst_error(const Array& found, const std::vector<long double>& expected, DType dtype) {
    const std::vector<double> values = found.astype(float64).to_vector<double>();
    double worst = values.size() == expected.size() ? 0 : INFINITY;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const long double gap = std::abs(values[k] - expected[k]);
        const long double scale = std::max(1.0L, std::abs(expected[k]));
        const auto error = static_cast<double>(gap / scale / unit_of(dtype));
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

Array random_array(const Dims& shape, DType dtype, Device device, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<float> values(static_cast<std::size_t>(extent_product(shape)));
    for (float& each : values) each = std::normal_distribution<float>(0.5f, 2)(random);
    return from_host(values.data(), float32, shape, {.device = device}).astype(dtype);
}

// Whether the arrays are equal up to a few roundings. NaN equals NaN.
bool near(const Array& a, const Array& b) {
    const std::vector<double> left = a.astype(float64).to_vector<double>();
    const std::vector<double> right = b.astype(float64).to_vector<double>();
    bool equal = a.shape() == b.shape() && a.dtype() == b.dtype();
    for (std::size_t k = 0; k < left.size() && equal; ++k) {
        const double gap = std::abs(left[k] - right[k]);
        equal = left[k] == right[k] || (std::isnan(left[k]) && std::isnan(right[k])) ||
                gap <= 16 * unit_of(a.dtype()) * std::max(1.0, std::abs(right[k]));
    }
    return equal;
}

std::size_t kernel_count(std::vector<Explanation> kernels) {
    return kernels.size();
}

}  // namespace

TEST_CASE("functions of rows are right for each layout, axis and dtype", "[rows]") {
    struct Function {
        std::string name;
        std::function<Array(const Array&, int)> call;
        Row (*reference)(Row);
    };
    const std::vector<Function> functions = {
        {"softmax", [](const Array& x, int k) -> Array { return softmax(x, axis(k)); }, softmax_of},
        {"log_softmax",
         [](const Array& x, int k) -> Array { return log_softmax(x, axis(k)); },
         log_softmax_of},
        {"layer_norm",
         [](const Array& x, int k) -> Array { return layer_norm(x, axis(k)); },
         layer_norm_of},
        {"rms_norm",
         [](const Array& x, int k) -> Array { return rms_norm(x, axis(k)); },
         rms_norm_of},
        {"normalize",
         [](const Array& x, int k) -> Array { return normalize(x, axis(k)); },
         normalize_of},
    };
    std::mt19937_64 random(20261126);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (const Device device : present_devices()) {
        for (int trial = 0; trial < 30; ++trial) {
            const Function& function =
                functions[static_cast<std::size_t>(trial) % functions.size()];
            const DType dtypes[] = {float32, float32, float64, float16, bfloat16, int32};
            const DType dtype = dtypes[pick(0, 5)];
            const int rank = static_cast<int>(pick(1, 3));
            Dims shape;
            for (int k = 0; k < rank; ++k)
                shape.push_back(trial % 10 == 0 ? pick(1, 2) : pick(1, k == 0 ? 80 : 40));
            const int along = static_cast<int>(pick(0, rank - 1));
            if (trial % 4 == 0) shape[along] = pick(1, 5000);
            Array x = random_array(shape, dtype, device, random());
            if (trial % 3 == 1) {  // a view: transposed, with a step, or beginning anywhere
                Dims wide = shape;
                wide[rank - 1] = 2 * wide[rank - 1] + 1;
                std::vector<Range> ranges(static_cast<std::size_t>(rank), Range(all));
                ranges.back() =
                    trial % 2 == 0 ? Range{1, wide[rank - 1], 2} : Range{1, shape[rank - 1] + 1};
                x = random_array(wide, dtype, device, random()).slice(ranges);
            }
            INFO(function.name << " along " << along << " of " << to_text(x.shape()) << ", "
                               << to_text(dtype) << " on " << to_text(device));
            const Array found = function.call(x, along);
            CHECK(found.dtype() == (dtype == int32 ? float64 : dtype));
            CHECK(found.shape() == x.shape());
            CHECK(worst_error(found, by_rows(x, along, function.reference), found.dtype()) <
                  (dtype == float32 || dtype == float64 || dtype == int32 ? 64 : 2));
            CHECK(array_equal(found, function.call(x, along), {.equal_nan = true}));
        }
    }
}

TEST_CASE("a statement of rows is one kernel", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = random_array({30, 70}, float32, device, 1);
        const Array y = random_array({30, 70}, float32, device, 2);
        const Array w = random_array({70}, float32, device, 3);
        CHECK(kernel_count(explain(softmax(x))) == 1);
        CHECK(kernel_count(explain(softmax(x, axis(0)))) == 1);
        CHECK(kernel_count(explain(layer_norm(x) * w + 1)) == 1);
        CHECK(kernel_count(explain(exp(x - max(x, axis(1), keepdims)))) == 1);
        CHECK(kernel_count(
                  explain((x - mean(x, axis(1), keepdims)) / stddev(x, axis(1), keepdims))) == 1);
        CHECK(kernel_count(explain(mean(square(x - mean(x, axis(1), keepdims)), axis(1)))) == 1);
        CHECK(kernel_count(explain(sum(x * y, axis(1)) /
                                   sqrt(sum(x * x, axis(1)) * sum(y * y, axis(1))))) == 1);
        CHECK(kernel_count(explain(rms_norm(softmax(x) + y))) == 1);
        CHECK(kernel_count(explain(sum(where(x > mean(x, axis(-1), keepdims), 1, 0), axis(-1)))) ==
              1);
        // One reduction with what follows it alone stays a reduction.
        CHECK(explain(sqrt(sum(x * x, axis(1))))[0].plan.find("rows of") == std::string::npos);
    }
}

TEST_CASE("a statement of rows may have several results", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = random_array({20, 33}, float32, device, 4);
        auto [centred, means] = compute(x - mean(x, axis(1), keepdims), mean(x, axis(1), keepdims));
        CHECK(centred.shape() == Dims{20, 33});
        CHECK(means.shape() == Dims{20, 1});
        CHECK(near(means, mean(x, axis(1), keepdims)));
        const Array mean_alone = mean(x, axis(1), keepdims);
        CHECK(near(centred, x - mean_alone));
        auto [low, high] = compute(min(x, axis(0)), max(x, axis(0)));
        CHECK(array_equal(low, Array(min(x, axis(0)))));
        CHECK(array_equal(high, Array(max(x, axis(0)))));
        const Array given = empty({20, 33}, float32, {.device = device});
        const Array given_means = empty({20, 1}, float64, {.device = device});
        compute(x - mean(x, axis(1), keepdims),
                mean(x, axis(1), keepdims),
                out(given),
                out(given_means));
        CHECK(array_equal(given, centred));
        CHECK(array_equal(given_means, means.astype(float64)));
    }
}

TEST_CASE("a statement of rows writes where it reads", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = random_array({9, 200}, float32, device, 5);
        const Array expected = softmax(x);
        const Array in_place = x.copy();
        in_place.assign(softmax(in_place));
        CHECK(near(in_place, expected));
        // An output that begins one element later.
        const Array memory = random_array({9 * 200 + 1}, float32, device, 6);
        const Array from = memory.slice({Range{0, 1800}}).reshape(9, 200);
        const Array to = memory.slice({Range{1, 1801}}).reshape(9, 200);
        const Array apart = softmax(from);
        to.assign(softmax(from));
        CHECK(near(to, apart));
        Array turned = zeros({200, 9}, float32, {.device = device}).transpose();
        turned.assign(softmax(x));
        CHECK(near(turned, expected));
        const Array row = x[{0}];
        x[{0}] = softmax(row, axis(0));
        CHECK(worst_error(x[{0}], by_rows(expected[{0}], 0, [](Row r) { return r; }), float32) < 4);
        BoundLaunch step = bind(layer_norm(expected), out(x));
        step();
        synchronize(device);
        CHECK(near(x, layer_norm(expected)));
    }
}

TEST_CASE("rows have special values as separate kernels have them", "[rows]") {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    for (const Device device : present_devices()) {
        const Array x = array({{1.0f, nan, 2.0f, 3.0f},
                               {inf, 1.0f, 2.0f, inf},
                               {-inf, -inf, -inf, -inf},
                               {1e30f, 3e38f, -3e38f, 0.0f},
                               {5.0f, 5.0f, 5.0f, 5.0f},
                               {-0.0f, 0.0f, -0.0f, 0.0f}},
                              {.device = device});
        for (const int along : {0, 1}) {
            const Array largest = max(x, axis(along), keepdims);
            const Array e = exp(x - largest);
            const Array sums = sum(e, axis(along), keepdims);
            CHECK(near(softmax(x, axis(along)), e / sums));
            const Array means = mean(x, axis(along), keepdims);
            const Array centred = x - means;
            CHECK(near(x - mean(x, axis(along), keepdims), centred));
        }
        CHECK(softmax(array({700.0f, 1000.0f}, {.device = device})).to_vector<float>() ==
              std::vector<float>{0, 1});
        CHECK(softmax(full({3, 1}, 9, float32, {.device = device})).to_vector<float>() ==
              std::vector<float>{1, 1, 1});
        CHECK(softmax(zeros({0, 5}, float32, {.device = device})).compute().shape() == Dims{0, 5});
        CHECK(softmax(zeros({0, 18}, float16, {.device = device})).compute().shape() ==
              Dims{0, 18});
        CHECK(layer_norm(zeros({3, 0}, float32, {.device = device})).compute().shape() ==
              Dims{3, 0});
        CHECK_THROWS_AS(softmax(zeros({3, 0}, float32, {.device = device})).compute(), ShapeError);
        CHECK(rms_norm(array({3, 4}, {.device = device})).compute().dtype() == float64);
    }
}

TEST_CASE("every reduction of the library stands in row kernels", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = random_array({9, 7}, float32, device, 12);
        const std::vector<std::pair<std::string, Argument>> variables{{"x", x}};
        std::string text = "x";
        Array expected = x;
        std::size_t count = 0;
        for (const TemplateInfo& each : kernel_templates()) {
            if (!each.built_in || each.kind != KernelTemplate::Kind::reduction) continue;
            const std::string call = fmt::format(
                "{}(x{}, axis=1, keepdims=True)", each.name, each.name == "dot" ? ", x" : "");
            text += " + " + call;
            expected = expected + parse_expression(call, variables).compute();
            if (++count % 7 > 0) continue;
            CAPTURE(text, device);
            CHECK(
                near(parse_expression(text, variables).astype(float32), expected.astype(float32)));
            text = "x";
            expected = x;
        }
        CHECK(count >= 28);
        CHECK(count % 7 == 0);
    }
}

TEST_CASE("reductions that fold alike share an accumulator, whichever comes first", "[rows]") {
    for (const Device device : present_devices()) {
        for (const DType dtype : {float32, float64, complex64}) {
            const Array x = random_array({9, 7}, float32, device, 13).astype(dtype);
            const Array sums = sum(x, axis(1), keepdims), means = mean(x, axis(1), keepdims);
            CAPTURE(dtype, device);
            const Array found = x + sum(x, axis(1), keepdims) + mean(x, axis(1), keepdims);
            const Array turned = x + mean(x, axis(1), keepdims) + sum(x, axis(1), keepdims);
            CHECK(near(abs(found), abs(x + sums + means)));
            CHECK(near(abs(turned), abs(x + means + sums)));
            if (dtype == complex64) continue;
            const Array spread = x / var(x, axis(1), keepdims) * stddev(x, axis(1), keepdims);
            const Array variances = var(x, axis(1), keepdims),
                        deviations = stddev(x, axis(1), keepdims);
            CHECK(near(spread, x / variances * deviations));
        }
    }
}

TEST_CASE("what is no statement of rows takes several kernels and is right", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = random_array({6, 8}, float32, device, 7);
        const Array row = random_array({6, 1}, float32, device, 8);
        // Reductions along different axes.
        CHECK(kernel_count(explain(x / sum(x, axis(0), keepdims) + sum(x, axis(1), keepdims))) ==
              3);
        // Rows that are shorter than those of the statement: each sum has one element, not eight.
        const std::vector<Explanation> kernels =
            explain(x - sum(x, axis(1), keepdims) / sum(row, axis(1), keepdims));
        CHECK(kernels.size() == 3);
        CHECK(kernels[0].statement ==
              "3 kernels, because one kernel for all needs reductions of whole rows");
        const Array found = x - sum(x, axis(1), keepdims) / sum(row, axis(1), keepdims);
        const Array sums = sum(x, axis(1), keepdims);
        CHECK(near(found, x - sums / row));
        // Axes that are written differently.
        const Array mixed = (x - mean(x, axis(1), keepdims)) / max(x, axis(-1), keepdims);
        const Array means = mean(x, axis(1), keepdims), largest = max(x, axis(-1), keepdims);
        CHECK(near(mixed, (x - means) / largest));
        // A result without the axes broadcasts as NumPy's does.
        const Array square_array = random_array({5, 5}, float32, device, 9);
        const Array broadcast = square_array - sum(square_array, axis(1));
        const Array row_sums = sum(square_array, axis(1));
        CHECK(near(broadcast, square_array - row_sums));
        // More rows than a kernel counts.
        const Array many = Array::view(reinterpret_cast<void*>(4096),
                                       int8,
                                       {(std::int64_t{1} << 31) + 8, 2, 2},
                                       {.device = Device::host()});
        CHECK(kernel_count(explain(many - max(many, axis(1), keepdims))) == 2);
        CHECK(mean(layer_norm(x)).item<float>() == Approx(0).margin(1e-6));
    }
}

TEST_CASE("rows of any length are one kernel unless few long ones would leave the device idle",
          "[rows]") {
    for (const Device device : present_devices()) {
        for (const std::int64_t row : {100, 4096, 5000, 70001}) {
            const Array x =
                random_array({40, row}, float32, device, static_cast<std::uint64_t>(row));
            INFO(row << " on " << to_text(device));
            CHECK(kernel_count(explain(softmax(x))) == 1);
            CHECK(worst_error(softmax(x), by_rows(x, 1, softmax_of), float32) < 64);
            CHECK(worst_error(layer_norm(x), by_rows(x, 1, layer_norm_of), float32) < 64);
            const Array turned = x.reshape(row, 40);
            CHECK(worst_error(layer_norm(turned, axis(0)),
                              by_rows(turned, 0, layer_norm_of),
                              float32) < 64);
        }
    }
}

TEST_CASE("few rows of any length can be one kernel on a GPU", "[rows]") {
    const TargetOptions gpus[] = {{Device::cuda(0), "sm_80"}, {Device::cuda(0), "sm_90"}};
    const DType dtypes[] = {float16, float32, float64};
    for (const TargetOptions& gpu : gpus) {
        for (std::int64_t row = 100'000; row <= 100'000'000; row = row * 10 + 7) {
            for (const std::int64_t rows : {1, 2, 3, 8, 20}) {
                const Dims shapes[] = {{rows, row}, {row, rows}, {rows, row, 2}};
                const DType dtype = dtypes[(rows + row) % 3];
                for (int along = 0; along < 3; ++along) {
                    const Dims& shape = shapes[along];
                    // No kernel runs, so there is no memory.
                    const Array x = Array::view(
                        reinterpret_cast<void*>(4096), dtype, shape, {.device = Device::host()});
                    const int of_row = along == 1 ? 0 : 1;
                    INFO(to_text(shape) << " " << to_text(dtype) << " for " << *gpu.arch);
                    // The predicted times decide.
                    const std::string choice = explain(softmax(x, axis(of_row)), gpu)[0].statement;
                    CHECK(choice.find("1 kernel") != std::string::npos);
                    CHECK(choice.find("us; ") != std::string::npos);
                }
            }
        }
    }
}

TEST_CASE("functions of rows refuse what they cannot take", "[rows]") {
    const Array z = zeros({2, 3}, complex64, {.device = Device::host()});
    CHECK(KGEN_MESSAGE_OF(TypeError, softmax(z)) ==
          "softmax: x is complex64, expected a real dtype");
    const Array x = zeros({2, 3}, float32, {.device = Device::host()});
    CHECK(KGEN_MESSAGE_OF(ShapeError, softmax(x, axis(2)).compute()) ==
          "function 'max': axis 2 does not exist; the operand has the shape (2, 3)\n"
          "  exp(x0 - max(x0, axis(2), keepdims)) / sum(exp(x0 - max(x0, axis(2), keepdims)), "
          "axis(2), "
          "keepdims)\n"
          "                                                      ^~~");
    CHECK(KGEN_MESSAGE_OF(TypeError, call("softmax", x, 2.0)) ==
          "softmax takes x, but 2 operands are given");
    CHECK(KGEN_MESSAGE_OF(TypeError, call("layer_norm", x, x)) ==
          "layer_norm: epsilon is an array, expected a number");
    CHECK(KGEN_MESSAGE_OF(TypeError, call("layer_norm", x, keepdims)) ==
          "layer_norm: the result has the shape of x, so there is no keepdims");
    CHECK(array_equal(call("softmax", x, axis(0)).compute(), Array(softmax(x, axis(0)))));
}
