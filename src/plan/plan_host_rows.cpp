// SPDX-License-Identifier: MIT
//
// The host's elementwise loops: short rows, tiles and rows.
//
// A body that keeps state always gets the loop over rows, because its elements must be visited in the order
// of the walk. A body that takes references, or writes through a raw view, never gets short_rows, because it
// must not receive copies. For tiles, the tiled axis besides the innermost one is moved to the second to last
// place of the walk, or to the last place if more operands lie along it.
//
// Measured for float32, 4096 x 4096, X.T * Y, on one core of a Xeon with 2 MiB of L2: rows 1.0 GB/s; tiles of
// 64 x 64 6.5 (32 x 64 6.2, 128 x 128 6.8, through a buffer that is transposed in registers 6.5); a
// contiguous loop 14.5. Measured for rows of 5 elements that lie at steps of 2, in L2, one more operand being
// contiguous, in ns for an element: float64 as packs 0.48 and as rows 0.62, with a polynomial of degree 12
// 0.89 and 2.05; int16 0.34 and 0.89; loads by the table within the loop 0.80, 3.16 and 0.73.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "plan/host_short_row.hpp"
#include "plan/plan_host.hpp"

namespace kgen {

namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t least_tile_extent =
    8;  // least extent of both axes; smaller tiles are no faster than rows
// Lines of an array that stay in the L1 cache. Measured for (3032, 6, 14) float32, one of six arrays in Fortran order: rows
// 300 us, tiles 560.
constexpr std::int64_t most_kept_lines = 128;
// An innermost axis with fewer elements changes places with a tiled axis that has long_share times as many: a row of a
// tile costs time beside its elements.
constexpr std::int64_t least_tile_columns = 32;
constexpr std::int64_t long_share = 4;
// Bytes of all arrays below which they stay in the L2 cache, so that tiles gain nothing.
constexpr std::int64_t least_tiled_bytes = std::int64_t{1} << 20;
// Innermost axes up to which an array is packed if it is strided, or contiguous, along that axis.
constexpr std::int64_t most_packed_row = 32;
constexpr std::int64_t most_packed_run = 8;
constexpr std::int64_t least_row = 64;  // of an axis that takes the place of the innermost one
// Bands: the most rows, the fewest elements of a row, and the bytes of a row of all arrays, of which L2 keeps few.
constexpr std::int64_t most_band_rows = 128;
constexpr std::int64_t least_band_columns = 1024;
constexpr std::int64_t least_band_bytes = std::int64_t{1} << 19;
constexpr std::int64_t least_short_rows = 4;  // rows that are treated as one
constexpr std::int64_t widest_rest = 32;      // bytes of the vectors that compute the end of a row
constexpr std::int64_t least_short_vectors = 16384;  // elements for which a kernel of its own pays

// Returns the number of operands whose elements share cache lines along `axis` but not along `other`. Outputs
// count twice, because they are read and written.
int weight_across(const PlanContext& context, int axis, int other) {
    int weight = 0;
    for (const std::size_t k : context.arrays) {
        const std::int64_t along = std::abs(context.stride(k, axis));
        if (std::abs(context.stride(k, other)) >= line_bytes && along != 0 && along < line_bytes)
            weight += context.is_written(k) ? 2 : 1;
    }
    return weight;
}

// Whether KGEN_LOOP names the loop. It then runs each call that it can, not only those for which it is best.
bool is_named(const PlanContext& context) {
    return !context.request.loop_name.empty();
}

// Returns the axis to tile together with the innermost one, or -1 if there is none. If several axes are
// equally good, returns the innermost one. Lines that rows touch from one step along an axis to the next stay in
// the L1 cache if they are few.
int tile_axis(const PlanContext& context) {
    const int inner = context.rank() - 1;
    int best = -1;
    int most = 0;
    std::int64_t lines = 1;
    for (int axis = inner - 1; axis >= 0; --axis) {
        lines *= context.walk.extents[axis + 1];
        const bool stays = lines <= most_kept_lines && !is_named(context);
        if (context.walk.extents[axis] < least_tile_extent || stays) continue;
        const int weight = weight_across(context, axis, inner);
        if (weight <= most) continue;
        best = axis;
        most = weight;
    }
    return best;
}

// Whether the axis is much longer than the innermost one.
bool is_long(const PlanContext& context, int axis) {
    return context.walk.extents[axis] >= long_share * context.walk.extents[context.rank() - 1];
}

bool allows_copies(const PlanContext& context) {
    const auto& parameters = context.request.signature.parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const bool viewed = parameters[k].raw || parameters[k].viewed;
        if (parameters[k].by_reference || (viewed && context.is_written(k))) return false;
    }
    return true;
}

// Whether the elements may be visited in more than one order.
bool may_reorder(const PlanContext& context) {
    return context.rank() > 1 && !context.request.signature.facts.keeps_state;
}

// Returns the bytes of the elements of all arrays.
std::int64_t walked_bytes(const PlanContext& context) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        std::int64_t own = context.item(k);
        for (int axis = 0; axis < context.rank(); ++axis)
            own *= context.stride(k, axis) == 0 ? 1 : context.walk.extents[axis];
        bytes += own;
    }
    return bytes;
}

// Whether rows of several axes use the cache lines that they touch: they have a few lines along the axis along
// which an array runs fastest.
bool uses_lines(const PlanContext& context, const ShortRow& row) {
    return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
        const int fastest = context.fastest_axis(k);
        if (fastest < 0 || fastest > row.axis) return true;
        const std::int64_t stride = std::abs(context.stride(k, fastest));
        if (stride >= line_bytes) return true;
        return fastest == row.axis && row.height * stride >= 2 * line_bytes;
    });
}

// Returns the axis along which rows run best if that is not the innermost one, because few elements lie along
// that one; otherwise -1.
int better_row_axis(const PlanContext& context) {
    const int inner = context.rank() - 1;
    if (!may_reorder(context) || context.walk.extents[inner] >= least_row) return -1;
    const auto units = [&](int axis) {
        return std::count_if(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return host_stride_class(context, k, axis) == StrideClass::unit;
        });
    };
    int best = inner;
    for (int axis = inner - 1; axis >= 0; --axis) {
        if (context.walk.extents[axis] >= least_row && units(axis) > units(best)) best = axis;
    }
    return best == inner ? -1 : best;
}

void bake_rows(const PlanContext& context, Baked& baked) {
    if (context.rank() > 0) bake_along(context, context.rank() - 1, baked);
}

// Whether rows are so short that g++'s loops of 64 bytes, and of 32 for the rest, would take their elements one by one. A
// loop that is named has one form. Measured for 216320 rows of 10 float16, 31 multiplications each: 63 and 30 ms.
bool takes_short_vectors(const PlanContext& context) {
    if (is_named(context) || context.walk.kept_count() < least_short_vectors) return false;
    const int inner = context.rank() - 1;
    std::int64_t item = widest_rest;
    for (const std::size_t k : context.arrays)
        if (context.stride(k, inner) != 0) item = std::min(item, context.item(k));
    const std::int64_t bytes = context.walk.extents[inner] * item;
    return bytes >= widest_rest / 4 && bytes < widest_rest;
}

void bake_host_rows(const PlanContext& context, Baked& baked) {
    bake_rows(context, baked);
    baked.choice = HostRowsChoice{.short_vectors = takes_short_vectors(context)};
}

bool choose_host_rows(const PlanContext& context, Baked& baked) {
    bake_host_rows(context, baked);
    return true;
}

// Whether rows are better walked from their ends: arrays have steps of -2 to -4 elements, which g++ reads one by one, and 2 to 4 in the other
// direction. It walks no elements of several sizes backwards by vectors. Measured for 32768 uint32 at steps of -2: 7.6 us, backwards 2.0.
bool is_better_backwards(const PlanContext& context) {
    const int inner = context.rank() - 1;
    if (inner < 0 || context.request.signature.facts.keeps_state) return false;
    int gain = 0;
    std::int64_t item = 0;
    for (const std::size_t k : context.arrays) {
        const std::int64_t stride = context.stride(k, inner);
        if (stride == 0) continue;
        if (item != 0 && item != context.item(k)) return false;
        item = context.item(k);
        if (std::abs(stride) > item && std::abs(stride) <= most_step * item)
            gain += stride < 0 ? 1 : -1;
    }
    return gain > 0;
}

void reorder_host_rows(PlanContext& context, Baked& baked) {
    const int axis = better_row_axis(context);
    if (axis >= 0) {
        context.move_inwards(axis);
        context.swap_axes(context.rank() - 2, context.rank() - 1);
    }
    const bool turns = is_better_backwards(context);
    if (turns) context.turn(context.rank() - 1);
    if (axis < 0 && !turns) return;
    baked.moves_index = context.moves_index();
    bake_host_rows(context, baked);
}

// Returns the axis along which bands are cut: rows along it are so long that, when the next row touches their cache
// lines again, these have left the cache. -1 if there is none. Measured for (238207, 4) float32, outputs in Fortran
// and in C order: rows 3.0 ms, bands 1.3; for (4, 50080) int16, one of eight arrays in another order: rows 0.30, bands 0.52.
int band_axis(const PlanContext& context) {
    if (!may_reorder(context)) return -1;
    const int better = better_row_axis(context);
    const int axis = better >= 0 ? better : context.rank() - 1;
    const std::int64_t columns = context.walk.extents[axis];
    const std::int64_t rows = columns > 0 ? context.walk.kept_count() / columns : 0;
    if (rows < 2 || rows > most_band_rows || columns < least_band_columns) return -1;
    std::int64_t row_bytes = 0;
    std::int64_t again = 0;  // bytes that a row touches like a row before it, summed over all rows
    for (const std::size_t k : context.arrays) {
        std::int64_t starts = 1;  // rows that share no lines
        for (int other = 0; other < context.rank(); ++other) {
            if (other != axis && std::abs(context.stride(k, other)) >= line_bytes)
                starts *= context.walk.extents[other];
        }
        const std::int64_t step = std::min(std::abs(context.stride(k, axis)), line_bytes);
        row_bytes += columns * step;
        again += columns * step * (rows - starts);
    }
    return row_bytes >= least_band_bytes && 2 * again >= row_bytes * rows ? axis : -1;
}

bool choose_host_tiles(const PlanContext& context, Baked& baked) {
    if (band_axis(context) >= 0) {
        baked.choice = TilesChoice{.bands = true};
        return true;
    }
    baked.choice = TilesChoice{};
    const int axis = may_reorder(context) ? tile_axis(context) : -1;
    if (axis < 0) return false;
    const int inner = context.rank() - 1;
    const std::int64_t columns = context.walk.extents[inner];
    if (!is_named(context)) {
        // Short rows of most arrays are worth more than lines of few others. Measured for 11 x 61 x 16 x 32 x 9 float32,
        // one of seven arrays in another order: rows 15 ms, tiles 32; for a copy of 329 x 653 x 2: rows 0.47, tiles 0.23.
        const bool is_outweighed =
            columns < least_tile_columns &&
            3 * weight_across(context, axis, inner) < weight_across(context, inner, axis);
        if (is_outweighed || walked_bytes(context) < least_tiled_bytes) return false;
    }
    return columns >= least_tile_extent || is_long(context, axis);
}

void reorder_host_tiles(PlanContext& context, Baked& baked) {
    if (baked.as<TilesChoice>().bands) {
        const int along = band_axis(context);
        if (along != context.rank() - 1) {
            context.move_inwards(along);
            context.swap_axes(context.rank() - 2, context.rank() - 1);
        }
        return bake_rows(context, baked);
    }
    const int axis = tile_axis(context);
    const int inner = context.rank() - 1;
    const bool is_narrow =
        context.walk.extents[inner] < least_tile_columns && is_long(context, axis);
    context.move_inwards(axis);
    if (is_narrow ||
        weight_across(context, inner - 1, inner) > weight_across(context, inner, inner - 1))
        context.swap_axes(inner - 1, inner);
    bake_rows(context, baked);
}

// Whether short rows are faster than rows of one axis.
bool suits_short_rows(const PlanContext& context, const ShortRow& row) {
    const int inner = context.rank() - 1;
    const std::int64_t columns = context.walk.extents[inner];
    if (row.elements() < least_short_rows * columns || better_row_axis(context) >= 0) return false;
    if (walked_bytes(context) >= least_tiled_bytes && !uses_lines(context, row)) return false;
    return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
        if (short_row_class(context, k, row) != StrideClass::strided) return true;
        // A pack of elements that all rows share is filled once.
        bool is_shared = true;
        for (int axis = 0; axis <= row.axis; ++axis)
            is_shared = is_shared && context.stride(k, axis) == 0;
        if (is_shared) return true;
        const bool is_strided = host_stride_class(context, k, inner) == StrideClass::strided;
        return columns <= (is_strided ? most_packed_row : most_packed_run);
    });
}

// Marks the planar arrays of rows over two axes and returns the extent of the inner one, or 0 if there are none. Measured for 4096 x 3 float32 in planes:
// copied by a table 0.36 ns an element, plane by plane 0.13.
int bake_planes(const PlanContext& context, const ShortRow& row, Baked& baked) {
    constexpr std::int64_t most_planes = 16;
    const int inner = context.rank() - 1;
    if (row.axes() != 2 || context.walk.extents[inner] > most_planes) return 0;
    bool has_planes = false;
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.planar = operand.inner == StrideClass::strided && context.stride(k, inner) != 0 &&
                         context.stride(k, inner - 1) == context.item(k);
        has_planes = has_planes || operand.planar;
    }
    return has_planes ? static_cast<int>(context.walk.extents[inner]) : 0;
}

bool choose_short_rows(const PlanContext& context, Baked& baked) {
    if (!may_reorder(context) || !allows_copies(context) || context.walk.kept_count() == 0)
        return false;
    ShortRow row = short_row(context, context.rank());
    if (row.axes() == 1 || !fits_short_rows(context, context.rank())) return false;
    // A row of fewer axes may need fewer packs. Measured for 10 x 2 x 31 x 7 x 15 uint16, one array backwards along the
    // axis of 31: rows 81 us, short rows of 3 axes 62, of 2 axes 46.
    while (!is_named(context) && !suits_short_rows(context, row)) {
        if (row.axes() == 2) return false;
        row = short_row(context, context.rank(), 1, row.axes() - 1);
    }
    bake_short_row(context, row, baked);
    baked.choice = ShortRowsChoice{.axes = row.axes(), .few = bake_planes(context, row, baked)};
    return true;
}

Geometry measure_short_rows(const PlanContext& context, const Baked& baked) {
    Geometry geometry;
    geometry.own = short_row(context, context.rank(), 1, baked.as<ShortRowsChoice>().axes).height;
    return geometry;
}

void choose_general_host_rows(const PlanContext& context, Baked& baked) {
    for (const std::size_t k : context.arrays) baked.operands[k].inner = StrideClass::strided;
}

Geometry measure_host_rows(const PlanContext&, const Baked&) {
    return {};
}

std::string describe_host_tiles(const Baked& baked) {
    if (baked.as<TilesChoice>().bands)
        return fmt::format("bands of 64 columns over the rows of {} axes", baked.rank);
    return fmt::format("tiles of 64 by 64 over the two inner of {} axes", baked.rank);
}

std::string describe_short_rows(const Baked& baked) {
    return fmt::format("short rows, many at once, the inner {} of {} axes as one",
                       baked.as<ShortRowsChoice>().axes,
                       baked.rank);
}

std::string describe_host_rows(const Baked& baked) {
    const auto* rows = std::get_if<HostRowsChoice>(&baked.choice);
    return (baked.rank <= 1 ? "one row" : fmt::format("rows over {} axes", baked.rank)) +
           (rows != nullptr && rows->short_vectors ? ", shorter than vectors" : "");
}

std::vector<std::string> explain_host_rows(const PlanRequest& request,
                                           const Plan&,
                                           const LoopStruct&) {
    if (!request.signature.facts.keeps_state) return {};
    return {"order: elements run in the order of the axes, because the body may keep state"};
}

}  // namespace

constinit const Loop host_tiles_loop = {
    .kind = LoopKind::tiles,
    .name = "tiles",
    .when = "arrays share cache lines along another axis than the innermost one",
    .why = "the elements of a cache line are used while it is in the cache",
    .choose = choose_host_tiles,
    .measure = measure_host_rows,
    .describe = describe_host_tiles,
    .reorder = reorder_host_tiles,
    .moves_index = true};

constinit const Loop host_short_rows_loop = {
    .kind = LoopKind::short_rows,
    .name = "short_rows",
    .when = "there are many rows of few elements",
    .why = "each row costs time beside its elements, so many rows run as one loop",
    .choose = choose_short_rows,
    .measure = measure_short_rows,
    .describe = describe_short_rows,
    .own = std::int64_t{1},
    .own_text = "long long kgen_height"};

constinit const Loop host_rows_loop = {
    .kind = LoopKind::rows,
    .name = "rows",
    .when = "any other layout",
    .why = "the innermost axis is a plain loop, and the others are counted",
    .choose = choose_host_rows,
    .measure = measure_host_rows,
    .describe = describe_host_rows,
    .reorder = reorder_host_rows,
    .explain = explain_host_rows,
    .choose_general = choose_general_host_rows};

}  // namespace kgen
