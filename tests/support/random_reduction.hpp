// SPDX-License-Identifier: MIT
//
// Random reductions that reach every CUDA loop and every path through it. The rows are short,
// long or few, and the columns narrow or many; some reductions have segments. The inputs are
// permuted, backward, broadcast or misaligned, have gaps, and mix dtypes.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "support/reduction_trial.hpp"

namespace kgen::test {

class RandomReductions {
public:
    explicit RandomReductions(std::uint64_t seed) : random_(seed) {}

    ReductionTrial next() {
        // Axes in the order of memory, outermost first.
        std::vector<Axis> memory = random_axes();
        while (memory.size() < 6 && pick(0, 3) == 0) cut_one(memory);
        if (memory.size() < 6 && pick(0, 7) == 0) memory.insert(memory.begin(), {1, is_true(2)});

        ReductionTrial trial;
        const std::vector<int> order = random_order(static_cast<int>(memory.size()), 2);
        trial.loop = Dims::filled(static_cast<int>(memory.size()), 1);
        for (std::size_t k = 0; k < memory.size(); ++k) {
            trial.loop[order[k]] = memory[k].extent;
            if (memory[k].reduced) trial.axes |= AxisSet{1} << order[k];
        }
        static constexpr DType mixes[][4] = {
            {float32, float32, float32, float32},
            {float32, float32, uint8, float32},
            {uint8, uint8, uint8, uint8},
            {uint8, float32, int32, float32},
            {float16, float16, float32, float16},
            {float16, float64, float32, float64},
            {int32, int32, uint8, int32},
        };
        const DType* mix = mixes[pick(0, 6)];
        const auto inputs = static_cast<std::size_t>(std::max<std::int64_t>(pick(-1, 3), 1));
        for (std::size_t k = 0; k < inputs; ++k)
            trial.inputs.push_back(random_input(mix[k], trial.loop, order, k > 0));
        trial.fold = static_cast<Fold>(std::max<std::int64_t>(pick(-5, fold_count - 1), 0));
        trial.keepdims = is_true(3);
        const Dims shape = result_shape(trial.loop, trial.axes, trial.keepdims);
        trial.output = c_part(mix[3], shape);
        if (is_true(2)) trial.output = random_layout(mix[3], shape, axis_order(shape.rank()));
        return trial;
    }

private:
    struct Axis {
        std::int64_t extent;
        bool reduced;
    };

    std::int64_t pick(std::int64_t low, std::int64_t high) {
        const auto span = static_cast<std::uint64_t>(std::max(high, low) - low + 1);
        return low + static_cast<std::int64_t>(random_() % span);
    }
    bool is_true(int times) { return pick(1, times) == 1; }

    std::vector<int> random_order(int rank, int times) {
        std::vector<int> order = axis_order(rank);
        if (is_true(times)) std::shuffle(order.begin(), order.end(), random_);
        return order;
    }

    std::vector<Axis> random_axes() {
        constexpr std::int64_t most = most_folded;
        const auto rows = [&](std::int64_t row, std::int64_t outputs) {
            return std::vector<Axis>{{outputs, false}, {row, true}};
        };
        const auto columns = [&](std::int64_t count, std::int64_t high) {
            return std::vector<Axis>{{high, true}, {count, false}};
        };
        std::int64_t size = 0;
        switch (number_++ % 14) {
            case 0:  // many short rows
                size = pick(2, 100);
                return rows(size, pick(2112, most / size));
            case 1:  // rows for a warp, fewer of them
                size = pick(2, 1200);
                return rows(size, pick(1, most / size));
            case 2:  // long rows, split if there are few
                size = pick(1000, 12000);
                return rows(size, pick(1, most / size));
            case 3:
                size = pick(20000, 65000);
                return rows(size, pick(1, 4));
            case 4:  // one thread block for each row
                size = pick(512, 1100);
                return rows(size, pick(800, 830));
            case 5:  // narrow columns
                size = pick(2, 100);
                return columns(size, pick(1000, most / size));
            case 6:
                size = pick(60, 3000);
                return columns(size, pick(2, most / size));
            case 7:
                size = pick(20000, 140000);
                return columns(size, pick(2, most / size));
            case 8:  // a middle axis
                size = pick(2, 100);
                return {{pick(2, 12), false}, {pick(2, 250), true}, {size, false}};
            case 9:  // rows of several segments
                size = pick(2, 200);
                return {{pick(2, 40), true}, {pick(1, 33), false}, {size, true}};
            case 10:  // fewer and longer segments
                size = pick(200, 1200);
                return {{pick(10, 60), true}, {pick(1, 3), false}, {size, true}};
            case 11:
                return {{pick(1, most), true}};
            case 12:  // short rows that lie side by side
                size = pick(2, 60);
                return {{pick(2112 / size, 200), false}, {pick(2, 12), true}, {size, false}};
            default: {
                std::vector<Axis> axes(static_cast<std::size_t>(pick(1, 6)));
                const std::int64_t longest = 3000 >> (2 * axes.size() - 2);
                for (Axis& axis : axes) axis = {pick(1, std::max<std::int64_t>(longest, 5)), false};
                const std::int64_t kind = pick(0, 5);  // 0: no axis is reduced, 1: all are
                for (Axis& axis : axes) axis.reduced = kind == 1 || (kind > 1 && is_true(2));
                return axes;
            }
        }
    }

    // Splits one axis into two that can be merged again.
    void cut_one(std::vector<Axis>& axes) {
        const auto at = axes.begin() + pick(0, static_cast<std::int64_t>(axes.size()) - 1);
        for (const std::int64_t factor : {4, 3, 2, 5, 7}) {
            if (at->extent % factor != 0 || at->extent == factor) continue;
            const Axis inner{is_true(2) ? factor : at->extent / factor, at->reduced};
            at->extent /= inner.extent;
            axes.insert(at + 1, inner);
            return;
        }
    }

    // `order` lists the axes as they lie in memory.
    Part random_layout(DType dtype, const Dims& shape, const std::vector<int>& order) {
        const auto item = static_cast<std::int64_t>(item_size(dtype));
        Part part{dtype, shape};
        const bool gaps = is_true(4);
        // Compilers call functions among arguments in different orders.
        const std::int64_t gap = gaps ? pick(0, 3) : 0;
        part.strides = dense_strides(shape, order, gaps ? item * pick(1, 2) : item, gap);
        for (std::int64_t& stride : part.strides) stride = is_true(12) ? -stride : stride;
        part.shift = is_true(3) ? item * pick(0, 16 / item - 1) : 0;
        return part;
    }

    Part random_input(DType dtype, const Dims& loop, std::vector<int> order, bool broadcast) {
        Dims shape = loop;
        int missing = 0;
        if (broadcast && is_true(2)) {
            for (std::int64_t& extent : shape) extent = is_true(3) ? 1 : extent;
            while (missing < shape.rank() && shape[missing] == 1 && is_true(2)) ++missing;
        }
        if (broadcast && is_true(4)) order = random_order(loop.rank(), 1);
        Dims own;
        for (int axis = missing; axis < shape.rank(); ++axis) own.push_back(shape[axis]);
        std::vector<int> own_order;
        for (const int axis : order) {
            if (axis >= missing) own_order.push_back(axis - missing);
        }
        return random_layout(dtype, own, own_order);
    }

    std::mt19937_64 random_;
    int number_ = 0;  // counts through the kinds of geometry
};

}  // namespace kgen::test
