// SPDX-License-Identifier: MIT
#include "plan/walk.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "plan/operand.hpp"

namespace kgen {

namespace {

// Returns -1 if axis a should lie outside axis b, 1 if it should lie inside it, and 0 if no operand decides.
// Axis a precedes axis b in C order. A stride of 0 decides nothing. `conflicts` says whether the first
// operand or C order decides if operands disagree.
int compare_axes(const Dims& shape, const StrideRows& strides, int a, int b, Conflicts conflicts) {
    int decided = 0;
    for (std::size_t k = 0; k < strides.size(); ++k) {
        const std::int64_t left = std::abs(strides.at(k, a));
        const std::int64_t right = std::abs(strides.at(k, b));
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

// One axis of a walk. It has the strides of the axis `source` of the shape, which is the innermost of those that it
// merges, negated if it is reversed.
struct Axis {
    int source;
    std::int64_t extent;
    bool reduced;
    bool reversed;

    std::int64_t stride(const StrideRows& strides, std::size_t k) const {
        return reversed ? -strides.at(k, source) : strides.at(k, source);
    }
    // Whether `inner` continues this axis in all operands.
    bool merges_with(const Axis& inner, const StrideRows& strides) const {
        if (reduced != inner.reduced) return false;
        for (std::size_t k = 0; k < strides.size(); ++k) {
            if (stride(strides, k) != inner.stride(strides, k) * inner.extent) return false;
        }
        return true;
    }
};

Dims axes_in_order(int rank) {
    Dims axes;
    for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
    return axes;
}

// Whether the first nonzero stride along the axis is negative.
bool runs_backwards(const StrideRows& strides, int axis) {
    for (std::size_t k = 0; k < strides.size(); ++k) {
        if (strides.at(k, axis) != 0) return strides.at(k, axis) < 0;
    }
    return false;
}

}  // namespace

std::int64_t Walk::kept_count() const noexcept {
    return extent_product({extents.begin(), extents.begin() + kept});
}

std::int64_t Walk::reduced_count() const noexcept {
    return extent_product({extents.begin() + kept, extents.end()});
}

bool is_empty_and_huge(const Dims& shape, const StrideRows& strides) noexcept {
    // The product of both limits and an item's size in bytes fits in 64 bits.
    constexpr std::int64_t most_elements = std::int64_t{1} << 20;
    constexpr std::int64_t largest_stride = std::int64_t{1} << 38;
    if (extent_product(shape) != 0) return false;
    std::int64_t others = 1;
    for (const std::int64_t extent : shape) {
        if (extent > most_elements / others) return true;
        others *= std::max<std::int64_t>(extent, 1);
    }
    for (std::size_t k = 0; k < strides.size(); ++k) {
        for (const std::int64_t stride : strides[k]) {
            if (stride > largest_stride || stride < -largest_stride) return true;
        }
    }
    return false;
}

Dims sort_axes(const Dims& shape, const StrideRows& strides, Conflicts conflicts) {
    Dims order;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        order.push_back(axis);
        // Insertion sort from the innermost axis outwards. The axis moves before each axis that should lie
        // inside it and stops at the first one that should lie outside it. It passes undecided axes only if
        // there is an axis beyond them that should lie inside it.
        int place = axis;
        for (int at = axis - 1; at >= 0; --at) {
            const auto other = static_cast<int>(order[at]);
            if (shape[axis] == 1 || shape[other] == 1) continue;
            const int comparison = compare_axes(shape, strides, axis, other, conflicts);
            if (comparison > 0) break;
            if (comparison < 0) place = at;
        }
        for (int at = axis; at > place; --at) order[at] = order[at - 1];
        order[place] = axis;
    }
    return order;
}

Walk make_walk(const Dims& shape,
               const StrideRows& strides,
               AxisOrder order,
               Merging merging,
               AxisSet reduced) {
    Walk walk;
    walk.offsets.resize(strides.size());
    const Dims sorted = order == AxisOrder::memory
                            ? sort_axes(shape, strides, Conflicts::first_decides)
                            : axes_in_order(shape.rank());
    std::array<Axis, max_rank> axes;
    std::size_t count = 0;
    for (const std::int64_t each : sorted) {
        const auto axis = static_cast<int>(each);
        if (shape[axis] == 1) continue;
        Axis next{.source = axis,
                  .extent = shape[axis],
                  .reduced = contains(reduced, axis),
                  .reversed = order == AxisOrder::memory && runs_backwards(strides, axis)};
        // A reversed axis begins at its end.
        for (std::size_t k = 0; next.reversed && k < strides.size(); ++k)
            walk.offsets[k] += (next.extent - 1) * strides.at(k, axis);
        if (merging == Merging::yes && count > 0 && axes[count - 1].merges_with(next, strides))
            next.extent *= axes[--count].extent;
        axes[count++] = next;
    }
    walk.inner_reduced = count > 0 && axes[count - 1].reduced;
    walk.strides.add_rows(strides.size(), static_cast<int>(count));
    int place = 0;
    const auto place_all = [&](bool is_reduced) {
        for (const Axis& axis : std::span(axes).first(count)) {
            if (axis.reduced != is_reduced) continue;
            walk.extents.push_back(axis.extent);
            for (std::size_t k = 0; k < strides.size(); ++k)
                walk.strides.at(k, place) = axis.stride(strides, k);
            ++place;
        }
    };
    place_all(false);
    walk.kept = place;
    place_all(true);
    return walk;
}

Dims k_strides(const Dims& shape, const StrideRows& strides, std::size_t item_bytes) {
    return packed_strides(shape, item_bytes, sort_axes(shape, strides, Conflicts::c_order));
}

}  // namespace kgen
