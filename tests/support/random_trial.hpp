// SPDX-License-Identifier: MIT
//
// Random trials that reach every CUDA loop: long and short rows, permuted and broadcast inputs,
// gaps, backward axes, misaligned addresses, mixed dtypes.
#pragma once

#include <algorithm>
#include <random>

#include "support/trial.hpp"

namespace kgen::test {

class RandomTrials {
public:
    explicit RandomTrials(std::uint64_t seed) : random_(seed) {}

    Trial next() {
        struct Dtypes {
            DType x, y, z;
        };
        static constexpr Dtypes mixes[] = {{float32, float32, float32},
                                           {uint8, float32, float32},
                                           {float16, float64, float64},
                                           {uint8, uint8, uint8}};
        const Dtypes& mix = mixes[pick(0, 3)];
        const auto rank = static_cast<int>(pick(1, 4));
        Dims shape;
        for (int axis = 0; axis < rank; ++axis) shape.push_back(random_extent(rank));
        Trial trial;
        trial.inputs = {random_part(mix.x, shape, false), random_part(mix.y, shape, true)};
        trial.output = random_part(mix.z, shape, false);
        if (pick(0, 1) == 0) trial.output = c_part(mix.z, shape, trial.output.shift);
        if (pick(0, 3) == 0) trial.extra = Extra::index;
        if (pick(0, 7) == 0) trial.block_size = static_cast<int>(pick(1, 1024));
        return trial;
    }

private:
    std::int64_t pick(std::int64_t low, std::int64_t high) {
        const auto span = static_cast<std::uint64_t>(high - low + 1);
        return low + static_cast<std::int64_t>(random_() % span);
    }

    std::int64_t random_extent(int rank) {
        if (rank == 1) return pick(1, 9000);
        const std::int64_t most = rank == 2 ? 140 : rank == 3 ? 40 : 14;
        switch (pick(0, 4)) {
            case 0:
                return pick(1, 5);
            case 1:
                return pick(1, most);
            default:
                return std::max<std::int64_t>(pick(1, most / 8) * 8, 8);  // whole vectors
        }
    }

    Part random_part(DType dtype, const Dims& shape, bool broadcast) {
        const auto item = static_cast<std::int64_t>(item_size(dtype));
        Part part{dtype, shape};
        if (broadcast) {
            for (std::int64_t& extent : part.shape) extent = pick(0, 3) == 0 ? 1 : extent;
        }
        std::vector<int> order = axis_order(shape.rank());
        if (pick(0, 2) > 0) std::shuffle(order.begin(), order.end(), random_);
        const bool gaps = pick(0, 3) == 0;
        part.strides = dense_strides(
            part.shape, order, gaps ? item * pick(1, 2) : item, gaps ? 8 * pick(0, 1) : 0);
        for (std::int64_t& stride : part.strides) stride = pick(0, 9) == 0 ? -stride : stride;
        part.shift = pick(0, 2) == 0 ? item * pick(0, 16 / item - 1) : 0;
        return part;
    }

    std::mt19937_64 random_;
};

}  // namespace kgen::test
