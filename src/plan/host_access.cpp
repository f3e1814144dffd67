// SPDX-License-Identifier: MIT
//
// How the host's loops access arrays along an axis.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "plan/plan_host.hpp"

namespace kgen {

namespace {

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

}  // namespace

StrideClass host_stride_class(const PlanContext& context, std::size_t k, int axis) {
    if (axis < 0 || context.stride(k, axis) == 0) return StrideClass::uniform;
    if (context.stride(k, axis) == context.item(k)) return StrideClass::unit;
    return context.stride(k, axis) == -context.item(k) ? StrideClass::reversed
                                                       : StrideClass::strided;
}

void bake_along(const PlanContext& context, int axis, Baked& baked) {
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.inner = host_stride_class(context, k, axis);
        const std::int64_t stride = axis < 0 ? 0 : context.stride(k, axis);
        const std::int64_t step = stride / context.item(k);
        const bool is_short = step > 1 && step <= most_step && stride % context.item(k) == 0;
        operand.step = is_short ? static_cast<int>(step) : 0;
    }
}

std::string describe_host_access(const Baked& baked, const BakedOperand& operand) {
    if (baked.loop == LoopKind::reduced_columns)
        return fmt::format("{} from output to output", class_name(operand));
    if (baked.loop != LoopKind::short_rows)
        return fmt::format("{} along the inner axis", class_name(operand));
    return fmt::format("{} over whole rows",
                       operand.inner == StrideClass::strided ? "copied" : class_name(operand));
}

}  // namespace kgen
