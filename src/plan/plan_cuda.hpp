// SPDX-License-Identifier: MIT
//
// The rows of the loop table for CUDA, and the functions that they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/loop_table.hpp"

namespace kgen {

// Rows of the table. Each row is defined in the file that chooses and measures its loop.
extern const Loop flat_dense_loop, flat_loop, shared_tiles_loop, vector_rows_loop, staged_runs_loop,
    parts_loop;
extern const Loop staged_rows_loop, short_folds_loop, reduced_rows_loop, reduced_columns_loop,
    folded_elements_loop;
extern const Loop fused_rows_loop, fused_columns_loop;

// Default number of threads in a thread block, and the smallest number that a plan chooses unless the caller
// asks for fewer.
inline constexpr int usual_threads = 256;
inline constexpr int least_threads = 64;
// Number of threads that keep a multiprocessor of an H200 busy. With four accesses of 16 bytes each, these
// threads have 64 KiB in flight.
inline constexpr int busy_threads = 1024;
// Number of accesses that a thread of a reduction has in flight at once.
inline constexpr int accesses_in_flight = 4;
// Least number of outputs for which one thread or one warp for each output keeps all multiprocessors busy.
// Fewer outputs need a thread block each.
inline constexpr std::int64_t many_outputs = 2112;
// Greatest number of slots (accesses of up to 16 bytes) that one thread block folds in less time than several blocks
// need to hand over their results, unless pieces are predicted to be clearly quicker (choose_rows). Bare kernels for full
// sums of float32 in L2, replayed as a graph on an H200: 16384 elements 1.55 us with one block and 1.93 with eight, 65536
// elements 2.46 and 1.97.
inline constexpr std::int64_t most_whole_slots = 12288;
// The same number for elements, which decides for narrow ones. Sums over 1024 rows of 4096 bools: 9.7 us with 8192
// slots of 16 elements in a block.
inline constexpr std::int64_t most_whole_elements = 4 * most_whole_slots;
// Returns the number of slots that one block folds, less for a map of much work, and for slots of several loads.
std::int64_t whole_slots(const PlanContext& context, const Baked& baked);
// Returns the number of loads that bring a slot of all inputs, at least 1.
std::int64_t loads_of(const PlanContext& context, const Baked& baked);
// Reductions with more than this many bytes of slots are bound by memory.
inline constexpr std::int64_t small_bytes = std::int64_t{8} << 20;
// Greatest size in bytes of one access of a thread.
inline constexpr std::int64_t access_bytes = 16;
// Size in bytes of a word. Loops that access narrower elements one by one are bound by instructions.
inline constexpr std::int64_t word_bytes = 4;
// Bytes of a bank of shared memory, or of the L1 cache.
inline constexpr std::int64_t bank_bytes = 4;

// The work (BodyFacts) from which a body is bound by arithmetic rather than by memory.
inline constexpr double heavy_work = 2;
// The work from which elements of small calls are spread over working_threads, which hide what a warp waits for its results.
inline constexpr double spread_work = 4;
inline constexpr std::int64_t working_threads = 132 * 1024;

// Returns how many elements a thread of a small call of much work may have, so that there are working_threads. Other calls
// have a limit that they do not reach.
std::int64_t spread_limit(const PlanRequest& request);
// Halves `wanted`, a power of two, until that many copies of the body are short enough: copies of a long body take time to
// compile and gain nothing. They are no more than spread_limit. Returns at least 1.
int clone_limit(const PlanRequest& request, int wanted);
// Returns the largest number of accesses of `vector` elements, up to `wanted`, that clone_limit allows.
int access_limit(const PlanRequest& request, int wanted, int vector);

// Returns the largest number of accesses, up to `wanted`, with which the vectors of all inputs of a reduction fit
// into a thread's registers: at most `most` vectors. Returns at least 1.
int held_limit(const PlanContext& context, const Baked& baked, int wanted, int most);

// Number of threads that give each multiprocessor of an H200 a block of 256. With fewer threads a launch waits for
// instructions and memory one after the other, so each should have little to do.
inline constexpr std::int64_t wave_threads = 132 * 256;
// Halves `vector`, a power of two, until `elements` are enough for so many threads.
int spread_vector(std::int64_t elements, int vector, std::int64_t threads = wave_threads);

// Whether slots of four elements begin at multiples of four in C order, so that these share their random numbers.
bool has_drawn_slots(const PlanContext& context);

// Returns the number of threads in a block: the number that the call asks for, or else 256. For bodies of
// heavy_work it is smaller (at least 64) if 256 would leave multiprocessors without a block. Other bodies gain
// nothing from it: 2 * x + 1 of 16384 float32 took 1.17 us with 64 threads and 1.05 us with 256 (in L2, replayed as a
// graph on an H100).
int fit_threads(const PlanContext& context, std::int64_t items);
// Returns the greatest number of threads for which the kernel of an elementwise call is compiled.
int elementwise_block_bound(const PlanRequest& request);

// Returns the number of blocks if each handles `per_block` items. Throws ShapeError if there are more than
// can be launched.
std::int64_t count_blocks(const PlanRequest& request,
                          std::int64_t items,
                          std::int64_t per_block,
                          int threads);

// Returns the number of pieces of each output with which the last round of blocks is nearly as full as the
// other rounds.
std::int64_t best_pieces(std::int64_t outputs, std::int64_t at_once, std::int64_t most);

// Returns the bytes of shared memory for a copy of `bytes` bytes that begin anywhere in a vector of 16. Kernels compute
// the same (kgen_room_of).
constexpr std::int64_t stage_room(std::int64_t bytes) {
    return (bytes + 31) / 16 * 16;
}

// Return the bytes from row to row of an array in the shared memory of staged_runs, those left out after each `pack` rows, and
// the bytes of all rows of a tile. Kernels compute the same (kgen_run_pitch). `stride` is that of the array from row to row, or
// 0 if the distances differ; then a table of the rows' places lies beside them.
std::int64_t run_pitch(const RunShape& shape, int pack, std::int64_t item, std::int64_t stride);
std::int64_t run_gap(const RunShape& shape, int pack, std::int64_t pitch);
std::int64_t run_room(const RunShape& shape, int pack, std::int64_t item, std::int64_t stride);

// Rounds `count` down (floor_power) or up (ceil_power) to a power of two. Counts below 1 give 1.
std::int64_t floor_power(std::int64_t count);
std::int64_t ceil_power(std::int64_t count);

// Returns the width of an index that is divided into axes. `largest` is the largest value of the index.
IndexWidth index_width(std::int64_t largest);
// Returns the width of the numbers by which a reduction counts outputs, rows and the elements of a row of
// `row` elements. A kernel also computes sums of two such numbers.
IndexWidth fold_index_width(const PlanContext& context, std::int64_t row);

// Returns the number of neighbouring threads that read along rows if an input with items of `item` bytes runs fastest across the
// rows: so few that the rows of a warp or two lie in the same sectors of it.
constexpr std::int64_t turned_lanes(std::int64_t item) {
    return std::clamp<std::int64_t>(item, 4, 8);
}

// Registers that a thread of folded_elements has at most. Without this limit, 512 threads of 74 registers were alone on a multiprocessor:
// the sum of x * transpose(y) of 8192 x 8192 float16 took 108 us on an H200, by reduced_rows 80.
inline constexpr int folded_elements_registers = 64;

// Whether an input that does not repeat runs fastest along another axis than the inner one.
bool has_turned_inputs(const PlanContext& context);

// Whether every row of operand k along `axis` begins at a multiple of a vector of `vector` elements.
bool is_aligned(const PlanContext& context, std::size_t k, int axis, int vector);

// Whether rows of a and b along `axis` always begin at the same position within a vector of `vector` elements.
bool is_aligned_alike(
    const PlanContext& context, std::size_t a, std::size_t b, int axis, int vector);

// Returns the item size in bytes of the widest input that is contiguous along the axis, or 0 if there is
// none.
std::int64_t widest_along(const PlanContext& context, int axis);

// Sets the access of each input of a reduction along the axis. Contiguous inputs with the same alignment as
// the first contiguous input are read by vectors of `baked.vector` elements, other contiguous inputs element
// by element. Returns whether rows may begin within a vector.
bool choose_accesses(const PlanContext& context, int axis, Baked& baked);

// Chooses a loop of reductions with accesses of `vector` elements, by choose(context, vector, baked). If inputs are read element by
// element, shorter vectors are tried, whose elements lie closer together in a warp, and the least predicted time decides.
void choose_shorter_vectors(const PlanContext& context,
                            const Loop& loop,
                            int vector,
                            void (*choose)(const PlanContext& context, int vector, Baked& baked),
                            Baked& baked);

// Describes how the loop accesses an array.
std::string describe_cuda_access(const Baked& baked, const BakedOperand& operand);
// Returns the width of the offsets as text, such as ", 32-bit offsets".
std::string offsets_text(const Baked& baked);
std::string pieces_line(std::int64_t pieces, std::string_view of);

}  // namespace kgen
