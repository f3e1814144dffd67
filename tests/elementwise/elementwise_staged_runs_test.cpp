// SPDX-License-Identifier: MIT
//
// Interleaved arrays: records of a few elements that follow each other without gaps, beside planar arrays.
#include <random>

#include "support/choice.hpp"
#include "support/planned_block.hpp"
#include "support/trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// An array whose first axis counts records. The axes of a record lie in C order or in another one.
Part interleaved(DType dtype, const Dims& shape, std::mt19937& random) {
    std::vector<int> order = axis_order(shape.rank());
    std::shuffle(order.begin() + 1, order.end(), random);
    return {
        dtype, shape, dense_strides(shape, order, static_cast<std::int64_t>(item_size(dtype)), 0)};
}

Part planar(DType dtype, const Dims& shape, std::int64_t gap) {
    Part part{dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))};
    // Planes that begin anywhere.
    for (int axis = 1; axis < shape.rank(); ++axis) {
        part.strides[axis] = part.strides[axis - 1] * shape[axis - 1] +
                             gap * static_cast<std::int64_t>(item_size(dtype));
    }
    return part;
}

}  // namespace

TEST_CASE("interleaved arrays are split into planes and put together right") {
    std::mt19937 random(20);
    const auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    int joined = 0, skewed = 0;
    static constexpr DType dtypes[] = {uint8, float16, float32, complex64, complex128};
    for (int run = 0; run < 60; ++run) {
        Dims shape{pick(32, 3000)};
        for (int axes = pick(1, 2); axes > 0; --axes) shape.push_back(pick(2, axes > 1 ? 3 : 9));
        const DType dtype = dtypes[pick(0, 4)];
        Trial trial;
        Part records = interleaved(dtype, shape, random);
        records.shift = pick(0, 3) * static_cast<std::int64_t>(item_size(dtype));
        const Part planes = planar(dtype, shape, pick(0, 5));
        const bool splits = pick(0, 1) == 0;
        trial.inputs = {splits ? records : planes};
        if (pick(0, 2) == 0) trial.inputs.push_back(planar(float32, shape, 1));
        if (pick(0, 2) == 0) trial.inputs.push_back(interleaved(dtype, shape, random));
        trial.output = splits ? planes : records;
        if (pick(0, 3) == 0) trial.extra = Extra::index;
        if (pick(0, 3) == 0) trial.block_size = pick(1, 1024);
        trial.loop_name = "staged_runs";
        INFO("run " << run << ": " << describe(trial));
        for (const Device device : present_devices()) check_trial(device, trial);
        const RunShape tile = field_of<RunShape>(plan_of(trial), FieldKind::own);
        joined += tile.joined;
        skewed += tile.skew > 0 ? 1 : 0;
    }
    CHECK(joined >= 20);
    CHECK(skewed >= 10);
}

TEST_CASE("rows of odd lengths are turned right in several tiles") {
    const Dims odd{3001, 203};
    const Part turned{float16, odd, f_order(odd, 2), 2};
    const Part bytes{uint8, odd, f_order(odd, 1), 3};
    const Trial trials[] = {
        {.inputs = {turned}, .output = c_part(float16, odd, 6)},
        {.inputs = {turned, bytes}, .output = c_part(float16, odd), .extra = Extra::indices},
        {.inputs = {bytes}, .output = c_part(uint8, odd, 1), .block_size = 7},
        {.inputs = {bytes}, .output = c_part(uint8, odd, 5), .block_size = 1000},
        {.inputs = {c_part(uint8, odd, 5)}, .output = bytes},
        {.inputs = {turned, c_part(float16, odd)}, .output = turned, .in_place = 0},
    };
    for (Trial trial : trials) {
        trial.loop_name = "staged_runs";
        INFO(describe(trial));
        for (const Device device : present_devices()) check_trial(device, trial);
    }
    SUCCEED();
}

TEST_CASE("many arrays that are turned get small tiles", "[plan]") {
    const Dims shape{2003, 3001};
    Trial trial{.output = {uint8, shape, {3001, 1}, 1}, .loop_name = "staged_runs"};
    for (int k = 0; k < 8; ++k) trial.inputs.push_back({uint8, shape, f_order(shape, 1), k});
    CHECK(plan_of(trial).plan.runtime.shared_bytes <= 48 * 1024);
}

TEST_CASE("offsets have 64 bits if a tile behind the end needs them", "[plan]") {
    const Dims shape{46306, 46306};
    const auto width_of = [&](std::int64_t stride) {
        return plan_of(Trial{.inputs = {{uint8, shape, {1, stride}}},
                             .output = {uint8, shape, {46306, 1}, 1},
                             .loop_name = "staged_runs"})
            .plan.baked.width;
    };
    CHECK(width_of(46306) == IndexWidth::bits32);
    CHECK(width_of(46375) == IndexWidth::bits64);
}

TEST_CASE("rows are copied as they lie where other arrays are contiguous across them", "[plan]") {
    struct Row {
        Part input;
        Part output;
        bool joined;
        std::int64_t skew;
        int tile_b;
    };
    const Dims pairs{61, 100000, 2};
    const Dims odd{3001, 2003};
    const Row rows[] = {
        // Records become planes whose rows begin anywhere, so tiles begin where their sectors do.
        {c_part(uint8, {1 << 20, 3}), {uint8, {1 << 20, 3}, {1, (1 << 20) + 1}}, true, 31, 3},
        {c_part(float16, {1 << 20, 3}), {float16, {1 << 20, 3}, {2, 2 << 20}}, true, 0, 3},
        // Planes become records.
        {{uint8, {1 << 20, 7}, {1, (1 << 20) + 1}}, c_part(uint8, {1 << 20, 7}), true, 0, 7},
        // Pairs stay together: elements of both arrays are neighbours along the last axis.
        {{uint16, pairs, {4, 244, 2}}, c_part(uint16, pairs), true, 0, 122},
        // Both sides are long. A row of 128 bytes at most is copied.
        {{float16, odd, f_order(odd, 2)}, c_part(float16, odd), false, 16, 64},
    };
    for (const Row& row : rows) {
        const Planned planned =
            plan_of(Trial{.inputs = {row.input}, .output = row.output, .loop_name = "staged_runs"});
        INFO(to_text(row.output.shape) << "; " << to_key(planned.plan.baked));
        const RunShape shape = field_of<RunShape>(planned, FieldKind::own);
        CHECK((shape.joined != 0) == row.joined);
        CHECK(shape.skew == row.skew);
        CHECK(shape.tile_b == row.tile_b);
    }
    // Bytes of both sides in rows of odd lengths are copied as they lie without being asked.
    const Dims long_odd{132, 95971};
    CHECK(plan_of(Trial{.inputs = {{uint8, long_odd, f_order(long_odd, 1)}},
                        .output = c_part(uint8, long_odd)})
              .plan.baked.loop == LoopKind::staged_runs);
    CHECK_THROWS_AS(plan_of(Trial{.inputs = {c_part(uint8, odd)},
                                  .output = c_part(uint8, odd),
                                  .loop_name = "staged_runs"}),
                    ShapeError);
}
