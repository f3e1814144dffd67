// SPDX-License-Identifier: MIT
#include "plan/run_axes.hpp"

#include <cstdlib>

#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

constexpr std::int64_t most_joined_row = 512;  // bytes; then 32 rows fill `most_bytes` nearly

int axis_with_stride(const PlanContext& context, std::size_t k, std::int64_t stride) {
    for (int axis = context.rank() - 1; axis >= 0; --axis) {
        if (context.stride(k, axis) == stride && context.walk.extents[axis] > 1) return axis;
    }
    return -1;
}

// Whether most rows along b are copies of others, because the operand repeats along side a. Copies to shared memory bypass the L1 cache, so a
// slice of the L2 cache would look up the same line for each of them: 94351 copies of two rows made a call of 15 us take 122 on an H200.
bool repeats_rows(const PlanContext& context, std::size_t k, const TileSide& a) {
    constexpr std::int64_t few_copies = 4;
    std::int64_t copies = 1;
    for (int place = 0; place < a.count; ++place) {
        const int axis = a.axes[static_cast<std::size_t>(place)];
        if (context.stride(k, axis) == 0) copies *= context.walk.extents[axis];
    }
    return copies == extent_of(context, a) || copies > few_copies;
}

// Returns the axis outside side b along which the operand's elements lie closest, or -1.
int closest_beside(const PlanContext& context, std::size_t k, const TileSide& b) {
    int closest = -1;
    for (int axis = context.rank() - 1; axis >= 0; --axis) {
        const std::int64_t stride = std::abs(context.stride(k, axis));
        if (stride == 0 || b.has(axis)) continue;
        if (closest < 0 || stride < std::abs(context.stride(k, closest))) closest = axis;
    }
    return closest;
}

// Returns the sides with which most bytes are accessed in whole cache lines, if a tile can span all of side b and an
// array has rows without gaps. Returns nothing if that leaves out more than a quarter of the bytes.
std::optional<TileAxes> find_joined_axes(const PlanContext& context) {
    std::optional<TileAxes> found;
    std::int64_t most = 0;
    std::int64_t all = 0;
    for (const std::size_t k : context.arrays) all += context.is_uniform(k) ? 0 : context.item(k);
    for (const std::size_t k : context.arrays) {
        TileAxes axes;
        axes.a.count = 1;
        for (;;) {
            const std::int64_t bytes = extent_of(context, axes.b) * context.item(k);
            const int next = bytes > most_joined_row ? -1 : axis_with_stride(context, k, bytes);
            if (next < 0) break;
            axes.a.axes[0] = next;
            if (axes.b.count > 0 && context.walk.extents[next] >= warp_lanes) {
                std::int64_t in_lines = 0;
                for (const std::size_t other : context.arrays) {
                    const bool fits = is_staged(context, other, axes)
                                          ? is_joined(context, other, axes)
                                          : closest_beside(context, other, axes.b) == next;
                    in_lines += fits ? context.item(other) : 0;
                }
                if (in_lines > most) found = axes;
                most = std::max(most, in_lines);
            }
            axes.b.add(next);
        }
    }
    if (4 * most < 3 * all) return std::nullopt;
    return found;
}

}  // namespace

bool is_staged(const PlanContext& context, std::size_t k, const TileAxes& axes) {
    return !repeats_rows(context, k, axes.a) && context.fastest_axis(k) >= 0 &&
           axes.b.has(context.fastest_axis(k)) &&
           std::abs(context.stride(k, axes.b.first())) == context.item(k) &&
           is_linear(context, k, axes.b);
}

bool is_joined(const PlanContext& context, std::size_t k, const TileAxes& axes) {
    return context.stride(k, axes.b.first()) > 0 && is_linear(context, k, axes.a) &&
           context.stride(k, axes.a.first()) == extent_of(context, axes.b) * context.item(k);
}

std::optional<TileAxes> find_run_axes(const PlanContext& context) {
    std::optional<TileAxes> axes = find_joined_axes(context);
    if (!axes) {
        axes = find_tile_axes(context);
        if (!axes) return std::nullopt;
        // Neighbouring threads lie along the longer side.
        if (extent_of(context, axes->a) < lane_bytes &&
            extent_of(context, axes->a) < extent_of(context, axes->b))
            std::swap(axes->a, axes->b);
    }
    bool any = false;
    bool all = true;
    for (const std::size_t k : context.arrays) {
        const bool staged = is_staged(context, k, *axes);
        any = any || staged;
        all = all && (staged || context.is_uniform(k));
    }
    return any && !all ? axes : std::nullopt;
}

}  // namespace kgen
