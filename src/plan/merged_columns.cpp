// SPDX-License-Identifier: MIT
//
// Columns of a reduction that several elements of each output form, see MergedColumns.
#include <algorithm>
#include <cstdlib>

#include "plan/column_tile.hpp"
#include "plan/plan_context.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

std::optional<MergedColumns> PlanContext::find_merged_columns() const {
    // Bytes of the columns with repeats. Longer ones need no more elements for whole cache lines.
    constexpr std::int64_t most_bytes = 8192;
    constexpr std::int64_t most_repeats = 256;
    const int column = walk.kept - 1;
    const int inner = inner_axis();
    const bool has_places =
        uses(PlaceIndex::input) || uses(PlaceIndex::reduced) ||
        (request.signature.reduction && request.signature.reduction->map_place.uses_output());
    if (column < 0 || rank() == walk.kept || has_places) return std::nullopt;
    // Whether the elements along an axis lie as if they continued an axis of `extent` elements.
    const auto follows = [&](int axis, int within, std::int64_t extent) {
        return std::ranges::all_of(arrays, [&](std::size_t k) {
            return is_written(k) || stride(k, axis) == stride(k, within) * extent;
        });
    };
    MergedColumns found;
    std::int64_t pitch = 1;  // bytes from an element to the next
    for (const std::size_t k : arrays)
        pitch = std::max(pitch, is_written(k) ? 0 : std::abs(stride(k, inner)));
    if (walk.inner_reduced) {
        // Other loops read longer rows well.
        if (walk.extents[inner] * pitch >= cache_line_bytes ||
            !follows(column, inner, walk.extents[inner]))
            return std::nullopt;
        found.neighbours = walk.extents[inner];
    }
    const std::int64_t columns = walk.extents[column] * found.neighbours;
    for (int axis = walk.kept; axis < rank(); ++axis) {
        if (axis == inner || columns <= 0 || !follows(axis, column, walk.extents[column])) continue;
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
