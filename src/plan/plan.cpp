// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "plan/bake_operand.hpp"
#include "plan/cost_cuda.hpp"
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
    baked.moves_index = context.moves_index();
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

// A loop that can run the call, with the walk in its order of axes.
struct Offer {
    const Loop* loop;
    PlanContext context;
    Baked baked;
    std::optional<double>
        ns;  // predicted time; empty if the loop predicts none or nothing is launched
};

// Returns the loop's offer, or nothing if it does not suit the call.
std::optional<Offer> offer_of(const Loop& loop, const PlanContext& context, const Baked& common) {
    Offer offer{&loop, context, common, {}};
    offer.baked.loop = loop.kind;
    if (!loop.choose(offer.context, offer.baked)) return std::nullopt;
    offer.baked.coordinates = offer.context.coordinates();
    if (loop.predict == nullptr || context.walk.kept_count() == 0) return offer;
    offer.context.limits = arch_limits(context.request.target.arch);
    const Geometry geometry = loop.measure(offer.context, offer.baked);
    offer.ns = loop.predict(offer.context, offer.baked, geometry);
    offer.context.limits = context.limits;
    return offer;
}

// Returns the offer with the least predicted time, or the general one.
Offer choose_loop(const PlanContext& context, const Baked& common) {
    const DeviceLoops& loops = device_loops(common.device);
    const auto table = context.reduces() ? loops.reductions : loops.elementwise;
    const auto other = context.reduces() ? loops.elementwise : loops.reductions;
    const std::string_view name = context.request.loop_name;
    const bool is_named = !name.empty() && (has_name(table, name) || !has_name(other, name));
    std::optional<Offer> best;
    for (const Loop* loop : table) {
        if (context.request.fit == Fit::general) {
            if (loop->choose_general == nullptr) continue;
            Offer general{loop, context, common, {}};
            general.baked.loop = loop->kind;
            loop->choose_general(general.context, general.baked);
            return general;
        }
        if (is_named && loop->name != name) continue;
        std::optional<Offer> offer = offer_of(*loop, context, common);
        if (!offer) continue;
        const bool is_last = loop->is_best || !offer->ns;
        // Predictions that differ by a few percent are equal, and the earlier row stands.
        if (!best || (offer->ns && *offer->ns < 0.95 * *best->ns)) best.emplace(std::move(*offer));
        if (is_last) break;
    }
    if (best) return std::move(*best);
    if (is_named) refuse_loop(context.request);
    // Not reached, because the last row accepts every layout.
    throw std::logic_error("no loop for " + to_key(common));
}

}  // namespace

std::vector<LoopOffer> offered_loops(const PlanRequest& request) {
    const PlanContext context(request);
    const Baked common = bake_common(context);
    const DeviceLoops& loops = device_loops(common.device);
    std::vector<LoopOffer> offers;
    for (const Loop* loop : context.reduces() ? loops.reductions : loops.elementwise) {
        const bool is_listed =
            std::any_of(offers.begin(), offers.end(), [&](const LoopOffer& offer) {
                return offer.name == loop->name;
            });
        if (is_listed) continue;
        if (const std::optional<Offer> offer = offer_of(*loop, context, common))
            offers.push_back({std::string(loop->name), offer->ns});
    }
    return offers;
}

std::vector<std::string> fitting_loops(const PlanRequest& request) {
    std::vector<std::string> names;
    for (LoopOffer& offer : offered_loops(request)) names.push_back(std::move(offer.name));
    return names;
}

Plan make_plan(const PlanRequest& request) {
    const PlanContext given(request);
    Offer offer = choose_loop(given, bake_common(given));
    const PlanContext& context = offer.context;
    Plan plan{.baked = std::move(offer.baked)};
    Runtime& runtime = plan.runtime;
    runtime.count = context.walk.kept_count();
    if (runtime.count == 0) return plan;
    runtime.work = runtime.count * std::max<std::int64_t>(context.walk.reduced_count(), 1);
    Geometry geometry = offer.loop->measure(context, plan.baked);
    if (geometry.counts.empty()) geometry.counts = context.walk.extents;
    runtime.grid = geometry.blocks;
    runtime.threads = geometry.threads;
    runtime.shared_bytes = geometry.shared_bytes;
    runtime.scratch = geometry.scratch;
    runtime.block = fill_block(context, plan.baked, geometry);
    return plan;
}

}  // namespace kgen
