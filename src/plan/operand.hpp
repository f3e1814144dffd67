// SPDX-License-Identifier: MIT
//
// Operand: the facts about one argument of a call that a plan needs. It owns no memory, and a plan never
// reads from its address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>

#include "dtype/strides.hpp"

namespace kgen {

enum class OperandKind : std::uint8_t {
    array,   // walked element by element, broadcast to the loop's shape
    raw,     // indexed by the body, keeps its own shape
    scalar,  // a number, passed by value
    absent,  // an array, or a raw one, that this part of a call leaves out (PlanRequest::is_part)
};

struct Operand {
    OperandKind kind = OperandKind::array;
    DType dtype = DType::float32;
    bool written = false;
    Dims shape = {};                        // shape of the array before broadcasting
    Dims strides = {};                      // strides in bytes
    std::uintptr_t address = 0;             // address of element (0, ..., 0)
    std::array<std::byte, 16> scalar = {};  // the number, converted to `dtype`
};

// The range of addresses [begin, end) that contains all elements of an array. Empty if it has no elements.
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

}  // namespace kgen
