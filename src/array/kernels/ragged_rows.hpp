// SPDX-License-Identifier: MIT
//
// Large arrays whose rows begin or end within 16 bytes, as slices do: the part of each row that is whole vectors
// goes by itself, as a kernel that knows rows to be whole vectors is faster by more than two small kernels cost. Of
// a copy on an H200, 16383 x 16383 float32 within 16384 x 16384: a number written 0.73, a row 0.77 without this.
#pragma once

#include <cstdint>
#include <functional>
#include <kgen/array.hpp>
#include <span>
#include <vector>

namespace kgen {

// Below, two launches more cost as much.
inline constexpr std::int64_t least_ragged_bytes = std::int64_t{64} << 20;

// Calls `write` with the arrays, or, from `least_bytes` each on, with parts of them one after the other. They have one
// shape and dtype, and any strides.
void write_in_vectors(const std::vector<Array>& arrays,
                      const std::function<void(std::span<const Array>)>& write,
                      std::int64_t least_bytes = least_ragged_bytes);

}  // namespace kgen
