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

// Smallest size of an array whose rows are written in parts. The middle part of each row consists of whole
// 16-byte vectors, which are written faster. In smaller arrays the two additional launches, for the ends of
// the rows, cost as much as this saves.
inline constexpr std::int64_t least_ragged_bytes = std::int64_t{64} << 20;

// Calls `write` once with the arrays, or, if the arrays have at least `least_bytes` each and it is faster, up
// to three times with corresponding parts of them. The arrays have one shape and dtype, and any strides.
void write_in_vectors(const std::vector<Array>& arrays,
                      const std::function<void(std::span<const Array>)>& write,
                      std::int64_t least_bytes = least_ragged_bytes);

}  // namespace kgen
