// SPDX-License-Identifier: MIT
//
// How wide a contiguous CUDA loop reads, and how many reads a thread has in flight.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.hpp"

namespace kgen {

struct VectorWidth {
    int vector = 1;
    int unroll = 1;
    WidthReason reason = WidthReason::widest_dtype;
};

// The vector is 16 bytes of the widest dtype, the same number of elements for every operand, so that
// each warp access is one contiguous piece; 1 where an address is not aligned for it or the body
// needs references.
//
// One access a thread is best on an H200: of 1, 2, 4 and 8 accesses at 2^28 elements, 1 reached the
// highest share of a copy for every dtype (float32 1.005 against 0.969 for 2, uint8 0.982 against
// 0.947; blocks of 256 threads), although that keeps only 32 KiB of loads in flight for one input.
// The exception are kernels that write a narrower dtype than they read: 2 (float32 to bfloat16
// 1.029 against 1.006).
VectorWidth choose_vector_width(const PlanRequest& request,
                                std::span<const std::size_t> arrays,
                                const Walk& walk,
                                bool by_reference);

// The largest power of two up to `wanted` for which that many copies of the body stay below a bound
// of tokens: long bodies gain nothing from copies and pay for them in the compiler.
int clone_limit(std::size_t token_count, int wanted);

}  // namespace kgen
