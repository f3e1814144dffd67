// SPDX-License-Identifier: MIT
//
// The text by which a thread block of the shared_tiles loop decides whether it may read whole words.
#pragma once

#include <string>

#include "plan/tile_roles.hpp"
#include "source/tile_sides_text.hpp"

namespace kgen {

// Returns statements that return whether all words around the vectors of a tile lie within the bytes that the
// arrays reach. The tile has kgen_count_a and kgen_count_b elements along its axes.
std::string tile_reach_text(const KernelText& text,
                            const CudaText& cuda,
                            const TileRoles& roles,
                            const TileSidesText& sides);

}  // namespace kgen
