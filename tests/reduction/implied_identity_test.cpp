// SPDX-License-Identifier: MIT
//
// Largest and smallest elements by reduce expressions without an identity: kgen starts their folds at a value of its own, which no
// result may show.
#include <cmath>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>

#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

enum class Nan : std::uint8_t { kept, skipped };

struct Fold {
    const char* reduce;
    bool largest;
    Nan nan;
};

// Rows, columns and all elements, so few or so many that each loop for them runs.
struct Layout {
    Dims shape;
    int axis;
};

const std::vector<Layout> layouts = {
    {{1, 1}, 1},
    {{1, 4384}, 1},
    {{6, 301}, 1},
    {{301, 5}, 1},
    {{301, 37}, 0},
    {{3, 70000}, 1},
    {{4100, 3}, 0},
    {{2, 4096}, 0},
};

// The fold of two values, by its definition.
template <typename T>
T folded(const Fold& fold, T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a)) return fold.nan == Nan::kept ? a : b;
        if (std::isnan(b)) return fold.nan == Nan::kept ? b : a;
    }
    return (fold.largest ? a > b : a < b) ? a : b;
}

template <typename T>
std::vector<T> folded_along(const Fold& fold, const std::vector<T>& values, const Layout& layout) {
    const std::int64_t rows = layout.shape[0], columns = layout.shape[1];
    std::vector<T> results;
    for (std::int64_t r = 0; r < (layout.axis == 1 ? rows : columns); ++r) {
        const std::int64_t step = layout.axis == 1 ? 1 : columns;
        const std::int64_t first = layout.axis == 1 ? r * columns : r;
        T result = values[static_cast<std::size_t>(first)];
        for (std::int64_t k = 1; k < layout.shape[layout.axis]; ++k)
            result = folded(fold, result, values[static_cast<std::size_t>(first + k * step)]);
        results.push_back(result);
    }
    return results;
}

template <typename T>
bool is_same(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b;
}

// Checks the fold of arrays whose elements `draw` returns, for each layout on each device.
template <typename T, typename Draw>
void check(const Fold& fold, DType dtype, const std::string& reduce_type, const Draw& draw) {
    const ReductionKernel kernel("T x",
                                 "T y",
                                 "x",
                                 fold.reduce,
                                 "y = a",
                                 "",
                                 "fold",
                                 {.reduce_type = reduce_type});
    for (const Device device : present_devices()) {
        for (const Layout& layout : layouts) {
            std::vector<T> values;
            for (std::int64_t k = 0; k < layout.shape[0] * layout.shape[1]; ++k)
                values.push_back(draw());
            INFO(fold.reduce << ", " << to_text(dtype) << ", " << to_text(layout.shape) << ", axis "
                             << layout.axis << ", " << to_text(device));
            const std::vector<T> expected = folded_along(fold, values, layout);
            const Array x = from_host(values.data(), dtype, layout.shape, {.device = device});
            const std::vector<T> got = kernel({x}, {.axes = std::vector<int>{layout.axis}}).to_vector<T>();
            REQUIRE(got.size() == expected.size());
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < got.size(); ++k) wrong += is_same(got[k], expected[k]) ? 0 : 1;
            CHECK(wrong == 0);
        }
    }
}

constexpr Fold real_folds[] = {
    {"max(a, b)", true, Nan::skipped},
    {"min(a, b)", false, Nan::skipped},
    {"a > b || a != a ? a : b", true, Nan::kept},
    {"a < b || a != a ? a : b", false, Nan::kept},
};

template <typename T>
void check_reals(DType dtype) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
    std::mt19937 random(7);
    for (const Fold& fold : real_folds) {
        check<T>(fold, dtype, "", [&] { return nan; });
        check<T>(fold, dtype, "", [&] { return fold.largest ? -inf : inf; });
        check<T>(fold, dtype, "", [&] { return random() % 2 == 0 ? nan : fold.largest ? -inf : inf; });
        check<T>(fold, dtype, "", [&] {
            return random() % 40 == 0 ? nan : static_cast<T>(random() % 1000) - T(500);
        });
    }
}

}  // namespace

TEST_CASE("the largest and smallest floats need no identity, whatever becomes of NaN",
          "[reduction]") {
    check_reals<float>(float32);
    check_reals<double>(float64);
}

TEST_CASE("the largest and smallest integers need no identity, up to the limits of the accumulator",
          "[reduction]") {
    std::mt19937_64 random(8);
    const auto check_type = [&]<typename T>(T, DType dtype, const std::string& reduce_type) {
        for (const Fold& fold : {Fold{"max(a, b)", true, Nan::kept},
                                 Fold{"a < b ? a : b", false, Nan::kept}}) {
            const T last = fold.largest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
            check<T>(fold, dtype, reduce_type, [&] { return last; });
            check<T>(fold, dtype, reduce_type, [&] { return static_cast<T>(random()); });
        }
    };
    check_type(std::uint8_t(), uint8, "");
    check_type(std::int32_t(), int32, "");
    check_type(std::int8_t(), int8, "int8");
    check_type(std::uint16_t(), uint16, "uint16");
    check_type(std::uint32_t(), uint32, "uint32");
    check_type(std::int64_t(), int64, "int64");
}
