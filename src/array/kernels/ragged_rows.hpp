// SPDX-License-Identifier: MIT
//
// Writes large arrays in parts if their rows do not begin or end at a multiple of 16 bytes, as in slices. The
// part of each row that consists of whole vectors is written by itself, because a kernel for whole vectors
// saves more time than two small kernels cost. Without this, on an H200 with 16383 x 16383 float32 within
// 16384 x 16384, filling reached 0.73 of a copy's speed, and writing one row to all rows 0.77.
#pragma once

#include <cstdint>
#include <functional>
#include <kgen/array.hpp>
#include <span>
#include <vector>

namespace kgen {

// Below this size, two more launches cost as much as they save.
inline constexpr std::int64_t least_ragged_bytes = std::int64_t{64} << 20;

// Calls `write` with the arrays. If they have at least `least_bytes` each, calls it with parts of them, one
// after the other, if that is faster. The arrays have one shape and dtype, and any strides.
void write_in_vectors(const std::vector<Array>& arrays,
                      const std::function<void(std::span<const Array>)>& write,
                      std::int64_t least_bytes = least_ragged_bytes);

}  // namespace kgen
