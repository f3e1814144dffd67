// SPDX-License-Identifier: MIT
#include "plan/reduction_plan.hpp"

namespace kgen {

void choose_host_reduction(const ReductionContext& context, Baked& baked) {
    baked.loop = context.walk.inner_reduced ? LoopKind::reduced_rows : LoopKind::reduced_columns;
}

ReductionGeometry measure_host_reduction(const ReductionContext& /*context*/,
                                         const Baked& /*baked*/) {
    return {};
}

}  // namespace kgen
