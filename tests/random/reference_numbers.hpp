// SPDX-License-Identifier: MIT
//
// Reference: the numbers of docs/random-numbers.md, computed word by word and in long double.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace kgen::test {

struct Reference {
    std::uint64_t seed;
    std::uint64_t draw;

    using Block = std::array<std::uint32_t, 4>;
    Block block(std::uint64_t number, std::uint32_t attempt = 0) const {
        std::uint32_t key[] = {low(seed), high(seed)};
        Block c = {low(number), high(number), low(draw), (high(draw) & 0xffffff) | attempt << 24};
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
            const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
            c = {high(b) ^ c[1] ^ key[0], low(b), high(a) ^ c[3] ^ key[1], low(a)};
            key[0] += 0x9E3779B9;
            key[1] += 0xBB67AE85;
        }
        return c;
    }
    std::uint32_t word(std::int64_t i, std::uint32_t attempt = 0) const {
        return block(static_cast<std::uint64_t>(i) / 4, attempt)[static_cast<std::size_t>(i % 4)];
    }
    std::uint64_t long_word(std::int64_t i, std::uint32_t attempt = 0) const {
        const Block c = block(static_cast<std::uint64_t>(i) / 2, attempt);
        return i % 2 == 0 ? join(c[0], c[1]) : join(c[2], c[3]);
    }

    double uniform(std::int64_t i, int digits) const {
        if (digits == 53) return std::ldexp(static_cast<double>(long_word(i) >> 11), -53);
        return std::ldexp(word(i) >> (32 - digits), -digits);
    }
    long double exponential(std::int64_t i, bool is_long) const {
        return is_long ? log_of(long_word(i)) : log_of(word(i));
    }
    long double normal(std::int64_t i, bool is_long) const {
        const Block c = block(static_cast<std::uint64_t>(i) / (is_long ? 2 : 4));
        const std::size_t p = i / 2 % 2 == 0 ? 0 : 2;
        const long double radius =
            std::sqrt(2 * (is_long ? log_of(join(c[0], c[1])) : log_of(c[p])));
        const std::uint64_t angle = is_long ? join(c[2], c[3]) : std::uint64_t{c[p + 1]} << 32;
        return radius * wave(angle, i % 2 != 0);
    }
    std::uint64_t integer(std::int64_t i, std::uint64_t n) const {
        for (std::uint32_t attempt = 0;; ++attempt) {
            if (n <= std::uint64_t{1} << 32) {
                const std::uint64_t product = word(i, attempt) * n;
                if (low(product) >= (std::uint64_t{1} << 32) % n) return product >> 32;
            } else {
                const auto product = static_cast<Wide>(long_word(i, attempt)) * n;
                if (static_cast<std::uint64_t>(product) >= (0 - n) % n)
                    return static_cast<std::uint64_t>(product >> 64);
            }
        }
    }

private:
    __extension__ using Wide = unsigned __int128;

    static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
    static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
    static std::uint64_t join(std::uint32_t least, std::uint32_t most) {
        return std::uint64_t{most} << 32 | least;
    }
    // -log of the number in the middle of the interval that the word stands for
    static long double log_of(std::uint32_t x) {
        const long double unit = std::ldexp(1.0L, -32);
        return -std::log1p(-(static_cast<long double>(~x) + 0.5L) * unit);
    }
    static long double log_of(std::uint64_t x) {
        const long double unit = std::ldexp(1.0L, -53);
        const long double rest = (static_cast<long double>(~x >> 11) + 0.5L) * unit;
        return rest < 0.5L ? -std::log1p(-rest)
                           : -std::log((static_cast<long double>(x >> 11) + 0.5L) * unit);
    }
    // The cosine or sine of a 2^64-th part of a circle, with the digits of values near 0.
    static long double wave(std::uint64_t angle, bool is_sine) {
        const std::uint64_t axis = (angle + (std::uint64_t{1} << 61)) >> 62;
        const auto rest = static_cast<std::int64_t>(angle - (axis << 62));
        const long double x =
            std::ldexp(static_cast<long double>(rest), -62) * (std::numbers::pi_v<long double> / 2);
        const std::uint64_t turn = is_sine ? axis + 3 : axis;  // sin(x) = cos(x - pi / 2)
        switch (turn % 4) {
            case 0:
                return std::cos(x);
            case 1:
                return -std::sin(x);
            case 2:
                return -std::cos(x);
            default:
                return std::sin(x);
        }
    }
};

}  // namespace kgen::test
