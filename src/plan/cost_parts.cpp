// SPDX-License-Identifier: MIT
#include "plan/cost_parts.hpp"

#include <algorithm>
#include <bit>

#include "plan/bake_operand.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

double loop_count(const PlanContext& context) {
    return static_cast<double>(extent_product(context.walk.extents));
}

void add_body(const PlanContext& context, double warps, double count, Cost& cost) {
    const BodyFacts& facts = context.request.signature.facts;
    cost.tokens += warps * count * static_cast<double>(facts.token_count);
    cost.functions += warps * count * facts.work;
    // Elements of raw parameters are assumed to lie apart, each at an index that a division gives. What does not stay in the L1 cache comes
    // from the L2 cache. With 8 instead of 16, loops of calls with raw parameters took 1.09 (flat) to 1.19 (tiles) of their predictions
    // beside those of other calls on an H200.
    constexpr double most_apart = 16;
    constexpr double kept_bytes = 64e3;
    for (const Operand& operand : context.request.operands) {
        if (operand.kind != OperandKind::raw || operand.written) continue;
        const auto bytes =
            static_cast<double>(extent_product(operand.shape) * item_size(operand.dtype));
        const double sectors =
            warps * count * std::clamp<double>(bytes / memory_sector, 1, most_apart);
        const double missed = sectors * std::clamp(1 - kept_bytes / bytes, 0.0, 1.0);
        cost.accesses += warps * count;
        cost.passes += sectors;
        cost.cache_bytes += missed * memory_sector;
        cost.requests += missed;
        cost.divisions += warps * count * 8;
    }
    // The coordinates of `_ind` are found one after the other. Each takes about three times the instructions of a division in the walk, but
    // the last one is what remains, and axes of one element have none.
    if (facts.indexer) {
        const Dims& loop = whole_loop(context.request);
        const int axes = loop.rank() - std::popcount(unit_axes(loop));
        cost.divisions += warps * count * 3 * std::max(axes - 1, 0);
    }
}

void add_blocks(const PlanContext& context, double elements, const Geometry& geometry, Cost& cost) {
    for (const std::size_t k : context.arrays)
        cost.held_bytes += static_cast<double>(context.item(k)) * elements;
    cost.blocks = static_cast<double>(geometry.blocks);
    cost.threads = geometry.threads;
    cost.shared_bytes = geometry.shared_bytes;
}

void ReadAgain::add(const PlanContext& context,
                    std::size_t k,
                    double accesses,
                    const Dims& lanes,
                    std::int64_t step,
                    const Dims& box,
                    double boxes,
                    Cost& cost) {
    const double sectors = warp_units(context, k, lanes, memory_sector, step);
    // One request asks for the sectors of a line that the accesses of a warp need.
    const double requests = warp_units(context, k, lanes, access_line, step) / sectors;
    const double all = accesses * sectors;
    const double once = std::min(boxes * touched_units(context, k, box, memory_sector), all);
    cost.requests += once * requests;
    again_ += all - once;
    requests_ += (all - once) * requests;
    lines_ += touched_units(context, k, box, access_line);
}

void ReadAgain::finish(const Geometry& geometry, Cost& cost) const {
    constexpr double cache = 256.0 * 1024;  // of a multiprocessor, with its shared memory
    const double kept = cache / blocks_at_once(geometry.threads, geometry.shared_bytes) -
                        geometry.shared_bytes - 1024;
    const double lost = std::clamp(1 - kept / std::max(lines_ * access_line, 1.0), 0.0, 1.0);
    cost.cache_bytes += again_ * memory_sector * lost;
    cost.requests += requests_ * lost;
}

}  // namespace kgen
