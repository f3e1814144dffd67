// SPDX-License-Identifier: MIT
#include "dtype/inline_vector.hpp"

#include <numeric>

#include "support/catch.hpp"

using namespace kgen;

namespace {

// Returns 0, 1, 2, ...
InlineVector<int, 4> counted(std::size_t size) {
    InlineVector<int, 4> values;
    for (std::size_t k = 0; k < size; ++k) values.push_back(static_cast<int>(k));
    return values;
}

bool is_counted(const InlineVector<int, 4>& values, std::size_t size) {
    if (values.size() != size) return false;
    for (std::size_t k = 0; k < size; ++k) {
        if (values[k] != static_cast<int>(k)) return false;
    }
    return true;
}

}  // namespace

TEST_CASE("an inline vector keeps its values when it is copied, moved and assigned to", "[dtype]") {
    // Up to 4 values are stored inline, more are on the heap.
    for (const std::size_t size : {0, 3, 4, 5, 40}) {
        const InlineVector<int, 4> values = counted(size);
        CHECK(is_counted(values, size));
        InlineVector<int, 4> copy = values;
        CHECK(is_counted(copy, size));
        InlineVector<int, 4> moved = std::move(copy);
        CHECK(is_counted(moved, size));
        for (const std::size_t other : {0, 2, 9}) {
            InlineVector<int, 4> target = counted(other);
            target = values;
            CHECK(is_counted(target, size));
            target = counted(other);
            target = std::move(moved);
            CHECK(is_counted(target, size));
            moved = target;
        }
        CHECK(moved == values);
        moved.push_back(-1);
        CHECK(!(moved == values));
    }
}

TEST_CASE("an inline vector that is resized keeps its first values and fills the others",
          "[dtype]") {
    InlineVector<int, 4> values = {0, 1, 2};
    values.resize(2);
    values.resize(7, 5);
    CHECK(values == InlineVector<int, 4>{0, 1, 5, 5, 5, 5, 5});
    CHECK(std::accumulate(values.begin(), values.end(), 0) == 26);
    values.resize(1);
    values.push_back(values[0]);
    CHECK(values == InlineVector<int, 4>{0, 0});
}
