// SPDX-License-Identifier: MIT
//
// The table of CUDA loops: which one a layout gets, when and why.
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

// What a loop computes from the extents for one launch.
struct Geometry {
    std::int64_t blocks = 0;
    int threads = 0;        // of a block
    int shared_bytes = 0;   // of a block
    std::int64_t work = 0;  // items that the threads share, see FieldKind::work
    std::int64_t shift = 0;
    Dims counts;  // what an item's index is divided into, slowest first
    RowSteps rows = {};
    TileShape tile = {};
};

struct CudaLoop {
    LoopKind kind;
    std::string_view when;
    std::string_view why;
    // Fills what is baked; false if the loop is not for this layout, and then `baked` is as before.
    bool (*choose)(const LoopContext& context, Baked& baked);
    Geometry (*measure)(const LoopContext& context, const Baked& baked);
};

// In the order in which they are asked; the last one takes every layout.
std::span<const CudaLoop> cuda_loops() noexcept;
const CudaLoop& chosen_loop(const Baked& baked);

// The rows of the table, each in a file of its own.
bool choose_flat_dense(const LoopContext& context, Baked& baked);
// Every array by its strides: what a general plan has.
void choose_general(const LoopContext& context, Baked& baked);
bool choose_flat(const LoopContext& context, Baked& baked);
Geometry measure_flat(const LoopContext& context, const Baked& baked);
bool choose_vector_rows(const LoopContext& context, Baked& baked);
Geometry measure_vector_rows(const LoopContext& context, const Baked& baked);
bool choose_shared_tiles(const LoopContext& context, Baked& baked);
Geometry measure_shared_tiles(const LoopContext& context, const Baked& baked);

// Threads of a block, and the fewest that a plan takes by itself.
inline constexpr int usual_threads = 256;
inline constexpr int least_threads = 64;

// One access of a thread.
inline constexpr std::int64_t access_bytes = 16;

// The largest power of two up to `wanted` for which that many copies of the body stay below a bound
// of tokens: long bodies gain nothing from copies and pay for them in the compiler.
int clone_limit(std::size_t token_count, int wanted);

// Threads of a block: what the call asks for, else 256, and fewer where `items` would leave
// multiprocessors idle.
int fit_threads(const PlanRequest& request, std::int64_t items);

// Blocks of `per_block` items each. Throws ShapeError if they are more than can be launched.
std::int64_t count_blocks(const PlanRequest& request,
                          std::int64_t items,
                          std::int64_t per_block,
                          int threads);

}  // namespace kgen
