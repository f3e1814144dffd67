// SPDX-License-Identifier: MIT
//
// Loops over vectors of rows: row lengths around the vector width, few rows, all kinds of broadcasts.
#include "support/trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::int64_t item_of(DType dtype) {
    return static_cast<std::int64_t>(item_size(dtype));
}

LoopKind loop_of(const Trial& trial) {
    return plan_of(trial).plan.baked.loop;
}

}  // namespace

TEST_CASE("rows around multiples of the vector broadcast right") {
    int reached = 0;
    for (const Device device : present_devices()) {
        for (const std::int64_t inner : {3, 4, 5, 7, 8, 9, 124, 127, 128, 129, 132}) {
            for (const std::int64_t rows : {1, 2, 3, 4, 5}) {
                const Dims shape{rows, inner};
                const Part full = c_part(float32, shape);
                const Part row = c_part(float32, {inner});
                const Part column = c_part(float32, {rows, 1});
                const Part one = c_part(float32, {1, 1});
                for (const auto& [x, y] : {std::pair(full, row),
                                           std::pair(full, column),
                                           std::pair(row, column),
                                           std::pair(column, row),
                                           std::pair(row, one),
                                           std::pair(column, one)}) {
                    Trial trial = with_loop(Trial{{x, y}, full}, "vector_rows");
                    reached += loop_of(trial) == LoopKind::vector_rows ? 1 : 0;
                    check_trial(device, trial);
                    trial.extra = Extra::index;
                    check_trial(device, trial);
                }
            }
        }
    }
    CHECK(reached > 100);
}

TEST_CASE("rows of rank 2 to 6 with gaps between them are right") {
    for (const Device device : present_devices()) {
        const Dims extents{2, 3, 2, 5, 3, 8};
        for (int rank = 2; rank <= 6; ++rank) {
            Dims shape;
            for (int axis = 6 - rank; axis < 6; ++axis) shape.push_back(extents[axis]);
            const Part padded{float32, shape, dense_strides(shape, axis_order(rank), 4, 4)};
            Dims middle = shape;  // one axis broadcast in the middle
            middle[rank / 2 - 1] = 1;
            Trial trial{{padded, c_part(float32, middle)}, c_part(float32, shape)};
            trial = with_loop(trial, "vector_rows");
            CHECK(loop_of(trial) == LoopKind::vector_rows);
            check_trial(device, trial);
            trial.extra = Extra::indices;
            check_trial(device, trial);
            trial.extra = Extra::none;
            std::swap(trial.inputs[0], trial.inputs[1]);
            trial.output = padded;
            check_trial(device, trial);
            // The outermost axis of the output is backward. The walk reverses it.
            trial.output.strides = negated(padded.strides, 0);
            check_trial(device, trial);
        }
    }
}

TEST_CASE("rows of mixed dtypes, and inner strides beside vectors, are right") {
    struct Row {
        DType x, y, z;
    };
    const Row rows[] = {{uint8, float64, float64},
                        {uint8, uint8, float32},
                        {float16, float32, float32},
                        {uint8, uint8, uint8},
                        {complex64, float32, complex64}};
    for (const Device device : present_devices()) {
        for (const Row& row : rows) {
            for (const std::int64_t inner : {15, 16, 32, 48}) {
                const Dims shape{3, inner};
                const std::int64_t y_item = item_of(row.y);
                const Part x = c_part(row.x, {inner});
                for (const Dims& strides : {Dims{inner * y_item, y_item},
                                            Dims{2 * inner * y_item, 2 * y_item},
                                            Dims{inner * y_item, -y_item},
                                            Dims{2 * inner * y_item, -2 * y_item}}) {
                    const Trial trial{{x, {row.y, shape, strides}}, c_part(row.z, shape)};
                    check_trial(device, with_loop(trial, "vector_rows"));
                }
            }
        }
    }
    const Dims shape{3, 32};
    Trial strided{{c_part(float32, {32}), {float32, shape, {256, 8}}}, {float32, shape, {144, 4}}};
    strided = with_loop(strided, "vector_rows");
    CHECK(loop_of(strided) == LoopKind::vector_rows);
    CHECK(plan_of(strided).plan.baked.operands[1].access == Access::elements);
    for (const Device device : present_devices()) check_trial(device, strided);
}

TEST_CASE("outer products, one output and two, are right") {
    const ElementwiseKernel both("T x, T y", "T z, T w", "z = x * y; w = x + y", "outer_both");
    for (const Device device : present_devices()) {
        for (const std::int64_t inner : {4, 31, 32, 124, 128, 256}) {
            for (const std::int64_t rows : {1, 2, 3, 4, 5, 65}) {
                std::vector<double> x_values, y_values, product, sum;
                for (std::int64_t k = 0; k < rows; ++k)
                    x_values.push_back(static_cast<double>(k % 13));
                for (std::int64_t k = 0; k < inner; ++k)
                    y_values.push_back(static_cast<double>(k % 11));
                for (const double x : x_values) {
                    for (const double y : y_values) {
                        product.push_back(x * y);
                        sum.push_back(x + y);
                    }
                }
                const Array x = from_vector(x_values, {rows, 1}, {device});
                const Array y = from_vector(y_values, {1, inner}, {device});
                const auto [z, w] = both.call<2>(x, y);
                CHECK(elements<double>(z) == product);
                CHECK(elements<double>(w) == sum);
            }
        }
    }
}

TEST_CASE("rows in place, misaligned, and with blocks of any size are right") {
    for (const Device device : present_devices()) {
        for (const std::int64_t rows : {1, 2, 3, 33}) {
            const Dims shape{rows, 64};
            for (const std::int64_t shift : {0, 4, 8, 12}) {
                Trial trial{{c_part(float32, shape, shift), c_part(float32, {64}, shift)},
                            c_part(float32, shape, shift)};
                trial.in_place = 0;
                check_trial(device, trial);
                for (const int block : {1, 33, 96, 1024}) {
                    trial.block_size = block;
                    check_trial(device, trial);
                }
            }
        }
    }
    SUCCEED();
}
