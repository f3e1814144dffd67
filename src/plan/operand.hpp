// SPDX-License-Identifier: MIT
//
// Operand: what a call says of one parameter, as far as plans care. A value without memory: a plan
// never follows the address.
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
    raw,     // indexed by hand, keeps its own shape
    scalar,  // one number, passed by value
};

struct Operand {
    OperandKind kind = OperandKind::array;
    DType dtype = DType::float32;
    bool written = false;
    Dims shape = {};                        // the array's own
    Dims strides = {};                      // bytes
    std::uintptr_t address = 0;             // of element (0, ..., 0)
    std::array<std::byte, 16> scalar = {};  // the number, converted to `dtype`
};

// The bytes that an array reaches: [begin, end), empty where it has no element.
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

// The number of elements; 1 for rank 0, 0 where an extent is 0, whatever the others are. The caller has
// checked that it does not overflow.
std::int64_t extent_product(std::span<const std::int64_t> extents) noexcept;
inline std::int64_t extent_product(const Dims& shape) noexcept {
    return extent_product({shape.begin(), shape.end()});
}

// The stride of the axis outside one of that stride and extent. It overflows only if an array has no
// element, so that no stride is ever used: then it stays as it is.
std::int64_t next_stride(std::int64_t stride, std::int64_t extent) noexcept;

// Strides in bytes of a C-ordered array.
Dims c_strides(const Dims& shape, std::size_t item_bytes) noexcept;

bool is_c_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes) noexcept;

}  // namespace kgen
