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
};

// The vector is 16 bytes of the widest dtype, the same number of elements for every operand, so that
// each warp access is one contiguous piece; 1 where an address is not aligned for it or the body
// needs references. The unroll brings the loads in flight of a full multiprocessor (2048 threads) to
// at least 48 KiB, which an H200 needs to reach its memory's limit (CUB's tuning of DeviceTransform
// says the same), within 128 bytes of registers a thread for operands.
VectorWidth choose_vector_width(const PlanRequest& request,
                                std::span<const std::size_t> arrays,
                                const Walk& walk,
                                bool by_reference);

// The largest power of two up to `wanted` for which that many copies of the body stay below a bound
// of tokens: long bodies gain nothing from copies and pay for them in the compiler.
int clone_limit(std::size_t token_count, int wanted);

}  // namespace kgen
