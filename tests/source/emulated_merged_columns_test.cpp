// SPDX-License-Identifier: MIT
//
// Columns of which several are folded into each output, run on the CPU: reduced axes within the innermost kept one, around it and both,
// vectors and elements that begin anywhere, with pieces and without, in one tile and in several side by side.
#include <random>

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
    struct Row {
        ReductionTrial trial;
        bool split;
    };
    const Row rows[] = {
        // Neighbours within the kept axis, in one tile.
        {dense_trial(float32, {1400, 64, 12}, 0b101), true},
        {dense_trial(float32, {1401, 251, 3}, 0b101), true},
        {dense_trial(float32, {1400, 107, 7}, 0b101, Fold::top), true},
        {dense_trial(float32, {1400, 64, 12}, 0b101, Fold::compensated), true},
        // In several tiles, of which the last one is not full.
        {dense_trial(float32, {400, 333, 11}, 0b101), true},
        {dense_trial(float32, {150, 3331, 4}, 0b101, Fold::struct_16), true},
        {dense_trial(uint8, {160, 3331, 5}, 0b101), true},
        // Repeats around the kept axis, and neighbours.
        {dense_trial(float32, {190, 16, 3, 31, 4}, 0b10101), true},
        {dense_trial(int16, {37, 30, 16, 21, 3}, 0b10101), true},
        {dense_trial(float32, {41, 7, 176, 22}, 0b0101), true},
        {dense_trial(float32, {82, 7, 176, 22}, 0b0101, Fold::struct_16), true},
        // Beside an input that lies apart, and one number for all elements.
        {with_gaps(dense_trial(int16, {600, 107, 17}, 0b101), int16, 3), true},
        {with_gaps(dense_trial(float32, {600, 107, 17}, 0b101), uint8, 16), true},
    };
    for (const Row& row : rows) {
        const ReductionTrial trial = by_columns(row.trial);
        INFO(describe(trial));
        const Baked baked = check_emulated(trial, Fit::call, {}, many_processors());
        CHECK(is_merged(baked));
        CHECK(is_split(baked) == row.split);
        for (const Edge edge : {Edge::end, Edge::begin})
            check_emulated(trial, Fit::call, edge, many_processors());
    }
}
