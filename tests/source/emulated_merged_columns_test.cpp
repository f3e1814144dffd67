// SPDX-License-Identifier: MIT
//
// Columns of which several are folded into each output, run on the CPU: reduced axes within the innermost kept one, around it and both,
// vectors and elements that begin anywhere, with pieces and without, in one tile and in several side by side.
#include <vector>

#include "support/catch.hpp"
#include "support/choice.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Limits many_processors() {
    Limits limits = small_limits();
    limits.processor_count = 132;
    return limits;
}

ReductionTrial by_columns(ReductionTrial trial) {
    trial.loop_name = "reduced_columns";
    return trial;
}

// Adds inputs of the same shape with gaps of `gap` elements between the elements of the first axis.
ReductionTrial with_gaps(ReductionTrial trial, DType dtype, std::int64_t gap) {
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    Dims strides = c_part(dtype, trial.loop).strides;
    strides[0] += gap * item;
    trial.inputs.push_back({dtype, trial.loop, strides});
    return trial;
}

}  // namespace

TEST_CASE("several columns are folded into each output", "[emulated]") {
    const auto backwards = [](ReductionTrial trial) {
        trial.inputs[0] = {float32, trial.loop, negated(trial.inputs[0].strides, 7)};
        return trial;
    };
    const ReductionTrial rows[] = {
        // Neighbours within the kept axis, in one tile.
        dense_trial(float32, {1400, 64, 12}, 0b101),
        dense_trial(float32, {1401, 251, 3}, 0b101),
        dense_trial(float32, {1400, 107, 7}, 0b101, Fold::top),
        dense_trial(float32, {1400, 64, 12}, 0b101, Fold::compensated),
        backwards(dense_trial(float32, {1400, 64, 12}, 0b101)),
        // In several tiles, of which the last one is not full.
        dense_trial(float32, {400, 333, 11}, 0b101),
        dense_trial(float32, {150, 3331, 4}, 0b101, Fold::struct_16),
        dense_trial(uint8, {160, 3331, 5}, 0b101),
        // More outputs in a tile than its threads with the longest vectors.
        dense_trial(float32, {1000, 511, 3}, 0b101),
        dense_trial(float32, {1000, 400, 3}, 0b101, Fold::top),
        // Repeats around the kept axis, and neighbours.
        dense_trial(float32, {190, 16, 3, 31, 4}, 0b10101),
        dense_trial(int16, {37, 30, 16, 21, 3}, 0b10101),
        dense_trial(float32, {41, 7, 176, 22}, 0b0101),
        dense_trial(float32, {82, 7, 176, 22}, 0b0101, Fold::struct_16),
        // Beside an input that lies apart, and one number for all elements.
        with_gaps(dense_trial(int16, {600, 107, 17}, 0b101), int16, 3),
        with_gaps(dense_trial(float32, {600, 107, 17}, 0b101), uint8, 16),
        [] {
            ReductionTrial trial = dense_trial(float32, {600, 107, 17}, 0b101);
            trial.inputs.push_back(c_part(float32, {1, 1, 1}, 4));
            return trial;
        }(),
    };
    for (const ReductionTrial& row : rows) {
        const ReductionTrial trial = by_columns(row);
        INFO(describe(trial));
        const Baked baked = check_emulated(trial, Fit::call, {}, many_processors());
        CHECK(is_merged(baked));
        CHECK(is_split(baked));
        for (const Edge edge : {Edge::end, Edge::begin})
            check_emulated(trial, Fit::call, edge, many_processors());
    }
}

TEST_CASE("blocks fold merged columns whole if there are enough outputs", "[emulated]") {
    const Dims loop{1100, 20, 33, 5};
    ReductionTrial trial = by_columns(dense_trial(float32, loop, 0b1010));
    trial.inputs = {{float32, loop, {13840, 692, 20, 4}}};
    const Baked baked = check_emulated(trial, Fit::call, {}, many_processors());
    CHECK(is_merged(baked));
    CHECK_FALSE(is_split(baked));
}

TEST_CASE("a post-map finds its output and the sizes where columns are merged", "[emulated]") {
    Definition definition{
        .name = "placed",
        .inputs = "float32 x",
        .outputs = "float32 y",
        .operation = "x",
        .reduction = ReductionTexts{.reduce = "a + b",
                                    .post_map = "y = a / (_in_ind.size() / _out_ind.size()) + i",
                                    .identity = "0"}};
    const Dims loop{1400, 64, 12};
    const std::vector<float> x(static_cast<std::size_t>(count_of(loop)), 3);
    std::vector<float> y(64, -1);
    Planned planned{.signature = parse_signature(definition)};
    const auto operand = [](const auto& memory, const Dims& shape, const Dims& strides) {
        return Operand{.dtype = float32,
                       .shape = shape,
                       .strides = strides,
                       .address = reinterpret_cast<std::uintptr_t>(memory.data())};
    };
    planned.operands = {operand(x, loop, c_part(float32, loop).strides),
                        operand(y, {1, 64, 1}, {0, 4, 0})};
    planned.operands[1].written = true;
    planned.types = resolve_types(
        planned.signature, std::vector<ArgumentType>(2, {ArgumentType::Kind::array, float32}));
    planned.plan = make_plan({.signature = planned.signature,
                              .types = planned.types,
                              .operands = planned.operands,
                              .loop = loop,
                              .reduced_axes = 0b101,
                              .target = {DeviceKind::cuda, "sm_90"},
                              .limits = many_processors(),
                              .loop_name = "reduced_columns"});
    CHECK(is_merged(planned.plan.baked));
    run_emulated(planned);
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == 3 + static_cast<float>(k));
}
