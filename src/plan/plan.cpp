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

std::span<const Loop* const> loops_for(const PlanRequest& request) {
    const DeviceLoops& loops = device_loops(request.target.kind);
    if (request.signature.row_outputs != nullptr) return loops.rows;
    return request.signature.reduction && !runs_elementwise(request) ? loops.reductions
                                                                     : loops.elementwise;
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
    Offer(const Loop& row, PlanContext& of_call, const Baked& common)
        : loop(&row), context(&of_call), baked(common) {
        baked.loop = row.kind;
    }

    const Loop* loop;
    PlanContext* context;            // the axes are in the loop's order
    std::optional<PlanContext> own;  // of a loop that reorders axes
    Baked baked;
    // Set by predict(). There is no geometry if the device differs from a usual GPU of its architecture.
    std::optional<Geometry> geometry;
    std::optional<double> ns;
};

// The loops that can run one call.
class Offers {
public:
    explicit Offers(const PlanRequest& request)
        : context_(request),
          common_(bake_common(context_)),
          table_(loops_for(request)),
          is_launched_(context_.walk.kept_count() > 0) {
        if (table_.front()->predict != nullptr) context_.limits = arch_limits(request.target.arch);
    }
    ~Offers() {
        for (Offer* offer : offers_) {
            if (offer != nullptr) std::destroy_at(offer);
        }
    }
    Offers(const Offers&) = delete;
    Offers& operator=(const Offers&) = delete;

    std::span<const Loop* const> table() const { return table_; }
    const PlanContext& context() const { return context_; }
    const Baked& common() const { return common_; }

    // Returns the offer of a row of the table, or nullptr if its loop does not suit the call.
    Offer* find(std::size_t row) {
        if (offers_[row] != nullptr) return offers_[row];
        Offer& offer = make(row);
        if (!offer.loop->choose(context_, offer.baked)) {
            std::destroy_at(std::exchange(offers_[row], nullptr));
            return nullptr;
        }
        const Loop& loop = *offer.loop;
        if (loop.reorder != nullptr && (loop.reorders == nullptr || loop.reorders(offer.baked))) {
            offer.context = &offer.own.emplace(context_);
            loop.reorder(*offer.context, offer.baked);
        }
        offer.baked.coordinates = offer.context->coordinates();
        return &offer;
    }
    Offer& find_general(std::size_t row) {
        Offer& offer = make(row);
        offer.loop->choose_general(context_, offer.baked);
        return offer;
    }

    // Whether predict() sets a time: the loop predicts one, and something is launched.
    bool is_predicted(const Loop& loop) const { return loop.predict != nullptr && is_launched_; }
    void predict(Offer& offer) {
        if (offer.ns || !is_predicted(*offer.loop)) return;
        offer.ns = predict_with_limits(offer);
        if (context_.limits.processor_count != context_.request.limits.processor_count)
            offer.geometry.reset();
    }
    // Returns the predicted time with the limits of the offer's context, and sets the geometry.
    double predict_with_limits(Offer& offer) {
        PlanContext& context = *offer.context;
        context.take_touched(context_);
        try {
            offer.geometry.emplace(offer.loop->measure(context, offer.baked));
            return offer.loop->predict_launch(context, offer.baked, *offer.geometry);
        } catch (const ShapeError&) {  // more blocks than can be launched
            return std::numeric_limits<double>::infinity();
        }
    }

private:
    Offer& make(std::size_t row) {
        Offer* const place = &places_[row].offer;
        return *(offers_[row] = std::construct_at(place, *table_[row], context_, common_));
    }

    PlanContext context_;
    Baked common_;
    std::span<const Loop* const> table_;
    bool is_launched_;
    // The offers that were made, at the places of their rows. A list of std::optional would be cleared.
    union Place {
        Place() {}
        ~Place() {}
        Offer offer;
    };
    Place places_[most_loops];
    Offer* offers_[most_loops] = {};
};

// Predictions that differ by less are equal, and the earlier row of the table stands. Of 355 elementwise calls on an H200, each measured by all of
// its loops, and of 134 reductions, the choices are as good with margins of 0 to 3 %. Near ties are left to the earlier row: rows of float32
// beside a repeated row take 14.3 us by vectors of rows and 14.7 to 15.4 by flat, predicted 16.3 both.
constexpr double clearly_quicker = 0.985;
constexpr double clearly_quicker_fold = 0.97;

// Chooses among the rows of a table by their predicted times.
class Choice {
public:
    explicit Choice(Offers& offers)
        : offers_(offers),
          request_(offers.context().request),
          quicker_(offers.context().reduces() ? clearly_quicker_fold : clearly_quicker) {
        const DeviceLoops& loops = device_loops(request_.target.kind);
        const std::string_view name = request_.loop_name;
        const bool is_of_others = has_name(loops.elementwise, name) ||
                                  has_name(loops.reductions, name) || has_name(loops.rows, name);
        is_named_ = !name.empty() && (has_name(offers.table(), name) || !is_of_others);
        may_ignore_name_ = request_.signature.reduction && has_name(loops.elementwise, name);
    }

    // Returns the offer with the least predicted time, or the general one. Elementwise loops of many phases are tried
    // only if they may run the call about as fast as the others.
    Offer& run() {
        constexpr double many_phases = 2;
        constexpr double all = std::numeric_limits<double>::infinity();
        const PlanContext& context = offers_.context();
        const bool by_time = request_.fit == Fit::call && !context.reduces() &&
                             context.rank() > 1 && context.walk.kept_count() > 0;
        Offer* best = find_best(by_time ? many_phases : all);
        // All rows that were left out are earlier ones.
        if (left_out_ && (best == nullptr || !is_surely_quicker(*best, *left_out_)))
            best = find_best(all);
        if (best != nullptr) return *best;
        if (is_named_ && may_ignore_name_) {
            is_named_ = false;
            return run();
        }
        if (is_named_) refuse_loop(request_);
        // Not reached, because some row accepts every layout.
        throw std::logic_error("no loop for " + to_key(offers_.common()));
    }

private:
    double least_ns(double phases) const { return kgen::least_ns(request_.target.arch, phases); }

    // Leaves out rows that have at least so many phases.
    Offer* find_best(double too_many) {
        Offer* best = nullptr;
        left_out_.reset();
        for (std::size_t row = 0; row < offers_.table().size(); ++row) {
            const Loop& loop = *offers_.table()[row];
            if (request_.fit == Fit::general) {
                if (loop.choose_general == nullptr) continue;
                return &offers_.find_general(row);
            }
            if (request_.fit == Fit::any_size && !loop.has_any_size) continue;
            if (is_named_ && loop.name != request_.loop_name) continue;
            if (loop.phases >= too_many) {
                left_out_ = std::min(left_out_.value_or(loop.phases), loop.phases);
                continue;
            }
            // The last elementwise loop suits every call, so there is no need to choose it first.
            const bool suits = !offers_.context().reduces() && row + 1 == offers_.table().size();
            if (suits && best != nullptr && is_out_of_reach(loop.phases, *best)) continue;
            if (best != nullptr && is_beyond(loop, *best)) continue;
            Offer* const offer = offers_.find(row);
            if (offer == nullptr) continue;
            // A plan for any size takes the first loop that suits, because times depend on sizes.
            if (loop.is_best || request_.fit == Fit::any_size || !offers_.is_predicted(loop))
                return offer;
            if (best == nullptr || is_clearly_quicker(*offer, *best)) best = offer;
        }
        return best;
    }

    // Whether no launch of so many phases is clearly quicker than the offer.
    bool is_out_of_reach(double phases, Offer& offer) {
        offers_.predict(offer);
        return least_ns(phases) >= quicker_ * *offer.ns;
    }
    // Whether the bound of a loop says that it is not clearly quicker than the offer.
    bool is_beyond(const Loop& loop, Offer& offer) {
        if (loop.bound == nullptr || !offers_.is_predicted(loop)) return false;
        offers_.predict(offer);
        return loop.bound(offers_.context()) >= quicker_ * *offer.ns;
    }
    // Whether the offer is clearly quicker than every launch of so many phases.
    bool is_surely_quicker(Offer& offer, double phases) {
        offers_.predict(offer);
        return *offer.ns < quicker_ * least_ns(phases);
    }
    // Predicts no more than it must.
    bool is_clearly_quicker(Offer& later, Offer& earlier) {
        if (later.loop->phases < earlier.loop->phases &&
            is_surely_quicker(later, earlier.loop->phases))
            return true;
        if (is_out_of_reach(later.loop->phases, earlier)) return false;
        offers_.predict(later);
        return *later.ns < quicker_ * *earlier.ns;
    }

    Offers& offers_;
    const PlanRequest& request_;
    double quicker_;
    bool is_named_;
    bool may_ignore_name_;
    std::optional<double> left_out_;  // the fewest phases of a row that find_best() left out
};

}  // namespace

std::vector<LoopOffer> offered_loops(const PlanRequest& request) {
    Offers offers(request);
    std::vector<LoopOffer> list;
    for (std::size_t row = 0; row < offers.table().size(); ++row) {
        const std::string_view name = offers.table()[row]->name;
        const bool is_listed = std::any_of(
            list.begin(), list.end(), [&](const LoopOffer& offer) { return offer.name == name; });
        if (is_listed) continue;
        if (Offer* const offer = offers.find(row)) {
            offers.predict(*offer);
            LoopOffer& listed = list.emplace_back(LoopOffer{std::string(name), offer->ns, {}});
            if (!offer->ns) continue;
            const Limits usual = std::exchange(offer->context->limits, request.limits);
            listed.device_ns = offers.predict_with_limits(*offer);
            offer->context->limits = usual;
        }
    }
    return list;
}

namespace {

bool has_any_size(const PlanRequest& request) {
    const auto table = loops_for(request);
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
        Offer& offer = Choice(plans).run();
        plans.predict(offer);
        offers.insert(offers.begin(), LoopOffer{std::string(any_size_name), offer.ns, {}});
    }
    std::stable_sort(offers.begin(), offers.end(), [](const LoopOffer& a, const LoopOffer& b) {
        return a.predicted_ns.value_or(0) < b.predicted_ns.value_or(0);
    });
    return names_of(std::move(offers));
}

const Dims& whole_loop(const PlanRequest& request) {
    return request.section ? request.section->whole : request.loop;
}

bool predicts_times(DeviceKind device) {
    return device_loops(device).rows.front()->predict != nullptr;
}

std::optional<Forecast> make_forecast(const PlanRequest& request) {
    Offers offers(request);
    Offer& offer = Choice(offers).run();
    if (!offers.is_predicted(*offer.loop)) return std::nullopt;
    Forecast forecast{.ns = offers.predict_with_limits(offer)};
    if (offer.geometry)
        forecast.is_idle = offer.geometry->blocks < offer.context->limits.processor_count;
    forecast.reads_again = reads_rows_again(offer.baked);
    return forecast;
}

namespace {

Plan plan_of(const PlanRequest& request, Offer& offer) {
    PlanContext& context = *offer.context;
    context.limits = request.limits;
    Plan plan;
    plan.baked = std::move(offer.baked);
    Runtime& runtime = plan.runtime;
    runtime.count = context.output_count();
    if (runtime.count == 0) return plan;
    runtime.work = runtime.count * std::max<std::int64_t>(context.folded_count(), 1);
    Geometry geometry = offer.geometry ? *offer.geometry : offer.loop->measure(context, plan.baked);
    if (geometry.counts.empty()) geometry.counts = context.walk.extents;
    runtime.grid = geometry.blocks;
    runtime.threads = geometry.threads;
    runtime.shared_bytes = geometry.shared_bytes;
    runtime.cooperative = is_spread(plan.baked);
    runtime.scratch = geometry.scratch;
    fill_block(context, plan.baked, geometry, runtime.block);
    return plan;
}

}  // namespace

Plan make_plan(const PlanRequest& request) {
    if (request.loop_name == any_size_name && request.fit == Fit::call && has_any_size(request))
        return make_plan(any_size_request(request));
    Offers offers(request);
    return plan_of(request, Choice(offers).run());
}

Plan make_plan(const PlanRequest& request, double& predicted_ns) {
    Offers offers(request);
    Offer& offer = Choice(offers).run();
    offers.predict(offer);
    predicted_ns = offer.ns.value();
    return plan_of(request, offer);
}

}  // namespace kgen
