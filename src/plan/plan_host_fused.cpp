// SPDX-License-Identifier: MIT
//
// The loops of row kernels on the host.
#include <fmt/format.h>

#include "plan/plan_host.hpp"

namespace kgen {

namespace {

bool choose_host_fused_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (!walk.inner_reduced && walk.kept > 0 && context.request.loop_name.empty()) return false;
    bake_along(context, walk.rank() - 1, baked);
    return true;
}

bool choose_host_fused_columns(const PlanContext& context, Baked& baked) {
    if (context.walk.kept == 0) return false;
    bake_along(context, context.walk.kept - 1, baked);
    return true;
}

Geometry measure_host_fused(const PlanContext&, const Baked&) {
    return {};
}

std::string describe_host_fused(const Baked& baked) {
    return fmt::format(
        "{}, {} of {} reduced",
        baked.loop == LoopKind::fused_rows ? "row by row" : "neighbouring rows side by side",
        baked.rank - baked.kept,
        count_of(baked.rank, "axis"));
}

}  // namespace

constinit const Loop host_fused_rows_loop = {
    .kind = LoopKind::fused_rows,
    .name = "fused_rows",
    .when = "the inputs are closest in memory along the rows",
    .why = "a row stays in the cache from pass to pass",
    .choose = choose_host_fused_rows,
    .measure = measure_host_fused,
    .describe = describe_host_fused};

constinit const Loop host_fused_columns_loop = {.kind = LoopKind::fused_columns,
                                                .name = "fused_columns",
                                                .when = "any other layout",
                                                .why = "neighbouring rows are folded at once",
                                                .choose = choose_host_fused_columns,
                                                .measure = measure_host_fused,
                                                .describe = describe_host_fused};

}  // namespace kgen
