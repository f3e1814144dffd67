// SPDX-License-Identifier: MIT
//
// One reduction for each strategy of the source stage.
#pragma once

#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/source_cases.hpp"

namespace kgen::test {

struct ReductionCase {
    std::string name;  // stem of the golden files <name>.cu and <name>.cpp
    ReductionKernel kernel;
    std::vector<Argument> arguments;
    std::vector<int> axes;
    std::vector<DeviceKind> devices = {DeviceKind::cuda};
};

inline std::vector<ReductionCase> reduction_cases() {
    // Where they can, the cases have the names and the texts of one kernel (see source_cases).
    const ReductionKernel squares("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "fold");
    const std::vector<DeviceKind> both = {DeviceKind::cuda, DeviceKind::host};
    return {
        {"reduced_full", squares, {spec(float32, {1 << 24})}, {0}},
        {"reduced_rows_by_warps", squares, {spec(float32, {30000, 400})}, {1}},
        {"reduced_rows_by_blocks", squares, {spec(float32, {1000, 8192})}, {1}, both},
        {"reduced_rows_split_shifted", squares, {spec(float32, {3, 1000001})}, {-1}, both},
        {"reduced_segments", squares, {spec(float32, {1024, 1024, 256})}, {0, 2}},
        {"staged_rows",
         ReductionKernel("T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a", "0", "fold"),
         {spec(float32, {2000000, 7}), spec(float32, {2000000, 1})},
         {1}},
        {"short_folds", squares, {spec(float32, {40, 3, 1 << 18})}, {1}},
        {"short_folds_along",
         ReductionKernel("bool x", "uint32 y", "x", "a + b", "y = a", "0", "fold"),
         {spec(bool_, {1 << 18, 3})},
         {1}},
        {"reduction_of_one", squares, {spec(float32, {1, 1 << 20})}, {0}},
        {"folded_elements",
         ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "fold"),
         {spec(float32, {2048, 4096}), ArraySpec{float32, {2048, 4096}, Dims{4, 8192}}},
         {0, 1}},
        {"reduced_columns_joined",
         squares,
         {ArraySpec{float32, {2, 32, 600000}, Dims{4, 8, 256}}},
         {2}},
        {"reduced_columns", squares, {spec(float32, {100, 1 << 20})}, {0}, both},
        {"reduced_columns_split", squares, {spec(float32, {16384, 16384})}, {0}},
        {"reduced_wide_columns", squares, {spec(float32, {1 << 20, 5})}, {0}},
        {"reduced_columns_permuted",
         ReductionKernel("T x, U w", "T y", "x * w", "a + b", "y = sqrt(a)", "0", "fold"),
         {ArraySpec{float32, {40, 30, 20, 33}, Dims{4, 160, 158400, 4800}},
          spec(float16, {40, 1, 1, 33})},
         {1, 2}},
        {"reduced_several_outputs",
         ReductionKernel(
             "T x",
             "T y, int64 at, int64 row",
             "best{x, _J, i}",
             "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b",
             "y = a.value; at = a.at; row = i + _out_ind.get()[0]",
             "",
             "fold",
             {.reduce_type = "best", .preamble = "struct best { T value; long long at, i; };"}),
         {spec(float32, {5000, 3000})},
         {1}},
        {"reduced_implied_identity",
         ReductionKernel("T x", "T y", "x * x", "max(a, b)", "y = sqrt(a)", "", "fold"),
         {spec(float64, {4000, 700})},
         {1}},
        {"reduced_compensated",
         ReductionKernel("T x",
                         "T y",
                         "x * x",
                         "a + b",
                         "y = sqrt(a)",
                         "0",
                         "fold",
                         {.accuracy = Accuracy::compensated}),
         {spec(float32, {1 << 24})},
         {0}},
        {"reduced_own_accumulator",
         ReductionKernel(
             "T x",
             "T y, T variance",
             "moments{1, x, 0}",
             "T d = b.mean - a.mean, count = a.count + b.count;\n"
             "return moments{count, a.mean + d * b.count / count,\n"
             "               a.m2 + b.m2 + d * d * a.count * b.count / count};",
             "y = a.mean; variance = a.m2 / (_in_ind.size() / _out_ind.size())",
             "",
             "fold",
             {.reduce_type = "moments", .preamble = "struct moments { T count, mean, m2; };"}),
         {spec(float32, {1 << 18, 1024})},
         {1}},
        {"reduced_narrow_integers",
         ReductionKernel("int8 x", "int64 y", "x", "a + b", "y = a", "0", "fold"),
         {spec(int8, {1 << 28})},
         {0}},
        {"staged_narrow_integers",
         ReductionKernel(
             "T x, T y", "uint64 z", "(x - y) * (x - y)", "a + b", "z = a / 3", "0", "fold"),
         {spec(uint8, {1 << 20, 30}), spec(uint8, {1 << 20, 1})},
         {1}},
    };
}

// Returns the explanation of the case's call for the target.
inline Explanation explained(const ReductionCase& row, const TargetOptions& target) {
    return row.kernel.explain(row.arguments, {.axes = row.axes}, target);
}

}  // namespace kgen::test
