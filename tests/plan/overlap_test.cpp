// SPDX-License-Identifier: MIT
#include "plan/overlap.hpp"

#include <set>

#include "support/catch.hpp"
#include "support/layouts.hpp"

using namespace kgen;

namespace {

constexpr std::uintptr_t base = 1 << 20;

Operand random_operand(test::Random& random) {
    Operand operand;
    const DType dtypes[] = {uint8, int16, float32, float64};
    operand.dtype = dtypes[test::pick(random, 0, 3)];
    operand.shape = test::random_shape(random, 3, 5);
    operand.strides = Dims::filled(operand.shape.rank(), 0);
    // Strides are arbitrary, so windows and interleaved elements occur.
    for (std::int64_t& stride : operand.strides) stride = test::pick(random, -24, 24);
    operand.address = base + static_cast<std::uintptr_t>(test::pick(random, 0, 60));
    return operand;
}

// Returns each byte as often as it belongs to an element.
std::multiset<std::uintptr_t> bytes_of(const Operand& operand) {
    std::multiset<std::uintptr_t> bytes;
    for (const std::int64_t offset : test::naive_offsets(operand.shape, operand.strides)) {
        for (std::size_t byte = 0; byte < item_size(operand.dtype); ++byte) {
            bytes.insert(operand.address + static_cast<std::uintptr_t>(offset) + byte);
        }
    }
    return bytes;
}

}  // namespace

TEST_CASE("arrays have common bytes exactly where brute force finds one", "[plan]") {
    test::Random random(4);
    int overlapping = 0;
    for (int round = 0; round < 3000; ++round) {
        const Operand a = random_operand(random);
        const Operand b = random_operand(random);
        const auto left = bytes_of(a);
        bool expected = false;
        for (const std::uintptr_t byte : bytes_of(b)) expected = expected || left.count(byte) != 0;
        overlapping += expected ? 1 : 0;
        CHECK(have_common_bytes(a, b) == expected);
    }
    CHECK(overlapping > 300);
    CHECK(overlapping < 2700);
}

TEST_CASE("an array overlaps itself exactly where brute force finds a byte twice", "[plan]") {
    test::Random random(5);
    int overlapping = 0;
    for (int round = 0; round < 3000; ++round) {
        const Operand a = random_operand(random);
        const auto bytes = bytes_of(a);
        const bool expected =
            std::set<std::uintptr_t>(bytes.begin(), bytes.end()).size() != bytes.size();
        overlapping += expected ? 1 : 0;
        CHECK(overlaps_itself(a) == expected);
    }
    CHECK(overlapping > 300);
    CHECK(overlapping < 2700);
}

TEST_CASE("even and odd elements do not overlap, however many there are", "[plan]") {
    Operand even{.dtype = float32, .shape = {1 << 28}, .strides = {8}, .address = base};
    Operand odd = even;
    odd.address += 4;
    CHECK_FALSE(have_common_bytes(even, odd));
    odd.address += 2;
    CHECK(have_common_bytes(even, odd));
    CHECK_FALSE(overlaps_itself(even));
}

TEST_CASE("empty arrays overlap nothing", "[plan]") {
    const Operand empty{.dtype = float32, .shape = {0, 3}, .strides = {0, 0}, .address = base};
    const Operand full{.dtype = float32, .shape = {3}, .strides = {4}, .address = base};
    CHECK_FALSE(have_common_bytes(empty, full));
    CHECK_FALSE(overlaps_itself(empty));
}
