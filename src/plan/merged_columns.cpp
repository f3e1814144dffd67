// SPDX-License-Identifier: MIT
//
// Columns of a reduction that several elements of each output form, see MergedColumns, and those that several kept axes form.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "plan/column_tile.hpp"
#include "plan/plan_context.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Whether the map uses a place index, whose steps differ from those of the elements.
bool map_has_places(const PlanContext& context) {
    const auto& reduction = context.request.signature.reduction;
    return context.uses(PlaceIndex::input) || context.uses(PlaceIndex::reduced) ||
           (reduction && reduction->map_place.uses_output());
}

// Whether the elements of all inputs along an axis lie as if they continued the axis `within`, of `extent` elements.
bool inputs_follow(const PlanContext& context, int axis, int within, std::int64_t extent) {
    return std::ranges::all_of(context.arrays, [&](std::size_t k) {
        return context.is_written(k) ||
               context.stride(k, axis) == context.stride(k, within) * extent;
    });
}

}  // namespace

int PlanContext::find_column_axes() const {
    if (map_has_places(*this)) return 1;
    int axis = walk.kept - 1;
    while (axis > 0 && inputs_follow(*this, axis - 1, axis, walk.extents[axis])) --axis;
    return walk.kept - axis;
}

void PlanContext::join_columns(int axes) {
    touched();  // found in this walk, because outputs have other strides along joined columns
    const int column = walk.kept - 1;
    const int first = walk.kept - axes;
    std::int64_t columns = 1;
    for (int axis = first; axis < walk.kept; ++axis) {
        column_extents.push_back(walk.extents[axis]);
        columns *= std::exchange(walk.extents[axis], 1);
        if (axis == column) break;
        for (const std::size_t k : arrays)
            if (!is_written(k)) walk.strides.at(k, axis) = 0;
    }
    walk.extents[column] = columns;
    find_forms();
}

std::optional<MergedColumns> PlanContext::find_merged_columns() const {
    // Bytes of the columns with repeats. Longer ones need no more elements for whole cache lines.
    constexpr std::int64_t most_bytes = 8192;
    constexpr std::int64_t most_repeats = 256;
    const int column = walk.kept - 1;
    const int inner = inner_axis();
    if (column < 0 || rank() == walk.kept || map_has_places(*this)) return std::nullopt;
    MergedColumns found;
    std::int64_t pitch = 1;  // bytes from an element to the next
    for (const std::size_t k : arrays)
        pitch = std::max(pitch, is_written(k) ? 0 : std::abs(stride(k, inner)));
    if (walk.inner_reduced) {
        // Other loops read longer rows well.
        if (walk.extents[inner] * pitch >= cache_line_bytes ||
            !inputs_follow(*this, column, inner, walk.extents[inner]))
            return std::nullopt;
        found.neighbours = walk.extents[inner];
    }
    const std::int64_t columns = walk.extents[column] * found.neighbours;
    for (int axis = walk.kept; axis < rank(); ++axis) {
        if (axis == inner || columns <= 0 ||
            !inputs_follow(*this, axis, column, walk.extents[column]))
            continue;
        const std::int64_t extent = walk.extents[axis];
        std::int64_t repeats = std::min({extent, most_repeats, most_bytes / (columns * pitch)});
        while (repeats > 1 && extent % repeats != 0) --repeats;
        if (repeats > 1) {
            found.repeats = repeats;
            found.axis = axis;
        }
    }
    const int left = rank() - walk.kept - (found.neighbours > 1 ? 1 : 0) -
                     (found.axis >= 0 && found.repeats == walk.extents[found.axis] ? 1 : 0);
    // Without neighbours, wide rows do the same along a single axis.
    const bool is_useful = found.neighbours > 1 || (found.repeats > 1 && rank() > walk.kept + 1);
    return left > 0 && is_useful ? std::optional(found) : std::nullopt;
}

void PlanContext::merge_columns(const MergedColumns& columns) {
    touched();  // found in this walk, because outputs have no strides along merged columns
    const int column = walk.kept - 1;
    const int inner = inner_axis();
    Dims extents;
    Dims axes;  // of the walk before
    for (int axis = 0; axis < rank(); ++axis) {
        const bool is_whole = axis == columns.axis && columns.repeats == walk.extents[axis];
        if (is_whole || (axis == inner && axis != column)) continue;
        axes.push_back(axis);
        extents.push_back(walk.extents[axis] / (axis == columns.axis ? columns.repeats : 1));
    }
    extents[column] *= columns.of_output();
    // Rows move along columns as inputs do, or as outputs.
    const auto merge = [&](const StrideRows& rows, const auto& is_input) {
        StrideRows merged_rows(rows.size(), extents.rank());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (int place = 0; place < extents.rank(); ++place) {
                const auto axis = static_cast<int>(axes[place]);
                merged_rows.at(k, place) =
                    rows.at(k, axis == column && is_input(k) ? inner : axis) *
                    (axis == columns.axis ? columns.repeats : 1);
            }
        }
        return merged_rows;
    };
    walk.strides = merge(walk.strides, [&](std::size_t k) { return !is_written(k); });
    walk.index_strides = merge(walk.index_strides, [](std::size_t) { return false; });
    walk.extents = extents;
    walk.inner_reduced = false;
    merged = columns;
    find_forms();
}

}  // namespace kgen
