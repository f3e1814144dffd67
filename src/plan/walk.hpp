// SPDX-License-Identifier: MIT
//
// Walk: the loop over a shape, with as few axes as its operands allow.
#pragma once

#include <cstdint>
#include <kgen/dims.hpp>
#include <span>
#include <vector>

namespace kgen {

enum class AxisOrder : std::uint8_t {
    logical,  // as given: the walk counts elements in C order
    memory,   // sorted by stride, negative strides flipped: the walk follows memory
};

enum class Merging : std::uint8_t { yes, no };

// The axes of a loop, slowest first; axes of extent 1 are gone. Rank 0: one element.
struct Walk {
    Dims extents;
    std::vector<Dims> strides;  // one an operand, bytes
    std::vector<std::int64_t>
        offsets;  // bytes from each operand's address to where its walk begins
};

// Whether an extent is 0 and the others or the strides are so large that their products may overflow. A walk
// leaves them out, because no element is reached by them.
bool is_empty_and_huge(const Dims& shape, std::span<const Dims> strides) noexcept;

// `strides` has one row an operand, already broadcast to `shape`; earlier rows decide the order of
// axes, so outputs come first. The walk visits each index of the shape exactly once; in logical
// order it visits them in C order.
Walk make_walk(const Dims& shape,
               std::span<const Dims> strides,
               AxisOrder order,
               Merging merging = Merging::yes);

// The list with `count` times `value` before the element `place`.
Dims with_inserted(const Dims& dims, int place, int count, std::int64_t value);

// What holds where operands lie in memory in different orders.
enum class Conflicts : std::uint8_t {
    first_decides,
    c_order,  // as NumPy's K order
};

// The axes of the shape from slowest to fastest as the operands lie in memory, ties in C order.
std::vector<int> sort_axes(const Dims& shape, std::span<const Dims> strides, Conflicts conflicts);

// Strides in bytes of a new dense array whose axes lie in memory as those of the operands do
// (NumPy's K order).
Dims k_strides(const Dims& shape, std::span<const Dims> strides, std::size_t item_bytes);

}  // namespace kgen
