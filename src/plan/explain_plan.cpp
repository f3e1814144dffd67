// SPDX-License-Identifier: MIT
#include <fmt/ranges.h>

#include <cstring>

#include "plan/plan.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

std::string operand_line(const Parameter& parameter,
                         const Baked& baked,
                         const BakedOperand& operand) {
    std::string text = parameter.name + ": ";
    if (operand.kind == OperandKind::scalar) return text + "a number, passed by value";
    if (operand.kind == OperandKind::raw) {
        return text + fmt::format("raw, {}{}",
                                  count_of(operand.view_rank, "axis"),
                                  operand.view_contiguous ? ", contiguous" : "");
    }
    const std::string stored = parameter.overwritten ? "stored" : "loaded before and stored";
    if (is_reduction(baked.loop) && parameter.written) return text + stored + " after the post-map";
    text += device_loops(baked.device).describe_access(baked, operand);
    if (operand.repeats)
        text +=
            is_reduction(baked.loop) ? ", read once for all rows" : ", read once for several rows";
    if (operand.loads == Loads::read_only) text += ", read-only loads (nothing written reaches it)";
    if (parameter.written) text += ", " + stored + " after the body";
    return text;
}

// Returns a line with the number of elements in an access and the reason why it is not larger.
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
    const std::string elements = count_of(baked.vector, "element");
    if (baked.vector * widest == access_bytes)
        return fmt::format("vector: {}, 16 bytes of the widest dtype", elements);
    if (2 * baked.vector > spread_limit(request))
        return fmt::format("vector: {}, because a small call of much work needs more threads",
                           elements);
    if (clone_limit(request, 2 * baked.vector) <= baked.vector)
        return fmt::format("vector: {}, because the body is too long for more copies of it",
                           elements);
    return fmt::format("vector: {}, because strides, addresses or extents allow no more", elements);
}

// Returns a line with the loops that can run the call and their predicted times, or nothing if there is only
// one loop.
std::string offers_line(const PlanRequest& request) {
    const std::vector<LoopOffer> offers = offered_loops(request);
    if (offers.size() < 2) return {};
    std::string text = "loops that can run it: ";
    bool is_predicted = true;
    for (const LoopOffer& offer : offers) {
        text += (&offer == offers.data() ? "" : ", ") + offer.name;
        if (offer.predicted_ns)
            text += fmt::format(" ({:.1f} us predicted)", *offer.predicted_ns / 1000);
        is_predicted = is_predicted && offer.predicted_ns.has_value();
    }
    return is_predicted ? text + "; a later one runs if it is clearly quicker" : text;
}

// Returns the loop's own struct from the plan's parameter block.
LoopStruct own_struct(const PlanRequest& request, const Plan& plan) {
    LoopStruct own = loop_of(plan.baked).own;
    for (const BlockField& field : lay_out_block(plan.baked, request.types.dtypes).fields) {
        if (field.kind != FieldKind::own) continue;
        const std::byte* from = plan.runtime.block.data() + field.offset;
        std::visit([&](auto& value) { std::memcpy(&value, from, sizeof value); }, own);
    }
    return own;
}

}  // namespace

std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan) {
    const Baked& baked = plan.baked;
    const Loop& loop = loop_of(baked);
    const BodyFacts& facts = request.signature.facts;
    const bool folds = kgen::folds(baked.loop);
    std::vector<std::string> lines;
    lines.push_back(fmt::format("loop: {} {} shape {}; {}",
                                plan.runtime.count,
                                is_row_loop(baked.loop) ? "rows of"
                                : folds                 ? "outputs from inputs of"
                                                        : "elements of",
                                to_text(request.loop),
                                describe_loop(baked)));
    if (folds) {
        lines.push_back(
            "axes: kept ones, then reduced ones, sorted by the strides of the inputs; merged where "
            "all agree");
    } else if (facts.keeps_state && (facts.index || facts.indexer)) {
        lines.push_back(fmt::format("axes: in C order, because the body uses '{}' and keeps state",
                                    facts.index ? "i" : "_ind"));
    } else {
        lines.push_back(
            "axes: sorted by the strides of the outputs, then of the inputs; merged where all "
            "agree");
    }
    if (request.loop_name == loop.name) {
        lines.push_back("because: KGEN_LOOP names it");
    } else {
        lines.push_back(fmt::format("because: {}: {}", loop.when, loop.why));
    }
    if (runs_elementwise(request) && !request.is_part)
        lines.push_back("elementwise: each output has one element, so no thread folds");
    if (std::string offers = offers_line(request); !offers.empty())
        lines.push_back(std::move(offers));
    if (baked.moves_index)
        lines.push_back(
            "index: counted by its strides, because memory is walked in another order than C "
            "order");
    if (!baked.coordinates.empty())
        lines.push_back("coordinates: counted along the axes, which are not merged");
    if (loop.explain != nullptr && plan.runtime.count > 0) {
        for (std::string& line : loop.explain(request, plan, own_struct(request, plan)))
            lines.push_back(std::move(line));
    }
    const bool has_blocks = plan.runtime.grid > 0;
    if (request.signature.row_outputs != nullptr && baked.counted && has_blocks)
        lines.push_back(baked.draws_neighbours && baked.vector > 1
                            ? "random numbers: neighbours of an access share a block of them"
                            : "random numbers: each element computes its block of them");
    if (baked.by_reference)
        lines.push_back(
            "references: the body gets references into memory, because it takes an address");
    const bool is_whole =
        baked.parts.empty();  // the lines of parts tell how each accesses its operands
    if (has_blocks && !folds && !baked.by_reference && is_whole)
        lines.push_back(vector_line(request, baked));
    for (std::size_t k = 0; k < baked.operands.size() && baked.loop != LoopKind::parts; ++k) {
        const bool is_of_part =
            !is_whole && baked.parts.front().operands[k].kind != OperandKind::absent;
        if (baked.operands[k].kind == OperandKind::absent || is_of_part) continue;
        lines.push_back(operand_line(request.signature.parameters[k], baked, baked.operands[k]));
    }
    if (has_blocks) {
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
