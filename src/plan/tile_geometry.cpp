// SPDX-License-Identifier: MIT
#include "plan/tile_geometry.hpp"

#include <algorithm>

#include "plan/plan_cuda.hpp"
#include "plan/tile_places.hpp"

namespace kgen {

namespace {

// The least longer side of tiles that are made smaller because a call has few of them. With 16 instead of 32 elements, 22 small calls took 0.56 to 1.11 of
// their time on an H200, 0.97 in the geometric mean, and those for which tiles are best 0.93 to 0.96.
constexpr std::int64_t small_side = 16;
constexpr int least_tile_threads = 128;  // with tiles of 640 elements: 0.616, with 64 threads 0.563

// Returns the sum of the item sizes of all tiles.
std::int64_t tiled_bytes(const PlanContext& context, const Baked& baked) {
    return place_tiles(context.request.signature, baked, context.request.types.dtypes).bytes;
}

std::int64_t vector_bytes(const PlanContext& context, const Baked& baked) {
    std::int64_t narrowest = access_bytes;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared)
            narrowest = std::min(narrowest, context.item(k));
    }
    return narrowest * baked.vector;
}

// The sides of a tile in elements.
struct TileSides {
    std::int64_t a = 0;
    std::int64_t b = 0;
};

TileSides patch_sides(const Baked& baked) {
    return {.a = baked.vector, .b = baked.as<SharedTilesChoice>().side_b};
}

// Returns the extents of all tiles together.
TileSides tile_extents(const PlanContext& context, const Baked& baked) {
    const auto& choice = baked.as<SharedTilesChoice>();
    TileSides extents{.a = 1, .b = 1};
    const int a = context.rank() - choice.axes_a;
    for (int axis = a - choice.axes_b; axis < context.rank(); ++axis)
        (axis < a ? extents.b : extents.a) *= context.walk.extents[axis];
    return extents;
}

// Returns the geometry of a loop over tiles with the given sides.
Geometry tile_geometry(const PlanContext& context, const Baked& baked, TileSides sides) {
    const auto& choice = baked.as<SharedTilesChoice>();
    const int a = context.rank() - choice.axes_a;
    const int b = a - choice.axes_b;
    const TileSides extents = tile_extents(context, baked);
    const std::int64_t patches_a = sides.a / baked.vector;
    const std::int64_t patches_b = sides.b / choice.side_b;
    const std::int64_t patches = patches_a * patches_b;
    Geometry geometry;
    // The first axis of each side counts tiles. The extents of the others divide an index along the side.
    geometry.counts = context.walk.extents;
    geometry.counts[a] = ceil_div(extents.a, sides.a);
    geometry.counts[b] = ceil_div(extents.b, sides.b);
    std::int64_t tile_count = geometry.counts[a] * geometry.counts[b];
    for (int axis = 0; axis < b; ++axis) tile_count *= geometry.counts[axis];
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    geometry.threads = usual.threads;
    // Thread blocks with small tiles get fewer threads, but straight ones have a thread for each patch along a side.
    const std::int64_t least_threads =
        choice.straight ? std::max({patches_a, patches_b, std::int64_t{least_tile_threads}})
                        : least_tile_threads;
    for (std::int64_t full = usual.side_a * usual.side_b / (baked.vector * choice.side_b);
         geometry.threads > least_threads && 2 * patches <= full;
         full /= 2) {
        geometry.threads /= 2;
    }
    if (context.request.block_size) geometry.threads = *context.request.block_size;
    geometry.blocks = count_blocks(context.request, tile_count, 1, geometry.threads);
    const std::int64_t pitch = tile_pitch(patches_a, vector_bytes(context, baked));
    // A room is a multiple of 16 vectors, so that the tile of the next array is aligned.
    const std::int64_t room = (pitch * sides.b + 15) / 16 * 16;
    geometry.shared_bytes = static_cast<int>(room * tiled_bytes(context, baked) * baked.vector);
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    geometry.own = TileShape{.extent_a = extents.a,
                             .extent_b = extents.b,
                             .tile_a = narrow(sides.a),
                             .tile_b = narrow(sides.b),
                             .patches_a = narrow(patches_a),
                             .patches_b = narrow(patches_b),
                             .pitch = narrow(pitch),
                             .room = narrow(room),
                             .patch_step_a = narrow(geometry.threads / patches_b),
                             .patch_step_b = narrow(geometry.threads % patches_b),
                             .row_step_a = narrow(geometry.threads % patches_a),
                             .row_step_b = narrow(geometry.threads / patches_a),
                             .by_patches_a = make_divisor32(patches_a),
                             .by_patches_b = make_divisor32(patches_b)};
    return geometry;
}

// Returns the sides of a straight tile, powers of two: those of the table, or longer ones if the other axis is short.
TileSides straight_sides(TileSides extents, const TileCut& usual, int threads, TileSides patch) {
    const std::int64_t area = std::int64_t{usual.side_a} * usual.side_b;
    // There is a thread for each patch along a side.
    const auto cut = [&](std::int64_t extent, std::int64_t longest, std::int64_t unit) {
        return std::min({ceil_power(std::max(extent, unit)), longest, threads * unit});
    };
    TileSides sides{.a = cut(extents.a, usual.side_a, patch.a),
                    .b = cut(extents.b, usual.side_b, patch.b)};
    if (sides.b < usual.side_b) {
        sides.a = cut(extents.a, area / sides.b, patch.a);
    } else if (sides.a < usual.side_a) {
        sides.b = cut(extents.b, area / sides.a, patch.b);
    }
    return sides;
}

}  // namespace

TileDemand demand_of(const PlanContext& context, const Baked& baked) {
    TileDemand demand{.tiled_bytes = tiled_bytes(context, baked)};
    for (const std::size_t k : context.arrays) {
        const Access access = baked.operands[k].access;
        if (access != Access::shared && access != Access::vector) continue;
        demand.widest = std::max(demand.widest, context.item(k));
    }
    return demand;
}

int patches_each(const PlanContext& context, const Baked& baked) {
    const TileSides patch = patch_sides(baked);
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    const int threads = context.request.block_size.value_or(usual.threads);
    const auto [a, b] = straight_sides(tile_extents(context, baked), usual, threads, patch);
    return static_cast<int>(ceil_power(ceil_div(a * b, patch.a * patch.b * threads)));
}

Geometry measure_shared_tiles(const PlanContext& context, const Baked& baked) {
    const auto [a, b] = tile_extents(context, baked);
    const TileSides unit = patch_sides(baked);
    const bool is_straight = baked.as<SharedTilesChoice>().straight;
    const std::int64_t bytes = vector_bytes(context, baked);
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    const std::int64_t room = tile_pitch(usual.side_a / unit.a, bytes) * usual.side_b;
    // Long axes are cut evenly, so that the last tiles are nearly full. If an axis is short, a tile spans all
    // of it and is longer along the other axis.
    const auto cut = [](std::int64_t extent, std::int64_t most, std::int64_t step) {
        const std::int64_t pieces = (extent - 1) / most + 1;
        return ((extent - 1) / pieces / step + 1) * step;
    };
    // Rounds a side down to a multiple of 1024 elements, which a block handles at once, or of a line of 32
    // elements. Shorter sides are rounded to a multiple of `unit`.
    const auto round = [](std::int64_t side, std::int64_t least) {
        const std::int64_t step = side >= 1024 ? 1024 : (side >= 32 ? 32 : least);
        return std::max(side / step * step, least);
    };
    TileSides sides{.a = cut(a, usual.side_a, unit.a), .b = cut(b, usual.side_b, unit.b)};
    if (is_straight) {
        sides = straight_sides(
            {.a = a, .b = b}, usual, context.request.block_size.value_or(usual.threads), unit);
    } else if (b <= usual.side_b) {
        sides.a = cut(a, round(patches_in(room / sides.b, bytes) * unit.a, unit.a), unit.a);
    } else if (a <= usual.side_a) {
        sides.b = cut(b, round(room / tile_pitch(sides.a / unit.a, bytes), unit.b), unit.b);
    }
    Geometry geometry = tile_geometry(context, baked, sides);
    // Small calls get smaller tiles, so that each multiprocessor has several blocks.
    constexpr std::int64_t blocks_each = 4;
    const std::int64_t least = std::max({small_side, unit.a, unit.b});
    const auto halve_longer = [&] {
        const bool is_a = sides.a >= sides.b;
        std::int64_t& longer = is_a ? sides.a : sides.b;
        const std::int64_t step = is_a ? unit.a : unit.b;
        longer = ceil_div(ceil_div(longer, 2), step) * step;
        geometry = tile_geometry(context, baked, sides);
    };
    while (geometry.blocks < blocks_each * context.limits.processor_count &&
           std::max(sides.a, sides.b) >= 2 * least)
        halve_longer();
    while (geometry.shared_bytes > most_tile_bytes && std::max(sides.a, sides.b) > least)
        halve_longer();
    return geometry;
}

}  // namespace kgen
