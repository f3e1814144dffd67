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
    const ReductionKernel squares("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "sum");
    const std::vector<DeviceKind> both = {DeviceKind::cuda, DeviceKind::host};
    std::vector<ReductionCase> cases;
    cases.push_back({"reduced_full", sum, {spec(float32, {1 << 24})}, {0}});
    cases.push_back({"reduced_rows_by_warps", squares, {spec(float32, {30000, 400})}, {1}});
    cases.push_back({"reduced_rows_by_blocks", squares, {spec(float32, {1000, 8192})}, {1}, both});
    cases.push_back(
        {"reduced_rows_split_shifted", squares, {spec(float32, {3, 1000001})}, {-1}, both});
    cases.push_back({"reduced_segments", squares, {spec(float32, {1024, 1024, 256})}, {0, 2}});
    cases.push_back(
        {"staged_rows",
         ReductionKernel(
             "T x, T y", "T z", "(x - y) * (x - y)", "a + b", "z = a", "0", "squared_distance"),
         {spec(float32, {100000, 7}), spec(float32, {100000, 1})},
         {1}});
    cases.push_back({"reduced_columns", squares, {spec(float32, {16, 1 << 20})}, {0}, both});
    cases.push_back({"reduced_columns_split", squares, {spec(float32, {16384, 16384})}, {0}});
    cases.push_back({"reduced_wide_columns", squares, {spec(float32, {1 << 20, 5})}, {0}});
    cases.push_back({"reduced_columns_permuted",
                     ReductionKernel("T x, U w", "T y", "x * w", "a + b", "y = a", "0", "weighted"),
                     {ArraySpec{float32, {40, 30, 20, 33}, Dims{4, 160, 158400, 4800}},
                      spec(float16, {40, 1, 1, 33})},
                     {1, 2}});
    cases.push_back(
        {"reduced_several_outputs",
         ReductionKernel(
             "T x",
             "T top, int64 at, int64 row",
             "best{x, _J, i}",
             "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b",
             "top = a.value; at = a.at; row = i + _out_ind.get()[0]",
             "",
             "argmax",
             {.reduce_type = "best", .preamble = "struct best { T value; long long at, i; };"}),
         {spec(float32, {5000, 3000})},
         {1}});
    cases.push_back({"reduced_without_identity",
                     ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "", "top"),
                     {spec(float64, {4000, 700})},
                     {1}});
    cases.push_back({"reduced_compensated",
                     ReductionKernel("T x",
                                     "T y",
                                     "x",
                                     "a + b",
                                     "y = a",
                                     "0",
                                     "exact",
                                     {.accuracy = Accuracy::compensated}),
                     {spec(float32, {1 << 24})},
                     {0}});
    cases.push_back(
        {"reduced_own_accumulator",
         ReductionKernel(
             "T x",
             "T mean, T variance",
             "moments{1, x, 0}",
             "T d = b.mean - a.mean, count = a.count + b.count;\n"
             "return moments{count, a.mean + d * b.count / count,\n"
             "               a.m2 + b.m2 + d * d * a.count * b.count / count};",
             "mean = a.mean; variance = a.m2 / (_in_ind.size() / _out_ind.size())",
             "",
             "moments",
             {.reduce_type = "moments", .preamble = "struct moments { T count, mean, m2; };"}),
         {spec(float32, {1 << 18, 1024})},
         {1}});
    cases.push_back({"reduced_narrow_integers",
                     ReductionKernel("int8 x", "int64 y", "x", "a + b", "y = a", "0", "sum"),
                     {spec(int8, {1 << 28})},
                     {0}});
    cases.push_back({"staged_narrow_integers",
                     ReductionKernel("T x", "uint64 y", "x", "a + b", "y = a / 3", "0", "third"),
                     {spec(uint8, {1 << 20, 30})},
                     {1}});
    return cases;
}

// Returns the explanation of the case's call for the target.
inline Explanation explained(const ReductionCase& row, const TargetOptions& target) {
    return row.kernel.explain(row.arguments, {.axes = row.axes}, target);
}

}  // namespace kgen::test
