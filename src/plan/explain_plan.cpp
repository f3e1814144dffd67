// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "plan/cuda_loop.hpp"
#include "plan/plan.hpp"
#include "plan/reduction_plan.hpp"

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

std::string host_access_name(const Baked& baked, const BakedOperand& operand) {
    if (baked.loop == LoopKind::reduced_columns)
        return fmt::format("{} from output to output", class_name(operand));
    if (baked.loop != LoopKind::short_rows)
        return fmt::format("{} along the inner axis", class_name(operand));
    return fmt::format("{} over whole rows",
                       operand.inner == StrideClass::strided ? "copied" : class_name(operand));
}

std::string_view access_name(const Baked& baked, const BakedOperand& operand) {
    switch (operand.access) {
        case Access::vector:
            return baked.vector > 1 ? "whole vectors" : "neighbouring elements";
        case Access::singles:
            return "neighbours one by one, not aligned as the others";
        case Access::uniform:
            return baked.loop == LoopKind::flat ? "one element for all"
                                                : "one element along the inner axis";
        case Access::shared:
            return baked.loop == LoopKind::staged_rows ? "copied to shared memory row by row"
                                                       : "turned by tiles in shared memory";
        case Access::elements:
            break;
    }
    return "element by element, by its strides";
}

std::string operand_line(const Parameter& parameter,
                         const Baked& baked,
                         const BakedOperand& operand) {
    std::string text = parameter.name + ": ";
    if (operand.kind == OperandKind::scalar) return text + "a number, passed by value";
    if (operand.kind == OperandKind::raw) {
        return text + fmt::format("raw, {} {}{}",
                                  operand.view_rank,
                                  operand.view_rank == 1 ? "axis" : "axes",
                                  operand.view_contiguous ? ", contiguous" : "");
    }
    if (is_reduction(baked.loop) && parameter.written)
        return text + "loaded before and stored after the post-map";
    if (baked.device == DeviceKind::host) {
        text += host_access_name(baked, operand);
    } else {
        text += access_name(baked, operand);
    }
    if (operand.repeats) text += ", read once for several rows";
    if (operand.loads == Loads::read_only) text += ", read-only loads (nothing written reaches it)";
    if (parameter.written) text += ", loaded before and stored after the body";
    return text;
}

// Says how many elements an access has, and what keeps it from being wider.
std::string vector_line(const PlanRequest& request, const Baked& baked) {
    std::int64_t widest = 0;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        const BakedOperand& operand = baked.operands[k];
        const bool moves = operand.kind == OperandKind::array && operand.access != Access::uniform;
        if (moves)
            widest =
                std::max(widest, static_cast<std::int64_t>(item_size(request.operands[k].dtype)));
    }
    if (widest == 0 || extent_product(request.loop) <= 1)
        return "vector: single elements, because there is at most one to read";
    if (baked.vector * widest == access_bytes)
        return fmt::format("vector: {} element{}, 16 bytes of the widest dtype",
                           baked.vector,
                           baked.vector == 1 ? "" : "s");
    if (clone_limit(request.signature.facts.token_count, 2 * baked.vector) <= baked.vector)
        return fmt::format(
            "vector: {} element{}, because the body is too long for more copies of it",
            baked.vector,
            baked.vector == 1 ? "" : "s");
    return fmt::format("vector: {} element{}, because strides or addresses allow no more",
                       baked.vector,
                       baked.vector == 1 ? "" : "s");
}

// Says why the host runs this kind of loop.
std::string host_loop_line(const PlanRequest& request, const Baked& baked) {
    if (baked.loop == LoopKind::short_rows)
        return "rows: of few elements, so that many are walked as one";
    std::string strided;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        const BakedOperand& operand = baked.operands[k];
        if (operand.kind != OperandKind::array || operand.inner != StrideClass::strided) continue;
        if (!strided.empty()) strided += ", ";
        strided += request.signature.parameters[k].name;
    }
    if (baked.loop == LoopKind::tiles) {
        return fmt::format(
            "tiles: {} strided along the inner axis, and elements that lie together along another "
            "are used while they are in the cache",
            strided);
    }
    if (strided.empty()) return "rows: nothing is strided along the inner axis";
    if (request.signature.facts.keeps_state)
        return "rows: no tiles, because the body may keep state, so that the order counts";
    return fmt::format("rows: {} strided along the inner axis, and no tile would help", strided);
}

}  // namespace

std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan) {
    const Baked& baked = plan.baked;
    const BodyFacts& facts = request.signature.facts;
    std::vector<std::string> lines;
    lines.push_back(fmt::format("loop: {} {} shape {}; {}",
                                plan.runtime.count,
                                is_reduction(baked.loop) ? "outputs from inputs of" : "elements of",
                                to_text(request.loop),
                                describe_loop(baked)));
    if (is_reduction(baked.loop)) {
        lines.push_back(
            "axes: kept ones, then reduced ones, sorted by the strides of the inputs; merged where "
            "all agree");
    } else if (facts.index || facts.indexer) {
        lines.push_back(fmt::format("axes: in C order, because the body uses '{}'",
                                    facts.index ? "i" : "_ind"));
    } else {
        lines.push_back(
            "axes: sorted by the strides of the outputs, then of the inputs; merged where all "
            "agree");
    }
    if (baked.device == DeviceKind::host) {
        if (!is_reduction(baked.loop)) {
            lines.push_back(host_loop_line(request, baked));
        } else {
            for (std::string& line : explain_host_reduction(request, plan))
                lines.push_back(std::move(line));
        }
    }
    if (baked.by_reference)
        lines.push_back("elements: true references, because the body takes an address");
    if (baked.device == DeviceKind::cuda && is_reduction(baked.loop)) {
        for (std::string& line : explain_cuda_reduction(request, plan))
            lines.push_back(std::move(line));
    } else if (baked.device == DeviceKind::cuda) {
        const CudaLoop& loop = chosen_loop(baked);
        lines.push_back(fmt::format("because: {}: {}", loop.when, loop.why));
        if (!baked.by_reference) lines.push_back(vector_line(request, baked));
    }
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        lines.push_back(operand_line(request.signature.parameters[k], baked, baked.operands[k]));
    }
    if (baked.device == DeviceKind::cuda) {
        const std::string shared =
            plan.runtime.shared_bytes == 0
                ? std::string()
                : fmt::format("{} bytes of shared memory, ", plan.runtime.shared_bytes);
        lines.push_back(fmt::format("launch: {} blocks of {} threads, {}{} bytes of parameters",
                                    plan.runtime.grid,
                                    plan.runtime.threads,
                                    shared,
                                    plan.runtime.block.size()));
    }
    return lines;
}

}  // namespace kgen
