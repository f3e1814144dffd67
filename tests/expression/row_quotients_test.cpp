// SPDX-License-Identifier: MIT
//
// Quotients of the elements of rows and a value of their row, of which a GPU computes the reciprocal once. The reference is the
// division of IEEE 754.
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

constexpr std::int64_t row = 96;

// Numbers of every magnitude and sign, the first of them special.
class Numbers {
public:
    float at(std::int64_t k) {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        constexpr std::array special = {
            0.0f,
            infinity,
            std::numeric_limits<float>::quiet_NaN(),
            FLT_TRUE_MIN,
            FLT_MIN,
            FLT_MAX,
            1.0f,
            0x1.fffffep0f,
            0x1.fffffep-101f,
            0x1.000002p100f,
            // The quotients of these are the largest float, but overflow before they are rounded.
            0x1.c324c8p127f,
            0x1.c324cap-1f};
        const auto number = static_cast<std::size_t>(k);
        if (number < special.size()) return special[number];
        if (number < 2 * special.size()) return -special[number - special.size()];
        return std::bit_cast<float>(static_cast<std::uint32_t>(random_()));
    }

private:
    std::mt19937_64 random_{std::random_device{}()};
};

// Whether the quotient has the bits of the right one. Quotients below the least normal number, and those of very small
// elements, may be off by one unit in the last place.
bool is_right(float x, float found, float right) {
    if (std::isnan(found) || std::isnan(right)) return std::isnan(found) && std::isnan(right);
    const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
    if (bits(found) == bits(right)) return true;
    const bool is_small = std::abs(x) < 0x1p-101f || std::abs(right) < FLT_MIN;
    return is_small && std::signbit(found) == std::signbit(right) &&
           std::abs(static_cast<std::int64_t>(bits(found)) -
                    static_cast<std::int64_t>(bits(right))) <= 1;
}

}  // namespace

TEST_CASE("elements of rows are divided as IEEE 754 says", "[rows]") {
    const std::int64_t count = rounds(2000);  // at least those of all special divisors
    const auto size = static_cast<std::size_t>(count * row);
    Numbers numbers;
    std::vector<float> x(size), y(size), right(size);
    for (std::size_t k = 0; k < size; ++k) {
        const auto place = static_cast<std::int64_t>(k);
        x[k] = numbers.at(place % row);
        y[k] = place % row == 0 ? numbers.at(place / row) : y[k - 1];
        right[k] = x[k] / y[k];
    }
    for (const Device device : present_devices()) {
        const Array elements = from_host(x.data(), float32, {count, row}, {.device = device});
        const Array divisors = from_host(y.data(), float32, {count, row}, {.device = device});
        const Array quotients = elements / max(divisors, axis(1), keepdims);
        const std::vector<float> found = quotients.to_vector<float>();
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < size; ++k) {
            if (is_right(x[k], found[k], right[k]) || ++wrong > 3) continue;
            UNSCOPED_INFO(x[k] << " / " << y[k] << " = " << right[k] << ", not " << found[k]);
        }
        INFO(to_text(device));
        CHECK(wrong == 0);
    }
}
