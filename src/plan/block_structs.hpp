// SPDX-License-Identifier: MIT
//
// The structs of the parameter block that both sides of a launch read. Kernels have the same text.
#pragma once

#include "kernel_templates/skeletons/block_structs.cuh"

namespace kgen {

using Divisor32 = kgen_divisor;
using Divisor64 = kgen_long_divisor;
using RowSteps = kgen_row_steps;
using TileShape = kgen_tile_shape;
using RowTeams = kgen_row_teams;
using StagedRows = kgen_staged_rows;
using ColumnTiles = kgen_column_tiles;

}  // namespace kgen
