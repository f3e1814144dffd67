// SPDX-License-Identifier: MIT
//
// Bodies on the host whose indices, sizes and strides are compiled as what they are: remainders of indices by numbers,
// remainders by the size of a raw array, and short strides.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a remainder by the size of a raw array is C++'s", "[host_loops]") {
    const std::vector<std::int64_t> numbers = {0,
                                               1,
                                               2,
                                               6,
                                               7,
                                               8,
                                               13,
                                               14,
                                               (1LL << 31) - 1,
                                               1LL << 31,
                                               (1LL << 32) - 1,
                                               1LL << 32,
                                               1LL << 40,
                                               largest,
                                               -1,
                                               -2,
                                               -7,
                                               -8,
                                               -(1LL << 33),
                                               least};
    const Array x = from_vector(numbers, {static_cast<std::int64_t>(numbers.size())}, {host});
    const ElementwiseKernel wraps("T x, raw U r", "int64 z", "z = x % r.size()", "wraps");
    const ElementwiseKernel unsigned_wraps(
        "uint64 x, raw U r", "uint64 z", "z = x % r.size()", "unsigned_wraps");
    for (const std::int64_t size : {1, 2, 3, 7, 64, 1000003}) {
        INFO(size);
        const Array r = zeros({size}, uint8, {host});
        std::vector<std::int64_t> expected;
        std::vector<std::uint64_t> expected_unsigned;
        for (const std::int64_t number : numbers) {
            expected.push_back(number % size);
            expected_unsigned.push_back(static_cast<std::uint64_t>(number) %
                                        static_cast<std::uint64_t>(size));
        }
        CHECK(elements<std::int64_t>(wraps(x, r)) == expected);
        CHECK(elements<std::uint64_t>(unsigned_wraps(x.astype(uint64), r)) == expected_unsigned);
    }
    CHECK(KGEN_MESSAGE_OF(Error, wraps(x, zeros({0}, uint8, {host}))) ==
          "kernel 'wraps': integer division by zero: 0 / 0 at wraps (operation)(1:7)");
}

TEST_CASE("gathers wrap around a raw array of any layout", "[host_loops]") {
    const ElementwiseKernel gather(
        "T x, raw T r", "T z", "z = x + r[(i * 3 + 1) % r.size()]", "gather_around");
    const Array x = arange(1000, int32, {host}).reshape({10, 100});
    const Array r = arange(22, int32, {host}).slice({Range{21, 0, -2}});
    std::vector<std::int32_t> expected;
    for (std::int32_t i = 0; i < 1000; ++i) expected.push_back(i + 21 - (i * 3 + 1) % 11 * 2);
    CHECK(elements<std::int32_t>(gather(x, r)) == expected);
}

TEST_CASE("indices that wrap at a number are right in every order of the axes", "[host_loops]") {
    const ElementwiseKernel marks(
        "T x",
        "T z",
        "z = x + i % 7 * 1000 + _ind.get()[1] % 3 * 100 - -_ind.get()[0] % 2",
        "marks");
    for (const bool turned : {false, true}) {
        const Array x = zeros({40, 50}, int64, {host});
        const Array z = marks(turned ? x.transpose() : x);
        const std::int64_t columns = turned ? 40 : 50;
        std::vector<std::int64_t> expected;
        for (std::int64_t i = 0; i < 2000; ++i)
            expected.push_back(i % 7 * 1000 + i % columns % 3 * 100 + i / columns % 2);
        CHECK(elements<std::int64_t>(z) == expected);
    }
    // The type of a remainder is that of an index, so it may become negative and large.
    const ElementwiseKernel types(
        "T x", "int64 z", "z = (i % 3 - 1) * 4000000000", "types_of_marks");
    CHECK(elements<std::int64_t>(types(zeros({3}, int8, {host}))) ==
          std::vector<std::int64_t>{-4000000000, 0, 4000000000});
}

TEST_CASE("short strides are right for inputs and outputs", "[host_loops]") {
    const ElementwiseKernel add("T x, T y", "T z", "z = 2 * x + y", "add_sparse");
    for (const std::int64_t step : {2, 3, 4, 5}) {
        for (const std::int64_t count : {1, 7, 64, 1001}) {
            INFO("step " << step << ", " << count << " elements");
            const Array x = arange(count * step, int32, {host}).slice({Range{0, {}, step}});
            const Array y = arange(count, int32, {host});
            const Array all = full({count * step}, -1, int32, {host});
            add(x, y, out(all.slice({Range{0, {}, step}})));
            std::vector<std::int32_t> expected(static_cast<std::size_t>(count * step), -1);
            for (std::int64_t k = 0; k < count; ++k)
                expected[static_cast<std::size_t>(k * step)] =
                    static_cast<std::int32_t>(2 * k * step + k);
            CHECK(elements<std::int32_t>(all) == expected);
        }
    }
}
