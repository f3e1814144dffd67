// SPDX-License-Identifier: MIT
//
// Cases: arrays of random numbers, which are written and not read.
#include <array>
#include <cmath>
#include <numbers>

#include "benchmarks/bench_case.hpp"
#include "benchmarks/case_kernels.hpp"

namespace kgen::bench {

namespace {

constexpr std::uint64_t noise_seed = 42;

// Returns the block of the element, as docs/random-numbers.md describes it: draw 0.
std::array<std::uint32_t, 4> block_of(std::uint64_t number) {
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    std::array<std::uint32_t, 4> c = {low(number), high(number), 0, 0};
    std::uint32_t left = low(noise_seed);
    std::uint32_t right = high(noise_seed);
    for (int round = 0; round < 10; ++round, left += 0x9E3779B9, right += 0xBB67AE85) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * c[2];
        c = {high(b) ^ c[1] ^ left, low(b), high(a) ^ c[3] ^ right, low(a)};
    }
    return c;
}

Number uniform_at(const PlaceView& at) {
    const auto i = static_cast<std::uint64_t>(at.i);
    return std::ldexp(block_of(i / 4)[i % 4] >> 8, -24);
}

Number normal_at(const PlaceView& at) {
    const auto i = static_cast<std::uint64_t>(at.i);
    const std::array<std::uint32_t, 4> c = block_of(i / 4);
    const std::size_t pair = i % 4 / 2 * 2;
    const double radius = std::sqrt(-2 * std::log(std::ldexp(c[pair] + 0.5, -32)));
    const double angle = std::ldexp(c[pair + 1], -31) * std::numbers::pi;
    return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

Case noise(std::string name,
           std::string body,
           Number (*reference)(const PlaceView&),
           double tolerance,
           double at_least) {
    const Kernel kernel{"", "T z", std::move(body), {}, tolerance, reference};
    return {std::move(name),
            "noise",
            kernel,
            {},
            {float32, {std::int64_t{1} << 28}},
            Target{at_least, Limit::write}};
}

}  // namespace

std::vector<Case> noise_cases() {
    return {
        noise("uniform_f32_2^28", "z = random_uniform(42, i)", uniform_at, 0, 0.95),
        noise("normal_f32_2^28", "z = random_normal(42, i)", normal_at, 8 * rounding(float32), 0.8),
    };
}

}  // namespace kgen::bench
