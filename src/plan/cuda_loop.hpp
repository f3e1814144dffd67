// SPDX-License-Identifier: MIT
//
// The table of CUDA's elementwise loops, and the functions that choose and measure them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "plan/baked.hpp"
#include "plan/loop_context.hpp"
#include "plan/parameter_block.hpp"

namespace kgen {

// The sizes of one launch. CudaLoop::measure computes them from the extents of the call.
struct Geometry {
    std::int64_t blocks = 0;
    int threads = 0;         // per block
    int shared_bytes = 0;    // per block
    std::int64_t work = 0;   // number of items that threads or blocks share: vectors, or tiles
    std::int64_t shift = 0;  // see FieldKind::shift
    Dims counts;             // extents by which an item's index is divided into axes, slowest first
    RowSteps rows = {};
    TileShape tile = {};
};

// A row of the table. `when` and `why` are printed by `kgen explain`.
struct CudaLoop {
    LoopKind kind;
    std::string_view when;
    std::string_view why;
    // Fills `baked`. Returns false and leaves `baked` unchanged if the loop does not suit the layout.
    bool (*choose)(const LoopContext& context, Baked& baked);
    Geometry (*measure)(const LoopContext& context, const Baked& baked);
};

// Returns the loops in the order in which they are tried. The last one takes every layout.
std::span<const CudaLoop> cuda_loops() noexcept;
// Returns the row of the table that chose the plan.
const CudaLoop& chosen_loop(const Baked& baked);

// The functions of the table's rows. Each kind of loop has a file of its own.
bool choose_flat_dense(const LoopContext& context, Baked& baked);
// Fills a general plan: the flat loop, with every array read and written by its strides.
void choose_general(const LoopContext& context, Baked& baked);
bool choose_flat(const LoopContext& context, Baked& baked);
Geometry measure_flat(const LoopContext& context, const Baked& baked);
bool choose_vector_rows(const LoopContext& context, Baked& baked);
Geometry measure_vector_rows(const LoopContext& context, const Baked& baked);
bool choose_shared_tiles(const LoopContext& context, Baked& baked);
Geometry measure_shared_tiles(const LoopContext& context, const Baked& baked);

// Default number of threads in a block, and the smallest number that a plan chooses without being asked to.
inline constexpr int usual_threads = 256;
inline constexpr int least_threads = 64;

// Size of the widest access of a thread.
inline constexpr std::int64_t access_bytes = 16;

// Halves `wanted`, a power of two, until that many copies of the body have at most 4096 tokens, because
// copies of a long body take time to compile and gain nothing. Returns at least 1.
int clone_limit(std::size_t token_count, int wanted);

// Returns the number of threads in a block: what the call asks for, else 256, or fewer (at least 64) if 256
// would leave multiprocessors without a block.
int fit_threads(const PlanRequest& request, std::int64_t items);

// Returns the number of blocks of `per_block` items. Throws ShapeError if they are more than can be launched.
std::int64_t count_blocks(const PlanRequest& request,
                          std::int64_t items,
                          std::int64_t per_block,
                          int threads);

}  // namespace kgen
