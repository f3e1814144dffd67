// SPDX-License-Identifier: MIT
//
// Operand: what a call says about one parameter, as far as a plan needs it. It owns no memory, and a plan
// never reads from its address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <span>

namespace kgen {

enum class OperandKind : std::uint8_t {
    array,   // walked element by element, broadcast to the loop's shape
    raw,     // indexed by the body, keeps its own shape
    scalar,  // a number, passed by value
};

struct Operand {
    OperandKind kind = OperandKind::array;
    DType dtype = DType::float32;
    bool written = false;
    Dims shape = {};                        // of the array, before broadcasting
    Dims strides = {};                      // in bytes
    std::uintptr_t address = 0;             // of element (0, ..., 0)
    std::array<std::byte, 16> scalar = {};  // the number, converted to `dtype`
};

// The range of addresses [begin, end) that an array reaches. Empty if it has no elements.
struct AddressSpan {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool is_empty() const noexcept { return begin == end; }
    bool intersects(const AddressSpan& other) const noexcept {
        return !is_empty() && !other.is_empty() && begin < other.end && other.begin < end;
    }
    std::uintptr_t size_bytes() const noexcept { return end - begin; }
};

AddressSpan address_span(const Operand& operand) noexcept;

// Returns the number of elements: 1 for rank 0, and 0 if any extent is 0. Otherwise the product must not
// overflow.
std::int64_t extent_product(std::span<const std::int64_t> extents) noexcept;
inline std::int64_t extent_product(const Dims& shape) noexcept {
    return extent_product({shape.begin(), shape.end()});
}

// Returns the C-order stride of the axis outside one with that stride and extent. If the product overflows,
// returns `stride`: this happens only for an array without elements, whose strides are never used.
std::int64_t next_stride(std::int64_t stride, std::int64_t extent) noexcept;

// Returns the strides of a C-ordered array, in bytes.
Dims c_strides(const Dims& shape, std::size_t item_bytes) noexcept;

bool is_c_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes) noexcept;

}  // namespace kgen
