// SPDX-License-Identifier: MIT
//
// The axes over which the tiles of shared_tiles and staged_runs run.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "plan/plan_context.hpp"

namespace kgen {

// The axes over which a tile runs in one direction, the fastest one first.
struct TileSide {
    std::array<int, max_rank> axes = {};
    int count = 0;

    void add(int axis) { axes[static_cast<std::size_t>(count++)] = axis; }
    int first() const { return axes[0]; }
    bool has(int axis) const {
        return std::find(axes.begin(), axes.begin() + count, axis) != axes.begin() + count;
    }
};

struct TileAxes {
    TileSide a;
    TileSide b;
};

// Returns the number of elements along the side.
std::int64_t extent_of(const PlanContext& context, const TileSide& side);
// Whether all steps along the side have the same length in the operand's memory.
bool is_linear(const PlanContext& context, std::size_t k, const TileSide& side);
// Whether one element serves the whole side.
bool is_uniform_along(const PlanContext& context, std::size_t k, const TileSide& side);

// Returns the axes of tiles, or nothing if all arrays have the same fastest axis. If two axes are the fastest
// ones of equally many bytes, the inner one is a. Broadcast arrays have less memory and do not decide a.
std::optional<TileAxes> find_tile_axes(const PlanContext& context);
// Returns the axes of tiles with exchanged sides if both are the fastest ones of equally many bytes.
std::optional<TileAxes> exchanged_axes(const PlanContext& context, const TileAxes& axes);

// Moves the axes of tiles to the last places: those along b, then those along a, the fastest ones last. Returns from
// there.
void move_tile_axes(PlanContext& context, const TileAxes& axes);
TileAxes last_axes(const PlanContext& context, int count_a, int count_b);
// Sorts the other axes, before the last `tile_axes` ones. Axes along which elements of some array lie less than 64 bytes apart,
// which memory passes at once, come last, so that the L2 cache still has these bytes when the next block accesses them. The
// others follow the memory of the first array that passes through shared memory, so that blocks that run at the same time
// access neighbouring cache lines. The first rule changes 31 loops over tiles on an H200: seven took 0.58 to 0.93 of their
// time, five 1.03 to 1.06, and the others the same.
void sort_outer_axes(PlanContext& context, const Baked& baked, int tile_axes);
// Returns " (2 by 1 in a tile)" if a side has several axes, otherwise nothing.
std::string tile_axes_text(int count_a, int count_b);

}  // namespace kgen
