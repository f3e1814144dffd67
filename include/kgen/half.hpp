// SPDX-License-Identifier: MIT
//
// The CPU types of float16 and bfloat16, of two bytes each. They convert implicitly to and from float;
// conversion from float rounds to nearest even. They have no arithmetic of their own, so it is done in float.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <type_traits>

namespace kgen {

// IEEE 754 binary16.
struct KGEN_EXPORT half_t {
    std::uint16_t bits = 0;

    half_t() = default;
    half_t(float value) noexcept;  // NOLINT: implicit for float literals in a vector<half_t>
    operator float() const noexcept;
    static half_t from_bits(std::uint16_t bits) noexcept;
};

// The upper half of an IEEE 754 binary32.
struct KGEN_EXPORT bfloat16_t {
    std::uint16_t bits = 0;

    bfloat16_t() = default;
    bfloat16_t(float value) noexcept;  // NOLINT
    operator float() const noexcept;
    static bfloat16_t from_bits(std::uint16_t bits) noexcept;
};

static_assert(sizeof(half_t) == 2 && std::is_trivially_copyable_v<half_t>);
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>);

}  // namespace kgen
