// SPDX-License-Identifier: MIT
#include "plan/column_tile.hpp"

#include <algorithm>
#include <numeric>

namespace kgen {

namespace {

// Least number of threads side by side in a small call.
constexpr std::int64_t narrow_across = 8;

}  // namespace

std::int64_t least_across(const PlanContext& context, const Baked& baked, std::int64_t most) {
    const std::int64_t columns = context.walk.extents[column_axis(context)];
    const std::int64_t turned = context.turned_item(context.rank() - 1);
    return std::min({ceil_power(ceil_div(columns, baked.vector)),
                     turned > 0 ? std::min(turned_lanes(turned), most) : most,
                     floor_power(baked.block_bound / baked.vector)});
}

std::int64_t count_tiles(const PlanContext& context, const Baked& baked, std::int64_t across) {
    const std::int64_t columns = context.walk.extents[column_axis(context)];
    if (context.walk.kept_count() == 0) return 0;
    return context.walk.kept_count() / columns * ceil_div(columns, across * baked.vector);
}

std::int64_t line_threads(const PlanContext& context, const Baked& baked) {
    const std::int64_t item =
        std::max<std::int64_t>(widest_along(context, column_axis(context)), 1);
    return std::clamp<std::int64_t>(floor_power(cache_line_bytes / (item * baked.vector)), 1, warp);
}

int longest_vector(const PlanContext& context, int axis) {
    const std::int64_t widest = widest_along(context, axis);
    return widest == 0 ? 1 : clone_limit(context.request, static_cast<int>(access_bytes / widest));
}

bool may_be_words(const PlanContext& context, int vector) {
    return std::ranges::all_of(context.arrays, [&](std::size_t k) {
        const std::int64_t item = context.item(k);
        return context.is_written(k) || context.stride(k, column_axis(context)) != item ||
               (item < word_bytes && item * vector >= word_bytes);
    });
}

ThreadTile thread_tile(const PlanContext& context, const Baked& baked, bool split) {
    const std::int64_t rows = context.walk.reduced_count();
    const std::int64_t columns = context.walk.extents[column_axis(context)];
    // If there are few rows, more threads are side by side, and fewer threads share a column. float32, 16
    // x 2^24: 0.979 with 4 threads to a column, 1.036 with 2, 1.034 with 1.
    std::int64_t across = least_across(context, baked);
    if (!split && count_tiles(context, baked, across) < few_tiles)
        across = least_across(context, baked, line_threads(context, baked));
    // Few columns of small calls are cut into narrow tiles, so that more threads share a column and each folds its rows
    // at once. They read parts of cache lines, which the L2 cache has. Seven bfloat16 arrays (6, 140, 128) on an H200: 5.2 us
    // with tiles of a cache line, 3.3 with these; bool (138, 17) 2.64 and 2.10.
    while (!split && across > narrow_across && !context.any_size() &&
           rows > baked.block_bound / across * accesses_in_flight &&
           2 * count_tiles(context, baked, across) <= few_tiles)
        across /= 2;
    const std::int64_t most_across = ceil_power(ceil_div(columns, baked.vector));
    std::int64_t height = baked.block_bound / across;
    while (!split && height > 1 && height * 2 * accesses_in_flight > rows && across < most_across &&
           count_tiles(context, baked, 2 * across) >= few_tiles) {
        height /= 2;
        across *= 2;
    }
    while (height > 1 && height > rows) height /= 2;
    return {across, height};
}

std::int64_t merged_span(const PlanContext& context, const Baked& baked) {
    constexpr std::int64_t usual_across = 64;
    const std::int64_t columns = context.walk.extents[column_axis(context)];
    if (ceil_div(columns, baked.vector) <= baked.block_bound) return columns;
    if (context.merged.repeats > 1) return 0;
    const bool has_vectors = std::ranges::any_of(
        context.arrays, [&](std::size_t k) { return baked.operands[k].access == Access::vector; });
    const std::int64_t unit =
        std::lcm(context.merged.neighbours, std::int64_t{has_vectors ? baked.vector : 1});
    const std::int64_t most = std::int64_t{baked.block_bound} * baked.vector;
    if (unit > most) return 0;
    return std::max<std::int64_t>(usual_across * baked.vector / unit, 1) * unit;
}

ThreadTile merged_tile(const PlanContext& context, const Baked& baked) {
    const std::int64_t across =
        std::max<std::int64_t>(ceil_div(merged_span(context, baked), baked.vector), 1);
    return {.across = across,
            .height = std::clamp<std::int64_t>(
                context.walk.reduced_count(), 1, baked.block_bound / across)};
}

}  // namespace kgen
