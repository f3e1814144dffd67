// SPDX-License-Identifier: MIT
//
// Walk: the axes over which a loop runs, merged into as few as its operands allow.
#pragma once

#include <cstdint>
#include <kgen/dims.hpp>
#include <span>
#include <vector>

namespace kgen {

enum class AxisOrder : std::uint8_t {
    logical,  // axes as given: the walk visits elements in C order
    memory,   // axes sorted by stride, negative strides reversed: the walk follows memory
};

enum class Merging : std::uint8_t { yes, no };

// The axes of a loop, slowest first, without axes of extent 1. A walk of rank 0 has one element.
struct Walk {
    Dims extents;
    std::vector<Dims> strides;  // in bytes, a row for each operand
    // Bytes from each operand's address to the begin of its walk.
    std::vector<std::int64_t> offsets;
};

// Whether an extent is 0, and other extents or the strides are so large that their products may overflow.
// Such a walk is replaced by a small empty one, because it reaches no element.
bool is_empty_and_huge(const Dims& shape, std::span<const Dims> strides) noexcept;

// Makes the walk over `shape`. `strides` has a row for each operand, already broadcast to `shape`. Earlier
// rows decide the order of axes, so outputs come first. The walk visits each index of the shape exactly once,
// in logical order in C order.
Walk make_walk(const Dims& shape,
               std::span<const Dims> strides,
               AxisOrder order,
               Merging merging = Merging::yes);

// Returns `dims` with `count` copies of `value` inserted before element `place`.
Dims with_inserted(const Dims& dims, int place, int count, std::int64_t value);

// How two axes are ordered if the operands lie in memory in different orders.
enum class Conflicts : std::uint8_t {
    first_decides,  // as in the first operand
    c_order,        // in C order, as in NumPy's K order
};

// Returns the axes of the shape from slowest to fastest in the operands' memory. Ties are in C order.
std::vector<int> sort_axes(const Dims& shape, std::span<const Dims> strides, Conflicts conflicts);

// Returns the strides in bytes of a new dense array whose axes lie in memory in the same order as those of
// the operands (NumPy's K order).
Dims k_strides(const Dims& shape, std::span<const Dims> strides, std::size_t item_bytes);

}  // namespace kgen
