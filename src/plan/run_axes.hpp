// SPDX-License-Identifier: MIT
//
// The sides of the tiles of staged_runs, and which arrays pass through shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/tile_axes.hpp"

namespace kgen {

// Bytes of a tile along a. Neighbouring threads lie along side b instead if it is longer and side a has fewer.
inline constexpr std::int64_t lane_bytes = 256;

// Whether the rows of the operand along b are copied through shared memory.
bool is_staged(const PlanContext& context, std::size_t k, const TileAxes& axes);
// Whether the rows of the operand along b follow each other along a without gaps.
bool is_joined(const PlanContext& context, std::size_t k, const TileAxes& axes);
// Returns the sides, or nothing if no array would be staged, or all of them.
std::optional<TileAxes> find_run_axes(const PlanContext& context);

}  // namespace kgen
