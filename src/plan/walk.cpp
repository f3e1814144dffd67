// SPDX-License-Identifier: MIT
#include "plan/walk.hpp"

#include <algorithm>
#include <array>
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

// One axis of a walk. It has the strides of the axis `source` of the shape, which is the innermost of those that it
// merges, negated if it is reversed.
struct Axis {
    int source = 0;
    std::int64_t extent = 1;
    bool reduced = false;
    bool reversed = false;

    std::int64_t stride(const Dims& row) const { return reversed ? -row[source] : row[source]; }
    // Whether `inner` continues this axis in all operands.
    bool merges_with(const Axis& inner, std::span<const Dims> strides) const {
        return reduced == inner.reduced && std::ranges::all_of(strides, [&](const Dims& row) {
                   return stride(row) == inner.stride(row) * inner.extent;
               });
    }
};

// Whether the first nonzero stride along the axis is negative.
bool runs_backwards(std::span<const Dims> strides, int axis) {
    const auto first =
        std::ranges::find_if(strides, [&](const Dims& row) { return row[axis] != 0; });
    return first != strides.end() && (*first)[axis] < 0;
}

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

Dims sort_axes(const Dims& shape, std::span<const Dims> strides, Conflicts conflicts) {
    Dims order = Dims::filled(shape.rank(), 0);
    for (int axis = 0; axis < shape.rank(); ++axis) {
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
        std::copy_backward(order.begin() + place, order.begin() + axis, order.begin() + axis + 1);
        order[place] = axis;
    }
    return order;
}

Walk make_walk(const Dims& shape,
               std::span<const Dims> strides,
               AxisOrder order,
               Merging merging,
               AxisSet reduced) {
    Walk walk;
    walk.offsets.resize(strides.size());
    Dims sorted = Dims::filled(shape.rank(), 0);
    if (order == AxisOrder::memory)
        sorted = sort_axes(shape, strides, Conflicts::first_decides);
    else
        std::iota(sorted.begin(), sorted.end(), 0);
    std::array<Axis, max_rank> axes;
    std::size_t count = 0;
    for (const std::int64_t axis : sorted) {
        if (shape[axis] == 1) continue;
        Axis next{static_cast<int>(axis),
                  shape[axis],
                  contains(reduced, static_cast<int>(axis)),
                  order == AxisOrder::memory && runs_backwards(strides, static_cast<int>(axis))};
        // A reversed axis begins at its end.
        for (std::size_t k = 0; next.reversed && k < strides.size(); ++k)
            walk.offsets[k] += (next.extent - 1) * strides[k][axis];
        if (merging == Merging::yes && count > 0 && axes[count - 1].merges_with(next, strides))
            next.extent *= axes[--count].extent;
        axes[count++] = next;
    }
    walk.inner_reduced = count > 0 && axes[count - 1].reduced;
    walk.extents = Dims::filled(static_cast<int>(count), 0);
    walk.strides.resize(strides.size(), walk.extents);
    int place = 0;
    const auto place_all = [&](bool is_reduced) {
        for (const Axis& axis : std::span(axes).first(count)) {
            if (axis.reduced != is_reduced) continue;
            walk.extents[place] = axis.extent;
            for (std::size_t k = 0; k < strides.size(); ++k)
                walk.strides[k][place] = axis.stride(strides[k]);
            ++place;
        }
    };
    place_all(false);
    walk.kept = place;
    place_all(true);
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
