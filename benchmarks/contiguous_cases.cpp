// SPDX-License-Identifier: MIT
//
// Cases: operands that all lie in memory in the same order, by dtype, number of inputs and alignment.
#include <cmath>

#include "benchmarks/bench_case.hpp"
#include "benchmarks/case_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr std::int64_t long_count = std::int64_t{1} << 28;
constexpr std::int64_t wide_count = std::int64_t{1} << 27;  // for elements of 8 bytes

constexpr Target contiguous_target{0.98};
constexpr Target off_by_one{0.93};

Case contiguous(std::string name,
                Kernel kernel,
                const std::vector<DType>& inputs,
                DType output,
                std::optional<Target> target = contiguous_target,
                std::int64_t count = long_count) {
    Case row{
        std::move(name), "contiguous", std::move(kernel), {}, {output, {count}}, std::move(target)};
    for (const DType dtype : inputs) row.inputs.push_back({dtype, {count}});
    return row;
}

// A case whose operands begin `offsets` elements behind an aligned address. The output's offset is the last.
Case misaligned(std::string name,
                Kernel kernel,
                DType dtype,
                std::vector<std::int64_t> offsets,
                std::optional<Target> target = {}) {
    const std::vector<DType> inputs(offsets.size() - 1, dtype);
    Case row = contiguous(
        std::move(name), std::move(kernel), inputs, dtype, std::move(target), long_count - 3);
    row.family = "misaligned";
    for (std::size_t k = 0; k < row.inputs.size(); ++k) row.inputs[k].offset = offsets[k];
    row.output.offset = offsets.back();
    return row;
}

}  // namespace

std::vector<Case> contiguous_cases() {
    const Kernel tanh_sin{"T x",
                          "T y",
                          "y = tanh(sin(x)) + T(0.1) * x",
                          [](const Number* x) -> Number {
                              return std::tanh(std::sin(x[0].real())) + 0.1 * x[0].real();
                          },
                          rounding(float32)};
    const Kernel sum3{"T a, T b, T c",
                      "T z",
                      "z = a + b * c",
                      [](const Number* x) { return x[0] + x[1] * x[2]; },
                      rounding(float32)};
    const Kernel sum4{"T a, T b, T c, T d",
                      "T z",
                      "z = a * b + c * d",
                      [](const Number* x) { return x[0] * x[1] + x[2] * x[3]; },
                      rounding(float32)};
    const Kernel sum5{"T a, T b, T c, T d, T e",
                      "T z",
                      "z = a * b + c * d + e",
                      [](const Number* x) { return x[0] * x[1] + x[2] * x[3] + x[4]; },
                      rounding(float32)};
    Kernel fma = sum3;
    fma.tolerance = rounding(float64);
    const Kernel increment{
        "T x",
        "T y",
        "y = x + 1",
        [](const Number* x) -> Number { return std::fmod(x[0].real() + 1, 256); },
        0};
    const Kernel to_unit{"uint8 x",
                         "float32 y",
                         "y = x * (1.0f / 255.0f)",
                         [](const Number* x) { return x[0] / 255.0; },
                         rounding(float32)};
    const Kernel narrow{"float32 x",
                        "bfloat16 y",
                        "y = x * 2 + 1",
                        [](const Number* x) { return x[0] * 2.0 + 1.0; },
                        rounding(bfloat16)};
    const Kernel nothing{"", "T z", "z = T(1.5)", [](const Number*) -> Number { return 1.5; }, 0};
    const auto floats = [](std::size_t count) { return std::vector<DType>(count, float32); };
    return {
        contiguous("axpb_f32_2^28", axpb(float32), floats(1), float32),
        contiguous("sqdiff_f32_2^28", squared_difference(float32), floats(2), float32),
        contiguous("add_f32_2^28", sum(float32), floats(2), float32),
        contiguous("tanhsin_f32_2^28", tanh_sin, floats(1), float32, std::nullopt),
        contiguous("inputs3_f32_2^28", sum3, floats(3), float32),
        contiguous("inputs4_f32_2^28", sum4, floats(4), float32),
        contiguous("inputs5_f32_2^28", sum5, floats(5), float32),
        contiguous(
            "axpb_f64_2^27", axpb(float64), {float64}, float64, contiguous_target, wide_count),
        contiguous("fma_f64_2^27",
                   fma,
                   {float64, float64, float64},
                   float64,
                   contiguous_target,
                   wide_count),
        contiguous("axpb_f16_2^28", axpb(float16), {float16}, float16),
        contiguous("sqdiff_f16_2^28", squared_difference(float16), {float16, float16}, float16),
        contiguous("axpb_bf16_2^28", axpb(bfloat16), {bfloat16}, bfloat16),
        contiguous(
            "sqdiff_bf16_2^28", squared_difference(bfloat16), {bfloat16, bfloat16}, bfloat16),
        contiguous("increment_u8_2^28", increment, {uint8}, uint8),
        contiguous("add_u8_2^28", sum(uint8), {uint8, uint8}, uint8),
        contiguous("u8_to_f32_2^28", to_unit, {uint8}, float32),
        contiguous("f32_to_bf16_2^28", narrow, {float32}, bfloat16),
        contiguous("mul_c64_2^27",
                   product(complex64),
                   {complex64, complex64},
                   complex64,
                   contiguous_target,
                   wide_count),
        contiguous("fill_f32_2^28", nothing, {}, float32, std::nullopt),
        misaligned(
            "sqdiff_misaligned_f32", squared_difference(float32), float32, {1, 1, 1}, off_by_one),
        misaligned("sqdiff_mixed_offsets_f32", squared_difference(float32), float32, {1, 2, 0}),
        misaligned("sqdiff_mixed_offsets_f16", squared_difference(float16), float16, {1, 4, 2}),
        misaligned("axpb_misaligned_f64", axpb(float64), float64, {1, 1}),
        misaligned("add_misaligned_u8", sum(uint8), uint8, {1, 1, 1}),
        misaligned("add_mixed_offsets_u8", sum(uint8), uint8, {3, 8, 1}),
    };
}

}  // namespace kgen::bench
