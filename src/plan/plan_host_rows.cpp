// SPDX-License-Identifier: MIT
//
// The host's elementwise loops: tiles, short rows and rows.
//
// A body that keeps state always gets the loop over rows, because its elements must be visited in the order
// of the walk. A body that takes references, or writes through a raw view, never gets short_rows, because it
// must not receive copies. For tiles, the tiled axis besides the innermost one is moved to the second to last
// place of the walk, or to the last place if more operands lie along it.
//
// Measured for float32, 4096 x 4096, X.T * Y, on one core of a Xeon with 2 MiB of L2: rows 1.0 GB/s; tiles of
// 64 x 64 6.5 (32 x 64 6.2, 128 x 128 6.8, through a buffer that is transposed in registers 6.5); a
// contiguous loop 14.5. A row of short_rows costs about 4 ns in addition to its elements.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "plan/plan_host.hpp"

namespace kgen {

namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t least_tile_extent =
    8;  // least extent of both axes; smaller tiles are no faster than rows
// An innermost axis with fewer elements changes places with a tiled axis that has long_share times as many: a row of a
// tile costs time beside its elements.
constexpr std::int64_t least_tile_columns = 32;
constexpr std::int64_t long_share = 4;
constexpr std::int64_t most_short_row = 32;
constexpr std::int64_t least_short_rows = 16;
constexpr std::int64_t most_copied_row = 5;  // longest row of an input that is copied for each row

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

// Returns the axis to tile together with the innermost one, or -1 if there is none. If several axes are
// equally good, returns the innermost one.
int tile_axis(const PlanContext& context) {
    const int inner = context.rank() - 1;
    int best = -1;
    int most = 0;
    for (int axis = inner - 1; axis >= 0; --axis) {
        if (context.walk.extents[axis] < least_tile_extent) continue;
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

// Returns the stride class along the two innermost axes, which short_rows treats as one.
StrideClass short_rows_class(const PlanContext& context, std::size_t k) {
    const int inner = context.rank() - 1;
    const std::int64_t stride = context.stride(k, inner);
    const std::int64_t outer = context.stride(k, inner - 1);
    if (stride == context.item(k) && outer == stride * context.walk.extents[inner])
        return StrideClass::unit;
    return stride == 0 && outer == 0 ? StrideClass::uniform : StrideClass::strided;
}

std::string_view class_name(const BakedOperand& operand) {
    switch (operand.inner) {
        case StrideClass::unit:
            return "contiguous";
        case StrideClass::uniform:
            return "the same element";
        case StrideClass::reversed:
            return "contiguous, backwards";
        case StrideClass::strided:
            break;
    }
    return "strided";
}

bool choose_host_rows(const PlanContext& context, Baked& baked) {
    const int inner = context.rank() - 1;
    for (const std::size_t k : context.arrays)
        baked.operands[k].inner =
            inner < 0 ? StrideClass::unit : host_stride_class(context, k, inner);
    return true;
}

bool choose_host_tiles(const PlanContext& context, Baked&) {
    const int axis = may_reorder(context) ? tile_axis(context) : -1;
    if (axis < 0) return false;
    return context.walk.extents[context.rank() - 1] >= least_tile_extent || is_long(context, axis);
}

void reorder_host_tiles(PlanContext& context, Baked& baked) {
    const int axis = tile_axis(context);
    const int inner = context.rank() - 1;
    const bool is_narrow =
        context.walk.extents[inner] < least_tile_columns && is_long(context, axis);
    context.move_inwards(axis);
    if (is_narrow ||
        weight_across(context, inner - 1, inner) > weight_across(context, inner, inner - 1))
        context.swap_axes(inner - 1, inner);
    choose_host_rows(context, baked);
}

bool choose_short_rows(const PlanContext& context, Baked& baked) {
    if (!may_reorder(context) || !allows_copies(context) || baked.moves_index) return false;
    const int inner = context.rank() - 1;
    const std::int64_t columns = context.walk.extents[inner];
    if (columns > most_short_row || context.walk.extents[inner - 1] < least_short_rows)
        return false;
    const bool suits =
        std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const StrideClass moves = short_rows_class(context, k);
            if (context.is_written(k)) return moves == StrideClass::unit;
            return moves != StrideClass::strided || context.stride(k, inner - 1) == 0 ||
                   columns <= most_copied_row;
        });
    if (!suits) return false;
    for (const std::size_t k : context.arrays)
        baked.operands[k].inner = short_rows_class(context, k);
    return true;
}

void choose_general_host_rows(const PlanContext& context, Baked& baked) {
    for (const std::size_t k : context.arrays) baked.operands[k].inner = StrideClass::strided;
}

Geometry measure_host_rows(const PlanContext&, const Baked&) {
    return {};
}

std::string describe_host_tiles(const Baked& baked) {
    return fmt::format("tiles of 64 by 64 over the two inner of {} axes", baked.rank);
}

std::string describe_short_rows(const Baked& baked) {
    return fmt::format("short rows, many at once, over {} axes", baked.rank);
}

std::string describe_host_rows(const Baked& baked) {
    return baked.rank <= 1 ? "one row" : fmt::format("rows over {} axes", baked.rank);
}

std::vector<std::string> explain_host_rows(const PlanRequest& request,
                                           const Plan&,
                                           const LoopStruct&) {
    if (!request.signature.facts.keeps_state) return {};
    return {"order: elements run in the order of the axes, because the body may keep state"};
}

}  // namespace

StrideClass host_stride_class(const PlanContext& context, std::size_t k, int axis) {
    if (axis < 0 || context.stride(k, axis) == 0) return StrideClass::uniform;
    if (context.stride(k, axis) == context.item(k)) return StrideClass::unit;
    return context.stride(k, axis) == -context.item(k) ? StrideClass::reversed
                                                       : StrideClass::strided;
}

std::string describe_host_access(const Baked& baked, const BakedOperand& operand) {
    if (baked.loop == LoopKind::reduced_columns)
        return fmt::format("{} from output to output", class_name(operand));
    if (baked.loop != LoopKind::short_rows)
        return fmt::format("{} along the inner axis", class_name(operand));
    return fmt::format("{} over whole rows",
                       operand.inner == StrideClass::strided ? "copied" : class_name(operand));
}

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
    .measure = measure_host_rows,
    .describe = describe_short_rows};

constinit const Loop host_rows_loop = {
    .kind = LoopKind::rows,
    .name = "rows",
    .when = "any other layout",
    .why = "the innermost axis is a plain loop, and the others are counted",
    .choose = choose_host_rows,
    .measure = measure_host_rows,
    .describe = describe_host_rows,
    .explain = explain_host_rows,
    .choose_general = choose_general_host_rows};

}  // namespace kgen
