// SPDX-License-Identifier: MIT
#include "plan/tile_axes.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <utility>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

std::int64_t extent_of(const PlanContext& context, const TileSide& side) {
    std::int64_t extent = 1;
    for (int n = 0; n < side.count; ++n)
        extent *= context.walk.extents[side.axes[static_cast<std::size_t>(n)]];
    return extent;
}

bool is_linear(const PlanContext& context, std::size_t k, const TileSide& side) {
    for (int n = 1; n < side.count; ++n) {
        const int inner = side.axes[static_cast<std::size_t>(n) - 1];
        if (context.stride(k, side.axes[static_cast<std::size_t>(n)]) !=
            context.stride(k, inner) * context.walk.extents[inner])
            return false;
    }
    return true;
}

bool is_uniform_along(const PlanContext& context, std::size_t k, const TileSide& side) {
    return is_linear(context, k, side) && context.stride(k, side.first()) == 0;
}

namespace {

// Greatest number of elements of a side of all tiles together.
constexpr std::int64_t most_side = std::numeric_limits<std::int32_t>::max();

// Returns tiles along axes a and b, with more axes along sides that are short in bytes: each is the axis that continues the side
// in the memory of two thirds of the arrays that are fastest along it, by bytes, except for broadcast ones. Then rows of a tile are
// whole cache lines although single axes are short. Outputs count twice, because sectors of memory that are written in parts are
// read too.
TileAxes extended(const PlanContext& context, int a, int b) {
    constexpr std::int64_t short_bytes = 256;
    TileAxes axes;
    axes.a.add(a);
    axes.b.add(b);
    if (context.walk.kept_count() == 0) return axes;  // nothing is launched
    const auto decides = [&](std::size_t k, const TileSide& side) {
        return !context.is_broadcast(k) && context.fastest_axis(k) == side.first();
    };
    const auto bytes_of = [&](const TileSide& side) {
        std::int64_t item = access_bytes;
        for (const std::size_t k : context.arrays) {
            if (decides(k, side)) item = std::min(item, context.item(k));
        }
        return extent_of(context, side) * item;
    };
    const auto next_of = [&](const TileSide& side) {
        for (int axis = context.rank() - 1; axis >= 0; --axis) {
            if (axes.a.has(axis) || axes.b.has(axis)) continue;
            if (extent_of(context, side) > most_side / context.walk.extents[axis]) continue;
            TileSide longer = side;
            longer.add(axis);
            std::int64_t all = 0;  // weights of the arrays that decide
            std::int64_t linear = 0;
            for (const std::size_t k : context.arrays) {
                if (!decides(k, side)) continue;
                const std::int64_t weight = context.item(k) * (context.is_written(k) ? 2 : 1);
                all += weight;
                linear += is_linear(context, k, longer) ? weight : 0;
            }
            if (linear > 0 && 3 * linear >= 2 * all) return axis;
        }
        return -1;
    };
    for (;;) {
        const bool a_is_shorter = bytes_of(axes.a) <= bytes_of(axes.b);
        bool grew = false;
        for (TileSide* side :
             {a_is_shorter ? &axes.a : &axes.b, a_is_shorter ? &axes.b : &axes.a}) {
            const int axis = bytes_of(*side) < short_bytes ? next_of(*side) : -1;
            if (axis < 0) continue;
            side->add(axis);
            grew = true;
            break;
        }
        if (!grew) return axes;
    }
}

// Whether the array is broadcast and so small that it stays in the L1 cache, from where it is read well along any axis.
bool is_small_and_repeats(const PlanContext& context, std::size_t k) {
    constexpr double most_bytes = 32 << 10;
    return context.is_broadcast(k) && used_bytes(context, k) <= most_bytes;
}

// Returns the bytes of the elements of arrays that are fastest along each axis, of all but broadcast arrays, or of all that change
// along a and do not stay in the L1 cache.
Dims bytes_along(const PlanContext& context, std::optional<int> a) {
    Dims bytes = Dims::filled(context.rank(), 0);
    for (const std::size_t k : context.arrays) {
        if (a ? context.stride(k, *a) == 0 || is_small_and_repeats(context, k)
              : context.is_broadcast(k))
            continue;
        if (const int axis = context.fastest_axis(k); axis >= 0) bytes[axis] += context.item(k);
    }
    return bytes;
}

}  // namespace

std::optional<TileAxes> find_tile_axes(const PlanContext& context) {
    const auto find_most = [&](std::optional<int> a) {
        const Dims bytes = bytes_along(context, a);
        std::optional<int> found;
        std::int64_t most = 0;
        for (int axis = context.rank() - 1; axis >= 0; --axis) {
            if (axis == a || bytes[axis] <= most) continue;
            most = bytes[axis];
            found = axis;
        }
        return found;
    };
    const std::optional<int> a = find_most({});
    const std::optional<int> b = a ? find_most(a) : std::nullopt;
    if (!b) return std::nullopt;
    return extended(context, *a, *b);
}

std::optional<TileAxes> exchanged_axes(const PlanContext& context, const TileAxes& axes) {
    const Dims bytes = bytes_along(context, {});
    if (bytes[axes.a.first()] != bytes[axes.b.first()]) return std::nullopt;
    return extended(context, axes.b.first(), axes.a.first());
}

void move_tile_axes(PlanContext& context, const TileAxes& axes) {
    std::array<int, max_rank> places = {};  // of the axes to move, the last one first
    int count = 0;
    for (const TileSide* side : {&axes.a, &axes.b}) {
        for (int n = 0; n < side->count; ++n)
            places[static_cast<std::size_t>(count++)] = side->axes[static_cast<std::size_t>(n)];
    }
    for (int n = 0; n < count; ++n) {
        const int from = places[static_cast<std::size_t>(n)];
        for (int at = from; at < context.rank() - 1 - n; ++at) context.swap_axes(at, at + 1);
        for (int& place : places) place -= place > from ? 1 : 0;
    }
}

TileAxes last_axes(const PlanContext& context, int count_a, int count_b) {
    TileAxes axes;
    int axis = context.rank() - 1;
    for (; axes.a.count < count_a; --axis) axes.a.add(axis);
    for (; axes.b.count < count_b; --axis) axes.b.add(axis);
    return axes;
}

void sort_outer_axes(PlanContext& context, const Baked& baked, int tile_axes) {
    const auto tiled =
        std::find_if(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return baked.operands[k].access == Access::shared;
        });
    struct Order {
        std::int64_t
            least;  // the least step of an array along the axis; all of 64 bytes or more are equal
        std::int64_t reach;  // the step of the array that passes through shared memory
        bool comes_later(const Order& other) const {
            return least != other.least ? least < other.least : reach < other.reach;
        }
    };
    const int end = context.rank() - tile_axes;
    std::array<Order, max_rank> orders = {};
    for (int axis = 0; axis < end; ++axis) {
        Order& order = orders[static_cast<std::size_t>(axis)];
        order = {.least = 2 * memory_sector, .reach = std::abs(context.stride(*tiled, axis))};
        for (const std::size_t k : context.arrays) {
            const std::int64_t step = std::abs(context.stride(k, axis));
            if (step != 0 && !context.is_broadcast(k)) order.least = std::min(order.least, step);
        }
    }
    for (int last = end; last > 1; --last) {
        for (int axis = 0; axis + 1 < last; ++axis) {
            const auto at = static_cast<std::size_t>(axis);
            if (!orders[at].comes_later(orders[at + 1])) continue;
            std::swap(orders[at], orders[at + 1]);
            context.swap_axes(axis, axis + 1);
        }
    }
}

std::string tile_axes_text(int count_a, int count_b) {
    if (count_a + count_b == 2) return "";
    return fmt::format(" ({} by {} in a tile)", count_b, count_a);
}

}  // namespace kgen
