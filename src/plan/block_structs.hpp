// SPDX-License-Identifier: MIT
//
// The structs of the parameter block that both the launch and the kernel read. The device code contains the
// same declarations.
#pragma once

#include <cstdint>
#include <type_traits>
#include <variant>

#include "kernel_templates/skeletons/block_structs.cuh"

namespace kgen {

using Divisor32 = kgen_divisor;
using Divisor64 = kgen_long_divisor;
using RowSteps = kgen_row_steps;
using TileShape = kgen_tile_shape;
using RunShape = kgen_run_shape;
using RowTeams = kgen_row_teams;
using StageSizes = kgen_stage_sizes;
using FoldShape = kgen_fold_shape;
using ColumnTiles = kgen_column_tiles;
using FoldedShape = kgen_folded_shape;
using FusedTeams = kgen_fused_teams;

// The struct of the parameter block that only one kind of loop has, if any. Reductions on the host have a
// number instead: the largest number of pieces of an output or of a block of columns.
using LoopStruct = std::variant<std::monostate,
                                RowSteps,
                                TileShape,
                                RunShape,
                                RowTeams,
                                StageSizes,
                                FoldShape,
                                ColumnTiles,
                                FoldedShape,
                                FusedTeams,
                                std::int64_t>;

// Equal structs have equal bytes.
template <typename... Structs>
constexpr bool have_no_padding(const std::variant<std::monostate, Structs...>*) {
    return (std::has_unique_object_representations_v<Structs> && ...);
}
static_assert(have_no_padding(static_cast<const LoopStruct*>(nullptr)));

}  // namespace kgen
