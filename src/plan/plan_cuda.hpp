// SPDX-License-Identifier: MIT
//
// CUDA's loops: the functions of their rows in the table (plan/loop_table.cpp), and what they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/loop_table.hpp"

namespace kgen {

// Each kind of loop has a file of its own.
bool choose_flat_dense(PlanContext& context, Baked& baked);
// Fills a general plan, with every array accessed by its strides.
void choose_general_flat(PlanContext& context, Baked& baked);
bool choose_flat(PlanContext& context, Baked& baked);
Geometry measure_flat(const PlanContext& context, const Baked& baked);
std::string describe_flat(const Baked& baked);

bool choose_vector_rows(PlanContext& context, Baked& baked);
Geometry measure_vector_rows(const PlanContext& context, const Baked& baked);
std::string describe_vector_rows(const Baked& baked);

bool choose_shared_tiles(PlanContext& context, Baked& baked);
Geometry measure_shared_tiles(const PlanContext& context, const Baked& baked);
std::string describe_shared_tiles(const Baked& baked);

bool choose_reduced_rows(PlanContext& context, Baked& baked);
// Fills a general plan, which reads element by element by strides. The same types have two general plans:
// teams of up to 32 threads for many outputs or few elements each, otherwise blocks that fold pieces.
void choose_general_rows(PlanContext& context, Baked& baked);
Geometry measure_reduced_rows(const PlanContext& context, const Baked& baked);
std::string describe_reduced_rows(const Baked& baked);
std::vector<std::string> explain_reduced_rows(const PlanRequest& request,
                                              const Plan& plan,
                                              const LoopStruct& own);

bool choose_staged_rows(PlanContext& context, Baked& baked);
Geometry measure_staged_rows(const PlanContext& context, const Baked& baked);
std::string describe_staged_rows(const Baked& baked);
std::vector<std::string> explain_staged_rows(const PlanRequest& request,
                                             const Plan& plan,
                                             const LoopStruct& own);

bool choose_reduced_columns(PlanContext& context, Baked& baked);
Geometry measure_reduced_columns(const PlanContext& context, const Baked& baked);
std::string describe_reduced_columns(const Baked& baked);
std::vector<std::string> explain_reduced_columns(const PlanRequest& request,
                                                 const Plan& plan,
                                                 const LoopStruct& own);

// Default number of threads in a block, and the smallest number that a plan chooses without being asked to.
inline constexpr int usual_threads = 256;
inline constexpr int least_threads = 64;
// Number of threads that keep a multiprocessor of an H200 busy: with four accesses of 16 bytes each they have
// 64 KiB in flight.
inline constexpr int busy_threads = 1024;
// Number of accesses that a thread of a reduction has in flight at once.
inline constexpr int accesses_in_flight = 4;
// Number of outputs from which on a thread or a warp for each output keeps all multiprocessors busy. Fewer
// outputs need a block each.
inline constexpr std::int64_t many_outputs = 2112;
// Size of the widest access of a thread.
inline constexpr std::int64_t access_bytes = 16;

// Halves `wanted`, a power of two, until that many copies of the body have at most 4096 tokens, because
// copies of a long body take time to compile and gain nothing. Returns at least 1.
int clone_limit(std::size_t token_count, int wanted);
// Returns the largest number of accesses of `vector` elements, up to `wanted`, that clone_limit allows.
int access_limit(std::size_t token_count, int wanted, int vector);

// Returns the number of threads in a block: what the call asks for, else 256, or fewer (at least 64) if 256
// would leave multiprocessors without a block.
int fit_threads(const PlanRequest& request, std::int64_t items);
// Returns the greatest number of threads for which the kernel of an elementwise call is compiled.
int elementwise_block_bound(const PlanRequest& request);

// Returns the number of blocks of `per_block` items. Throws ShapeError if they are more than can be launched.
std::int64_t count_blocks(const PlanRequest& request,
                          std::int64_t items,
                          std::int64_t per_block,
                          int threads);

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a <= 0 ? 0 : (a - 1) / b + 1;
}
// Round `count` down and up to a power of two. Counts below 1 give 1.
std::int64_t floor_power(std::int64_t count);
std::int64_t ceil_power(std::int64_t count);

// Returns the width of an index that is divided into axes, if `largest` is the largest one.
IndexWidth index_width(std::int64_t largest);

// Whether operand k begins, in every row along `axis`, at a whole vector of `vector` elements.
bool is_aligned(const PlanContext& context, std::size_t k, int axis, int vector);

// Returns the item size in bytes of the widest input that is contiguous along the axis, or 0 if there is
// none.
std::int64_t widest_along(const PlanContext& context, int axis);

// Sets the access of each input of a reduction along the axis. Inputs that are aligned as the first contiguous
// input is are read by vectors of `baked.vector` elements, other contiguous inputs element by element. Returns
// whether rows may begin within a vector.
bool choose_accesses(const PlanContext& context, int axis, Baked& baked);

// Says how the loop accesses an array.
std::string describe_cuda_access(const Baked& baked, const BakedOperand& operand);
// Returns ", 32-bit offsets".
std::string offsets_text(const Baked& baked);
std::string pieces_line(std::int64_t pieces, std::string_view of);

}  // namespace kgen
