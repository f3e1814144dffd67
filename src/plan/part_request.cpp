// SPDX-License-Identifier: MIT
#include "plan/part_request.hpp"

#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

// Returns the signature with the facts about the text that computes the outputs among the operands.
Signature signature_of(const Signature& whole, ParameterSet operands) {
    Signature signature = whole;
    if (whole.output_needs.empty()) return signature;
    BodyFacts& facts = signature.facts;
    facts.token_count = 0;
    facts.work = 0;
    for (std::size_t k = 0; k < whole.output_needs.size(); ++k) {
        const OutputNeeds& needs = whole.output_needs[k];
        if ((operands >> (static_cast<std::size_t>(whole.input_count) + k) & 1) == 0) continue;
        facts.token_count += needs.token_count;
        facts.work += needs.work;
    }
    signature.output_needs.clear();
    return signature;
}

PerParameter<Operand> operands_of(const PlanRequest& whole, ParameterSet operands) {
    PerParameter<Operand> list;
    for (std::size_t k = 0; k < whole.operands.size(); ++k) {
        list.push_back(whole.operands[k]);
        if (list[k].kind != OperandKind::scalar && (operands >> k & 1) == 0)
            list[k].kind = OperandKind::absent;
    }
    return list;
}

}  // namespace

PartRequest::PartRequest(const PlanRequest& whole, ParameterSet operands, double launch_bytes)
    : signature_(signature_of(whole.signature, operands)),
      operands_(operands_of(whole, operands)),
      request_{.signature = signature_,
               .types = whole.types,
               .operands = {operands_.data(), operands_.size()},
               .loop = whole.loop,
               .target = whole.target,
               .limits = arch_limits(whole.target.arch),
               .block_size = whole.block_size,
               .merging = whole.merging,
               .launch_bytes = launch_bytes,
               .is_part = true} {}

}  // namespace kgen
