// SPDX-License-Identifier: MIT
//
// The geometry of the loop over tiles in shared memory.
#pragma once

#include <cstdint>

#include "plan/loop_table.hpp"

namespace kgen {

// The sides of a tile in elements: along the output's fastest axis (a), and along that of the tiled inputs
// (b).
struct TileSides {
    std::int64_t a = 0;
    std::int64_t b = 0;
};

// Returns the geometry of a loop over tiles with the given sides.
Geometry tile_geometry(const PlanContext& context, const Baked& baked, TileSides sides);

}  // namespace kgen
