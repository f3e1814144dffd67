// SPDX-License-Identifier: MIT
#include "plan/walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "plan/operand.hpp"

namespace kgen {

namespace {

// Returns -1 if axis a should lie outside axis b, 1 if it should lie inside it, and 0 if no operand decides.
// Axis a precedes axis b in C order. A stride of 0 decides nothing. `conflicts` says whether the first
// operand or C order decides if operands disagree.
int compare_axes(
    const Dims& shape, std::span<const Dims> strides, int a, int b, Conflicts conflicts) {
    int decided = 0;
    for (const Dims& row : strides) {
        const std::int64_t left = std::abs(row[a]);
        const std::int64_t right = std::abs(row[b]);
        if (left == 0 || right == 0) continue;
        if (conflicts == Conflicts::c_order) {
            if (left <= right) return 1;
            decided = -1;
            continue;
        }
        if (left > right) return -1;
        if (left < right) return 1;
        if (shape[a] != shape[b]) return shape[a] < shape[b] ? 1 : -1;
    }
    return decided;
}

// One axis of a walk with the stride of each operand.
struct Axis {
    std::int64_t extent;
    bool reduced;
    std::vector<std::int64_t> strides;

    // Whether `inner` continues this axis in all operands.
    bool merges_with(const Axis& inner) const {
        if (reduced != inner.reduced) return false;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            if (strides[k] != inner.strides[k] * inner.extent) return false;
        }
        return true;
    }

    // Reverses the axis if its first nonzero stride is negative, and moves the offsets of the operands to the
    // end of the axis.
    void follow_memory(std::vector<std::int64_t>& offsets) {
        const auto first = std::find_if(
            strides.begin(), strides.end(), [](std::int64_t stride) { return stride != 0; });
        if (first == strides.end() || *first > 0) return;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            offsets[k] += (extent - 1) * strides[k];
            strides[k] = -strides[k];
        }
    }
};

}  // namespace

std::int64_t Walk::kept_count() const noexcept {
    return extent_product({extents.begin(), extents.begin() + kept});
}

std::int64_t Walk::reduced_count() const noexcept {
    return extent_product({extents.begin() + kept, extents.end()});
}

bool is_empty_and_huge(const Dims& shape, std::span<const Dims> strides) noexcept {
    // The product of both limits and an item's size in bytes fits in 64 bits.
    constexpr std::int64_t most_elements = std::int64_t{1} << 20;
    constexpr std::int64_t largest_stride = std::int64_t{1} << 38;
    if (extent_product(shape) != 0) return false;
    std::int64_t others = 1;
    for (const std::int64_t extent : shape) {
        if (extent > most_elements / others) return true;
        others *= std::max<std::int64_t>(extent, 1);
    }
    return std::any_of(strides.begin(), strides.end(), [](const Dims& row) {
        return std::any_of(row.begin(), row.end(), [](std::int64_t stride) {
            return stride > largest_stride || stride < -largest_stride;
        });
    });
}

std::vector<int> sort_axes(const Dims& shape, std::span<const Dims> strides, Conflicts conflicts) {
    std::vector<int> order;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        // Insertion sort from the innermost axis outwards. The axis moves before each axis that should lie
        // inside it and stops at the first one that should lie outside it. It passes undecided axes only if
        // there is an axis beyond them that should lie inside it.
        auto place = order.end();
        for (auto at = order.end(); at != order.begin();) {
            --at;
            if (shape[axis] == 1 || shape[*at] == 1) continue;
            const int comparison = compare_axes(shape, strides, axis, *at, conflicts);
            if (comparison > 0) break;
            if (comparison < 0) place = at;
        }
        order.insert(place, axis);
    }
    return order;
}

Walk make_walk(const Dims& shape,
               std::span<const Dims> strides,
               AxisOrder order,
               Merging merging,
               AxisSet reduced) {
    Walk walk;
    walk.strides.resize(strides.size());
    walk.offsets.assign(strides.size(), 0);
    std::vector<int> order_of_axes(static_cast<std::size_t>(shape.rank()));
    std::iota(order_of_axes.begin(), order_of_axes.end(), 0);
    if (order == AxisOrder::memory)
        order_of_axes = sort_axes(shape, strides, Conflicts::first_decides);
    std::vector<Axis> axes;
    axes.reserve(order_of_axes.size());
    for (const int axis : order_of_axes) {
        if (shape[axis] == 1) continue;
        Axis next{shape[axis], contains(reduced, axis), {}};
        next.strides.reserve(strides.size());
        for (const Dims& row : strides) next.strides.push_back(row[axis]);
        if (order == AxisOrder::memory) next.follow_memory(walk.offsets);
        if (merging == Merging::yes && !axes.empty() && axes.back().merges_with(next)) {
            next.extent *= axes.back().extent;
            axes.pop_back();
        }
        axes.push_back(std::move(next));
    }
    walk.inner_reduced = !axes.empty() && axes.back().reduced;
    const auto first_reduced = std::stable_partition(
        axes.begin(), axes.end(), [](const Axis& axis) { return !axis.reduced; });
    walk.kept = static_cast<int>(first_reduced - axes.begin());
    for (const Axis& axis : axes) {
        walk.extents.push_back(axis.extent);
        for (std::size_t k = 0; k < strides.size(); ++k) walk.strides[k].push_back(axis.strides[k]);
    }
    return walk;
}

Dims with_inserted(const Dims& dims, int place, int count, std::int64_t value) {
    Dims result;
    for (int k = 0; k < place; ++k) result.push_back(dims[k]);
    for (int k = 0; k < count; ++k) result.push_back(value);
    for (int k = place; k < dims.rank(); ++k) result.push_back(dims[k]);
    return result;
}

Dims k_strides(const Dims& shape, std::span<const Dims> strides, std::size_t item_bytes) {
    return packed_strides(shape, item_bytes, sort_axes(shape, strides, Conflicts::c_order));
}

}  // namespace kgen
