// SPDX-License-Identifier: MIT
//
// How far normal and exponential numbers are from the exact numbers of docs/random-numbers.md, in units of the last place.
// Hidden, because it takes minutes on a CPU: kgen_tests "[distance]".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "random/reference_numbers.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

template <typename T>
double ulps(T found, long double exact) {
    int exponent = 0;
    std::frexp(exact, &exponent);
    return static_cast<double>(std::abs(found - exact) /
                               std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

// Returns the largest distance of `count` numbers from those of `exact`.
template <typename T>
double largest_distance(Expression&& drawn, const std::function<long double(std::int64_t)>& exact) {
    const std::vector<T> found = Array(std::move(drawn)).template to_vector<T>();
    std::vector<double> worst(std::max(std::thread::hardware_concurrency(), 1u));
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < worst.size(); ++k) {
        threads.emplace_back([&, k] {
            double largest = 0;
            for (std::size_t i = k; i < found.size(); i += worst.size())
                largest = std::max(largest, ulps(found[i], exact(static_cast<std::int64_t>(i))));
            worst[k] = largest;
        });
    }
    for (std::thread& each : threads) each.join();
    return *std::max_element(worst.begin(), worst.end());
}

template <typename T>
void check_draws(DType dtype, std::int64_t count) {
    const bool is_long = dtype == float64;
    const Reference first{42, 0}, second{42, 1};
    Generator rng(42);
    const double normal = largest_distance<T>(
        rng.normal({count}, dtype), [&](std::int64_t i) { return first.normal(i, is_long); });
    const double exponential =
        largest_distance<T>(rng.exponential({count}, dtype),
                            [&](std::int64_t i) { return second.exponential(i, is_long); });
    fmt::print("{}: {} numbers of {}: normal {:.3f} ulp, exponential {:.3f} ulp\n",
               to_text(current_device()),
               count,
               to_text(dtype),
               normal,
               exponential);
    CHECK(normal < 5);
    CHECK(exponential < 5);
}

// Returns the largest value of an expression of a word `x`, over every `step`-th word and the last 2^20.
double largest_over_words(const std::string& value, std::uint64_t step) {
    const ReductionKernel largest(
        "bool like, uint64 step, uint64 first",
        "float64 y",
        "distance((unsigned)(first + i * step), random_bits(1, 0))",
        "max(a, b)",
        "y = a",
        "0",
        "largest",
        {.preamble = "__device__ double distance(unsigned x, unsigned) {\n"
                     "    double exact;\n"
                     "    const double found = " +
                     value +
                     ";\n"
                     "    int exponent;\n"
                     "    frexp(exact, &exponent);\n"
                     "    return fabs(found - exact) / ldexp(1.0, exponent - 24);\n"
                     "}\n"});
    const auto over = [&](std::uint64_t first, std::uint64_t each, std::int64_t count) {
        return largest(zeros({1}, bool_).broadcast_to({count}), each, first).item<double>();
    };
    const std::int64_t end = std::int64_t{1} << 20;
    return std::max(over(0, step, (std::int64_t{1} << 32) / static_cast<std::int64_t>(step)),
                    over((std::uint64_t{1} << 32) - (std::uint64_t{1} << 20), 1, end));
}

}  // namespace

TEST_CASE("distances of draws from the exact numbers", "[.distance]") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const int more = device.kind() == DeviceKind::cuda ? 4 : 0;
        check_draws<float>(float32, std::int64_t{1} << (23 + more));
        check_draws<double>(float64, std::int64_t{1} << (21 + more));
    }
}

TEST_CASE("distances of the parts of float32 numbers over all words", "[.distance]") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const std::uint64_t step = device.kind() == DeviceKind::cuda ? 1 : 61;
        const double log_distance = largest_over_words(
            "kgen_random_log(x); exact = x >> 31 ? -2 * log1p(-(~x + 0.5) * 0x1p-32) : -2 * log((x "
            "+ 0.5) * 0x1p-32)",
            step);
        const double cosine = largest_over_words(
            "kgen_random_wave(1.0f, x, false); exact = cospi(x * 0x1p-31)", step);
        const double sine =
            largest_over_words("kgen_random_wave(1.0f, x, true); exact = sinpi(x * 0x1p-31)", step);
        fmt::print("{}: every {} of 2^32 words: log {:.3f} ulp, cosine {:.3f}, sine {:.3f}\n",
                   to_text(device),
                   step,
                   log_distance,
                   cosine,
                   sine);
        CHECK(log_distance < 5);
        CHECK(cosine < 3);
        CHECK(sine < 3);
    }
}
