// SPDX-License-Identifier: MIT
//
// The structs of the parameter block that both sides of a launch read. Kernels have the same text.
#pragma once

#include <cstdint>
#include <variant>

#include "kernel_templates/skeletons/block_structs.cuh"

namespace kgen {

using Divisor32 = kgen_divisor;
using Divisor64 = kgen_long_divisor;
using RowSteps = kgen_row_steps;
using TileShape = kgen_tile_shape;
using RowTeams = kgen_row_teams;
using StagedRows = kgen_staged_rows;
using ColumnTiles = kgen_column_tiles;

// What one kind of loop has for itself in the parameter block, or nothing. The number: reductions on the host,
// most pieces of an output or of a block of columns.
using LoopStruct = std::
    variant<std::monostate, RowSteps, TileShape, RowTeams, StagedRows, ColumnTiles, std::int64_t>;

}  // namespace kgen
