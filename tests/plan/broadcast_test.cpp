// SPDX-License-Identifier: MIT
#include "plan/broadcast.hpp"

#include <algorithm>
#include <optional>

#include "support/catch.hpp"
#include "support/layouts.hpp"

using namespace kgen;

TEST_CASE("shapes broadcast as NumPy documents", "[plan]") {
    struct Case {
        std::vector<Dims> shapes;
        std::optional<Dims> common;
    };
    const Case cases[] = {
        {{{2, 5}, {5}}, Dims{2, 5}},
        {{{8, 1, 6, 1}, {7, 1, 5}}, Dims{8, 7, 6, 5}},
        {{{256, 256, 3}, {3}}, Dims{256, 256, 3}},
        {{{}, {4}}, Dims{4}},
        {{{}, {}}, Dims{}},
        {{{0}, {1}}, Dims{0}},
        {{{3, 0}, {1}}, Dims{3, 0}},
        {{{3}, {4}}, std::nullopt},
        {{{2, 1}, {8, 4, 3}}, std::nullopt},
        {{{0}, {2}}, std::nullopt},
    };
    for (const Case& row : cases) {
        Dims common;
        const bool fits = std::all_of(row.shapes.begin(), row.shapes.end(), [&](const Dims& shape) {
            const Dims before = common;
            const bool both = broadcast_to_both(common, shape);
            CHECK((both || common == before));
            return both;
        });
        CHECK(fits == row.common.has_value());
        if (row.common) CHECK(common == *row.common);
    }
}

TEST_CASE("broadcast strides visit the elements that a naive loop visits", "[plan]") {
    test::Random random(1);
    for (int round = 0; round < 500; ++round) {
        const Dims loop = test::random_shape(random, 5, 4);
        // An array that broadcasts to the loop: leading axes are dropped, some extents are 1.
        const auto drop = static_cast<int>(test::pick(random, 0, loop.rank()));
        Dims shape;
        for (int axis = drop; axis < loop.rank(); ++axis)
            shape.push_back(test::pick(random, 0, 2) == 0 ? 1 : loop[axis]);
        const Dims strides = test::random_strides(random, shape, 4);
        const Dims walked = broadcast_strides(shape, strides, loop);
        std::vector<std::int64_t> expected;
        std::int64_t count = 1;
        for (const std::int64_t extent : loop) count *= extent;
        for (std::int64_t element = 0; element < count; ++element) {
            std::int64_t rest = element;
            std::int64_t offset = 0;
            for (int axis = loop.rank() - 1; axis >= 0; --axis) {
                const std::int64_t index = rest % loop[axis];
                rest /= loop[axis];
                const int own = axis - drop;
                if (own >= 0 && shape[own] != 1) offset += index * strides[own];
            }
            expected.push_back(offset);
        }
        CHECK(test::naive_offsets(loop, walked) == expected);
    }
}
