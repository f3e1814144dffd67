// SPDX-License-Identifier: MIT
//
// The axes over which the tiles of the shared_tiles loop run (plan_shared_tiles.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

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

}  // namespace kgen
