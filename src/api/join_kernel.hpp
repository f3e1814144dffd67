// SPDX-License-Identifier: MIT
//
// The kernel that writes the rows of up to eight dense matrices side by side: the rows of one dense matrix.
// Copies into slices would write sectors of the memory in part, and these are read before they are written:
// with rows of few bytes, once for each matrix.
#pragma once

#include <cstdint>
#include <span>

#include "template/template_definition.hpp"

namespace kgen::array_kernels {

inline constexpr int most_joined = 8;

// "raw T x0" to "raw T x7" to "raw T y". The number of an array's first column is "begin1" to "begin7",
// that of all columns "width", of all elements "total"; of less than eight arrays the last are any,
// and begin at `width`. "inverse" is inverse_of(width). A call's size is the number of 16-byte pieces of
// `y`, which must be aligned for them.
Definition join();

// What turns a division by `width` into a product: floor((2^64 - 1) / width).
std::uint64_t inverse_of(std::uint64_t width) noexcept;

}  // namespace kgen::array_kernels
