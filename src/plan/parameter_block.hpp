// SPDX-License-Identifier: MIT
//
// The layout of the parameter block: the struct that a generated kernel receives as its only parameter.
// `source` declares the struct and `make_plan` fills it, both from the same list of fields.
#pragma once

#include <cstddef>
#include <span>

#include "plan/baked.hpp"
#include "plan/block_structs.hpp"

namespace kgen {

// The kinds of fields. Each comment begins with the type in device code.
enum class FieldKind : std::uint8_t {
    first_block,    // unsigned, for a part of a call: number of the blocks of the parts before it
    count,          // long long: number of elements; for reductions, number of outputs
    reduced_count,  // long long: for reductions, number of elements that are folded into one output
    // long long: for the flat loop, number of elements by which the first vector begins before the arrays
    shift,
    // long long[2], for a section: what count and reduced_count are in the larger loop
    whole_counts,
    data,  // T*: address at which the operand's walk begins
    view,  // kgen_raw_view
    // extents, or with has_divisors divisors (see shape_width): the loop's shape, for `_ind` and `_in_ind`, and the outputs'
    // shape, for `_out_ind`
    shape,
    output_shape,
    scratch,        // unsigned*, void*: counters and partial results; set at the launch
    own,            // the loop's own struct (Loop::own)
    place_strides,  // long long[rank + 1]: strides of a place index, then its first value
    extents,  // long long, or with DeviceLoops::has_divisors a divisor, for each of Geometry::counts
    // long long[2], for rows that staged_runs copies to shared memory: bytes from `data` to the lowest element, and behind
    // the highest one
    reach,
    strides,  // in bytes, for each axis; long long, or int with has_divisors and 32-bit offsets
    scalar,   // T
};

struct BlockField {
    FieldKind kind;
    int operand;  // index of the parameter; the PlaceIndex for place_strides; -1 for other fields
    std::size_t offset;
    std::size_t size_bytes;
};

struct BlockLayout {
    InlineVector<BlockField, 2 * usual_parameters> fields;
    std::size_t size_bytes = 0;
    std::size_t alignment = 8;
};

// Return the factors with which device code divides by an extent. make_divisor32() needs one below 2^32.
Divisor32 make_divisor32(std::int64_t extent) noexcept;
Divisor64 make_divisor64(std::uint64_t extent) noexcept;
// Returns the width of the divisors of the fields `shape` and `output_shape`, and of the indices that they divide.
IndexWidth shape_width(const Baked& baked) noexcept;
// Returns the size of the struct in bytes, or 0 if there is none.
std::size_t struct_bytes(const LoopStruct& own) noexcept;

inline constexpr std::size_t largest_block_bytes =
    32764;  // limit of CUDA 12.1 and newer on sm_70 and newer

// has_strides: whether the loop walks operand k by strides. divides: whether the loop divides an index into
// axes for any operand.
bool has_strides(const Baked& baked, std::size_t k) noexcept;
bool divides(const Baked& baked) noexcept;

// Returns the layout of the parameter block. `dtypes` has one dtype for each parameter. With parts, their blocks lie one behind the other,
// each begins with its first_block, and the fields of the loop itself follow, if it has any.
BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes);

}  // namespace kgen
