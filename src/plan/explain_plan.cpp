// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "plan/plan.hpp"

namespace kgen {

namespace {

std::string_view class_name(const BakedOperand& operand) {
    switch (operand.inner) {
        case StrideClass::unit:
            return "contiguous";
        case StrideClass::uniform:
            return "the same element";
        case StrideClass::strided:
            break;
    }
    return "strided";
}

std::string operand_line(const Parameter& parameter, const BakedOperand& operand) {
    std::string text = parameter.name + ": ";
    if (operand.kind == OperandKind::scalar) return text + "a number, passed by value";
    if (operand.kind == OperandKind::raw) {
        return text + fmt::format("raw, {} {}{}",
                                  operand.view_rank,
                                  operand.view_rank == 1 ? "axis" : "axes",
                                  operand.view_contiguous ? ", contiguous" : "");
    }
    text += fmt::format("{} along the inner axis", class_name(operand));
    if (operand.loads == Loads::read_only) text += ", read-only loads (nothing written reaches it)";
    if (parameter.written) text += ", loaded before and stored after the body";
    return text;
}

std::string vector_line(const Plan& plan) {
    const int vector = plan.baked.vector;
    const std::string width =
        vector == 1 ? "vector: single elements" : fmt::format("vector: {} elements", vector);
    switch (plan.width_reason) {
        case WidthReason::widest_dtype:
            return width + ", 16 bytes of the widest dtype";
        case WidthReason::one_element:
            return width + ", because nothing moves along the axis";
        case WidthReason::alignment:
            return width + ", because an address is not aligned for 16 bytes";
        case WidthReason::references:
        case WidthReason::body_length:
            break;
    }
    return width + ", because the body is too long for more copies of it";
}

}  // namespace

std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan) {
    const Baked& baked = plan.baked;
    const BodyFacts& facts = request.signature.facts;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("loop: {} elements of shape {}; {}",
                                plan.runtime.count,
                                to_text(request.loop),
                                describe_loop(baked)));
    if (facts.index || facts.indexer) {
        lines.push_back(fmt::format("axes: in C order, because the body uses '{}'",
                                    facts.index ? "i" : "_ind"));
    } else {
        lines.push_back(
            "axes: sorted by the strides of the outputs, then of the inputs; merged where all "
            "agree");
    }
    if (baked.by_reference)
        lines.push_back("elements: true references, because the body takes an address");
    if (baked.loop == LoopKind::linear && !baked.by_reference) lines.push_back(vector_line(plan));
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        lines.push_back(operand_line(request.signature.parameters[k], baked.operands[k]));
    }
    if (baked.device == DeviceKind::cuda) {
        lines.push_back(fmt::format("launch: {} blocks of {} threads, {} bytes of parameters",
                                    plan.runtime.grid,
                                    plan.runtime.threads,
                                    plan.runtime.block.size()));
    }
    return lines;
}

}  // namespace kgen
