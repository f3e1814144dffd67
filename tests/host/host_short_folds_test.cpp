// SPDX-License-Identifier: MIT
//
// The host's loop for short folds, and the coordinates that its loops count, compared with plain loops over
// indices.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plan/walk.hpp"
#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/placed.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Calls visit(index) for each index of the shape in C order.
template <typename Visit>
void for_each_index(const Dims& shape, Visit visit) {
    Dims index = Dims::filled(shape.rank(), 0);
    for (std::int64_t k = 0; k < count_of(shape); ++k) {
        visit(index);
        for (int axis = shape.rank() - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis)
            index[axis] = 0;
    }
}

std::int64_t place(const Dims& shape, const Dims& index) {
    std::int64_t k = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) k = k * shape[axis] + index[axis];
    return k;
}

// Returns the place of the index among those along the axes in `set`.
std::int64_t place_along(AxisSet set, const Dims& shape, const Dims& index) {
    std::int64_t k = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if ((set >> axis & 1) != 0) k = k * shape[axis] + index[axis];
    }
    return k;
}

// Returns the elements of `dims` along the axes, or along all others.
Dims part(const Dims& dims, const std::vector<int>& axes, bool along) {
    Dims result;
    for (int axis = 0; axis < dims.rank(); ++axis) {
        const bool is_one = std::find(axes.begin(), axes.end(), axis) != axes.end();
        if (is_one == along) result.push_back(dims[axis]);
    }
    return result;
}

// The same array in other memory: its axes lie there in the opposite order.
Array turned(const Array& array) {
    return array.transpose().copy().transpose();
}

// Every second element of an array that has twice as many along its last axis.
Array every_other(Dims shape, DType dtype) {
    std::vector<Range> ranges(static_cast<std::size_t>(shape.rank()));
    ranges.back() = Range{{}, {}, 2};
    shape[shape.rank() - 1] *= 2;
    return zeros(shape, dtype, {host}).slice(ranges);
}

struct Fold {
    Dims shape;
    std::vector<int> axes;
};

}  // namespace

TEST_CASE("short folds are right, whatever is reduced and however the operands lie",
          "[host_reduction]") {
    const Fold folds[] = {{{1, 40, 3}, {0}},
                          {{700, 2}, {1}},
                          {{3, 700}, {0}},
                          {{9, 8, 50}, {1}},
                          {{40, 9, 6}, {1}},
                          {{300, 20, 6}, {1}},
                          {{11, 5, 4, 3, 7}, {1, 3}},
                          {{600, 4, 2}, {0}},
                          {{5, 600, 3}, {1}},
                          {{130, 7, 70}, {1}}};
    int short_ones = 0;
    for (const Fold& fold : folds) {
        const std::int64_t last = fold.shape[fold.shape.rank() - 1];
        const auto x_values = numbers(count_of(fold.shape), 3);
        const auto w_values = numbers(last, 4);
        const Dims kept = part(fold.shape, fold.axes, false);
        AxisSet reduced_set = 0;
        for (const int axis : fold.axes) reduced_set |= AxisSet{1} << axis;
        const AxisSet kept_set = (AxisSet{1} << fold.shape.rank()) - 1 - reduced_set;
        const auto outputs = static_cast<std::size_t>(count_of(kept));
        std::vector<std::int64_t> totals(outputs, 0);
        std::vector<std::int64_t> sums(outputs, 0);
        std::vector<std::int64_t> twice(outputs, 0);
        std::vector<std::int32_t> low(outputs, 20000);
        std::vector<std::int32_t> high(outputs, -1);
        for_each_index(fold.shape, [&](const Dims& index) {
            const std::int64_t i = place(fold.shape, index);
            const auto o = static_cast<std::size_t>(place_along(kept_set, fold.shape, index));
            const std::int32_t x = x_values[static_cast<std::size_t>(i)];
            const std::int64_t w = w_values[static_cast<std::size_t>(index[index.rank() - 1])];
            totals[o] += x * w + 3 * place_along(reduced_set, fold.shape, index) + i % 5;
            low[o] = std::min(low[o], x);
            high[o] = std::max(high[o], x);
        });
        for (std::size_t o = 0; o < outputs; ++o) {
            sums[o] = totals[o] + 2 * static_cast<std::int64_t>(o);
            twice[o] = 2 * totals[o];
        }
        const Array x = from_vector(x_values, fold.shape, {host});
        const Array w = from_vector(w_values, {last}, {host});
        const std::span<const int> axes(fold.axes);
        for (const char* loop : {"", "short_folds"}) {
            INFO(loop << " " << to_text(fold.shape));
            const Array dense = zeros(kept, int64, {host}), spread = every_other(kept, int64);
            const ScopedVariable forced("KGEN_LOOP", std::string(loop));
            const ReductionKernel sum("T x, T w",
                                      "int64 s, int64 t",
                                      "x * (int64)w + 3 * _J + i % 5",
                                      "a + b",
                                      "s = a + 2 * _i; t += a",
                                      "0",
                                      "short_sum");
            const ReductionKernel least(
                "T x",
                "T low, T high",
                "Ends{x, x}",
                "Ends{min(a.low, b.low), max(a.high, b.high)}",
                "low = a.low; high = a.high",
                "",
                "short_ends",
                {.reduce_type = "Ends", .preamble = "struct Ends { int low, high; };"});
            for (const auto& [given, s] : {std::pair{x, dense}, std::pair{turned(x), spread}}) {
                const Array t = turned(zeros(kept, int64, {host}));
                sum.call<2>(given, w, axis(axes), out(s), out(t));
                sum.call<2>(given, w, axis(axes), out(s), out(t));
                CHECK(elements<std::int64_t>(s.copy()) == sums);
                CHECK(elements<std::int64_t>(t.copy()) == twice);
                const auto [lows, highs] = least.call<2>(given, axis(axes));
                CHECK(elements<std::int32_t>(lows) == low);
                CHECK(elements<std::int32_t>(highs) == high);
                const std::string plan =
                    least
                        .explain(
                            std::vector<Argument>{given}, {.axes = fold.axes}, {.device = host})
                        .plan;
                if (has_part(plan, "at once") || has_part(plan, "short rows of outputs"))
                    ++short_ones;
            }
        }
    }
    CHECK(short_ones >= 30);
}

TEST_CASE("coordinates are counted along axes that are permuted, reversed or short",
          "[host_loops]") {
    const Dims shapes[] = {{300, 3}, {7, 1, 90}, {4, 50, 5, 3}, {40, 60}, {1, 1}, {6, 70, 9}};
    for (const char* loop : {"", "rows", "short_rows", "tiles"}) {
        for (const Dims& shape : shapes) {
            const auto values = numbers(count_of(shape), 5);
            std::string body = "y = x + 2 * i";
            for (int axis = 0; axis < shape.rank(); ++axis)
                body += " + " + std::to_string(1000 + axis) + " * _ind.get()[" +
                        std::to_string(axis) + "]";
            std::vector<std::int64_t> expected;
            std::size_t k = 0;
            for_each_index(shape, [&](const Dims& index) {
                expected.push_back(values[k] + 2 * static_cast<std::int64_t>(k));
                for (int axis = 0; axis < shape.rank(); ++axis)
                    expected.back() += (1000 + axis) * index[axis];
                ++k;
            });
            const Array x = from_vector(values, shape, {host});
            std::vector<Range> backwards(static_cast<std::size_t>(shape.rank()));
            backwards.front() = backwards.back() = Range{{}, {}, -1};
            const Array reversed = x.slice(backwards).copy().slice(backwards);
            const Array y = zeros(shape, int64, {host});
            for (const Array& given : {x, turned(x), reversed}) {
                for (const Array& result :
                     {y, turned(y), every_other(shape, int64), y.slice(backwards)}) {
                    INFO(loop << " " << to_text(shape) << " " << to_text(given.strides()) << " "
                              << to_text(result.strides()));
                    const ScopedVariable forced("KGEN_LOOP", std::string(loop));
                    const ElementwiseKernel kernel("T x", "int64 y", body, "with_coordinates");
                    try {
                        kernel(given, out(result));
                    } catch (const ShapeError&) {
                        continue;  // the loop cannot run this call
                    }
                    CHECK(elements<std::int64_t>(result.copy()) == expected);
                }
            }
        }
    }
}
