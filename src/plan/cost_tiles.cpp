// SPDX-License-Identifier: MIT
//
// The predicted times of the elementwise CUDA loops over tiles.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <variant>

#include "plan/cost_parts.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Adds the body of `count` elements of a tile. The index of each is counted along both sides, which takes the instructions of nine
// divisions: without them, tiles whose bodies use an index took 1.17 of their predicted time on H200s, others 0.98 (medians of
// 304 and 872 loops).
void add_tile_body(
    const PlanContext& context, const Baked& baked, double warps, double count, Cost& cost) {
    add_body(context, warps, count, cost);
    if (baked.counted) cost.divisions += warps * count * 9;
}

// Launches over tiles take longer with each array than their counts say. These factors were fitted together with the speeds of
// cost_cuda.cpp. Other elementwise loops are predicted too quick beside them: with 0.985 instead of 1, ten of 60 calls run tiles or runs
// instead, and take 0.87 of their time (0.53 to 1.57 on an H200).
constexpr double runs_per_array = 0.029;
constexpr double tiles_per_array = 0.0105;
double by_arrays(const PlanContext& context, double each) {
    return 0.985 + each * static_cast<double>(context.arrays.size());
}

// Returns the factor by which runs take more instructions than are counted below, unless rows follow each other and are copied as one. For
// single elements it was fitted to 211 calls on an H200: the chosen loops take 1.023 of the time of the quickest ones, and 1.025 with a
// factor of 1.4 (geometric means). For vectors, a smaller factor chooses runs where tiles are quicker. A factor of 2 chooses tiles for
// transposed float32 of odd extents, which take 0.68 ms by tiles and 0.62 ms by runs.
double run_instructions(const Baked& baked) {
    return baked.vector > 1 ? 1.4 : 2;
}

// Returns the box of the first elements along the sides of a tile.
template <typename Choice>
Dims tile_box(const PlanContext& context,
              const Choice& choice,
              std::int64_t along_a,
              std::int64_t along_b) {
    const int first_a = context.rank() - choice.axes_a;
    Dims box = Dims::filled(context.rank(), 1);
    fill_axes(context, box, first_a, context.rank(), along_a);
    fill_axes(context, box, first_a - choice.axes_b, first_a, along_b);
    return box;
}

// Returns the parts of sectors in which a row of `elements` elements is copied back from shared memory: the pieces of vectors
// at both of its ends. Those of rows shorter than two sectors count twice, because all stores to them fill sectors in part. The L2 cache joins
// the ends of rows that follow each other.
double row_parts(const PlanContext& context,
                 std::size_t k,
                 std::int64_t elements,
                 std::int64_t next_row) {
    const std::int64_t bytes = elements * context.item(k);
    const auto ends = static_cast<std::uint64_t>(bytes % access_bytes / context.item(k));
    const bool aligned = next_row % access_bytes == 0 && context.begin(k) % access_bytes == 0;
    // Each end of a row that begins anywhere has half as many pieces as there are sizes of pieces.
    const double pieces =
        aligned
            ? std::popcount(ends)
            : std::log2(static_cast<double>(access_bytes) / static_cast<double>(context.item(k)));
    if (pieces == 0) return 0;
    if (next_row == bytes) return 1;
    return bytes < 2 * memory_sector ? 2 * pieces + 1 : pieces;
}

// Whether many rows of `elements` elements lie at an end of the array that is no end of a vector. Such rows are copied to shared
// memory element by element, one after the other. uint32 (31, 16, 128, 7, 8) beside 217 bytes that repeat, on an H200: 102 us
// by staged_runs, 17 by shared_tiles.
bool ends_within_rows(const PlanContext& context, std::size_t k, std::int64_t elements) {
    constexpr std::int64_t few_rows = 16;
    const AddressSpan& span = context.span(k);
    return (span.begin % access_bytes != 0 || span.end % access_bytes != 0) &&
           static_cast<std::int64_t>(span.size_bytes()) <= few_rows * elements * context.item(k);
}

// The share of the instructions of an access that straight tiles take: a place is one step behind the thread's last one. Fitted, with the
// powers of filled lanes, to the times of 197 calls with and without straight tiles on an H200.
constexpr double straight_share = 0.6;

// Returns the share of the lanes of straight tiles that have work. Warps without work end early.
double filled_lanes(std::int64_t extent, std::int64_t side, int vector) {
    const std::int64_t lanes = std::min<std::int64_t>(side, warp_lanes * std::int64_t{vector});
    return static_cast<double>(extent) / static_cast<double>(ceil_div(extent, lanes) * lanes);
}

}  // namespace

double predict_staged_runs(const PlanContext& context,
                           const Baked& baked,
                           const Geometry& geometry) {
    Cost cost;
    const auto& tile = std::get<RunShape>(geometry.own);
    const auto& choice = baked.as<StagedRunsChoice>();
    const double count = loop_count(context);
    const double pack = baked.vector;
    // Rows of tiles that are not whole are handled one by one, which takes about twice as many instructions, unless they have
    // whole vectors. If tiles begin where sectors do, the first one is not whole either.
    const auto extent = static_cast<double>(tile.extent_a);
    const auto slow_rows =
        static_cast<double>(tile.extent_a % tile.tile_a + (tile.skew > 0 ? tile.tile_a : 0));
    const double slow = pack > 1 ? 1 : 1 + std::min(1.0, slow_rows / extent);
    const double filled =
        extent / static_cast<double>(ceil_div(tile.extent_a, warp_lanes) * warp_lanes);
    const double warps = count / warp_lanes * slow / filled;
    const double staged = 1 + static_cast<double>(tile.skew) / tile.tile_a;  // elements for each
    // Each tile also has the last rows of the tile before it, so boxes overlap.
    const Dims box = tile_box(context, choice, tile.tile_a + tile.skew, tile.tile_b);
    const double boxes = whole_boxes(context,
                                     tile_box(context, choice, tile.tile_a, tile.tile_b),
                                     static_cast<double>(geometry.blocks));
    const std::int64_t near = std::int64_t{1} << tile.log_near;  // threads of a warp along a
    const double copying = 1 << tile.log_lanes;                  // threads that copy a row
    // The share of elements at which a thread finds a place along b, and reads what all of its rows have alike there.
    const double places = static_cast<double>(tile.across) / tile.tile_a;
    const Dims vectors = tile_box(context, choice, near * baked.vector, warp_lanes / near);
    const Dims lanes = tile_box(context, choice, near * baked.vector, 1);
    bool skewed = tile.skew > 0;
    ReadAgain again;
    for (const std::size_t k : context.arrays) {
        const auto item = static_cast<double>(context.item(k));
        const bool written = context.is_written(k);
        if (baked.operands[k].access == Access::shared) {
            // The distance between the rows of neighbouring threads decides how many of them share a bank.
            const bool even = baked.operands[k].inner == StrideClass::unit;
            const std::int64_t pitch = run_pitch(tile,
                                                 baked.vector,
                                                 context.item(k),
                                                 even ? context.stride(k, context.rank() - 1) : 0);
            const std::int64_t step = baked.vector * pitch + run_gap(tile, baked.vector, pitch);
            const auto shared = step % 4 == 0 ? std::gcd(step / 4, std::int64_t{warp_lanes}) : 1;
            const auto banks = std::max<std::int64_t>(shared * near / warp_lanes, 1);
            cost.passes += warps * (static_cast<double>(banks) + 2 * staged * dense_passes(item));
            // Rows that follow each other are copied as one. Bytes (128, 1024, 1024, 3), channels last to first, take 227 us on an H200.
            cost.accesses += warps * ((tile.joined > 0 ? 1.5 : 2) + staged * item / 8);
            const double rows = staged * count / static_cast<double>(tile.tile_b);
            if (tile.joined == 0) cost.moves += rows * copying / warp_lanes;
            if (!written && ends_within_rows(context, k, tile.tile_b))
                cost.phases += static_cast<double>(tile.tile_b) / copying;
            if (tile.joined == 0 && written)
                cost.parts +=
                    rows *
                    row_parts(context, k, tile.tile_b, context.stride(k, context.rank() - 1));
            if (!even) {  // the table of rows is written and read
                cost.divisions += rows * copying / warp_lanes;
                cost.passes += warps;
                cost.accesses += warps;
            }
        } else if (baked.operands[k].access == Access::uniform) {
            cost.passes += warps * places;
            cost.accesses += warps * places;
            cost.divisions += warps * places * (choice.axes_b - 1);
        } else if (baked.operands[k].access == Access::vector) {
            cost.passes += warps / pack *
                           std::max(touched_units(context, k, vectors, access_line),
                                    dense_passes(item * pack));
            cost.accesses += warps / pack;
            cost.divisions += warps / pack * (choice.axes_b - 1);
        } else if (baked.operands[k].access == Access::elements) {
            const std::int64_t step = step_over_rows(context, lanes, baked.vector);
            cost.passes += warps * element_passes(context, k, lanes, step);
            cost.accesses += warps;
            cost.divisions += warps * (choice.axes_b - 1) / choice.rows;
            if (baked.operands[k].inner != StrideClass::unit)
                cost.divisions += warps * (choice.axes_a - 1);
            if (!written) {
                const double sectors = touched_units(context, k, lanes, memory_sector, step);
                again.add(context, k, warps, std::min<double>(sectors, warp_lanes), box, boxes);
                continue;
            }
            if (!skewed) cost.parts += warps * partial_sectors(context, k, lanes);
            skewed = false;
        }
    }
    add_traffic(context, box, boxes, cost);
    again.finish(geometry, cost);
    add_tile_body(context, baked, warps, 1, cost);
    add_blocks(context, choice.rows * pack, geometry, cost);
    cost.phases += 3;
    cost.bare_phases = text_phases;
    if (tile.joined == 0) {
        const double factor = run_instructions(baked);
        cost.accesses *= factor;
        cost.moves *= factor;
        cost.divisions *= factor;
    }
    return by_arrays(context, runs_per_array) * predicted_ns(cost, context);
}

double predict_shared_tiles(const PlanContext& context,
                            const Baked& baked,
                            const Geometry& geometry) {
    Cost cost;
    const auto& tile = std::get<TileShape>(geometry.own);
    const auto& choice = baked.as<SharedTilesChoice>();
    const double count = loop_count(context);
    const double vector = baked.vector;
    const double warps = count / (warp_lanes * vector);
    const double fills = count / (warp_lanes * static_cast<double>(choice.side_b));
    const Dims box = tile_box(context, choice, tile.tile_a, tile.tile_b);
    const double boxes = whole_boxes(context, box, static_cast<double>(geometry.blocks));
    // The elements that a warp accesses at once: along b, one of each patch along a, when it fills the tile, along a when it computes.
    const auto part = [&](bool along_b, int patches) {
        const std::int64_t along = std::min<std::int64_t>(patches, 32);
        const std::int64_t across = std::min<std::int64_t>(std::max<std::int64_t>(32 / along, 1),
                                                           along_b ? tile.patches_a : tile.tile_b);
        return along_b ? tile_box(context, choice, across * baked.vector, along * choice.side_b)
                       : tile_box(context, choice, along * baked.vector, across);
    };
    const Dims filled = part(true, tile.patches_b);
    // Stores of a turned output: the elements of a warp at one place along a, and the number of such places.
    const std::int64_t beside = std::min<std::int64_t>(tile.patches_b, warp_lanes);
    const Dims stored = tile_box(context, choice, 1, beside * choice.side_b);
    const auto across = static_cast<double>(std::max<std::int64_t>(warp_lanes / beside, 1));
    const Dims computed = part(false, tile.patches_a);
    bool reads = false;
    bool waits = false;
    ReadAgain again;
    for (const std::size_t k : context.arrays) {
        const double dense = dense_passes(static_cast<double>(context.item(k)) * vector);
        const Access access = baked.operands[k].access;
        const bool turned = access == Access::shared;
        // Places along a side of several axes are divided into these.
        if (turned || access == Access::elements)
            cost.divisions += (turned ? fills : warps * vector) * (choice.axes_a - 1);
        if (!turned) cost.divisions += warps * (choice.axes_b - 1);
        if (turned) {
            // Elements are stored to shared memory and read from there, and memory is accessed beside that.
            const Parameter& parameter = context.request.signature.parameters[k];
            reads = reads || !parameter.overwritten;
            waits = waits || parameter.written;
            const double times = parameter.written && !parameter.overwritten ? 2 : 1;
            const double lines = touched_units(context, k, filled, access_line, baked.vector);
            const double dense_b =
                dense_passes(static_cast<double>(context.item(k) * choice.side_b));
            cost.passes += times * (fills * std::max(lines, dense_b) + 2 * warps * dense);
            cost.moves += fills * times;
            cost.accesses += fills * times;
            if (parameter.written)
                cost.parts += fills * across * partial_sectors(context, k, stored);
        } else if (access == Access::uniform) {
            cost.passes += warps;
            cost.accesses += warps * 2;
        } else if (access == Access::vector) {
            const double lines = touched_units(context, k, computed, access_line);
            cost.passes += warps * std::max(lines, dense);
            cost.accesses += warps * 2;
            if (context.is_written(k)) cost.parts += warps * partial_sectors(context, k, computed);
        } else {
            const std::int64_t step = step_over_rows(context, computed, baked.vector);
            cost.passes += warps * vector * element_passes(context, k, computed, step);
            cost.accesses += warps * vector * 2;
            const double sectors = touched_units(context, k, computed, memory_sector, step);
            if (!context.is_written(k))
                again.add(context, k, warps * vector, std::min(sectors, 32.0), box, boxes);
            if (context.is_written(k))
                cost.parts += warps * vector * partial_sectors(context, k, computed, step);
        }
    }
    again.finish(geometry, cost);
    add_traffic(context, box, boxes, cost);
    cost.accesses += warps * 3;
    if (choice.straight) {
        // Lanes along a are counted as if patches were square. Otherwise more calls with a longer side along a are predicted too slow.
        const double computing = filled_lanes(tile.extent_a, tile.tile_a, choice.side_b);
        const double working =
            computing * computing * filled_lanes(tile.extent_b, tile.tile_b, choice.side_b);
        cost.moves *= straight_share / working;
        cost.accesses *= straight_share / working;
        cost.divisions /= working;
        cost.passes /= working;
    }
    add_tile_body(context, baked, warps, vector, cost);
    add_blocks(context, vector * choice.vectors, geometry, cost);
    cost.phases += (reads ? 1 : 0) + (waits ? 1 : 0);
    cost.bare_phases = text_phases;
    return by_arrays(context, tiles_per_array) * predicted_ns(cost, context);
}

}  // namespace kgen
