// SPDX-License-Identifier: MIT
//
// Cases: reductions of whole arrays.
#include "benchmarks/bench_case.hpp"
#include "benchmarks/reduction_kernels.hpp"

namespace kgen::bench {

namespace {

// A case that reduces all elements. Only reading counts, because the output is small.
Case full(std::string name,
          Reduction reduction,
          DType dtype,
          std::int64_t count,
          std::optional<Target> target = {}) {
    Case row{std::move(name), "reduce-full", reduction, {}, {}, std::move(target)};
    row.inputs.push_back({dtype, {count}});
    return row;
}

}  // namespace

std::vector<Case> full_reduction_cases() {
    constexpr std::int64_t bytes1 = std::int64_t{1} << 29;
    constexpr std::int64_t bytes4 = std::int64_t{1} << 28;
    constexpr std::int64_t bytes8 = std::int64_t{1} << 27;
    constexpr Target as_plain{0.98, Limit::other_case, "red_full_f32_2^28"};
    Case two_inputs =
        full("red_two_inputs_2^27", squared_distance(), float32, bytes8, Target{1.00});
    two_inputs.inputs.push_back(two_inputs.inputs.front());
    return {
        full("red_full_f32_2^28", sum_of_squares(float32), float32, bytes4, Target{1.04}),
        full("red_full_f64_2^27", sum_of_squares(float64), float64, bytes8, Target{1.03}),
        full("red_full_f16_2^28", sum_of_squares(float16), float16, bytes4, Target{1.01}),
        full("red_full_bf16_2^28", sum_of_squares(bfloat16), bfloat16, bytes4),
        full("red_compensated_f32_2^28",
             sum_of_squares(float32, Accuracy::compensated),
             float32,
             bytes4,
             as_plain),
        two_inputs,
        full("sum_i8_to_i64_2^29", integer_sum(int8, int64), int8, bytes1, Target{0.75}),
        full("sum_u8_to_u64_2^29", integer_sum(uint8, uint64), uint8, bytes1),
        full("sum_i32_2^28", integer_sum(int32, int32), int32, bytes4),
        full("max_full_f32_2^28", largest(float32), float32, bytes4),
        full("argmax_full_f32_2^28", largest_with_index(), float32, bytes4, Target{0.97}),
    };
}

}  // namespace kgen::bench
