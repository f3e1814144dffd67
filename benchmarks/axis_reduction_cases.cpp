// SPDX-License-Identifier: MIT
//
// Cases: reductions along some axes: rows, columns, middle axes, and views with permuted axes.
#include <fmt/format.h>

#include "benchmarks/bench_case.hpp"
#include "benchmarks/reduction_kernels.hpp"

namespace kgen::bench {

namespace {

using View = std::function<Array(const Array&)>;

Case along(std::string name,
           std::string family,
           const Dims& shape,
           std::vector<int> axes,
           std::optional<Target> target = {},
           View view = {},
           Reduction reduction = sum_of_squares(float32)) {
    return {std::move(name),
            std::move(family),
            std::move(reduction),
            {{float32, shape, std::move(view)}},
            {},
            std::move(target),
            std::move(axes)};
}

struct Matrix {
    std::int64_t rows;
    std::int64_t columns;
    std::optional<double> along_rows;  // the targets
    std::optional<double> along_columns;
    const char* text = nullptr;  // part of the case's name; default: "ROWSxCOLUMNS"
};

constexpr Matrix matrices[] = {
    {16384, 16384, 1.04, 1.02, "16kx16k"},
    {262144, 1024, 1.03, 1.02},
    {1000, 268435, 0.99, 0.97},
    {16, 16777216, 1.03, 0.98},
    {16777216, 16, 1.00, 0.97},
    {67108864, 3, 1.00, 0.97},
    {33554432, 7, 1.00, {}},
    {4194304, 63, 1.00, {}},
};

Case of_matrix(const Matrix& matrix, int axis) {
    const std::string extents =
        matrix.text != nullptr ? matrix.text : fmt::format("{}x{}", matrix.rows, matrix.columns);
    const std::optional<double> share = axis == 1 ? matrix.along_rows : matrix.along_columns;
    return along(fmt::format("red_axis{}_{}", axis, extents),
                 axis == 1 ? "reduce-rows" : "reduce-columns",
                 {matrix.rows, matrix.columns},
                 {axis},
                 share ? std::optional(Target{*share}) : std::nullopt);
}

}  // namespace

std::vector<Case> axis_reduction_cases() {
    const char* axes = "reduce-axes";
    const Dims square{16384, 16384};
    const View turned = [](const Array& x) { return x.transpose(); };
    const View permuted = [](const Array& x) { return x.transpose({0, 3, 1, 4, 2}); };
    const View every_other = [](const Array& x) { return x.slice({Range{{}, {}, 2}}); };
    std::vector<Case> cases;
    for (const int axis : {1, 0}) {
        for (const Matrix& matrix : matrices) cases.push_back(of_matrix(matrix, axis));
        if (axis == 0) break;
        cases.push_back(along("var_mean_rows_2^18x1024",
                              "reduce-rows",
                              {262144, 1024},
                              {1},
                              Target{0.95},
                              {},
                              mean_and_variance()));
    }
    const Case others[] = {
        along("red_mid_256x1024x1024_ax1", axes, {256, 1024, 1024}, {1}, Target{1.02}),
        along("red_1024x1024x256_ax02", axes, {1024, 1024, 256}, {0, 2}, Target{1.02}),
        along("red_permuted5d_ax13", axes, {32, 24, 40, 56, 48}, {1, 3}, Target{0.90}, permuted),
        along("sumT_axis1_of_transposed_16k", axes, square, {1}, Target{1.00}, turned),
        along("red_every_other_row_ax1", axes, square, {1}, Target{0.95}, every_other),
    };
    cases.insert(cases.end(), std::begin(others), std::end(others));
    return cases;
}

}  // namespace kgen::bench
