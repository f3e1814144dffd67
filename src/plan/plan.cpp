// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "plan/bake_operand.hpp"
#include "plan/fill_block.hpp"
#include "plan/loop_table.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Bakes the fields that do not depend on the loop.
Baked bake_common(const PlanContext& context) {
    const PlanRequest& request = context.request;
    Baked baked;
    baked.device = request.target.kind;
    baked.rank = context.reduces() ? context.rank() : std::max(context.rank(), 1);
    baked.kept = context.reduces() ? context.walk.kept : 0;
    baked.by_reference = context.by_reference;
    baked.counted = context.uses(PlaceIndex::input);
    baked.counts_reduced = context.uses(PlaceIndex::reduced);
    baked.counts_outputs = context.uses(PlaceIndex::output);
    bool input_indexer = request.signature.facts.indexer;
    if (context.reduces()) {
        const PlaceFacts& map = request.signature.reduction->map_place;
        const PlaceFacts& post = request.signature.reduction->post_place;
        input_indexer = map.input_indexer || post.input_indexer;
        if (map.output_indexer || post.output_indexer)
            baked.output_rank = request.loop.rank() - std::popcount(request.reduced_axes);
    } else if (input_indexer) {
        baked.width = context.offset_width();
    }
    if (input_indexer) baked.logical_rank = request.loop.rank();
    const bool has_read_only_loads = device_loops(baked.device).has_read_only_loads;
    baked.operands.reserve(request.operands.size());
    for (std::size_t k = 0; k < request.operands.size(); ++k) {
        BakedOperand operand;
        operand.kind = request.operands[k].kind;
        if (operand.kind == OperandKind::array && has_read_only_loads && is_read_only(request, k))
            operand.loads = Loads::read_only;
        bake_view(request, k, operand);
        baked.operands.push_back(operand);
    }
    return baked;
}

bool has_name(std::span<const Loop* const> table, std::string_view name) {
    return std::any_of(
        table.begin(), table.end(), [&](const Loop* loop) { return loop->name == name; });
}

[[noreturn]] void refuse_loop(const PlanRequest& request) {
    const std::string fitting = fmt::format("{}", fmt::join(fitting_loops(request), ", "));
    refuse<ShapeError>(
        {ErrorKind::option, "KGEN_LOOP", fitting, std::string(request.loop_name)},
        "kernel '{}': the loop '{}' of KGEN_LOOP cannot run this call on {}; these can: {}",
        request.signature.name,
        request.loop_name,
        device_loops(request.target.kind).name,
        fitting);
}

// Returns the row of the table that runs the call, and fills `baked`.
const Loop& choose_loop(PlanContext& context, Baked& baked) {
    const DeviceLoops& loops = device_loops(baked.device);
    const auto table = context.reduces() ? loops.reductions : loops.elementwise;
    const auto other = context.reduces() ? loops.elementwise : loops.reductions;
    const std::string_view name = context.request.loop_name;
    const bool is_named = !name.empty() && (has_name(table, name) || !has_name(other, name));
    for (const Loop* loop : table) {
        baked.loop = loop->kind;
        if (context.request.fit == Fit::call) {
            if (is_named && loop->name != name) continue;
            if (loop->choose(context, baked)) return *loop;
        } else if (loop->choose_general != nullptr) {
            loop->choose_general(context, baked);
            return *loop;
        }
    }
    if (is_named) refuse_loop(context.request);
    // Not reached, because the last row accepts every layout.
    throw std::logic_error("no loop for " + to_key(baked));
}

}  // namespace

std::vector<std::string> fitting_loops(const PlanRequest& request) {
    const PlanContext context(request);
    const Baked common = bake_common(context);
    const DeviceLoops& loops = device_loops(common.device);
    std::vector<std::string> names;
    for (const Loop* loop : context.reduces() ? loops.reductions : loops.elementwise) {
        PlanContext tried = context;
        Baked baked = common;
        baked.loop = loop->kind;
        const bool is_listed = std::find(names.begin(), names.end(), loop->name) != names.end();
        if (!is_listed && loop->choose(tried, baked)) names.emplace_back(loop->name);
    }
    return names;
}

Plan make_plan(const PlanRequest& request) {
    PlanContext context(request);
    Plan plan{.baked = bake_common(context)};
    const Loop& loop = choose_loop(context, plan.baked);
    Runtime& runtime = plan.runtime;
    runtime.count = context.walk.kept_count();
    if (runtime.count == 0) return plan;
    runtime.work = runtime.count * std::max<std::int64_t>(context.walk.reduced_count(), 1);
    Geometry geometry = loop.measure(context, plan.baked);
    if (geometry.counts.empty()) geometry.counts = context.walk.extents;
    runtime.grid = geometry.blocks;
    runtime.threads = geometry.threads;
    runtime.shared_bytes = geometry.shared_bytes;
    runtime.scratch = geometry.scratch;
    runtime.block = fill_block(context, plan.baked, geometry);
    return plan;
}

}  // namespace kgen
