// SPDX-License-Identifier: MIT
#include "plan/walk.hpp"

#include <algorithm>
#include <cstdlib>

#include "plan/operand.hpp"

namespace kgen {

namespace {

// Returns -1 if axis a should lie outside axis b, which precedes a in C order, 1 if inside, and 0 if no
// operand decides. A stride of 0 decides nothing. If operands disagree, the first one decides, or C order.
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

// Reverses each axis along which the first nonzero stride is negative, in all operands.
void flip_backward_axes(Walk& walk) {
    for (int axis = 0; axis < walk.extents.rank(); ++axis) {
        std::int64_t direction = 0;
        for (const Dims& row : walk.strides) {
            if (direction == 0) direction = row[axis];
        }
        if (direction >= 0) continue;
        for (std::size_t k = 0; k < walk.strides.size(); ++k) {
            walk.offsets[k] += (walk.extents[axis] - 1) * walk.strides[k][axis];
            walk.strides[k][axis] = -walk.strides[k][axis];
        }
    }
}

// Merges each axis with the one outside it if the strides of all operands allow it.
void merge_axes(Walk& walk) {
    Dims extents;
    std::vector<Dims> strides(walk.strides.size());
    for (int axis = 0; axis < walk.extents.rank(); ++axis) {
        const int last = extents.rank() - 1;
        const bool merges = last >= 0 && [&] {
            for (std::size_t k = 0; k < strides.size(); ++k) {
                if (strides[k][last] != walk.strides[k][axis] * walk.extents[axis]) return false;
            }
            return true;
        }();
        if (merges) {
            extents[last] *= walk.extents[axis];
            for (std::size_t k = 0; k < strides.size(); ++k)
                strides[k][last] = walk.strides[k][axis];
        } else {
            extents.push_back(walk.extents[axis]);
            for (std::size_t k = 0; k < strides.size(); ++k)
                strides[k].push_back(walk.strides[k][axis]);
        }
    }
    walk.extents = extents;
    walk.strides = std::move(strides);
}

}  // namespace

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

Walk make_walk(const Dims& shape, std::span<const Dims> strides, AxisOrder order, Merging merging) {
    Walk walk;
    walk.strides.resize(strides.size());
    walk.offsets.assign(strides.size(), 0);
    if (is_empty_and_huge(shape, strides)) {
        walk.extents = {0};
        walk.strides.assign(strides.size(), {0});
        return walk;
    }
    std::vector<int> axes;
    if (order == AxisOrder::memory) {
        axes = sort_axes(shape, strides, Conflicts::first_decides);
    } else {
        for (int axis = 0; axis < shape.rank(); ++axis) axes.push_back(axis);
    }
    for (const int axis : axes) {
        if (shape[axis] == 1) continue;
        walk.extents.push_back(shape[axis]);
        for (std::size_t k = 0; k < strides.size(); ++k)
            walk.strides[k].push_back(strides[k][axis]);
    }
    if (order == AxisOrder::memory) flip_backward_axes(walk);
    if (merging == Merging::yes) merge_axes(walk);
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
