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

// Launches over tiles take longer with each array than their counts say. These factors were fitted together with earlier speeds of
// cost_cuda.cpp. Other elementwise loops are predicted too quick beside them: with 0.985 instead of 1, ten of 60 calls run tiles or runs
// instead, and take 0.87 of their time (0.53 to 1.57 on an H200).
constexpr double runs_per_array = 0.029;
constexpr double tiles_per_array = 0.0105;
double by_arrays(const PlanContext& context, double each) {
    return 0.985 + each * static_cast<double>(context.arrays.size());
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

// Returns the share of the lanes of straight tiles that have work. Warps without work end early.
double filled_lanes(std::int64_t extent, std::int64_t side, int vector) {
    const std::int64_t lanes = std::min<std::int64_t>(side, warp_lanes * std::int64_t{vector});
    return static_cast<double>(extent) / static_cast<double>(ceil_div(extent, lanes) * lanes);
}

}  // namespace

// The counts of instructions of both loops were fitted to those that 297 launches issued on an H200. Launches of 25 us and more issued 0.98
// (tiles) and 1.17 (runs) of them, medians of 111 and 141; 72 and 59 % lie within 15 % of these medians.

double predict_staged_runs(const PlanContext& context,
                           const Baked& baked,
                           const Geometry& geometry) {
    Cost cost;
    const auto& tile = std::get<RunShape>(geometry.own);
    const auto& choice = baked.as<StagedRunsChoice>();
    const double count = loop_count(context);
    const double pack = baked.vector;
    const double warps = count / warp_lanes;
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
    // The rows that a warp copies at once, and what it copies of them.
    const std::int64_t beside = std::min<std::int64_t>(warp_lanes >> tile.log_lanes, tile.tile_a);
    const double rows = staged * count / static_cast<double>(tile.tile_b);
    const double row_warps = rows * copying / warp_lanes;
    bool skewed = tile.skew > 0;
    ReadAgain again;
    for (const std::size_t k : context.arrays) {
        const auto item = static_cast<double>(context.item(k));
        const bool written = context.is_written(k);
        if (baked.operands[k].access == Access::shared) {
            // The distance between the rows of neighbouring threads decides how many of them share a bank.
            const bool even = baked.operands[k].inner == StrideClass::unit;
            const std::int64_t next_row = context.stride(k, context.rank() - 1);
            const std::int64_t pitch =
                run_pitch(tile, baked.vector, context.item(k), even ? next_row : 0);
            const std::int64_t step = baked.vector * pitch + run_gap(tile, baked.vector, pitch);
            const auto shared = step % 4 == 0 ? std::gcd(step / 4, std::int64_t{warp_lanes}) : 1;
            const auto banks = std::max<std::int64_t>(shared * near / warp_lanes, 1);
            cost.passes += warps * (static_cast<double>(banks) + 2 * staged * dense_passes(item));
            cost.instructions +=
                warps * (6.7 + (written ? 21 : 18.5) * staged * item / access_bytes);
            const Dims row = tile_box(context, choice, 1, tile.tile_b);
            double pieces = 0;  // of a row's ends
            if (tile.joined > 0) {
                cost.requests += warps * staged * item * warp_lanes / access_line;
            } else {
                const double turns =
                    std::ceil(touched_units(context, k, row, access_bytes) / copying);
                const std::int64_t at_once = access_bytes / context.item(k) << tile.log_lanes;
                const auto lines = [&](std::int64_t elements) {
                    return touched_units(
                        context, k, tile_box(context, choice, beside, elements), access_line);
                };
                cost.instructions += 25 * row_warps;
                cost.requests +=
                    row_warps * turns * lines(std::min<std::int64_t>(tile.tile_b, at_once));
                if (written) {
                    pieces = row_parts(context, k, tile.tile_b, next_row);
                    cost.requests += row_warps * pieces * lines(1);
                    cost.parts += rows * pieces;
                }
            }
            if (written)
                add_rewritten(context,
                              k,
                              rows * (pieces + touched_units(context, k, row, memory_sector)),
                              cost);
            else if (ends_within_rows(context, k, tile.tile_b))
                cost.phases += static_cast<double>(tile.tile_b) / copying;
            if (!even) {  // the table of rows is written and read
                cost.instructions += 1.7 * row_warps + warps;
                cost.passes += warps;
            }
        } else if (baked.operands[k].access == Access::uniform) {
            cost.passes += warps * places;
            cost.instructions += warps * places * (2 + 2 * choice.axes_b);
        } else if (baked.operands[k].access == Access::vector) {
            const double lines = touched_units(context, k, vectors, access_line);
            cost.passes += warps / pack * std::max(lines, dense_passes(item * pack));
            cost.requests += warps / pack * lines;
            cost.instructions += warps / pack * (38 + 2 * choice.axes_b);
        } else if (baked.operands[k].access == Access::elements) {
            const std::int64_t step = step_over_rows(context, lanes, baked.vector);
            const double lines = warp_units(context, k, lanes, access_line, step);
            const int divided =
                baked.operands[k].inner == StrideClass::unit ? 0 : choice.axes_a - 1;
            cost.passes += warps * element_passes(context, k, lanes, step, lines);
            cost.instructions +=
                warps * (6.5 + 2.0 * (choice.axes_b - 1) / choice.rows + 2 * divided);
            if (!written) {
                again.add(context, k, warps, lanes, step, box, boxes, cost);
                continue;
            }
            cost.requests += warps * lines;
            // The rows of the first output begin where sectors do if tiles are skewed.
            if (skewed)
                add_rewritten(
                    context, k, warps * warp_units(context, k, lanes, memory_sector, step), cost);
            else
                add_stores(context, k, lanes, step, warps, cost);
            skewed = false;
        }
    }
    const double rewritten = cost.rewritten;
    add_traffic(context, box, boxes, cost);
    // The boxes of skewed tiles overlap, but what these tiles write does not.
    if (tile.skew > 0) cost.rewritten = rewritten;
    again.finish(geometry, cost);
    add_tile_body(context, baked, warps, 1, cost);
    add_blocks(context, choice.rows * pack, geometry, cost);
    cost.instructions += 165 * cost.blocks * cost.threads / warp_lanes;
    cost.phases += 3;
    cost.bare_phases = text_phases;
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
        const bool written = context.is_written(k);
        // Places along a side of several axes are divided into these.
        if (turned || access == Access::elements)
            cost.instructions += (turned ? 7.5 * fills : warps * vector) * (choice.axes_a - 1);
        cost.instructions += 3 * warps * (choice.axes_b - 1);
        if (turned) {
            // Elements are stored to shared memory and read from there, and memory is accessed beside that.
            const Parameter& parameter = context.request.signature.parameters[k];
            const bool is_read = !parameter.overwritten;
            reads = reads || is_read;
            waits = waits || written;
            const double times = written && is_read ? 2 : 1;
            const double lines = warp_units(context, k, filled, access_line, baked.vector);
            const double dense_b =
                dense_passes(static_cast<double>(context.item(k) * choice.side_b));
            cost.passes += times * (fills * std::max(lines, dense_b) + 2 * warps * dense);
            cost.requests += times * fills * lines;
            // Each byte of a vector is put into its place.
            if (context.item(k) == 1 && vector > 1 && choice.side_b == 1)
                cost.instructions += 5 * warps * vector;
            if (is_read) cost.instructions += 7.2 * fills + 8 * warps;
            if (written) {
                cost.instructions += (4.3 + 7 / vector) * fills + 14 * warps;
                cost.parts += fills * across * partial_sectors(context, k, stored);
                add_rewritten(
                    context,
                    k,
                    fills * touched_units(context, k, filled, memory_sector, baked.vector),
                    cost);
            }
        } else if (access == Access::uniform) {
            cost.passes += warps;
            cost.instructions += 10 * warps;
        } else if (access == Access::vector) {
            const double lines = touched_units(context, k, computed, access_line);
            cost.passes += warps * std::max(lines, dense);
            cost.requests += warps * lines;
            cost.instructions += 7.7 * warps;
            if (written) add_stores(context, k, computed, 1, warps, cost);
        } else {
            const double loads = warps * vector;
            const std::int64_t step = step_over_rows(context, computed, baked.vector);
            const double lines = warp_units(context, k, computed, access_line, step);
            cost.passes += loads * element_passes(context, k, computed, step, lines);
            cost.instructions += 4.5 * loads;
            if (written) {
                cost.requests += loads * lines;
                add_stores(context, k, computed, step, loads, cost);
            } else {
                again.add(context, k, loads, computed, step, box, boxes, cost);
            }
        }
    }
    again.finish(geometry, cost);
    add_traffic(context, box, boxes, cost);
    if (choice.straight) {
        // Lanes along a are counted as if patches were square. Otherwise more calls with a longer side along a are predicted too slow.
        const double computing = filled_lanes(tile.extent_a, tile.tile_a, choice.side_b);
        const double working =
            computing * computing * filled_lanes(tile.extent_b, tile.tile_b, choice.side_b);
        cost.instructions /= working;
        cost.passes /= working;
    } else {
        cost.instructions += 34 * warps;
    }
    add_tile_body(context, baked, warps, vector, cost);
    add_blocks(context, vector * choice.vectors, geometry, cost);
    cost.instructions += 108 * cost.blocks * cost.threads / warp_lanes;
    cost.phases += (reads ? 1 : 0) + (waits ? 1 : 0);
    cost.bare_phases = text_phases;
    return by_arrays(context, tiles_per_array) * predicted_ns(cost, context);
}

}  // namespace kgen
