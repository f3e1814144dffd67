// SPDX-License-Identifier: MIT
#include <bit>
#include <kgen/half.hpp>

namespace kgen {
namespace {

constexpr std::uint32_t float_infinity = 0x7f800000u;
// The exponents of binary16 and binary32 differ by 127 - 15.
constexpr std::uint32_t exponent_shift = (127u - 15u) << 23;

}  // namespace

half_t::half_t(float value) noexcept {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
    std::uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > float_infinity) {  // NaN becomes quiet and keeps the upper bits of its payload
        magnitude = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
    } else if (magnitude >= 0x477ff000u) {  // 65520 and more round to infinity
        magnitude = 0x7c00u;
    } else if (magnitude < 0x38800000u) {
        // Below 2^-14: in the sum with 0.5, one unit in the last place is one subnormal step of binary16.
        const float sum = std::bit_cast<float>(magnitude) + 0.5f;
        magnitude = std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(0.5f);
    } else {
        magnitude += 0xfffu + ((magnitude >> 13) & 1u) - exponent_shift;
        magnitude >>= 13;
    }
    bits = static_cast<std::uint16_t>(sign | magnitude);
}

half_t::operator float() const noexcept {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    std::uint32_t magnitude = (bits & 0x7fffu) << 13;
    if (magnitude >= 0x0f800000u) {  // infinity and NaN
        magnitude += 2 * exponent_shift;
    } else if (magnitude >= 0x00800000u) {
        magnitude += exponent_shift;
    } else {  // subnormal: multiples of 2^-24
        magnitude = std::bit_cast<std::uint32_t>(static_cast<float>(bits & 0x3ffu) * 0x1p-24f);
    }
    return std::bit_cast<float>(sign | magnitude);
}

half_t half_t::from_bits(std::uint16_t pattern) noexcept {
    half_t value;
    value.bits = pattern;
    return value;
}

bfloat16_t::bfloat16_t(float value) noexcept {
    auto word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > float_infinity) {
        word |= 0x00400000u;  // quiet, because dropping the lower bits could give infinity
    } else {
        word += 0x7fffu + ((word >> 16) & 1u);
    }
    bits = static_cast<std::uint16_t>(word >> 16);
}

bfloat16_t::operator float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

bfloat16_t bfloat16_t::from_bits(std::uint16_t pattern) noexcept {
    bfloat16_t value;
    value.bits = pattern;
    return value;
}

}  // namespace kgen
