// SPDX-License-Identifier: MIT
#include "plan/bake_operand.hpp"

#include <algorithm>
#include <limits>

#include "plan/fill_block.hpp"

namespace kgen {

PerParameter<AddressSpan> stored_spans(const PlanContext& context) {
    PerParameter<AddressSpan> spans;
    for (std::size_t k = 0; k < context.request.operands.size(); ++k) {
        const Operand& operand = context.operand(k);
        if (operand.written || operand.kind == OperandKind::raw) spans.push_back(context.span(k));
    }
    return spans;
}

bool is_read_only(const PlanContext& context,
                  const PerParameter<AddressSpan>& stored,
                  std::size_t k) {
    if (context.is_written(k) || context.request.fit == Fit::general) return false;
    return std::none_of(stored.begin(), stored.end(), [&](const AddressSpan& span) {
        return span.intersects(context.span(k));
    });
}

void bake_view(const PlanRequest& request, std::size_t k, BakedOperand& baked) {
    const Operand& operand = request.operands[k];
    const bool named = operand.kind == OperandKind::array && request.signature.parameters[k].viewed;
    if (operand.kind != OperandKind::raw && !named) return;
    constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();
    baked.viewed = true;
    const Dims shape = view_shape(request, k);
    baked.view_rank = shape.rank();
    if (request.fit == Fit::general) return;
    // Without elements, the remainder has no result, and the message shows its place in the user's text.
    baked.view_wraps = request.signature.parameters[k].wraps && extent_product(shape) > 0 &&
                       request.target.kind == DeviceKind::host;
    baked.view_contiguous =
        is_c_contiguous(shape, view_strides(request, k), item_size(operand.dtype));
    const bool narrow =
        extent_product(shape) <= narrow_limit &&
        address_span(operand).size_bytes() <= static_cast<std::uintptr_t>(narrow_limit);
    // A contiguous view needs no division, so a narrow width would only create more variants.
    if (narrow && !baked.view_contiguous) baked.view_width = IndexWidth::bits32;
}

}  // namespace kgen
