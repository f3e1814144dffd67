// SPDX-License-Identifier: MIT
#include "plan/bake_operand.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "plan/fill_block.hpp"
#include "plan/loop_table.hpp"

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

AxisSet unit_axes(const Dims& shape) {
    AxisSet units = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        units |= static_cast<AxisSet>(shape[axis] == 1) << axis;
    return units;
}

Baked bake_common(const PlanContext& context) {
    const PlanRequest& request = context.request;
    Baked baked;
    baked.device = request.target.kind;
    baked.is_part = request.is_part;
    baked.rank = context.reduces() ? context.rank() : std::max(context.rank(), 1);
    baked.kept = context.reduces() ? context.walk.kept : 0;
    baked.by_reference = context.by_reference;
    baked.counted = context.uses(PlaceIndex::input);
    baked.moves_index = context.moves_index();
    const BodyFacts& facts = request.signature.facts;
    const bool gains_from_narrow_index =
        request.target.kind == DeviceKind::host
            ? facts.index_wraps && request.fit != Fit::general
            : facts.index && !facts.index_draws && request.fit == Fit::call &&
                  !request.signature.reduction && request.signature.row_outputs == nullptr;
    baked.narrow_index = gains_from_narrow_index && extent_product(whole_loop(request)) <=
                                                        std::numeric_limits<std::int32_t>::max();
    baked.section = request.section.has_value() && tells_places(request.signature);
    baked.counts_reduced = context.uses(PlaceIndex::reduced);
    baked.counts_outputs = context.uses(PlaceIndex::output);
    bool input_indexer = facts.indexer;
    if (request.signature.reduction) {
        const PlaceFacts& map = request.signature.reduction->map_place;
        const PlaceFacts& post = request.signature.reduction->post_place;
        input_indexer = map.input_indexer || post.input_indexer;
        if (map.output_indexer || post.output_indexer)
            baked.output_rank = request.loop.rank() - std::popcount(request.reduced_axes);
    } else if (input_indexer) {
        baked.width = context.offset_width();
    }
    if (input_indexer) baked.logical_rank = request.loop.rank();
    if (facts.indexer && request.target.kind == DeviceKind::cuda && request.fit == Fit::call &&
        !request.signature.folds())
        baked.unit_axes = unit_axes(whole_loop(request));
    const bool has_read_only_loads = device_loops(baked.device).has_read_only_loads;
    const PerParameter<AddressSpan> stored = stored_spans(context);
    for (std::size_t k = 0; k < request.operands.size(); ++k) {
        BakedOperand& operand = baked.operands.emplace_back();
        operand.kind = request.operands[k].kind;
        if (operand.kind == OperandKind::array && has_read_only_loads &&
            is_read_only(context, stored, k))
            operand.loads = Loads::read_only;
        bake_view(request, k, operand);
    }
    return baked;
}

}  // namespace kgen
