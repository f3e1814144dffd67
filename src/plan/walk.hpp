// SPDX-License-Identifier: MIT
//
// Walk: the axes over which a loop runs, merged into as few axes as the operands allow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <kgen/dims.hpp>
#include <span>

#include "dtype/inline_vector.hpp"

namespace kgen {

enum class AxisOrder : std::uint8_t {
    logical,  // the axes as given: the walk visits elements in C order
    memory,   // axes sorted by stride, with negative strides reversed: the walk follows memory
};

enum class Merging : std::uint8_t { yes, no };

// A set of a shape's axes: bit k is axis k.
using AxisSet = std::uint32_t;

inline bool contains(AxisSet axes, int axis) noexcept {
    return (axes >> axis & 1) != 0;
}

// Strides along the axes of a shape or a walk, a row for each operand.
class StrideRows {
public:
    StrideRows() = default;
    // Makes rows of zeros.
    StrideRows(std::size_t count, int rank) { add_rows(count, rank); }
    StrideRows(std::initializer_list<Dims> rows) {
        for (const Dims& row : rows) push_back(row);
    }

    std::size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    std::span<std::int64_t> operator[](std::size_t k) noexcept {
        return {values_.data() + k * rank_, rank_};
    }
    std::span<const std::int64_t> operator[](std::size_t k) const noexcept {
        return {values_.data() + k * rank_, rank_};
    }
    std::int64_t at(std::size_t k, int axis) const noexcept {
        return values_[k * rank_ + static_cast<std::size_t>(axis)];
    }
    std::int64_t& at(std::size_t k, int axis) noexcept {
        return values_[k * rank_ + static_cast<std::size_t>(axis)];
    }
    // Makes `count` rows of zeros. Requires that there are none.
    void add_rows(std::size_t count, int rank) {
        count_ = count;
        rank_ = static_cast<std::size_t>(rank);
        values_.resize(count_ * rank_);
    }
    // Appends a row. All rows have the same length.
    void push_back(std::span<const std::int64_t> row) {
        rank_ = row.size();
        values_.resize(++count_ * rank_);
        std::ranges::copy(row, (*this)[count_ - 1].begin());
    }

private:
    InlineVector<std::int64_t, 4 * usual_parameters> values_;
    std::size_t count_ = 0;
    std::size_t rank_ = 0;
};

// The place indices: numbers in the texts that tell the position of an element. Like operands they have
// strides along the walk, but in elements instead of bytes.
enum class PlaceIndex : std::uint8_t {
    input,    // `i` of a body or a map: the C-order index in the shape of the loop
    reduced,  // `_J`: the C-order index over the reduced axes
    output,   // the C-order index in the shape of a reduction's outputs
};
inline constexpr std::size_t place_index_count = 3;

// The axes of a loop without axes of extent 1: first the kept axes, then the axes that a reduction reduces,
// each group from slowest to fastest. A walk of rank 0 has one element.
struct Walk {
    Dims extents;
    int kept = 0;                // number of kept axes; all axes of an elementwise loop are kept
    bool inner_reduced = false;  // whether the axis along which memory runs fastest is reduced
    StrideRows strides;          // in bytes; zeros for operands that are not walked
    // Distance in bytes from the address of each operand to the begin of its walk.
    PerParameter<std::int64_t> offsets;
    StrideRows index_strides;  // a row for each PlaceIndex; no rows if none is used
    std::int64_t index_begins[place_index_count] = {};
    // The strides of the coordinates of `_ind` along the walk, a row for each axis of the loop's shape. Each row
    // has at most one stride other than 0: 1, or -1 along an axis that is walked backwards. Empty unless
    // coordinates are counted.
    StrideRows coordinates;

    int rank() const noexcept { return extents.rank(); }
    // Number of elements of each output, and number of elements that are folded into one element of it.
    std::int64_t kept_count() const noexcept;
    std::int64_t reduced_count() const noexcept;
};

// Whether an extent is 0, and other extents or the strides are so large that their products may overflow.
// Such a walk is replaced by a small empty one, because it reaches no element.
bool is_empty_and_huge(const Dims& shape, const StrideRows& strides) noexcept;

// Makes the walk over `shape`, without place indices. `strides` has a row for each operand, already broadcast
// to `shape`. Earlier rows decide the order of axes. Neighbouring axes that are both kept or both reduced are
// merged if the strides of all operands allow it. The walk visits each index of the shape exactly once.
Walk make_walk(const Dims& shape,
               const StrideRows& strides,
               AxisOrder order,
               Merging merging = Merging::yes,
               AxisSet reduced = 0);

// The order of two axes if the operands lie in memory in different orders.
enum class Conflicts : std::uint8_t {
    first_decides,  // the order of the first operand
    c_order,        // C order, as in NumPy's K order
};

// Returns the axes of the shape from slowest to fastest in the operands' memory. Ties are in C order.
Dims sort_axes(const Dims& shape, const StrideRows& strides, Conflicts conflicts);

// Returns the strides in bytes of a new dense array whose axes lie in memory in the same order as the axes of
// the operands (NumPy's K order).
Dims k_strides(const Dims& shape, const StrideRows& strides, std::size_t item_bytes);

}  // namespace kgen
