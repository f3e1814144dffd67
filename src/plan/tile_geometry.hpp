// SPDX-License-Identifier: MIT
//
// How a call of shared_tiles is cut into tiles.
#pragma once

#include "plan/loop_table.hpp"
#include "plan/tile_cut.hpp"

namespace kgen {

TileDemand demand_of(const PlanContext& context, const Baked& baked);
// Returns how many patches of a whole straight tile each thread has.
int patches_each(const PlanContext& context, const Baked& baked);
Geometry measure_shared_tiles(const PlanContext& context, const Baked& baked);

}  // namespace kgen
