// SPDX-License-Identifier: MIT
#include "plan/host_short_row.hpp"

#include <algorithm>

#include "plan/plan_host.hpp"

namespace kgen {

namespace {

constexpr std::int64_t most_packed = 512;  // elements of a row, as in skeletons/packs_host.cuh
constexpr std::int64_t least_packed = 64;
constexpr std::int64_t most_short_row = 64;      // of the innermost axis, if a row has several axes
constexpr std::int64_t most_pack_bytes = 24576;  // of all operands; half of a usual L1 cache
constexpr std::int64_t least_rows = 16;          // rows of a walk, so that tables cost little
constexpr std::int64_t least_single_row = 256;
constexpr std::int64_t most_single_row =
    4096;  // elements of a row of one axis, which needs no packs

}  // namespace

ShortRow short_row(const PlanContext& context, int last, std::int64_t copies, int most_axes) {
    const Dims& extents = context.walk.extents;
    ShortRow row{last - 1, last, 1, 1};
    while (row.axis > 0 && row.axes() < most_axes && extents[last - 1] <= most_short_row &&
           2 * row.inner * extents[row.axis] <= most_packed) {
        row.inner *= extents[row.axis];
        --row.axis;
    }
    std::int64_t most =
        std::clamp(context.walk.kept_count() / least_rows, least_single_row, most_single_row);
    if (row.axes() > 1) {
        std::int64_t bytes = 1;
        for (const std::size_t k : context.arrays) {
            if (short_row_class(context, k, row) == StrideClass::strided)
                bytes += (context.item(k) + 4) * (context.is_written(k) ? 1 : copies);
        }
        most = std::min(
            {most_packed, most_pack_bytes / bytes, context.walk.kept_count() / least_rows});
        most = std::max(most, least_packed);
    }
    const std::int64_t fitting = std::max<std::int64_t>(most / row.inner, 1);
    // Rows of nearly equal height.
    row.height = ceil_div(extents[row.axis], ceil_div(extents[row.axis], fitting));
    return row;
}

StrideClass short_row_class(const PlanContext& context, std::size_t k, const ShortRow& row) {
    if (row.axes() == 1) return host_stride_class(context, k, row.axis);
    bool unit = true;
    bool uniform = true;
    std::int64_t expected = context.item(k);
    for (int axis = row.last - 1; axis >= row.axis; --axis) {
        unit = unit && context.stride(k, axis) == expected;
        uniform = uniform && context.stride(k, axis) == 0;
        expected *= context.walk.extents[axis];
    }
    return unit ? StrideClass::unit : uniform ? StrideClass::uniform : StrideClass::strided;
}

void bake_short_row(const PlanContext& context, const ShortRow& row, Baked& baked) {
    if (row.axes() == 1) return bake_along(context, row.axis, baked);
    for (const std::size_t k : context.arrays)
        baked.operands[k].inner = short_row_class(context, k, row);
}

bool fits_short_rows(const PlanContext& context, int last) {
    if (context.offset_width() != IndexWidth::bits32) return false;
    return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
        for (int axis = 0; axis < last; ++axis) {
            if (context.is_written(k) && context.stride(k, axis) == 0) return false;
        }
        return true;
    });
}

}  // namespace kgen
