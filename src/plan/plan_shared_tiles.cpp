// SPDX-License-Identifier: MIT
//
// The loop over tiles in shared memory. The axis that is the fastest one of most bytes (a) and that of most
// other bytes (b) are cut into tiles. Arrays that are fastest along b are called turned. A tile of a turned
// input is copied along b to shared memory and read from there along a, so it is transposed; a tile of a
// turned output is transposed in the same way before it is stored along b. The other arrays are accessed
// directly along a. If rows along a or b would be short, a tile runs over several axes that follow each other in
// the memory of these arrays. The remaining axes are counted. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/tile_axes.hpp"
#include "plan/tile_cut.hpp"
#include "plan/tile_places.hpp"

namespace kgen {

namespace {

constexpr int least_side = 16;
// Of tiles that are made smaller because a call has few of them. With 16 instead of 32 elements, 22 small calls took 0.56 to 1.11 of
// their time on an H200, 0.97 in the geometric mean, and those for which tiles are best 0.93 to 0.96.
constexpr std::int64_t small_side = 16;
constexpr int least_tile_threads = 128;  // with tiles of 640 elements: 0.616, with 64 threads 0.563
bool is_turned(const PlanContext& context, std::size_t k, const TileAxes& axes) {
    return context.fastest_axis(k) == axes.b.first() && is_linear(context, k, axes.b) &&
           !is_uniform_along(context, k, axes.a);
}

// Sets how each array is accessed.
void set_accesses(const PlanContext& context, const TileAxes& axes, Baked& baked) {
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.inner = is_linear(context, k, axes.a) ? StrideClass::unit : StrideClass::strided;
        if (is_turned(context, k, axes)) {
            operand.access = Access::shared;
        } else if (context.stride(k, axes.a.first()) == context.item(k) &&
                   is_linear(context, k, axes.a)) {
            operand.access = Access::vector;
        } else {
            operand.access =
                is_uniform_along(context, k, axes.a) ? Access::uniform : Access::elements;
        }
    }
}

// Returns the sum of the item sizes of all tiles.
std::int64_t tiled_bytes(const PlanContext& context, const Baked& baked) {
    return place_tiles(context.request.signature, baked, context.request.types.dtypes).bytes;
}

TileDemand demand_of(const PlanContext& context, const Baked& baked) {
    TileDemand demand{.tiled_bytes = tiled_bytes(context, baked)};
    for (const std::size_t k : context.arrays) {
        const Access access = baked.operands[k].access;
        if (access != Access::shared && access != Access::vector) continue;
        demand.widest = std::max(demand.widest, context.item(k));
    }
    return demand;
}

// Whether every row of the operand along the side begins at a multiple of a vector of `vector` elements.
bool is_aligned_beside(const PlanContext& context,
                       std::size_t k,
                       const TileSide& side,
                       int vector) {
    const std::int64_t whole = context.item(k) * vector;
    if (context.begin(k) % static_cast<std::uintptr_t>(whole) != 0) return false;
    for (int other = 0; other < context.rank(); ++other) {
        if (!side.has(other) && context.stride(k, other) % whole != 0) return false;
    }
    return true;
}

// Returns the greatest side of squares whose rows are whole, aligned vectors.
int find_aligned_square(const PlanContext& context, const Baked& baked, const TileAxes& axes) {
    int vector = find_cut(demand_of(context, baked), largest_square).square;
    while (vector > 1 && clone_limit(context.request, vector * vector) < vector * vector)
        vector /= 2;
    const auto fits = [&] {
        if (extent_of(context, axes.a) % vector != 0) return false;
        if (extent_of(context, axes.b) % vector != 0) return false;
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const Access access = baked.operands[k].access;
            if (access != Access::shared && access != Access::vector) return true;
            const TileSide& along = access == Access::shared ? axes.b : axes.a;
            return context.stride(k, along.first()) == context.item(k) &&
                   is_aligned_beside(context, k, along, vector);
        });
    };
    while (vector > 1 && !fits()) vector /= 2;
    // Threads of small calls get smaller squares. 256 x 256 float32, transposed in L2 and replayed as a graph on an
    // H100: 1.64 us with squares of 4 x 4, 1.17 us with single elements in a kernel written for this size.
    const std::int64_t count = extent_product(context.walk.extents);
    while (vector > 1 && count / (vector * vector) < wave_threads) vector /= 2;
    return vector;
}

bool choose_shared_tiles(const PlanContext& context, Baked& baked) {
    if (context.rank() < 2 || context.by_reference) return false;
    // The loop is not used if the body has shared memory of its own, because both together might exceed the
    // limit.
    if (context.request.signature.facts.shared_memory) return false;
    const std::optional<TileAxes> axes = find_tile_axes(context);
    if (!axes) return false;

    Baked tried = baked;
    tried.choice = SharedTilesChoice{.axes_a = axes->a.count, .axes_b = axes->b.count};
    set_accesses(context, *axes, tried);
    const TileDemand demand = demand_of(context, tried);
    tried.vector = find_aligned_square(context, tried, *axes);
    if (least_side * least_side * demand.tiled_bytes > most_tile_bytes / 2) return false;

    tried.width = context.offset_width();
    const TileCut cut = find_cut(demand, tried.vector);
    // If every input is transposed, a thread has no loads from memory in flight when it computes. Copies of
    // odd extents, which are transposed element by element, with one vector at once and with the four or
    // eight of the table: uint8 0.4672 ms and 0.5217, float16 0.4849 and 0.5534, but float32 0.6744 and
    // 0.6554.
    const bool reads_tiles_alone =
        std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_written(k) || tried.operands[k].access == Access::shared;
        });
    const bool one_vector = tried.vector == 1 && demand.widest < word_bytes && reads_tiles_alone;
    // Single elements of 8 bytes of many arrays take too many registers. 18 calls of four to nine arrays on an H200: 0.94 of the time
    // with two rows at once instead of four, 0.77 to 1.11; five calls of two and three arrays 1.05 to 1.08.
    const bool many_registers =
        tried.vector == 1 && demand.widest == 8 && context.arrays.size() >= 4;
    const int rows = one_vector ? 1 : many_registers ? 2 : cut.rows;
    tried.choice = SharedTilesChoice{.squares = clone_limit(context.request, cut.squares),
                                     .vectors = clone_limit(context.request, rows),
                                     .axes_a = axes->a.count,
                                     .axes_b = axes->b.count};
    tried.block_bound = std::max(elementwise_block_bound(context.request), cut.threads);
    tried.index_width = IndexWidth::bits32;  // 32 bits are enough for the number of tiles
    baked = tried;
    return true;
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
    const std::int64_t squares_a = sides.a / baked.vector;
    const std::int64_t squares_b = sides.b / baked.vector;
    const std::int64_t squares = squares_a * squares_b;
    Geometry geometry;
    // The first axis of each side counts tiles. The extents of the others divide an index along the side.
    geometry.counts = context.walk.extents;
    geometry.counts[a] = ceil_div(extents.a, sides.a);
    geometry.counts[b] = ceil_div(extents.b, sides.b);
    std::int64_t tile_count = geometry.counts[a] * geometry.counts[b];
    for (int axis = 0; axis < b; ++axis) tile_count *= geometry.counts[axis];
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    geometry.threads = usual.threads;
    // Thread blocks with small tiles get fewer threads, but straight ones have a thread for each square along a side.
    const std::int64_t least_threads =
        choice.straight ? std::max({squares_a, squares_b, std::int64_t{least_tile_threads}})
                        : least_tile_threads;
    for (std::int64_t full = usual.side_a * usual.side_b / (baked.vector * baked.vector);
         geometry.threads > least_threads && 2 * squares <= full;
         full /= 2) {
        geometry.threads /= 2;
    }
    if (context.request.block_size) geometry.threads = *context.request.block_size;
    geometry.blocks = count_blocks(context.request, tile_count, 1, geometry.threads);
    const std::int64_t pitch = tile_pitch(squares_a, vector_bytes(context, baked));
    // A room is a multiple of 16 vectors, so that the tile of the next array is aligned.
    const std::int64_t room = (pitch * sides.b + 15) / 16 * 16;
    geometry.shared_bytes = static_cast<int>(room * tiled_bytes(context, baked) * baked.vector);
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    geometry.own = TileShape{.extent_a = extents.a,
                             .extent_b = extents.b,
                             .tile_a = narrow(sides.a),
                             .tile_b = narrow(sides.b),
                             .squares_a = narrow(squares_a),
                             .squares_b = narrow(squares_b),
                             .pitch = narrow(pitch),
                             .room = narrow(room),
                             .square_step_a = narrow(geometry.threads / squares_b),
                             .square_step_b = narrow(geometry.threads % squares_b),
                             .row_step_a = narrow(geometry.threads % squares_a),
                             .row_step_b = narrow(geometry.threads / squares_a),
                             .by_squares_a = make_divisor32(squares_a),
                             .by_squares_b = make_divisor32(squares_b)};
    return geometry;
}

// Returns the sides of a straight tile, powers of two: those of the table, or longer ones if the other axis is short.
TileSides straight_sides(TileSides extents, const TileCut& usual, int threads, std::int64_t unit) {
    const std::int64_t most = threads * unit;  // a thread for each square along a side
    const std::int64_t area = std::int64_t{usual.side_a} * usual.side_b;
    const auto cut = [&](std::int64_t extent, std::int64_t longest) {
        return std::min({ceil_power(std::max(extent, unit)), longest, most});
    };
    TileSides sides{.a = cut(extents.a, usual.side_a), .b = cut(extents.b, usual.side_b)};
    if (sides.b < usual.side_b) {
        sides.a = cut(extents.a, area / sides.b);
    } else if (sides.a < usual.side_a) {
        sides.b = cut(extents.b, area / sides.a);
    }
    return sides;
}

// Returns how many squares of a whole straight tile each thread has.
int squares_each(const PlanContext& context, const Baked& baked) {
    const std::int64_t unit = baked.vector;
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    const int threads = context.request.block_size.value_or(usual.threads);
    const auto [a, b] = straight_sides(tile_extents(context, baked), usual, threads, unit);
    return static_cast<int>(ceil_power(ceil_div(a * b, unit * unit * threads)));
}

// Lets threads keep their place along one side unless that is predicted to be clearly slower. The next place then costs few
// instructions. Where a thread wraps around at the end of a side, a copy of float64 (34665, 17, 8) takes 101 instructions for 32 elements. 197
// calls on an H200 take 0.963 of their time if all of them are straight (0.43 to 1.75), and 0.949 with this rule. A named loop is straight
// for all sizes, so that a pack that has its kernel serves them all.
void try_straight(const PlanContext& context, Baked& baked) {
    constexpr double about_as_quick = 1.05;
    const std::optional<int> block_size = context.request.block_size;
    if (context.request.fit != Fit::call ||
        (block_size && !std::has_single_bit(static_cast<unsigned>(*block_size))))
        return;
    // 26 calls of one and two bytes took 0.93 of their time with four squares and rows at once instead of eight (0.71 to 1.14), 17 with rows
    // of 16 bytes and more 0.96 with two rows instead of four (0.70 to 1.03). Twelve arrays of bytes, which take a register each: 0.76.
    constexpr int most_at_once = 4;
    constexpr std::int64_t many_bytes = 16;
    constexpr std::size_t many_arrays = 10;
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_uniform(k)) bytes += context.item(k);
    }
    SharedTilesChoice choice = baked.as<SharedTilesChoice>();
    choice.straight = true;
    choice.squares =
        std::min(choice.squares, baked.vector == 1 ? squares_each(context, baked) : most_at_once);
    const bool is_many = bytes >= many_bytes || context.arrays.size() >= many_arrays;
    choice.vectors = std::min(choice.vectors, baked.vector == 1 && is_many ? 2 : most_at_once);
    Baked tried = baked;
    tried.choice = choice;
    // 34 calls of less than a million elements take 0.91 of their time (0.47 to 1.09).
    if (!is_worth_contests(context) || !context.request.loop_name.empty())
        baked = tried;
    else
        Contest(context, shared_tiles_loop, baked).offer(tried, about_as_quick);
}

// Holds fewer rows of single elements at once if that is predicted to be quicker. Seven of 40 calls on an H200 are
// predicted to take less than 0.97 of their time so, and take 0.86 to 1.00, 0.94 in the geometric mean.
void try_fewer_rows(const PlanContext& context, Baked& baked) {
    constexpr double clearly_quicker = 0.97;
    if (baked.vector > 1 || !is_worth_contests(context) || !context.request.loop_name.empty())
        return;
    Contest contest(context, shared_tiles_loop, baked);
    Baked tried = baked;
    SharedTilesChoice choice = baked.as<SharedTilesChoice>();
    while (choice.vectors > 1) {
        choice.vectors /= 2;
        tried.choice = choice;
        contest.offer(tried, clearly_quicker);
    }
}

void reorder_shared_tiles(PlanContext& context, Baked& baked) {
    move_tile_axes(context, *find_tile_axes(context));
    const auto& choice = baked.as<SharedTilesChoice>();
    sort_outer_axes(context, baked, choice.axes_a + choice.axes_b);
    try_straight(context, baked);
    try_fewer_rows(context, baked);
    baked.draws_neighbours = choice.axes_a == 1 && context.draws_neighbours();
}

Geometry measure_shared_tiles(const PlanContext& context, const Baked& baked) {
    const auto [a, b] = tile_extents(context, baked);
    const std::int64_t unit = baked.vector;
    const bool is_straight = baked.as<SharedTilesChoice>().straight;
    const std::int64_t bytes = vector_bytes(context, baked);
    const TileCut usual = find_cut(demand_of(context, baked), baked.vector);
    const std::int64_t room = tile_pitch(usual.side_a / unit, bytes) * usual.side_b;
    // Long axes are cut evenly, so that the last tiles are nearly full. If an axis is short, a tile spans all
    // of it and is longer along the other axis.
    const auto cut = [&](std::int64_t extent, std::int64_t most) {
        const std::int64_t pieces = (extent - 1) / most + 1;
        return ((extent - 1) / pieces / unit + 1) * unit;
    };
    // Rounds a side down to a multiple of 1024 elements, which a block handles at once, or of a line of 32
    // elements. Shorter sides are rounded to a multiple of `unit`.
    const auto round = [&](std::int64_t side) {
        const std::int64_t step = side >= 1024 ? 1024 : (side >= 32 ? 32 : unit);
        return std::max(side / step * step, unit);
    };
    TileSides sides{.a = cut(a, usual.side_a), .b = cut(b, usual.side_b)};
    if (is_straight) {
        sides = straight_sides(
            {.a = a, .b = b}, usual, context.request.block_size.value_or(usual.threads), unit);
    } else if (b <= usual.side_b) {
        sides.a = cut(a, round(squares_in(room / sides.b, bytes) * unit));
    } else if (a <= usual.side_a) {
        sides.b = cut(b, round(room / tile_pitch(sides.a / unit, bytes)));
    }
    Geometry geometry = tile_geometry(context, baked, sides);
    // Small calls get smaller tiles, so that each multiprocessor has several blocks.
    constexpr std::int64_t blocks_each = 4;
    while (geometry.blocks < blocks_each * context.limits.processor_count &&
           std::max(sides.a, sides.b) >= 2 * std::max<std::int64_t>(small_side, unit)) {
        std::int64_t& longer = sides.a >= sides.b ? sides.a : sides.b;
        longer = ceil_div(ceil_div(longer, 2), unit) * unit;
        geometry = tile_geometry(context, baked, sides);
    }
    while (geometry.shared_bytes > most_tile_bytes && std::max(sides.a, sides.b) > unit) {
        std::int64_t& longer = sides.a >= sides.b ? sides.a : sides.b;
        longer = std::max(longer / 2 / unit * unit, unit);
        geometry = tile_geometry(context, baked, sides);
    }
    return geometry;
}

std::string describe_shared_tiles(const Baked& baked) {
    const auto& choice = baked.as<SharedTilesChoice>();
    return fmt::format("tiles in shared memory over {} axes{}, {} an access, {} a thread{}{}",
                       baked.rank,
                       tile_axes_text(choice.axes_a, choice.axes_b),
                       count_of(baked.vector, "element"),
                       count_of(choice.squares, "square"),
                       choice.straight ? ", straight" : "",
                       offsets_text(baked));
}

}  // namespace

constinit const Loop shared_tiles_loop = {
    .kind = LoopKind::shared_tiles,
    .name = "shared_tiles",
    .when = "arrays are contiguous along different axes",
    .why = "tiles in shared memory let all be accessed in whole cache lines",
    .choose = choose_shared_tiles,
    .measure = measure_shared_tiles,
    .describe = describe_shared_tiles,
    .predict = predict_shared_tiles,
    .phases = 2,
    .reorder = reorder_shared_tiles,
    .own = TileShape{},
    .own_text = "kgen_tile_shape kgen_tile",
    .moves_index = true};

}  // namespace kgen
