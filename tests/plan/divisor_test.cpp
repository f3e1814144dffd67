// SPDX-License-Identifier: MIT
#include <random>

#include "plan/parameter_block.hpp"
#include "support/catch.hpp"

using namespace kgen;

TEST_CASE("the multiplier and shift of a divisor divide every index below 2^31", "[plan]") {
    const auto divide = [](std::uint32_t index, const Divisor32& by) {
        const auto high = static_cast<std::uint32_t>((std::uint64_t{index} * by.multiplier) >> 32);
        return (high + index) >> by.shift;
    };
    std::mt19937 random(6);
    std::uniform_int_distribution<std::uint32_t> any(1, 0x7fffffff);
    std::vector<std::uint32_t> extents = {
        1, 2, 3, 4, 5, 6, 7, 10, 255, 256, 257, 65535, 65536, 1 << 30, 0x7ffffffe, 0x7fffffff};
    for (int k = 0; k < 200; ++k) extents.push_back(any(random));
    for (int shift = 1; shift < 31; ++shift) {
        extents.push_back((1u << shift) - 1);
        extents.push_back((1u << shift) + 1);
    }
    for (const std::uint32_t extent : extents) {
        const Divisor32 by = make_divisor32(extent);
        CHECK(by.extent == extent);
        for (int k = 0; k < 300; ++k) {
            const std::uint32_t quotient = any(random) / extent;
            // Just below, at and above a multiple, where wrong rounding would be visible.
            for (const std::int64_t near : {-1, 0, 1}) {
                const std::int64_t index = std::int64_t{quotient} * extent + near;
                if (index < 0 || index > 0x7fffffff) continue;
                const auto value = static_cast<std::uint32_t>(index);
                REQUIRE(divide(value, by) == value / extent);
            }
        }
    }
}

TEST_CASE("the multiplier and shift of a long divisor divide every index below 2^63", "[plan]") {
    __extension__ using Wide = unsigned __int128;
    const auto divide = [](std::uint64_t index, const Divisor64& by) {
        const auto high = static_cast<std::uint64_t>((Wide{index} * by.multiplier) >> 64);
        return (high + index) >> by.shift;
    };
    constexpr std::uint64_t largest = 0x7fffffffffffffff;
    std::mt19937_64 random(7);
    const auto any = [&](std::uint64_t most) { return random() % most + 1; };
    std::vector<std::uint64_t> extents = {
        1, 2, 3, 4, 5, 6, 7, 10, 255, 256, 257, largest - 1, largest};
    for (int shift = 1; shift < 63; ++shift) {
        const std::uint64_t power = std::uint64_t{1} << shift;
        for (const std::uint64_t extent : {power - 1, power, power + 1, any(power)})
            extents.push_back(extent);
    }
    for (const std::uint64_t extent : extents) {
        const Divisor64 by = make_divisor64(extent);
        CHECK(by.extent == extent);
        for (int k = 0; k < 300; ++k) {
            const std::uint64_t quotient = any(largest) / extent;
            for (const int near : {-1, 0, 1}) {
                const std::uint64_t index = quotient * extent + static_cast<std::uint64_t>(near);
                if (index > largest) continue;
                REQUIRE(divide(index, by) == index / extent);
            }
        }
    }
}
