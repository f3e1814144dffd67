// SPDX-License-Identifier: MIT
//
// One kernel for each path through the source stage.
#pragma once

#include <kgen/kgen.hpp>
#include <string>
#include <vector>

namespace kgen::test {

struct SourceCase {
    std::string name;  // stem of the golden files <name>.cu and <name>.cpp
    ElementwiseKernel kernel;
    std::vector<Argument> arguments;
    CallOptions options = {};
};

inline ArraySpec spec(DType dtype, Dims shape) {
    return {dtype, shape, {}};
}

inline std::vector<SourceCase> source_cases() {
    std::vector<SourceCase> cases;
    const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    const Dims square{1024, 1024};
    cases.push_back(
        {"contiguous_float32", squared_diff, {spec(float32, square), spec(float32, square)}});
    cases.push_back({"contiguous_uint8",
                     ElementwiseKernel("T x", "T y", "y = x + 1", "increment"),
                     {spec(uint8, square)}});
    cases.push_back({"contiguous_uint8_to_float32",
                     ElementwiseKernel("uint8 x", "float32 y", "y = x * 0.5f", "halve"),
                     {spec(uint8, square)}});
    cases.push_back({"contiguous_complex128",
                     ElementwiseKernel("T x, T y", "T z", "z = x * y", "multiply"),
                     {spec(complex128, square), spec(complex128, square)}});
    cases.push_back({"contiguous_with_scalar",
                     ElementwiseKernel("T a, T x", "T y", "y = a * x", "scale"),
                     {2.0, spec(float32, square)}});
    cases.push_back(
        {"contiguous_with_uniform", squared_diff, {spec(float32, square), spec(float32, {1})}});
    cases.push_back(
        {"several_outputs",
         ElementwiseKernel(
             "T x", "T lo, T hi", "lo = x < 0 ? x : T(0); hi = x < 0 ? T(0) : x", "split"),
         {spec(float64, square)}});
    cases.push_back(
        {"broadcast_row", squared_diff, {spec(float32, square), spec(float32, {1024})}});
    cases.push_back({"outer_product",
                     ElementwiseKernel("T x, T y", "T z", "z = x * y", "outer"),
                     {spec(float32, {1024, 1}), spec(float32, {1024})}});
    cases.push_back(
        {"broadcast_short_rows", squared_diff, {spec(float32, {1024, 3}), spec(float32, {3})}});
    cases.push_back({"every_other",
                     ElementwiseKernel("T x", "T y", "y = x + i", "every_other"),
                     {ArraySpec{int32, {512, 512}, Dims{8192, 8}}}});
    cases.push_back({"transposed_float32",
                     squared_diff,
                     {spec(float32, square), ArraySpec{float32, square, Dims{4, 4096}}}});
    cases.push_back({"transposed_uint8_with_index",
                     ElementwiseKernel("T x, T y", "T z", "z = x + y * i", "indexed"),
                     {spec(uint8, square), ArraySpec{uint8, square, Dims{1, 1024}}}});
    cases.push_back({"transposed_odd_mixed",
                     ElementwiseKernel("T x, U y, V w", "V z", "z = x + y * w", "mixed"),
                     {spec(float32, {4, 121, 77}),
                      ArraySpec{float16, {4, 121, 77}, Dims{18634, 2, 242}},
                      spec(float64, {121, 1})}});
    cases.push_back({"transposed_counted",
                     ElementwiseKernel("T x", "T y", "y = x + i", "count_turned"),
                     {ArraySpec{float32, {64, 3, 64}, Dims{4, 256, 768}}}});
    cases.push_back(
        {"strided_64_bit", squared_diff, {spec(float32, {2, 1 << 30}), spec(float32, {1 << 30})}});
    cases.push_back({"raw_and_index",
                     ElementwiseKernel("T x, raw T y", "T z", "z = x + y[n - i - 1]", "reversed"),
                     {spec(float32, {2, 5}), spec(float32, {10})}});
    cases.push_back({"raw_and_indices",
                     ElementwiseKernel("raw T x",
                                       "T y",
                                       "ptrdiff_t at[] = {_ind.get()[1], _ind.get()[0]}; y = x[at]",
                                       "transpose"),
                     {ArraySpec{float32, {4, 3}, Dims{4, 16}}, spec(float32, {3, 4})}});
    cases.push_back({"by_reference",
                     ElementwiseKernel("T x", "T y", "y = 0; atomicAdd(&y, x)", "add_to"),
                     {spec(float32, square)}});
    cases.push_back({"broadcast_reference",
                     ElementwiseKernel("T x", "T y", "y = _raw_x[_ind.get()]", "view"),
                     {spec(float32, {3, 4})}});
    cases.push_back(
        {"preamble_and_loop_texts",
         ElementwiseKernel("T x",
                           "T y",
                           "total += x; y = twice(x)",
                           "texts",
                           {.preamble = "template <class V> V twice(V x) { return x + x; }",
                            .loop_prep = "T total = 0",
                            .after_loop = "if (total < 0) printf(\"negative\\n\")"}),
         {spec(int32, square)}});
    return cases;
}

}  // namespace kgen::test
