// SPDX-License-Identifier: MIT
//
// The one struct that a kernel gets: which fields it has, and where. `source` declares it and
// `make_plan` fills it, both from this list, so that they cannot disagree.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plan/baked.hpp"

namespace kgen {

// Fields in order. Types by loop: 32-bit strided loops have 32-bit divisors and strides, all others
// 64-bit.
enum class FieldKind : std::uint8_t {
    count,    // long long: the number of elements
    data,     // T*: where the operand's walk begins
    extents,  // long long[rank] (rows), or one divisor an axis (strided)
    strides,  // int or long long[rank], bytes
    shape,    // long long[logical rank]: the loop's shape, for `_ind`
    view,     // kgen_raw_view
    scalar,   // T
};

struct BlockField {
    FieldKind kind;
    int operand;  // index of the parameter, -1 for fields of the loop
    std::size_t offset;
    std::size_t size_bytes;
};

struct BlockLayout {
    std::vector<BlockField> fields;
    std::size_t size_bytes = 0;
};

// A divisor of a 32-bit strided loop: index / extent is (umulhi(index, multiplier) + index) >> shift
// for 0 <= index < 2^31 (the round-up method of Granlund and Montgomery, "Division by Invariant
// Integers using Multiplication", PLDI 1994). A divisor of a 64-bit loop is the extent alone.
struct Divisor32 {
    std::uint32_t extent;
    std::uint32_t multiplier;
    std::uint32_t shift;
};

Divisor32 make_divisor(std::uint32_t extent) noexcept;

inline constexpr std::size_t largest_block_bytes = 32764;  // CUDA 12.1 and newer, sm_70 and newer

BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes);

}  // namespace kgen
