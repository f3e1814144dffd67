// SPDX-License-Identifier: MIT
//
// The loop over staged runs, for arrays that are contiguous along different axes. A tile has two sides, as in the
// loop over shared tiles: a, along which neighbouring threads lie, and b. The rows along b of the turned arrays are
// copied through shared memory as they lie in memory, by vectors of 16 bytes, wherever they begin. If a tile spans all
// of side b and its rows follow each other without gaps, such as the channels of pixels, all rows are one run. All other
// arrays are accessed where they lie, neighbouring threads at neighbouring places along a: by vectors that begin where sectors of the
// output do, or element by element. Nothing has to be aligned, so the loop serves narrow elements in rows of any length. Sides of
// several axes keep tiles large if single axes are short.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <optional>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/run_axes.hpp"
#include "plan/tile_axes.hpp"
#include "plan/tile_cut.hpp"

namespace kgen {

namespace {

constexpr int rows_at_once = 4;   // of a thread
constexpr int few_threads = 128;  // of a block
constexpr int least_vector = 4;   // two elements at once gain less than is lost
// A whole tile has a multiple of this number of rows, so that all threads handle `rows_at_once` of them, or a vector. Small calls get
// smaller tiles.
constexpr std::int64_t unit_a = warp_lanes * rows_at_once;
// Copies on an H100, in GB/s, with their tiles. Rows without gaps: uint8 9 x 14 million 1616 with 256 rows, 2668 with 2048;
// float16, 12 bytes a row, 2554 with 1024 rows and 2414 with 2048, which leave room for fewer blocks.
constexpr std::int64_t joined_bytes = std::int64_t{20} << 10;  // of all rows of a tile
constexpr std::int64_t most_joined_rows = 4096;
// Rows that are copied apart, rows times elements: float16 8191 x 8189 2375 with 128 x 128, 2362 with 128 x 64, 2184 with 128 x
// 256; uint8 8191 x 16382 2082 with 128 x 128, 2075 with 256 x 128; float32 4095 x 8191 2473 with 128 x 64.
constexpr std::int64_t run_bytes = 128;               // of a row along b
constexpr std::int64_t most_bytes = most_tile_bytes;  // of shared memory
// Bytes between rows that are copied apart, with what their table takes, see run_pitch() and run_room().
constexpr std::int64_t most_gap = 72;

// Returns the bytes from row to row in memory, or 0 if their distances differ.
std::int64_t row_stride(const PlanContext& context, std::size_t k, const TileAxes& axes) {
    return is_linear(context, k, axes.a) ? context.stride(k, axes.a.first()) : 0;
}

bool choose_staged_runs(const PlanContext& context, Baked& baked) {
    if (context.rank() < 2 || context.by_reference || context.walk.kept_count() == 0) return false;
    if (context.request.signature.facts.shared_memory) return false;
    const std::optional<TileAxes> axes = find_run_axes(context);
    if (!axes) return false;
    std::int64_t least_bytes = 0;  // of the smallest tile: a warp of rows of one element
    baked.width = context.offset_width();
    for (const std::size_t k : context.arrays) {
        const bool staged = is_staged(context, k, *axes);
        baked.operands[k].access = staged ? Access::shared
                                   : is_uniform_along(context, k, axes->a) && !context.is_written(k)
                                       ? Access::uniform
                                       : Access::elements;
        baked.operands[k].inner =
            is_linear(context, k, axes->a) ? StrideClass::unit : StrideClass::strided;
        if (staged) least_bytes += (context.item(k) + most_gap) * 2 * warp_lanes;
        // A tile may begin up to a sector behind the end of side a.
        const std::int64_t beyond = memory_sector * std::abs(context.stride(k, axes->a.first()));
        if (static_cast<std::int64_t>(context.span(k).size_bytes()) + beyond >
            std::numeric_limits<std::int32_t>::max())
            baked.width = IndexWidth::bits64;
    }
    if (least_bytes > most_bytes) return false;
    baked.vector = 1;
    baked.index_width = IndexWidth::bits32;  // of tiles, and of places along a side
    baked.block_bound = elementwise_block_bound(context.request);
    baked.choice = StagedRunsChoice{.rows = clone_limit(context.request, rows_at_once),
                                    .axes_a = axes->a.count,
                                    .axes_b = axes->b.count};
    return true;
}

// Returns the greatest number of elements by which a tile begins before its place along a, so that stores to the first
// output that is not staged fill whole sectors. A warp that fills sectors in part takes several times as long: rows of bytes
// in segments of 128, written alone on an H100, 2674 GB/s aligned and 1039 GB/s one byte off; of float32 2968 and 1977.
std::int64_t find_skew(const PlanContext& context, const Baked& baked, const TileAxes& axes) {
    const auto stores = [&](std::size_t k) { return context.is_written(k); };
    const auto passes = [&](std::size_t k) { return baked.operands[k].access == Access::shared; };
    const auto first = std::find_if(context.arrays.begin(), context.arrays.end(), stores);
    if (first == context.arrays.end()) return 0;
    if (std::any_of(first, context.arrays.end(), [&](auto k) { return stores(k) && passes(k); }))
        return 0;
    const std::int64_t item = context.item(*first);
    if (context.stride(*first, axes.a.first()) != item || !is_linear(context, *first, axes.a))
        return 0;
    bool aligned = context.begin(*first) % 16 == 0;
    for (int axis = 0; axis < context.rank(); ++axis) {
        if (!axes.a.has(axis) && context.stride(*first, axis) % memory_sector != 0) aligned = false;
    }
    return aligned ? 0 : memory_sector / item - (baked.vector > 1 ? 0 : 1);
}

// Whether the rows of a tile follow each other in all staged arrays, and are copied as one run. Rows of whole sectors gain
// nothing from it, and threads that read across them would wait for the same banks of shared memory.
bool joins(const PlanContext& context, const Baked& baked, const TileAxes& axes) {
    const std::int64_t b = extent_of(context, axes.b);
    std::int64_t staged_bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access != Access::shared) continue;
        if (!is_joined(context, k, axes) || b * context.item(k) % memory_sector == 0) return false;
        staged_bytes += context.item(k);
    }
    return b * staged_bytes * (unit_a + find_skew(context, baked, axes)) <= most_bytes;
}

// Whether vectors of operand k along a begin at multiples of a vector. If tiles are skewed, they begin where those of the first
// output do.
bool has_vectors(const PlanContext& context,
                 const TileAxes& axes,
                 std::size_t k,
                 std::optional<std::size_t> first,
                 int vector) {
    if (context.stride(k, axes.a.first()) != context.item(k) || !is_linear(context, k, axes.a))
        return false;
    const auto differs = [&](std::int64_t own, std::int64_t other) {
        if (!first) return own % (context.item(k) * vector) != 0;
        return (own / context.item(k) - other / context.item(*first)) % vector != 0;
    };
    const auto begin = [&](std::size_t operand) {
        return static_cast<std::int64_t>(context.begin(operand) % access_bytes);
    };
    if (differs(begin(k), first ? begin(*first) : 0)) return false;
    for (int axis = 0; axis < context.rank(); ++axis) {
        if (!axes.a.has(axis) &&
            differs(context.stride(k, axis), first ? context.stride(*first, axis) : 0))
            return false;
    }
    return true;
}

// Lets a thread handle `vector` neighbours along a. Returns whether that suits the call: outputs are stored by vectors then, or pass
// through shared memory.
bool take_vectors(const PlanContext& context, const TileAxes& axes, int vector, Baked& baked) {
    baked.vector = vector;
    bool writes = false;
    bool reads_elements = false;
    bool reads_apart = false;
    std::optional<std::size_t> first;
    if (find_skew(context, baked, axes) > 0)
        first = *std::find_if(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_written(k);
        });
    for (const std::size_t k : context.arrays) {
        Access& access = baked.operands[k].access;
        if (access == Access::shared || access == Access::uniform) continue;
        access = has_vectors(context, axes, k, first, vector) ? Access::vector : Access::elements;
        // A store of single elements fills sectors in part. Reads whose places are found by divisions take long.
        if (access == Access::elements && (context.is_written(k) || !is_linear(context, k, axes.a)))
            return false;
        writes = writes || context.is_written(k);
        reads_elements = reads_elements || access == Access::elements;
        reads_apart = reads_apart || context.stride(k, axes.a.first()) != context.item(k);
    }
    // If all outputs pass through shared memory, words that are read one by one gain nothing, and elements that lie apart are read
    // from more lines at once.
    return writes || !reads_elements || (vector > least_vector && !reads_apart);
}

// Lets a thread handle neighbours along a, whose outputs are stored at once or pass through shared memory. Calls of bytes take
// 0.60 to 0.90 of their time on an H200, of 2 bytes 0.70 to 1.00, of 4 bytes 0.85 to 1.11, 0.97 in the geometric mean. Elements of 8
// bytes (1.00 to 1.09) and rows that are copied as one run (0.9 to 1.5) mostly gain nothing, so threads keep single ones.
void choose_vectors(const PlanContext& context, const TileAxes& axes, Baked& baked) {
    std::int64_t widest = 1;
    std::int64_t staged = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_uniform(k)) widest = std::max(widest, context.item(k));
        if (baked.operands[k].access == Access::shared) ++staged;
    }
    if (widest > word_bytes || joins(context, baked, axes)) return;
    constexpr std::int64_t most_places = 32;  // of rows, in registers
    int vector = clone_limit(
        context.request,
        static_cast<int>(std::min(access_bytes / widest, floor_power(most_places / staged))));
    vector = spread_vector(extent_product(context.walk.extents), vector);
    for (; vector >= least_vector; vector /= 2) {
        Baked tried = baked;
        if (!take_vectors(context, axes, vector, tried)) continue;
        StagedRunsChoice choice = tried.as<StagedRunsChoice>();
        choice.rows = 1;
        tried.choice = choice;
        baked = tried;
        return;
    }
}

void reorder_staged_runs(PlanContext& context, Baked& baked) {
    move_tile_axes(context, *find_run_axes(context));
    const auto& choice = baked.as<StagedRunsChoice>();
    sort_outer_axes(context, baked, choice.axes_a + choice.axes_b);
    choose_vectors(context, last_axes(context, choice.axes_a, choice.axes_b), baked);
}

// Returns the geometry of blocks of at most `most_threads` threads.
Geometry lay_runs(const PlanContext& context, const Baked& baked, int most_threads) {
    const auto& choice = baked.as<StagedRunsChoice>();
    const TileAxes axes = last_axes(context, choice.axes_a, choice.axes_b);
    const std::int64_t a = extent_of(context, axes.a);
    const std::int64_t b = extent_of(context, axes.b);
    std::int64_t staged_bytes = 0;
    std::int64_t widest = 1;  // of the staged arrays
    std::int64_t narrowest = access_bytes;
    std::int64_t lane_item = access_bytes;  // of the narrowest array along a
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared) {
            staged_bytes += context.item(k);
            widest = std::max(widest, context.item(k));
            narrowest = std::min(narrowest, context.item(k));
        } else if (baked.operands[k].access != Access::uniform) {
            lane_item = std::min(lane_item, context.item(k));
        }
    }
    const std::int64_t skew = find_skew(context, baked, axes);
    const bool joined = joins(context, baked, axes);
    std::int64_t tile_a = unit_a;
    std::int64_t tile_b = b;
    if (joined) {
        tile_a =
            std::clamp(floor_power(joined_bytes / (b * staged_bytes)), unit_a, most_joined_rows);
    } else {
        std::int64_t most_b = run_bytes / widest;
        if (tile_a * lane_item < lane_bytes) tile_a *= 2;
        // Rows of narrow elements beside wide ones get longer, and fewer.
        while (most_b * narrowest < run_bytes / 2 && tile_a > warp_lanes &&
               tile_a * lane_item > access_line) {
            most_b *= 2;
            tile_a /= 2;
        }
        tile_b = ceil_div(b, ceil_div(b, most_b));
    }
    std::int64_t outer = 1;
    const int first_a = context.rank() - choice.axes_a;
    const int first_b = first_a - choice.axes_b;
    for (int axis = 0; axis < first_b; ++axis) outer *= context.walk.extents[axis];
    const auto tiles = [&] { return outer * ceil_div(a + skew, tile_a) * ceil_div(b, tile_b); };
    // Small calls get smaller tiles, so that each multiprocessor has several blocks.
    constexpr std::int64_t blocks_each = 4;
    while (tile_a >= 2 * warp_lanes && tiles() < blocks_each * context.limits.processor_count)
        tile_a = tile_a / 2 / warp_lanes * warp_lanes;
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    RunShape shape{.extent_a = a, .extent_b = b, .skew = narrow(skew), .joined = joined ? 1 : 0};
    const auto shared_bytes = [&] {
        shape.tile_a = narrow(tile_a);
        shape.tile_b = narrow(tile_b);
        std::int64_t bytes = 0;
        for (const std::size_t k : context.arrays) {
            if (baked.operands[k].access == Access::shared)
                bytes +=
                    run_room(shape, baked.vector, context.item(k), row_stride(context, k, axes));
        }
        return bytes;
    };
    while (!joined && shared_bytes() > most_bytes && tile_b > 1) tile_b = ceil_div(tile_b, 2);
    while (shared_bytes() > most_bytes && tile_a > warp_lanes) tile_a -= warp_lanes;
    Geometry geometry;
    geometry.shared_bytes = narrow(shared_bytes());
    geometry.threads = context.request.block_size
                           ? *context.request.block_size
                           : static_cast<int>(std::clamp<std::int64_t>(
                                 floor_power(tile_a * tile_b / (choice.rows * baked.vector)),
                                 few_threads,
                                 most_threads));
    const std::int64_t whole = floor_power(geometry.threads);
    // Threads that read from the same rows find their elements in the same banks of shared memory.
    const std::int64_t least_near = joined || baked.vector == 1 ? warp_lanes : 8;
    const std::int64_t across = std::min(
        std::max(floor_power(tile_a / (std::int64_t{choice.rows} * baked.vector)), least_near),
        whole);
    std::int64_t near = std::min<std::int64_t>(across, warp_lanes);
    if (whole == geometry.threads)
        near = std::min(near, std::max(least_near, warp_lanes * across / whole));
    const std::int64_t lanes = std::min(
        {ceil_power(ceil_div(tile_b * widest, access_bytes)), std::int64_t{warp_lanes}, whole});
    const auto log = [](std::int64_t power) {
        return std::bit_width(static_cast<std::uint64_t>(power)) - 1;
    };
    shape.across = narrow(across);
    shape.log_across = narrow(log(across));
    shape.log_near = narrow(log(near));
    shape.log_lanes = narrow(log(lanes));
    geometry.own = shape;
    geometry.counts = context.walk.extents;
    // The first axis of each side counts tiles. The extents of the others divide an index along the side.
    geometry.counts[first_a] = ceil_div(a + skew, tile_a);
    geometry.counts[first_b] = ceil_div(b, tile_b);
    geometry.blocks = count_blocks(context.request, tiles(), 1, geometry.threads);
    return geometry;
}

// Blocks of few threads run if they are predicted to be quicker. Nine of 30 calls on an H200 are predicted to take less than 0.97 of
// their time so, and take 0.86 to 1.03, 0.95 in the geometric mean; three of a later seed take 1.01 to 1.12.
Geometry measure_staged_runs(const PlanContext& context, const Baked& baked) {
    constexpr double clearly_quicker = 0.97;
    Geometry geometry = lay_runs(context, baked, usual_threads);
    if (geometry.threads == few_threads || context.request.block_size ||
        !is_worth_contests(context))
        return geometry;
    const Geometry fewer = lay_runs(context, baked, few_threads);
    take_quicker(context, baked, predict_staged_runs, fewer, clearly_quicker, geometry);
    return geometry;
}

std::string describe_staged_runs(const Baked& baked) {
    const auto& choice = baked.as<StagedRunsChoice>();
    return fmt::format("runs in shared memory over {} axes{}, {} {}{}",
                       baked.rank,
                       tile_axes_text(choice.axes_a, choice.axes_b),
                       count_of(choice.rows * baked.vector, "element"),
                       baked.vector > 1 ? "an access" : "a thread at once",
                       offsets_text(baked));
}

std::vector<std::string> explain_staged_runs(const PlanRequest&,
                                             const Plan&,
                                             const LoopStruct& own) {
    const auto& shape = std::get<RunShape>(own);
    return {fmt::format("tile: {} rows of {} elements{}",
                        shape.tile_a,
                        shape.tile_b,
                        shape.joined != 0 ? ", copied as one run" : "")};
}

}  // namespace

constinit const Loop staged_runs_loop = {
    .kind = LoopKind::staged_runs,
    .name = "staged_runs",
    .when = "arrays are contiguous along different axes, with rows that may begin anywhere",
    .why =
        "rows are copied through shared memory as they lie, in whole cache lines, and neighbouring "
        "threads read them across",
    .choose = choose_staged_runs,
    .measure = measure_staged_runs,
    .describe = describe_staged_runs,
    .predict = predict_staged_runs,
    .phases = 4,
    .reorder = reorder_staged_runs,
    .explain = explain_staged_runs,
    .own = RunShape{},
    .own_text = "kgen_run_shape kgen_tile",
    .has_reach = true,
    .moves_index = true};

}  // namespace kgen
