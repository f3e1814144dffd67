// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
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
    baked.narrow_index = request.signature.facts.index_wraps && request.fit != Fit::general &&
                         request.target.kind == DeviceKind::host &&
                         extent_product(request.loop) <= std::numeric_limits<std::int32_t>::max();
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
    const PerParameter<AddressSpan> stored = stored_spans(context);
    for (std::size_t k = 0; k < request.operands.size(); ++k) {
        BakedOperand operand;
        operand.kind = request.operands[k].kind;
        if (operand.kind == OperandKind::array && has_read_only_loads &&
            is_read_only(context, stored, k))
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

// A loop that can run the call.
struct Offer {
    const Loop* loop = nullptr;
    PlanContext* context = nullptr;       // the axes are in the loop's order
    std::optional<PlanContext> own = {};  // of a loop that reorders axes
    Baked baked = {};
    // Set by predict(). There is no geometry if the device differs from a usual GPU of its architecture.
    std::optional<Geometry> geometry = {};
    std::optional<double> ns = {};
};

// The loops that can run one call.
class Offers {
public:
    explicit Offers(const PlanRequest& request)
        : context_(request),
          common_(bake_common(context_)),
          table_(context_.reduces() ? device_loops(common_.device).reductions
                                    : device_loops(common_.device).elementwise),
          is_launched_(context_.walk.kept_count() > 0) {}
    Offers(const Offers&) = delete;
    Offers& operator=(const Offers&) = delete;

    std::span<const Loop* const> table() const { return table_; }
    const PlanContext& context() const { return context_; }
    const Baked& common() const { return common_; }

    // Returns the loop's offer, or nullptr if it does not suit the call. The next search overwrites all offers but
    // `kept`.
    Offer* find(const Loop& loop, const Offer* kept = nullptr) {
        Offer& offer = start(loop, kept);
        if (!loop.choose(context_, offer.baked)) return nullptr;
        if (loop.reorder != nullptr) {
            offer.context = &offer.own.emplace(context_);
            loop.reorder(*offer.context, offer.baked);
        }
        offer.baked.coordinates = offer.context->coordinates();
        return &offer;
    }
    Offer* find_general(const Loop& loop) {
        Offer& offer = start(loop, nullptr);
        loop.choose_general(context_, offer.baked);
        return &offer;
    }

    // Whether predict() sets a time: the loop predicts one, and something is launched.
    bool is_predicted(const Loop& loop) const { return loop.predict != nullptr && is_launched_; }
    void predict(Offer& offer) {
        if (offer.ns || !is_predicted(*offer.loop)) return;
        PlanContext& context = *offer.context;
        if (context_.touched.empty()) context_.touched = find_touched(context_);
        if (context.touched.empty()) context.touched = context_.touched;
        context.limits = arch_limits(context.request.target.arch);
        try {
            offer.geometry.emplace(offer.loop->measure(context, offer.baked));
            offer.ns = offer.loop->predict(context, offer.baked, *offer.geometry);
        } catch (const ShapeError&) {  // more blocks than can be launched
            offer.ns = std::numeric_limits<double>::infinity();
        }
        if (context.limits.processor_count != context.request.limits.processor_count)
            offer.geometry.reset();
        context.limits = context.request.limits;
    }

private:
    Offer& start(const Loop& loop, const Offer* kept) {
        Offer& offer = offers_[kept == offers_.data() ? 1 : 0];
        offer.loop = &loop;
        offer.context = &context_;
        offer.baked = common_;
        offer.baked.loop = loop.kind;
        offer.geometry.reset();
        offer.ns.reset();
        return offer;
    }

    PlanContext context_;
    Baked common_;
    std::span<const Loop* const> table_;
    bool is_launched_;
    std::array<Offer, 2> offers_ = {};
};

// Predictions that differ by a few percent are equal, and the earlier row of the table stands. Those of reductions are
// less exact.
constexpr double clearly_quicker = 0.95;
constexpr double clearly_quicker_fold = 0.9;

// Returns the offer with the least predicted time, or the general one. Later loops are not tried, and nothing is
// predicted, where they cannot be clearly quicker.
Offer& choose_loop(Offers& offers) {
    const PlanRequest& request = offers.context().request;
    const DeviceLoops& loops = device_loops(request.target.kind);
    const auto table = offers.table();
    const auto other = offers.context().reduces() ? loops.elementwise : loops.reductions;
    const std::string_view name = request.loop_name;
    const bool is_named = !name.empty() && (has_name(table, name) || !has_name(other, name));
    const double quicker = offers.context().reduces() ? clearly_quicker_fold : clearly_quicker;
    Offer* best = nullptr;
    for (const Loop* loop : table) {
        if (request.fit == Fit::general) {
            if (loop->choose_general == nullptr) continue;
            return *offers.find_general(*loop);
        }
        if (request.fit == Fit::any_size && !loop->has_any_size) continue;
        if (is_named && loop->name != name) continue;
        Offer* const offer = offers.find(*loop, best);
        if (offer == nullptr) continue;
        // A plan for any size takes the first loop that suits, because times depend on sizes.
        const bool is_last = loop == table.back() || loop->is_best ||
                             request.fit == Fit::any_size || !offers.is_predicted(*loop);
        if (best != nullptr || !is_last) offers.predict(*offer);
        if (best == nullptr || (offer->ns && *offer->ns < quicker * *best->ns)) best = offer;
        if (is_last || least_ns(request.target.arch) >= quicker * *best->ns) break;
    }
    if (best != nullptr) return *best;
    if (is_named) refuse_loop(request);
    // Not reached, because the last row accepts every layout.
    throw std::logic_error("no loop for " + to_key(offers.common()));
}

}  // namespace

std::vector<LoopOffer> offered_loops(const PlanRequest& request) {
    Offers offers(request);
    std::vector<LoopOffer> list;
    for (const Loop* loop : offers.table()) {
        const bool is_listed = std::any_of(list.begin(), list.end(), [&](const LoopOffer& offer) {
            return offer.name == loop->name;
        });
        if (is_listed) continue;
        if (Offer* const offer = offers.find(*loop)) {
            offers.predict(*offer);
            list.push_back({std::string(loop->name), offer->ns});
        }
    }
    return list;
}

namespace {

bool has_any_size(const PlanRequest& request) {
    const DeviceLoops& loops = device_loops(request.target.kind);
    const auto table = request.signature.reduction ? loops.reductions : loops.elementwise;
    return std::any_of(
        table.begin(), table.end(), [](const Loop* loop) { return loop->has_any_size; });
}

PlanRequest any_size_request(PlanRequest request) {
    request.fit = Fit::any_size;
    request.loop_name = {};
    return request;
}

std::vector<std::string> names_of(std::vector<LoopOffer> offers) {
    std::vector<std::string> names;
    for (LoopOffer& offer : offers) names.push_back(std::move(offer.name));
    return names;
}

}  // namespace

std::vector<std::string> fitting_loops(const PlanRequest& request) {
    return names_of(offered_loops(request));
}

std::vector<std::string> loops_by_cost(const PlanRequest& request) {
    std::vector<LoopOffer> offers = offered_loops(request);
    if (has_any_size(request)) {
        const PlanRequest wanted = any_size_request(request);
        Offers plans(wanted);
        Offer& offer = choose_loop(plans);
        plans.predict(offer);
        offers.insert(offers.begin(), {std::string(any_size_name), offer.ns});
    }
    std::stable_sort(offers.begin(), offers.end(), [](const LoopOffer& a, const LoopOffer& b) {
        return a.predicted_ns.value_or(0) < b.predicted_ns.value_or(0);
    });
    return names_of(std::move(offers));
}

Plan make_plan(const PlanRequest& request) {
    if (request.loop_name == any_size_name && request.fit == Fit::call && has_any_size(request))
        return make_plan(any_size_request(request));
    Offers offers(request);
    Offer& offer = choose_loop(offers);
    const PlanContext& context = *offer.context;
    Plan plan{.baked = std::move(offer.baked)};
    Runtime& runtime = plan.runtime;
    runtime.count = context.walk.kept_count();
    if (runtime.count == 0) return plan;
    runtime.work = runtime.count * std::max<std::int64_t>(context.walk.reduced_count(), 1);
    Geometry geometry = offer.geometry ? *offer.geometry : offer.loop->measure(context, plan.baked);
    if (geometry.counts.empty()) geometry.counts = context.walk.extents;
    runtime.grid = geometry.blocks;
    runtime.threads = geometry.threads;
    runtime.shared_bytes = geometry.shared_bytes;
    runtime.scratch = geometry.scratch;
    fill_block(context, plan.baked, geometry, runtime.block);
    return plan;
}

}  // namespace kgen
