// SPDX-License-Identifier: MIT
//
// philox4x32-10, layout 1 (docs/random-numbers.md): the numbers of the page's formulas, which this file computes apart from
// the library, and literal numbers of a third implementation, which must never change.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "random/reference_numbers.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns the elements of a new array that a body computes from `i`.
template <typename T>
std::vector<T> compute(Device device, DType dtype, const std::string& value, std::int64_t count) {
    const ElementwiseKernel kernel(
        "uint64 seed, uint64 draw", std::string(to_text(dtype)) + " y", "y = " + value, "numbers");
    const Array y = empty({count}, dtype, {.device = device});
    kernel(std::uint64_t{42}, std::uint64_t{0}, out(y));
    return y.to_vector<T>();
}

// Distance in units of the last place of the exact result.
template <typename T>
double ulps(T found, long double exact) {
    int exponent = 0;
    std::frexp(exact, &exponent);
    const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
    return static_cast<double>(std::abs(found - exact) / unit);
}

}  // namespace

TEST_CASE("Philox has the words of Random123's known answers", "[random]") {
    const ElementwiseKernel philox("uint64 key, uint32 a, uint32 b, uint32 c, uint32 d",
                                   "uint32 w, uint32 x, uint32 y, uint32 z",
                                   "kgen_random_block r = kgen_philox(key, a, b, c, d); "
                                   "w = r.kgen_a; x = r.kgen_b; y = r.kgen_c; z = r.kgen_d",
                                   "philox");
    const auto words = [&](Device device, std::uint64_t key, std::array<std::uint32_t, 4> counter) {
        std::array<Array, 4> results;
        for (Array& each : results) each = empty({1}, uint32, {.device = device});
        philox(key,
               counter[0],
               counter[1],
               counter[2],
               counter[3],
               out(results[0], results[1], results[2], results[3]));
        std::array<std::uint32_t, 4> found{};
        for (std::size_t k = 0; k < 4; ++k) found[k] = results[k].item<std::uint32_t>();
        return found;
    };
    using Words = std::array<std::uint32_t, 4>;
    const std::uint32_t ones = 0xffffffff;
    for (const Device device : present_devices()) {
        CHECK(words(device, 0, {0, 0, 0, 0}) ==
              Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
        CHECK(words(device, ~std::uint64_t{0}, {ones, ones, ones, ones}) ==
              Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
        CHECK(words(device, 0x299f31d0a4093822, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}) ==
              Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
        // The ten-thousandth value of C++26's std::philox4x32, whose seed is 20111115.
        const ElementwiseKernel bits("", "uint32 y", "y = random_bits(20111115, i)", "bits");
        const Array y = empty({10000}, uint32, {.device = device});
        bits(out(y));
        CHECK(y.to_vector<std::uint32_t>()[9999] == 1955073260);
    }
}

TEST_CASE("layout 1 of random numbers never changes", "[random]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const ElementwiseKernel bits("int64 at",
                                     "uint32 y",
                                     "y = random_bits(0x123456789abcdef0, at, (3LL << 32) + 5)",
                                     "b");
        const std::vector<std::int64_t> places = {
            0, 1, 2, 3, 4, 1000003, (std::int64_t{1} << 33) + 7};
        CHECK(Array(bits(array(places, {.device = device}))).to_vector<std::uint32_t>() ==
              std::vector<std::uint32_t>{0x14c4581c,
                                         0x27b5d4ed,
                                         0x5e640079,
                                         0x8c2daeb1,
                                         0x21c9ed57,
                                         0x74561a87,
                                         0x4f4058cd});
        CHECK(compute<float>(device, float32, "random_uniform(seed, i, draw)", 4) ==
              std::vector<float>{0x1.39d5e0p-1f, 0x1.dfd524p-2f, 0x1.2bf500p-4f, 0x1.5d0accp-2f});
        CHECK(compute<double>(device, float64, "random_uniform<double>(seed, i, draw)", 4) ==
              std::vector<double>{0x1.dfd524ee73abcp-2,
                                  0x1.5d0acf5c4afd4p-2,
                                  0x1.4ee9b3f7f36c8p-2,
                                  0x1.d1381bee0e3d6p-2});
        CHECK(compute<float>(device, float32, "random_uniform<float16>(seed, i, draw)", 4) ==
              std::vector<float>{0x1.39cp-1f, 0x1.df8p-2f, 0x1.2ap-4f, 0x1.5dp-2f});
        CHECK(compute<float>(device, float32, "random_uniform<bfloat16>(seed, i, draw)", 4) ==
              std::vector<float>{0x1.38p-1f, 0x1.dcp-2f, 0x1.2p-4f, 0x1.5cp-2f});
        CHECK(compute<std::int32_t>(device, int32, "random_integer(seed, i, 6, draw)", 12) ==
              std::vector<std::int32_t>{3, 2, 0, 2, 5, 1, 3, 2, 4, 3, 3, 4});
        CHECK(compute<std::uint32_t>(
                  device, uint32, "random_integer(seed, i, 3221225472u, draw)", 4) ==
              std::vector<std::uint32_t>{1974481982, 1509422828, 235895937, 1097991905});
        // The first, the eighth and the tenth are of attempt 1.
        CHECK(compute<std::uint64_t>(
                  device, uint64, "random_integer(seed, i, 6917529027641081856ull, draw)", 10) ==
              std::vector<std::uint64_t>{6396791352714473247,
                                         2357919662278688320,
                                         2262470433352854638,
                                         3142741362711314921,
                                         4553916768837992653,
                                         5351294511959836953,
                                         4639170649737830827,
                                         2070401387316408,
                                         5804121239326166374,
                                         216797941938946869});
        const auto near = [](const auto& found, const std::vector<long double>& exact) {
            bool is_near = found.size() == exact.size();
            for (std::size_t k = 0; is_near && k < exact.size(); ++k)
                is_near = ulps(found[k], exact[k]) < 5;
            return is_near;
        };
        CHECK(near(compute<float>(device, float32, "random_normal(seed, i, draw)", 8),
                   {-0.97018978987785222L,
                    0.19401895606956647L,
                    -1.2356207419107484L,
                    1.923926750657389L,
                    -0.073181508343785247L,
                    0.13913749635697804L,
                    -1.1066650308269264L,
                    0.32668296065853298L}));
        CHECK(near(compute<double>(device, float64, "random_normal<double>(seed, i, draw)", 4),
                   {-0.66537486780734895L,
                    1.0360238086554648L,
                    -1.4338891806537387L,
                    0.42327818124445228L}));
        CHECK(near(
            compute<float>(device, float32, "random_exponential(seed, i, draw)", 4),
            {0.4894557918487777L, 0.75803452346143863L, 2.6141263798675836L, 1.0762788973861212L}));
        CHECK(near(compute<double>(device, float64, "random_exponential<double>(seed, i, draw)", 4),
                   {0.75803452340531116L,
                    1.0762788976776316L,
                    1.1176013005567307L,
                    0.78896316444483523L}));
    }
    CHECK(Generator(42).fork(0).seed() == 0x5fec66b4deb78ea4);
    CHECK(Generator(42).fork(1).seed() == 0x5d8cf6b4d67a05ce);
    CHECK(Generator(42, 7).fork((std::uint64_t{1} << 40) + 3).seed() == 0xead9ede0ee1014e4);
}

TEST_CASE("random numbers of every dtype are those of the specification", "[random]") {
    constexpr std::int64_t count = 4099;
    const std::uint64_t seed = 0xfedcba9876543210;
    for (const Device device : present_devices()) {
        const ElementwiseKernel drawn("uint64 seed, uint64 draw",
                                      "T x, T y, T z",
                                      "x = random_uniform<T>(seed, i, draw); "
                                      "y = random_normal<T>(seed, i, draw); "
                                      "z = random_exponential<T>(seed, i, draw)",
                                      "drawn");
        const Reference reference{seed, 9};
        for (const DType dtype : {float16, bfloat16, float32, float64}) {
            INFO(to_text(device) << " " << to_text(dtype));
            const int digits = dtype == float16    ? 11
                               : dtype == bfloat16 ? 8
                               : dtype == float32  ? 24
                                                   : 53;
            std::array<Array, 3> results;
            std::array<std::vector<double>, 3> found;
            for (Array& each : results) each = empty({count}, dtype, {.device = device});
            drawn(seed, std::uint64_t{9}, out(results[0], results[1], results[2]));
            for (std::size_t k = 0; k < 3; ++k) {
                // The conversion of the narrow dtypes is exact.
                found[k] = results[k].to(Device::host()).astype(float64).to_vector<double>();
            }
            const auto& [uniform, normal, exponential] = found;
            // 5 units of float32 or float64, and half a unit of the narrow dtypes.
            const double most = digits < 24 ? 0.51 : 5;
            bool is_uniform = true;
            double worst = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                const auto k = static_cast<std::size_t>(i);
                is_uniform &= uniform[k] == reference.uniform(i, digits);
                const auto distance = [&](double found, long double exact) {
                    int exponent = 0;
                    std::frexp(exact, &exponent);
                    if (dtype == float16) exponent = std::max(exponent, -13);  // subnormal numbers
                    return static_cast<double>(std::abs(found - exact) /
                                               std::ldexp(1.0L, exponent - digits));
                };
                worst =
                    std::max({worst,
                              distance(normal[k], reference.normal(i, digits == 53)),
                              distance(exponential[k], reference.exponential(i, digits == 53))});
            }
            CHECK(is_uniform);
            CHECK(worst < most);
        }
        const ElementwiseKernel integers("uint64 seed, uint64 draw, uint64 n",
                                         "uint64 y",
                                         "y = random_integer(seed, i, n, draw)",
                                         "integers");
        for (const std::uint64_t n :
             {5ull, 4294967295ull, 4294967296ull, 4294967297ull, 9000000000000000000ull}) {
            const Array y = empty({count}, uint64, {.device = device});
            integers(seed, std::uint64_t{9}, n, out(y));
            std::vector<std::uint64_t> expected;
            for (std::int64_t i = 0; i < count; ++i) expected.push_back(reference.integer(i, n));
            CHECK(y.to_vector<std::uint64_t>() == expected);
        }
        const ElementwiseKernel none("int32 n", "int32 y", "y = random_integer(1, i, n)", "none");
        const Array y = full({5}, 7, int32, {.device = device});
        none(-3, out(y));
        CHECK(y.to_vector<std::int32_t>() == std::vector<std::int32_t>(5, 0));
    }
}
