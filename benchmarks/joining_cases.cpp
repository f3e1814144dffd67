// SPDX-License-Identifier: MIT
//
// Cases: several arrays joined into one, in long pieces and in rows of few elements.
#include "benchmarks/operand_memory.hpp"

namespace kgen::bench {

namespace {

using Inputs = std::vector<Array>;
using Memory = std::vector<OperandMemory>;

constexpr std::int64_t million = std::int64_t{1} << 20;

Case joined(std::string name, std::vector<Operand> inputs, int axis, double least_share) {
    const auto reference = [axis](const Memory& x, Dims index) {
        std::size_t input = 0;
        while (index[axis] >= x[input].view().shape()[axis]) {
            index[axis] -= x[input++].view().shape()[axis];
        }
        return x[input].value_at(index);
    };
    return {std::move(name),
            "joins",
            ArrayFunction{[axis](const Inputs& x, const Array&) { return concatenate(x, axis); },
                          reference,
                          true},
            std::move(inputs),
            {},
            Target{least_share}};
}

Case stacked(std::string name,
             DType dtype,
             int count,
             const Dims& shape,
             int axis,
             std::optional<Target> target) {
    const auto reference = [axis](const Memory& x, const Dims& index) {
        Dims place;
        for (int each = 0; each < index.rank(); ++each) {
            if (each != axis) place.push_back(index[each]);
        }
        return x[static_cast<std::size_t>(index[axis])].value_at(place);
    };
    Case result{
        std::move(name),
        "joins",
        ArrayFunction{
            [axis](const Inputs& x, const Array&) { return stack(x, axis); }, reference, true},
        {},
        {},
        target};
    for (int k = 0; k < count; ++k) result.inputs.push_back({dtype, shape});
    return result;
}

}  // namespace

std::vector<Case> joining_cases() {
    const auto rows_of = [](DType dtype, std::int64_t length) {
        return Operand{dtype, {16384, length}};
    };
    const Operand quarter{float32, {64 * million}};
    const Operand columns = rows_of(float32, 4096);
    return {
        joined("concat_axis0_f32", {quarter, quarter, quarter, quarter}, 0, 0.97),
        joined("concat_axis1_f32_16k", {columns, columns, columns, columns}, 1, 0.96),
        joined("concat_axis1_odd_f32",
               {rows_of(float32, 8191), rows_of(float32, 5), rows_of(float32, 8188)},
               1,
               0.96),
        joined("concat_axis1_f16_f32", {rows_of(float16, 8192), rows_of(float32, 8192)}, 1, 0.6),
        joined("concat_points_f32",
               {{float32, {64 * million, 3}}, {float32, {64 * million, 1}}},
               1,
               0.96),
        joined(
            "concat_rows300_f32", {{float32, {million, 100}}, {float32, {million, 200}}}, 1, 0.96),
        stacked("stack_axis0_f32", float32, 4, {64 * million}, 0, Target{0.97}),
        stacked("stack_axis1_f32_16k", float32, 2, {16384, 8192}, 1, Target{0.96}),
        stacked("stack_last2_f32", float32, 2, {128 * million}, 1, Target{0.96}),
        stacked("stack_last3_f32", float32, 3, {64 * million}, 1, Target{0.96}),
        stacked("stack_last4_f32", float32, 4, {64 * million}, 1, Target{0.96}),
        stacked("stack_last16_f32", float32, 16, {16 * million}, 1, Target{0.9}),
        stacked("stack_last2_f64", float64, 2, {64 * million}, 1, Target{0.96}),
        stacked("stack_last2_f16", float16, 2, {128 * million}, 1, {}),
        stacked("stack_last3_u8", uint8, 3, {128 * million}, 1, {}),
        stacked("stack_last4_u8", uint8, 4, {128 * million}, 1, {}),
    };
}

}  // namespace kgen::bench
