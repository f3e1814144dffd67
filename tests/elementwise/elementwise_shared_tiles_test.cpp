// SPDX-License-Identifier: MIT
//
// Loops over tiles in shared memory: transposed inputs with sizes around every threshold of the tiles.
#include <array>

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

Part turned_part(DType dtype, const Dims& shape) {
    return {dtype, shape, f_order(shape, item_of(dtype))};
}

// Checks the trial with tiles on GPUs, also if the plan chooses another loop because there are few elements.
void check_tiles(Device device, const Trial& trial) {
    const Trial tiled = with_loop(trial, "shared_tiles");
    CHECK(tiled.loop_name == "shared_tiles");
    check_trial(device, tiled);
}

}  // namespace

TEST_CASE("transposed inputs are right at all extents around tiles and patches") {
    const std::array<DType, 5> dtypes = {float32, uint8, float16, float64, complex128};
    for (const Device device : present_devices()) {
        std::size_t next = 0;
        for (const std::int64_t a :
             {15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257}) {
            for (const std::int64_t b : {2, 3, 5, 16, 64, 255, 256, 257}) {
                const DType dtype = dtypes[next++ % dtypes.size()];
                const Dims shape{b, a};
                check_tiles(device, {{turned_part(dtype, shape)}, c_part(dtype, shape)});
            }
        }
    }
    SUCCEED();
}

TEST_CASE("tiles serve large transposed arrays, and small ones are right with any loop") {
    const auto loop_for = [](const Dims& shape) {
        return loop_of({{turned_part(float32, shape)}, c_part(float32, shape)});
    };
    CHECK(loop_for({64, 64}) == LoopKind::flat);
    CHECK(loop_for({1024, 1024}) == LoopKind::shared_tiles);
    CHECK(loop_for({4096, 4096}) == LoopKind::shared_tiles);
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{64, 64}, {256, 16}, {273, 15}, {255, 16}, {63, 65}})
            check_tiles(device, {{turned_part(float32, shape)}, c_part(float32, shape)});
    }
}

TEST_CASE("tiled inputs of several dtypes are right beside direct ones of every kind") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{65, 67}, {64, 64}, {48, 100}, {5, 1027}, {1031, 17}}) {
            Trial mixed{{turned_part(uint8, shape),
                         turned_part(float32, shape),
                         turned_part(float64, shape),
                         turned_part(complex128, shape)},
                        c_part(complex128, shape)};
            check_tiles(device, mixed);
            const Dims gaps{2 * shape[1] * 8, 8};  // every other float32
            Trial beside{{turned_part(float32, shape),
                          c_part(uint8, shape),
                          c_part(float64, {shape[0], 1}),
                          {float32, shape, gaps}},
                         c_part(float64, shape)};
            check_tiles(device, beside);
            beside.inputs[2] = c_part(float64, {shape[1]});
            beside.inputs[1] = c_part(uint8, {1, 1});
            beside.extra = Extra::indices;
            check_tiles(device, beside);
        }
    }
}

TEST_CASE("reversed axes of tiled inputs and of outputs are right, and so is the index") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{64, 80}, {67, 71}}) {
            for (const int axis : {0, 1}) {
                for (const Extra extra : {Extra::none, Extra::index, Extra::indices}) {
                    Trial trial{{turned_part(float32, shape), c_part(int32, shape)},
                                c_part(float32, shape),
                                extra};
                    trial.inputs[0].strides = negated(trial.inputs[0].strides, axis);
                    check_tiles(device, trial);
                    trial.inputs[1].strides = negated(trial.inputs[1].strides, axis);
                    check_tiles(device, trial);
                    trial.output.strides = negated(trial.output.strides, 1 - axis);
                    check_tiles(device, trial);
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("tiles with outer axes in any order, up to rank 6, are right") {
    struct Row {
        Dims shape;
        std::vector<int> order;
    };
    const Row rows[] = {{{3, 36, 40}, {0, 2, 1}},
                        {{36, 3, 40}, {2, 1, 0}},
                        {{36, 3, 40}, {1, 2, 0}},
                        {{2, 3, 34, 33}, {1, 3, 0, 2}},
                        {{2, 33, 3, 34}, {3, 0, 2, 1}},
                        {{3, 2, 4, 5, 36}, {0, 4, 3, 2, 1}},
                        {{2, 3, 2, 3, 12, 18}, {2, 5, 0, 3, 1, 4}},
                        {{2, 3, 2, 12, 3, 18}, {5, 4, 1, 0, 2, 3}}};
    for (const Device device : present_devices()) {
        for (const Row& row : rows) {
            for (const Extra extra : {Extra::none, Extra::index, Extra::indices}) {
                Trial trial{{ordered_part(float32, row.shape, row.order),
                             c_part(float32, {row.shape[row.shape.rank() - 1]})},
                            c_part(float32, row.shape),
                            extra};
                trial.loop_name = "shared_tiles";
                CHECK(loop_of(trial) == LoopKind::shared_tiles);
                check_tiles(device, trial);
            }
        }
    }
}

TEST_CASE("tiles in place of a direct input, misaligned and with blocks of any size are right") {
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{64, 96}, {63, 66}}) {
            for (const std::int64_t shift : {0, 4, 8}) {
                Trial trial{{turned_part(float32, shape), c_part(float32, shape, shift)},
                            c_part(float32, shape, shift)};
                trial.in_place = 1;
                check_tiles(device, trial);
                trial.inputs[0].shift = 8 - shift;
                for (const int block : {1, 33, 96, 1024}) {
                    trial.block_size = block;
                    check_tiles(device, trial);
                    CHECK(plan_of(trial).plan.runtime.threads == block);
                }
            }
        }
        for (const int block : {1, 33, 96, 1024}) {
            for (const DType dtype : {uint8, float16, complex128}) {
                Trial trial{{turned_part(dtype, {64, 128})}, c_part(dtype, {64, 128})};
                trial.block_size = block;
                check_tiles(device, trial);
            }
        }
    }
}

TEST_CASE("tiles serve _non_const inputs, raw operands and the texts around the loop") {
    const ElementwiseKernel swap("T x, _non_const T y", "T z", "z = y; y = x", "swap_turned");
    const ElementwiseKernel raw("T x, raw T y", "T z", "z = x + y[i % 5]", "raw_beside_tiles");
    const ElementwiseKernel count(
        "int32 x, raw _non_const int32 total",
        "int32 z",
        "seen += 1; z = x",
        "count_elements",
        {.loop_prep = "int seen = 0", .after_loop = "if (seen) atomicAdd(&total[0], seen)"});
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{64, 80}, {67, 71}}) {
            const std::int64_t size = count_of(shape);
            std::vector<std::int32_t> turned, direct, sums;
            for (std::int32_t k = 0; k < size; ++k) {
                turned.push_back(k);
                direct.push_back(-k - 1);
                sums.push_back(k + (k % 5 + 1) * 10000);
            }
            const Placed x = place<std::int32_t>(device, turned, shape, f_order(shape, 4));
            const Placed y = place<std::int32_t>(device, direct, shape, c_order(shape, 4));
            const Placed z = place<std::int32_t>(device, turned, shape, c_order(shape, 4));
            swap(x.array, y.array, out(z.array));
            CHECK(y.values<std::int32_t>() == turned);
            CHECK(z.values<std::int32_t>() == direct);
            CHECK(y.is_clean_around());
            const Array five =
                from_vector<std::int32_t>({10000, 20000, 30000, 40000, 50000}, {device});
            raw(x.array, five, out(z.array));
            CHECK(z.values<std::int32_t>() == sums);
            const Array total = from_vector<std::int32_t>({0}, {device});
            count(x.array, total, out(z.array));
            CHECK(z.values<std::int32_t>() == turned);
            CHECK(elements<std::int32_t>(total).front() == size);
        }
    }
}
