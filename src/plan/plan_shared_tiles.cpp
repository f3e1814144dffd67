// SPDX-License-Identifier: MIT
//
// The loop over tiles in shared memory. The output's fastest axis (a) and the fastest axis of some inputs (b)
// are cut into tiles. A tile of such an input is copied along b to shared memory and read from there along a,
// so it is transposed; names call such inputs turned. The other arrays are accessed directly along a. The
// remaining axes are counted. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

constexpr std::int64_t least_elements = 4096;
// Least extent of a. If a is shorter, the accesses of a warp already cover whole runs along a without tiles.
constexpr std::int64_t least_output_run = 16;
constexpr std::int64_t most_shared_bytes = 48 * 1024;
constexpr std::int64_t bank_bytes = 4;
constexpr int least_side = 16;
constexpr int least_tile_threads = 128;  // with tiles of 640 elements: 0.616, with 64 threads 0.563
// Least extent of b if single elements of a narrow dtype are transposed. Transposing them takes as many
// instructions as for wide dtypes but moves fewer bytes. With fewer elements along b, strided reads through
// the caches are faster (uint8 (N, 3) to (3, N): 0.746 against 0.245).
constexpr std::int64_t least_narrow_run = 8;

// The table of tile shapes, by the item size of the widest dtype and the side of a square. Measured with
// 16384 x 16384 elements, transposed. Sides of 256 bytes are best, but tiles must leave the L1 cache half of
// its memory, because it holds the loads in flight: float32 64 x 64 reached 0.978, 32 x 32 0.933, 128 x 128
// 0.887; float16 128 x 128 with 512 threads 0.970, with 256 0.964, 64 x 64 0.924; uint8 64 x 256 0.939, 128 x
// 128 0.916, 256 x 256 0.942 (with 68 KiB of shared memory, squares of 16 x 16). Layouts that allow only
// single elements are bound by instructions: float32 0.758, float16 0.497, uint8 0.256.
constexpr int largest_square = 8;
struct Cut {
    std::int64_t widest;  // item size of the widest dtype in bytes
    int square;           // side of a square in elements
    int side_a;           // sides of a tile along a and b in elements
    int side_b;
    int threads;
    int squares;  // squares that a thread reads at once
    int rows;     // vectors along axis a that a thread has in flight
};
constexpr std::array<Cut, 14> cuts = {{
    {1, 8, 64, 256, 256, 1, 4},
    {1, 4, 128, 128, 256, 4, 4},
    {1, 2, 128, 128, 256, 8, 8},
    {1, 1, 128, 128, 256, 8, 8},
    {2, 8, 128, 128, 512, 1, 1},
    {2, 4, 128, 128, 256, 4, 4},
    {2, 2, 64, 64, 256, 4, 4},
    {2, 1, 128, 128, 256, 8, 8},
    {4, 4, 64, 64, 256, 1, 4},
    {4, 2, 64, 64, 256, 4, 4},
    {4, 1, 64, 64, 256, 4, 4},
    {8, 2, 32, 32, 256, 1, 2},
    {8, 1, 32, 32, 256, 4, 4},
    {16, 1, 32, 32, 256, 4, 4},
}};

// Returns the distance between rows of a tile in shared memory, in vectors. It is at least the length of a
// row and an odd multiple of one bank, or of one vector if a vector is larger than a bank. So the threads of
// a warp that write a column access different banks.
std::int64_t tile_pitch(std::int64_t squares, std::int64_t vector_bytes) {
    const std::int64_t unit = std::max<std::int64_t>(bank_bytes / vector_bytes, 1);
    return (((squares - 1) / unit + 1) | 1) * unit;
}

// Returns the greatest number of squares whose pitch is at most `pitch`.
std::int64_t squares_in(std::int64_t pitch, std::int64_t vector_bytes) {
    const std::int64_t unit = std::max<std::int64_t>(bank_bytes / vector_bytes, 1);
    return ((pitch / unit - 1) | 1) * unit;
}

// Returns the axis along which the operand's elements lie closest, or nothing if all its strides are 0.
std::optional<int> fastest_axis(const PlanContext& context, std::size_t k) {
    std::optional<int> fastest;
    for (int axis = context.rank() - 1; axis >= 0; --axis) {
        const std::int64_t stride = std::abs(context.stride(k, axis));
        if (stride == 0) continue;
        if (!fastest || stride < std::abs(context.stride(k, *fastest))) fastest = axis;
    }
    return fastest;
}

// Returns the axis b. Of all axes except the innermost one, it is the fastest axis of the inputs with the
// greatest sum of item sizes. Returns nothing if the innermost axis is the fastest axis of every input.
std::optional<int> find_turned_axis(const PlanContext& context) {
    const int inner = context.rank() - 1;
    std::optional<int> turned;
    std::int64_t most = 0;
    for (int axis = 0; axis < inner; ++axis) {
        std::int64_t bytes = 0;
        for (const std::size_t k : context.arrays) {
            if (context.is_written(k) || context.stride(k, inner) == 0) continue;
            if (fastest_axis(context, k) == axis) bytes += context.item(k);
        }
        if (bytes > most) {
            most = bytes;
            turned = axis;
        }
    }
    return turned;
}

bool goes_through_tiles(const PlanContext& context, std::size_t k, int turned) {
    return !context.is_written(k) && context.stride(k, context.rank() - 1) != 0 &&
           fastest_axis(context, k) == turned;
}

// Whether the elements of the two axes lie together in memory, as in a stack of small matrices, and are so
// few that they stay in the L1 cache. In that case strided reads waste no bandwidth. Tiles and the flat loop
// reached 0.456 and 0.973 for float32 matrices of 16 x 16, 0.976 and 0.946 for 32 x 32; 0.376 and 0.689 for
// uint8 matrices of 32 x 32, 0.819 and 0.426 for 64 x 64.
bool is_small_plane(const PlanContext& context, std::size_t k, int turned) {
    const int inner = context.rank() - 1;
    const std::int64_t bytes =
        context.walk.extents[inner] * context.walk.extents[turned] * context.item(k);
    return bytes < 4096 &&
           context.stride(k, inner) == context.walk.extents[turned] * context.stride(k, turned);
}

// Whether the operand can be accessed by vectors of `vector` elements along the axis `along`: it is
// contiguous along this axis, and its begin and its other strides are multiples of a vector.
bool allows_vectors(const PlanContext& context, std::size_t k, int along, int vector) {
    return context.stride(k, along) == context.item(k) && is_aligned(context, k, along, vector);
}

// The sizes in bytes that decide the shape of a tile.
struct TileDemand {
    std::int64_t widest = 1;       // item size of the widest dtype that is tiled or read by vectors
    std::int64_t tiled_bytes = 0;  // sum of the item sizes of all tiled arrays
};

// Returns the first row of the table for the widest dtype whose squares are at most `square`. Its sides are
// halved until all tiled arrays fit into shared memory.
Cut find_cut(const TileDemand& demand, int square) {
    Cut cut = *std::find_if(cuts.begin(), cuts.end(), [&](const Cut& row) {
        return row.widest == demand.widest && row.square <= square;
    });
    while ((cut.side_a + cut.square) * cut.side_b * demand.tiled_bytes > most_shared_bytes) {
        (cut.side_b > cut.side_a ? cut.side_b : cut.side_a) /= 2;
    }
    return cut;
}

Cut find_cut(const PlanContext& context, const Baked& baked) {
    TileDemand demand;
    for (const std::size_t k : context.arrays) {
        const Access access = baked.operands[k].access;
        if (access == Access::shared) demand.tiled_bytes += context.item(k);
        if (access == Access::shared || access == Access::vector)
            demand.widest = std::max(demand.widest, context.item(k));
    }
    return find_cut(demand, baked.vector);
}

std::int64_t vector_bytes(const PlanContext& context, const Baked& baked) {
    std::int64_t narrowest = access_bytes;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared)
            narrowest = std::min(narrowest, context.item(k));
    }
    return narrowest * baked.vector;
}

// Sorts the outer axes in the order in which they lie in the memory of the first tiled input, so that blocks
// that run at the same time read neighbouring cache lines.
void sort_outer_axes(PlanContext& context, const Baked& baked) {
    const auto tiled =
        std::find_if(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return baked.operands[k].access == Access::shared;
        });
    const auto reach = [&](int axis) { return std::abs(context.stride(*tiled, axis)); };
    for (int end = context.rank() - 2; end > 1; --end) {
        for (int axis = 0; axis + 1 < end; ++axis) {
            if (reach(axis) >= reach(axis + 1)) continue;
            context.swap_axes(axis, axis + 1);
        }
    }
}

bool choose_shared_tiles(PlanContext& context, Baked& baked) {
    if (context.rank() < 2 || context.by_reference) return false;
    // The loop is not used if the body has shared memory of its own, because both together might exceed the
    // limit.
    if (context.request.signature.facts.shared_memory) return false;
    const int inner = context.rank() - 1;
    if (extent_product(context.request.loop) < least_elements) return false;
    if (context.walk.extents[inner] < least_output_run) return false;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) && context.stride(k, inner) != context.item(k)) return false;
    }
    const std::optional<int> turned = find_turned_axis(context);
    if (!turned) return false;

    TileDemand demand;
    for (const std::size_t k : context.arrays) {
        const bool tiled = goes_through_tiles(context, k, *turned);
        if (tiled && is_small_plane(context, k, *turned)) return false;
        if (tiled) demand.tiled_bytes += context.item(k);
        if (tiled || context.stride(k, inner) == context.item(k))
            demand.widest = std::max(demand.widest, context.item(k));
    }
    if (least_side * least_side * demand.tiled_bytes > most_shared_bytes / 2) return false;
    int vector = find_cut(demand, largest_square).square;
    while (vector > 1 && clone_limit(context.token_count(), vector * vector) < vector * vector)
        vector /= 2;
    const auto fits = [&] {
        if (context.walk.extents[inner] % vector != 0) return false;
        if (context.walk.extents[*turned] % vector != 0) return false;
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const bool tiled = goes_through_tiles(context, k, *turned);
            if (!tiled && context.stride(k, inner) != context.item(k)) return true;
            return allows_vectors(context, k, tiled ? *turned : inner, vector);
        });
    };
    while (vector > 1 && !fits()) vector /= 2;

    if (vector == 1 && demand.widest < bank_bytes &&
        context.walk.extents[*turned] < least_narrow_run)
        return false;

    baked.width = context.offset_width();
    baked.vector = vector;
    const Cut cut = find_cut(demand, vector);
    // If every input is transposed, a thread has no loads from memory in flight when it computes. Copies of
    // odd extents, which are transposed element by element, with one vector at once and with the four or
    // eight of the table: uint8 0.4672 ms and 0.5217, float16 0.4849 and 0.5534, but float32 0.6744 and
    // 0.6554.
    const bool reads_tiles_alone =
        std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_written(k) || goes_through_tiles(context, k, *turned);
        });
    const bool one_vector = vector == 1 && demand.widest < bank_bytes && reads_tiles_alone;
    baked.choice =
        SharedTilesChoice{.squares = clone_limit(context.token_count(), cut.squares),
                          .vectors = one_vector ? 1 : clone_limit(context.token_count(), cut.rows)};
    baked.block_bound = std::max(elementwise_block_bound(context.request), cut.threads);
    baked.index_width = IndexWidth::bits32;  // 32 bits are enough for the number of tiles
    for (const std::size_t k : context.arrays) {
        Access& access = baked.operands[k].access;
        const std::int64_t stride = context.stride(k, inner);
        if (goes_through_tiles(context, k, *turned)) {
            access = Access::shared;
        } else if (stride == context.item(k)) {
            access = Access::vector;
        } else {
            access = stride == 0 ? Access::uniform : Access::elements;
        }
    }
    context.move_inwards(*turned);
    sort_outer_axes(context, baked);
    return true;
}

// The sides of a tile in elements: along the fastest axis of the output (a) and along the fastest axis of the
// tiled inputs (b).
struct TileSides {
    std::int64_t a = 0;
    std::int64_t b = 0;
};

// Returns the geometry of a loop over tiles with the given sides.
Geometry tile_geometry(const PlanContext& context, const Baked& baked, TileSides sides) {
    const int a = context.rank() - 1;
    const int b = a - 1;
    const std::int64_t squares_a = sides.a / baked.vector;
    const std::int64_t squares_b = sides.b / baked.vector;
    const std::int64_t squares = squares_a * squares_b;
    Geometry geometry;
    geometry.counts = context.walk.extents;
    geometry.counts[a] = (geometry.counts[a] - 1) / sides.a + 1;
    geometry.counts[b] = (geometry.counts[b] - 1) / sides.b + 1;
    const Cut usual = find_cut(context, baked);
    geometry.threads = usual.threads;
    // Thread blocks with small tiles get fewer threads.
    for (std::int64_t full = usual.side_a * usual.side_b / (baked.vector * baked.vector);
         geometry.threads > least_tile_threads && 2 * squares <= full;
         full /= 2) {
        geometry.threads /= 2;
    }
    if (context.request.block_size) geometry.threads = *context.request.block_size;
    geometry.blocks =
        count_blocks(context.request, extent_product(geometry.counts), 1, geometry.threads);
    const std::int64_t pitch = tile_pitch(squares_a, vector_bytes(context, baked));
    // The room is a multiple of 16 vectors, so that the tile of the next array is aligned.
    const std::int64_t room = (pitch * sides.b + 15) / 16 * 16;
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared) bytes += context.item(k) * baked.vector;
    }
    geometry.shared_bytes = static_cast<int>(room * bytes);
    const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    geometry.own = TileShape{.extent_a = context.walk.extents[a],
                             .extent_b = context.walk.extents[b],
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
                             .by_squares_a = make_divisor32(static_cast<std::uint32_t>(squares_a)),
                             .by_squares_b = make_divisor32(static_cast<std::uint32_t>(squares_b))};
    return geometry;
}

Geometry measure_shared_tiles(const PlanContext& context, const Baked& baked) {
    const std::int64_t a = context.walk.extents[context.rank() - 1];
    const std::int64_t b = context.walk.extents[context.rank() - 2];
    const std::int64_t unit = baked.vector;
    const std::int64_t bytes = vector_bytes(context, baked);
    const Cut usual = find_cut(context, baked);
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
    if (b <= usual.side_b) {
        sides.a = cut(a, round(squares_in(room / sides.b, bytes) * unit));
    } else if (a <= usual.side_a) {
        sides.b = cut(b, round(room / tile_pitch(sides.a / unit, bytes)));
    }
    return tile_geometry(context, baked, sides);
}

std::string describe_shared_tiles(const Baked& baked) {
    return fmt::format("tiles in shared memory over {} axes, {} an access, {} a thread{}",
                       baked.rank,
                       count_of(baked.vector, "element"),
                       count_of(baked.as<SharedTilesChoice>().squares, "square"),
                       offsets_text(baked));
}

}  // namespace

constinit const Loop shared_tiles_loop = {
    .kind = LoopKind::shared_tiles,
    .name = "shared_tiles",
    .when = "an input is contiguous along another axis than the output",
    .why = "tiles in shared memory let both be accessed in whole cache lines",
    .choose = choose_shared_tiles,
    .measure = measure_shared_tiles,
    .describe = describe_shared_tiles,
    .predict = predict_shared_tiles,
    .own = TileShape{},
    .own_text = "kgen_tile_shape kgen_tile",
    .moves_index = true};

}  // namespace kgen
