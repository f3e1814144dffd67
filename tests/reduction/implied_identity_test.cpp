// SPDX-License-Identifier: MIT
//
// Largest and smallest elements by reduce expressions without an identity: kgen starts their folds at a value of its own, which no
// result may show.
#include <cmath>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <span>
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
void check(const Fold& fold,
           DType dtype,
           const std::string& reduce_type,
           const std::vector<Device>& devices,
           const Draw& draw) {
    const ReductionKernel kernel(
        "T x", "T y", "x", fold.reduce, "y = a", "", "fold", {.reduce_type = reduce_type});
    for (const Device device : devices) {
        for (const Layout& layout : layouts) {
            std::vector<T> values;
            for (std::int64_t k = 0; k < layout.shape[0] * layout.shape[1]; ++k)
                values.push_back(draw());
            INFO(fold.reduce << ", " << to_text(dtype) << ", " << to_text(layout.shape) << ", axis "
                             << layout.axis << ", " << to_text(device));
            const std::vector<T> expected = folded_along(fold, values, layout);
            const Array x = from_host(values.data(), dtype, layout.shape, {.device = device});
            const std::vector<T> got = kernel(x, axis(layout.axis)).template to_vector<T>();
            REQUIRE(got.size() == expected.size());
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < got.size(); ++k)
                wrong += is_same(got[k], expected[k]) ? 0 : 1;
            CHECK(wrong == 0);
        }
    }
}

constexpr Fold real_folds[] = {
    {"max(a, b)", true, Nan::skipped},
    {"a < b || a != a ? a : b", false, Nan::kept},
    {"min(a, b)", false, Nan::skipped},
    {"a > b || a != a ? a : b", true, Nan::kept},
};

// Checks the first `count` of real_folds.
template <typename T>
void check_reals(DType dtype, std::size_t count, const std::vector<Device>& devices) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
    std::mt19937 random(7);
    for (const Fold& fold : std::span(real_folds).first(count)) {
        const T last = fold.largest ? -inf : inf;
        check<T>(fold, dtype, "", devices, [&] { return nan; });
        check<T>(fold, dtype, "", devices, [&] { return last; });
        check<T>(fold, dtype, "", devices, [&] { return random() % 2 == 0 ? nan : last; });
        check<T>(fold, dtype, "", devices, [&] {
            return random() % 40 == 0 ? nan : static_cast<T>(random() % 1000) - T(500);
        });
    }
}

}  // namespace

TEST_CASE("the largest and smallest floats need no identity, whatever becomes of NaN",
          "[reduction]") {
    const std::vector<Device> devices = present_devices();
    check_reals<float>(float32, 4, devices);
    check_reals<double>(float64, 2, devices);
}

TEST_CASE("the largest and smallest integers need no identity, up to the limits of the accumulator",
          "[reduction]") {
    constexpr Fold largest = {"max(a, b)", true, Nan::kept};
    constexpr Fold least = {"a < b ? a : b", false, Nan::kept};
    const std::vector<Device> devices = present_devices();
    std::mt19937_64 random(8);
    const auto check_type = [&]<typename T>(
                                T last, const Fold& fold, DType dtype, const char* reduce_type) {
        check<T>(fold, dtype, reduce_type, devices, [&] { return last; });
        check<T>(fold, dtype, reduce_type, devices, [&] { return static_cast<T>(random()); });
    };
    check_type(std::numeric_limits<std::int32_t>::min(), largest, int32, "");
    check_type(std::numeric_limits<std::uint8_t>::max(), least, uint8, "");
    check_type(std::numeric_limits<std::int8_t>::min(), largest, int8, "int8");
    check_type(std::numeric_limits<std::uint32_t>::max(), least, uint32, "uint32");
    check_type(std::numeric_limits<std::int64_t>::max(), least, int64, "int64");
    check_type(std::numeric_limits<std::int64_t>::min(), largest, int64, "int64");
}
