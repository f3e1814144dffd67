// SPDX-License-Identifier: MIT
//
// Cases: operands whose axes lie in another order than the output's.
#include <fmt/format.h>

#include "benchmarks/bench_case.hpp"
#include "benchmarks/case_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr Target near_copy{0.97};

// A case with one input whose axes are permuted.
Case permuted(std::string name,
              std::string family,
              Kernel kernel,
              DType dtype,
              const Dims& shape,
              const Dims& axes,
              std::optional<Target> target = {}) {
    Dims result;
    for (const std::int64_t axis : axes) result.push_back(shape[axis]);
    return {std::move(name),
            std::move(family),
            std::move(kernel),
            {{dtype, shape, [axes](const Array& array) { return array.transpose(axes); }}},
            {dtype, result},
            std::move(target)};
}

Case transposed_copy(std::string_view suffix,
                     DType dtype,
                     const Dims& shape,
                     std::optional<Target> target = {}) {
    return permuted(fmt::format("transpose_copy_{}", suffix),
                    "transposed",
                    copy_of(dtype),
                    dtype,
                    shape,
                    {1, 0},
                    std::move(target));
}

}  // namespace

std::vector<Case> transposed_cases() {
    const Dims square{16384, 16384};
    const Dims oblong{32768, 8192};
    const Dims odd{16383, 16381};
    const auto turned = [](const Array& array) { return array.transpose(); };
    const Kernel twice{"T x",
                       "T y",
                       "y = x * T(2)",
                       [](const Number* x) { return x[0] * 2.0; },
                       rounding(float32)};
    return {
        {"transpose_mul_f32_16k",
         "transposed",
         product(float32),
         {{float32, square, turned}, {float32, square}},
         {float32, square},
         near_copy},
        transposed_copy("f32_16k", float32, square, near_copy),
        transposed_copy("f16_16k", float16, square, near_copy),
        transposed_copy("u8_16k", uint8, square, near_copy),
        transposed_copy("f32_32kx8k", float32, oblong, near_copy),
        transposed_copy("f16_32kx8k", float16, oblong, near_copy),
        transposed_copy("u8_32kx8k", uint8, oblong, near_copy),
        {"transpose_mul_odd_f32",
         "transposed",
         product(float32),
         {{float32, {odd[1], odd[0]}, turned}, {float32, odd}},
         {float32, odd}},
        transposed_copy("f32_odd", float32, odd),
        transposed_copy("f16_odd", float16, odd),
        transposed_copy("u8_odd", uint8, odd),
        transposed_copy("f64_8k", float64, {8192, 8192}),
        permuted("transpose_batched_f32",
                 "transposed",
                 copy_of(float32),
                 float32,
                 {64, 2048, 1536},
                 {0, 2, 1}),
        transposed_copy("n3_f32", float32, {std::int64_t{1} << 26, 3}),
        permuted("nchw_to_nhwc_axpb_f32",
                 "permuted",
                 axpb(float32),
                 float32,
                 {64, 256, 56, 56},
                 {0, 2, 3, 1},
                 Target{0.92}),
        permuted("permute5d_f32",
                 "permuted",
                 twice,
                 float32,
                 {32, 24, 40, 56, 48},
                 {0, 3, 1, 4, 2},
                 Target{0.85}),
        permuted("permute6d_f32",
                 "permuted",
                 twice,
                 float32,
                 {16, 12, 20, 24, 28, 32},
                 {5, 1, 3, 0, 4, 2}),
        permuted("nhwc_to_nchw_u8",
                 "permuted",
                 copy_of(uint8),
                 uint8,
                 {128, 1024, 1024, 3},
                 {0, 3, 1, 2}),
    };
}

}  // namespace kgen::bench
