// SPDX-License-Identifier: MIT
//
// The predicted time of a launch on a GPU. A loop counts what its launch moves and issues (Cost), and
// predicted_ns() turns the counts into a time. Choices between loops compare these times, so the counts of
// all loops follow the same rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plan/loop_table.hpp"

namespace kgen {

inline constexpr int warp_lanes = 32;
inline constexpr int access_line = 128;            // bytes of a cache line
inline constexpr std::int64_t memory_sector = 32;  // bytes that memory reads and writes at once
inline constexpr std::int64_t memory_burst =
    2 * memory_sector;  // bytes that memory (HBM3) passes at once

// Counts of one launch. Those of instructions count the warps that issue them.
struct Cost {
    // Bytes that pass between memory and the L2 cache, in whole sectors of 32 bytes.
    double read_bytes = 0;
    double written_bytes = 0;
    double rewritten = 0;     // sectors that a further store writes to, added up
    double cache_bytes = 0;   // bytes that pass between the L2 cache and the multiprocessors
    double requests = 0;      // cache lines that the multiprocessors ask of the L2 cache
    double parts = 0;         // parts of sectors that separate stores pass to the L2 cache
    double passes = 0;        // passes of accesses through the L1 cache or shared memory
    double instructions = 0;  // those that are not counted below
    double accesses = 0;      // loads and stores of vectors, or of elements at a known place
    double divisions = 0;     // divisions of an index by an extent
    double steps = 0;         // accesses whose place is counted on from the element before
    double tokens = 0;        // tokens of the body
    double functions = 0;     // work of quotients and functions, in calls of exp
    double held_bytes = 0;    // bytes of operands that a thread holds in registers at once
    double blocks = 0;        // thread blocks, their threads and their shared memory
    double threads = 0;
    double shared_bytes = 0;
    double phases = 1;       // times that a block waits for memory or for its other threads
    double bare_phases = 0;  // times that a block waits while no other work is left
};

// Returns the limits of a usual GPU of the architecture.
Limits arch_limits(std::string_view arch);

// Returns how many blocks a multiprocessor holds at once, by their threads, their shared memory and the registers of a thread.
double blocks_at_once(double threads, double shared_bytes, double registers = 32);
// Returns the predicted time of a launch in nanoseconds on a GPU of the call's architecture, with the speed of memory of
// the context's limits.
double predicted_ns(const Cost& cost, const PlanContext& context);
// Returns a time in nanoseconds that no prediction with so many phases is below.
double least_ns(std::string_view arch, double phases);

// Returns the bytes of all elements of operand k. Those that repeat count once.
double used_bytes(const PlanContext& context, std::size_t k);
// Returns the bytes of the sectors of memory that the arrays have.
double memory_bytes(const PlanContext& context);
// Returns the predicted time of a launch that passes each sector of the arrays from or to memory once, and does nothing else.
double memory_ns(const PlanContext& context);

// Returns the number of aligned units of `granule` bytes, a power of two, that operand k touches within a box
// of the walk. Of `step_axis`, by default the innermost one, only every `step`-th element is touched.
double touched_units(const PlanContext& context,
                     std::size_t k,
                     const Dims& box,
                     std::int64_t granule,
                     std::int64_t step = 1,
                     int step_axis = -1);
// Returns the same for one access of a warp, each of whose threads accesses one of these elements at most.
double warp_units(const PlanContext& context,
                  std::size_t k,
                  const Dims& box,
                  std::int64_t granule,
                  std::int64_t step,
                  int step_axis = -1);
// Returns the passes of one access of a warp to `lines` cache lines. Each thread accesses one element of a box, every `step`-th one along
// `step_axis`.
double element_passes(const PlanContext& context,
                      std::size_t k,
                      const Dims& box,
                      std::int64_t step,
                      double lines,
                      int step_axis = -1);
// Returns the step along the innermost axis for a warp that accesses every `step`-th element of a box and goes on from row to row. If
// the step does not divide a row, the warp accesses other columns in each row. Together they are multiples of the greatest common divisor.
std::int64_t step_over_rows(const PlanContext& context, const Dims& box, std::int64_t step);
// Returns the passes of one access of a warp to neighbouring places, `bytes` for each thread.
double dense_passes(double bytes);
// Returns the number of sectors of memory that one store of a warp fills in part. The warp stores the elements of operand k
// within a box of the walk, of its innermost axis every `step`-th one.
double partial_sectors(const PlanContext& context,
                       std::size_t k,
                       const Dims& box,
                       std::int64_t step = 1);
// Adds `stores` stores of operand k by whole warps, each of which stores the elements within a box, of its innermost axis every `step`-th one.
void add_stores(const PlanContext& context,
                std::size_t k,
                const Dims& box,
                std::int64_t step,
                double stores,
                Cost& cost);
// Adds stores of operand k that write to `sectors` sectors, each counted as often as a store writes to it.
void add_rewritten(const PlanContext& context, std::size_t k, double sectors, Cost& cost);
// Returns PlanContext::touched, which does not depend on the order of axes.
PerParameter<PlanContext::Touched> find_touched(const PlanContext& context);
// Puts the first `count` elements of the axes [first, last) into the box, from the innermost of these axes outwards.
void fill_axes(const PlanContext& context, Dims& box, int first, int last, std::int64_t count);
// Returns the box of the first `count` elements of the walk.
Dims walk_box(const PlanContext& context, std::int64_t count);

// Each block accesses a box of the walk, or the part of it that lies within the walk. Returns the number of whole boxes that have as many
// elements as all blocks together.
double whole_boxes(const PlanContext& context, const Dims& box, double blocks);
// Adds the traffic of all arrays between memory, the L2 cache and the multiprocessors. The blocks of the launch access
// `boxes` whole boxes of the walk. Sectors that several blocks access pass from memory once if they stay in the L2 cache until
// the last of these blocks runs. Memory reads a sector before it writes to a part of it.
void add_traffic(const PlanContext& context, const Dims& box, double boxes, Cost& cost);

// Predicted times of the rows of the table, see Loop::predict.
using Predict = double(const PlanContext& context, const Baked& baked, const Geometry& geometry);
Predict predict_flat, predict_vector_rows, predict_staged_runs, predict_shared_tiles;
Predict predict_staged_rows, predict_short_folds, predict_reduced_rows, predict_reduced_columns;
Predict predict_fused_rows, predict_fused_columns;

}  // namespace kgen
