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
    // Where they can, the cases have the names and the operands of one kernel, so that their goldens differ
    // by what is special in each.
    const auto kernel = [](const char* inputs,
                           const char* outputs,
                           const char* operation,
                           const ElementwiseOptions& options = {}) {
        return ElementwiseKernel(inputs, outputs, operation, "compute", options);
    };
    const ElementwiseKernel squared_diff = kernel("T x, T y", "T z", "z = (x - y) * (x - y)");
    const Dims square{1024, 1024};
    const ArraySpec floats = spec(float32, square);
    const ArraySpec gaps{float32, {1024, 1024}, Dims{16384, 8}};
    const ArraySpec turned{float32, {64, 3, 64}, Dims{4, 256, 768}};
    return {
        {"contiguous_float32", squared_diff, {floats, floats}},
        {"contiguous_uint8", squared_diff, {spec(uint8, square), spec(uint8, square)}},
        {"contiguous_uint8_to_float32",
         kernel("uint8 x, float32 y", "float32 z", "z = (x - y) * (x - y)"),
         {spec(uint8, square), floats}},
        {"contiguous_complex128",
         squared_diff,
         {spec(complex128, square), spec(complex128, square)}},
        {"contiguous_with_scalar", squared_diff, {floats, 2.0}},
        {"contiguous_with_uniform", squared_diff, {floats, spec(float32, {1})}},
        {"several_outputs",
         kernel("T x, T y", "T z, T w", "z = (x - y) * (x - y); w = x + y"),
         {spec(float64, square), spec(float64, square)}},
        {"outputs_in_parts",
         kernel("T x, T y, U a", "T z, T w", "const T twice = x * a; z = twice + i; w = y - a"),
         {spec(float32, {4096, 4096}), ArraySpec{float32, {4096, 4096}, Dims{4, 16384}}, 2.0f}},
        {"broadcast_row", squared_diff, {spec(float32, {8192, 1024}), spec(float32, {1024})}},
        {"outer_product", squared_diff, {spec(float32, {1024, 1}), spec(float32, {1024})}},
        {"broadcast_short_rows", squared_diff, {spec(float32, {1024, 3}), spec(float32, {3})}},
        {"every_other", kernel("T x, T y", "T z", "z = (x - y) * (x - y) + i"), {gaps, gaps}},
        {"transposed_float32", squared_diff, {floats, ArraySpec{float32, square, Dims{4, 4096}}}},
        {"transposed_uint8_with_index",
         kernel("T x, T y", "T z", "z = x + y * i"),
         {spec(uint8, square), ArraySpec{uint8, square, Dims{1, 1024}}}},
        {"transposed_odd_mixed",
         kernel("T x, U y, V w", "V z", "z = x + y * w"),
         {spec(float32, {4, 121, 77}),
          ArraySpec{float16, {4, 121, 77}, Dims{18634, 2, 242}},
          spec(float64, {121, 1})}},
        {"transposed_counted",
         kernel("T x, T y", "T z", "z = (x - y) * (x - y) + i"),
         {turned, turned}},
        {"strided_64_bit", squared_diff, {spec(float32, {2, 1 << 30}), spec(float32, {1 << 30})}},
        {"raw_and_index",
         kernel("T x, raw T y", "T z", "z = x + y[n - i - 1]"),
         {spec(float32, {2, 5}), spec(float32, {10})}},
        {"raw_and_indices",
         kernel("T x, raw T y",
                "T z",
                "ptrdiff_t at[] = {_ind.get()[1], _ind.get()[0]}; z = x + y[at]"),
         {spec(float32, {3, 4}), ArraySpec{float32, {4, 3}, Dims{4, 16}}, spec(float32, {3, 4})}},
        {"by_reference", kernel("T x, T y", "T z", "z = x; atomicAdd(&z, y)"), {floats, floats}},
        {"broadcast_reference",
         kernel("T x, T y", "T z", "z = _raw_x[_ind.get()] - y"),
         {floats, floats}},
        {"preamble_and_loop_texts",
         kernel("T x, T y",
                "T z",
                "total += x; z = twice(x - y)",
                {.preamble = "template <class V> V twice(V x) { return x + x; }",
                 .loop_prep = "T total = 0",
                 .after_loop = "if (total < 0) printf(\"negative\\n\")"}),
         {floats, floats}},
    };
}

}  // namespace kgen::test
