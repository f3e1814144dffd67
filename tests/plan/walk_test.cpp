// SPDX-License-Identifier: MIT
#include "plan/walk.hpp"

#include <algorithm>

#include "plan/broadcast.hpp"
#include "support/catch.hpp"
#include "support/layouts.hpp"

using namespace kgen;

namespace {

// Returns the offsets of all operands at each step of the walk.
std::vector<std::vector<std::int64_t>> joint_offsets(const Dims& shape,
                                                     const StrideRows& strides,
                                                     std::span<const std::int64_t> start) {
    std::vector<std::vector<std::int64_t>> steps;
    for (std::size_t k = 0; k < strides.size(); ++k) {
        const std::vector<std::int64_t> offsets = test::naive_offsets(shape, Dims(strides[k]));
        steps.resize(offsets.size());
        for (std::size_t j = 0; j < offsets.size(); ++j) steps[j].push_back(offsets[j] + start[k]);
    }
    return steps;
}

}  // namespace

TEST_CASE("a walk visits what a naive loop visits, in C order if that is asked", "[plan]") {
    test::Random random(2);
    for (int round = 0; round < 2000; ++round) {
        const Dims shape = test::random_shape(random, 5, 4);
        StrideRows strides;
        for (int k = 0; k < 3; ++k) strides.push_back(test::random_strides(random, shape, 4));
        auto expected = joint_offsets(shape, strides, std::vector<std::int64_t>(3));
        for (const Merging merging : {Merging::yes, Merging::no}) {
            const Walk logical = make_walk(shape, strides, AxisOrder::logical, merging);
            CHECK(joint_offsets(logical.extents, logical.strides, logical.offsets) == expected);
        }
        const Walk sorted = make_walk(shape, strides, AxisOrder::memory);
        auto visited = joint_offsets(sorted.extents, sorted.strides, sorted.offsets);
        std::sort(visited.begin(), visited.end());
        std::sort(expected.begin(), expected.end());
        CHECK(visited == expected);
    }
}

TEST_CASE("walks have as few axes as their operands allow", "[plan]") {
    struct Case {
        std::string what;
        Dims shape;
        StrideRows strides;
        Dims extents;
    };
    const Case cases[] = {
        {"all contiguous", {4, 5, 6}, {{120, 24, 4}, {120, 24, 4}}, {120}},
        {"all in Fortran order", {4, 5}, {{4, 16}, {4, 16}}, {20}},
        {"a row that is broadcast", {4, 5}, {{20, 4}, {0, 4}}, {4, 5}},
        {"one number", {4, 5}, {{20, 4}, {0, 0}}, {20}},
        {"a transposed operand", {4, 5}, {{20, 4}, {4, 16}}, {4, 5}},
        {"both reversed alike", {20}, {{-4}, {-4}}, {20}},
        {"axes of extent 1", {1, 4, 1, 5}, {{80, 20, 20, 4}, {0, 20, 0, 4}}, {20}},
        {"NHWC as seen in NCHW", {2, 3, 4, 5}, {{240, 4, 60, 12}, {240, 4, 60, 12}}, {120}},
        {"one element", {1, 1}, {{4, 4}}, {}},
    };
    for (const Case& row : cases) {
        INFO(row.what);
        CHECK(make_walk(row.shape, row.strides, AxisOrder::memory).extents == row.extents);
    }
}

TEST_CASE("new outputs are dense and lie in memory as the inputs do", "[plan]") {
    CHECK(k_strides({2, 5}, StrideRows{{20, 4}}, 4) == Dims{20, 4});
    CHECK(k_strides({2, 5}, StrideRows{{4, 8}}, 8) == Dims{8, 16});
    CHECK(k_strides({2, 3, 4}, StrideRows{{4, 32, 8}}, 4) == Dims{4, 32, 8});
    CHECK(k_strides({2, 3}, StrideRows{{-12, -4}}, 4) == Dims{12, 4});
    CHECK(k_strides({2, 3}, StrideRows{}, 4) == Dims{12, 4});
    CHECK(k_strides({2, 3}, StrideRows{{0, 4}, {4, 8}}, 4) == Dims{4, 8});
    test::Random random(3);
    for (int round = 0; round < 500; ++round) {
        const Dims shape = test::random_shape(random, 5, 4);
        const StrideRows inputs = {test::random_strides(random, shape, 4),
                                   test::random_strides(random, shape, 4)};
        std::vector<std::int64_t> offsets = test::naive_offsets(shape, k_strides(shape, inputs, 4));
        std::sort(offsets.begin(), offsets.end());
        for (std::size_t k = 0; k < offsets.size(); ++k)
            CHECK(offsets[k] == static_cast<std::int64_t>(4 * k));
    }
}
