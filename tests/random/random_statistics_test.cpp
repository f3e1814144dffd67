// SPDX-License-Identifier: MIT
//
// Whether the numbers look like those of their distributions: chi-square, Kolmogorov-Smirnov, moments, and correlations
// between neighbouring seeds, draws and elements. The numbers never change, so neither do the results.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::int64_t count = 1 << 18;
// Five standard deviations of a mean of `count` numbers
const double five_sigma = 5 / std::sqrt(static_cast<double>(count));

std::vector<double> numbers(Expression&& drawn) {
    return Array(std::move(drawn)).astype(float64).to_vector<double>();
}

// The largest distance between the distribution of the numbers and `below`, in units of 1 / sqrt(count). Less than 2 in all
// but 7 of 10000 samples.
double kolmogorov_smirnov(std::vector<double> sample, const std::function<double(double)>& below) {
    std::sort(sample.begin(), sample.end());
    const auto n = static_cast<double>(sample.size());
    double largest = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
        const double part = below(sample[k]);
        largest = std::max(
            {largest, part - static_cast<double>(k) / n, static_cast<double>(k + 1) / n - part});
    }
    return largest * std::sqrt(n);
}

// Chi-square of counts that should be equal, in standard deviations from its mean.
double chi_square(const std::vector<std::int64_t>& counts) {
    const double total =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    const double expected = total / static_cast<double>(counts.size());
    double sum = 0;
    for (const std::int64_t each : counts)
        sum += (static_cast<double>(each) - expected) * (static_cast<double>(each) - expected) /
               expected;
    const double freedom = static_cast<double>(counts.size()) - 1;
    return (sum - freedom) / std::sqrt(2 * freedom);
}

double moment(const std::vector<double>& sample, int power) {
    double sum = 0;
    for (const double each : sample) sum += std::pow(each, power);
    return sum / static_cast<double>(sample.size());
}

double correlation(const std::vector<double>& a,
                   const std::vector<double>& b,
                   std::size_t lag = 0) {
    double sum = 0;
    for (std::size_t k = 0; k + lag < a.size(); ++k) sum += (a[k + lag] - 0.5) * (b[k] - 0.5);
    return sum / static_cast<double>(a.size()) * 12;
}

double normal_below(double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

}  // namespace

TEST_CASE("random numbers have their distributions", "[random][statistics]") {
    const DeviceScope scope(present_devices().back());
    Generator rng(2026);
    for (const DType dtype : {float16, bfloat16, float32, float64}) {
        INFO(to_text(dtype));
        // A narrow dtype rounds, which moves the distribution by half a unit of the last place.
        const double step = dtype == float16    ? std::ldexp(1, -11)
                            : dtype == bfloat16 ? std::ldexp(1, -8)
                                                : 0;
        const double rounding = step * std::sqrt(static_cast<double>(count));
        const std::vector<double> uniform = numbers(rng.uniform({count}, dtype));
        CHECK(*std::min_element(uniform.begin(), uniform.end()) >= 0);
        CHECK(*std::max_element(uniform.begin(), uniform.end()) < 1);
        CHECK(kolmogorov_smirnov(uniform, [](double x) { return x; }) < 2 + rounding);
        CHECK(std::abs(moment(uniform, 1) + step / 2 - 0.5) < five_sigma / std::sqrt(12.0));
        std::vector<std::int64_t> cells(256);
        for (const double each : uniform) ++cells[static_cast<std::size_t>(each * 256)];
        CHECK(std::abs(chi_square(cells)) < 5);

        const std::vector<double> normal = numbers(rng.normal({count}, dtype));
        CHECK(kolmogorov_smirnov(normal, normal_below) < 2 + rounding);
        CHECK(std::abs(moment(normal, 1)) < five_sigma);
        CHECK(std::abs(moment(normal, 2) - 1) < five_sigma * std::sqrt(2.0) + step);
        CHECK(std::abs(moment(normal, 3)) < five_sigma * std::sqrt(15.0));
        CHECK(std::abs(moment(normal, 4) - 3) < five_sigma * std::sqrt(96.0) + 4 * step);

        const std::vector<double> exponential = numbers(rng.exponential(3, {count}, dtype));
        CHECK(*std::min_element(exponential.begin(), exponential.end()) >= 0);
        CHECK(kolmogorov_smirnov(exponential, [](double x) { return -std::expm1(-x / 3); }) <
              2 + rounding);
        CHECK(std::abs(moment(exponential, 1) - 3) < 3 * five_sigma + step);
    }
    for (const std::int64_t n : {std::int64_t{6}, std::int64_t{100}, std::int64_t{1000}}) {
        std::vector<std::int64_t> cells(static_cast<std::size_t>(n));
        for (const double each : numbers(rng.integers(-2, n - 2, {count}, int16)))
            ++cells[static_cast<std::size_t>(each + 2)];
        CHECK(std::abs(chi_square(cells)) < 5);
    }
    // Two thirds of 2^32 and of 2^64, which a remainder would double.
    for (const std::int64_t n : {std::int64_t{0xAAAAAAAA}, std::int64_t{0x5555555555555555}}) {
        std::vector<std::int64_t> cells(64);
        for (const double each : numbers(rng.integers(0, n, {count})))
            ++cells[std::min<std::size_t>(
                63, static_cast<std::size_t>(each / static_cast<double>(n) * 64))];
        CHECK(std::abs(chi_square(cells)) < 5);
    }
    for (const double p : {0.0, 1e-3, 0.25, 0.5, 0.999, 1.0}) {
        const double found = moment(numbers(rng.bernoulli(p, {count})), 1);
        CHECK(std::abs(found - p) <= five_sigma * std::sqrt(p * (1 - p)));
    }
    const std::vector<double> shifted = numbers(rng.normal(10, 0.5, {count}));
    CHECK(std::abs(moment(shifted, 1) - 10) < five_sigma * 0.5);
    const std::vector<double> wide = numbers(rng.uniform(-3, 5, {count}, float32));
    CHECK(kolmogorov_smirnov(wide, [](double x) { return (x + 3) / 8; }) < 2);
}

TEST_CASE("neighbouring seeds, draws and elements are independent", "[random][statistics]") {
    const DeviceScope scope(present_devices().back());
    const auto of = [](std::uint64_t seed, std::uint64_t draw) {
        return numbers(Generator(seed, draw).uniform({count}, float32));
    };
    const std::vector<double> first = of(0, 0);
    for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
        CHECK(std::abs(correlation(first, of(seed, 0))) < five_sigma);
    }
    for (const std::uint64_t draw : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 32}) {
        CHECK(std::abs(correlation(first, of(0, draw))) < five_sigma);
    }
    for (std::size_t lag = 1; lag <= 8; ++lag)
        CHECK(std::abs(correlation(first, first, lag)) < five_sigma);
    const Generator parent(0);
    CHECK(std::abs(correlation(first, of(parent.fork(0).seed(), 0))) < five_sigma);
    CHECK(std::abs(correlation(of(parent.fork(1).seed(), 0), of(parent.fork(0).seed(), 0))) <
          five_sigma);
    // The sine and the cosine of one angle.
    const std::vector<double> normal = numbers(Generator(3).normal({count}, float32));
    double product = 0;
    for (std::size_t k = 0; k < normal.size(); k += 2) product += normal[k] * normal[k + 1];
    CHECK(std::abs(product) / static_cast<double>(count / 2) < five_sigma * std::sqrt(2.0));
}
