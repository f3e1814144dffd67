// SPDX-License-Identifier: MIT
#include "plan/contest.hpp"

#include <kgen/error.hpp>
#include <limits>

namespace kgen {

bool is_worth_contests(const PlanContext& context) {
    constexpr std::int64_t many_elements = 1 << 20;
    return context.request.fit == Fit::call &&
           extent_product(context.walk.extents) >= many_elements;
}

double predicted_ns(const PlanContext& context, const Loop& loop, const Baked& baked) {
    try {
        return loop.predict_launch(context, baked, loop.measure(context, baked));
    } catch (const ShapeError&) {
        return std::numeric_limits<double>::infinity();
    }
}

bool take_quicker(const PlanContext& context,
                  const Baked& baked,
                  double (*predict)(const PlanContext&, const Baked&, const Geometry&),
                  Geometry tried,
                  double share,
                  Geometry& best) {
    if (!best.predicted_ns) best.predicted_ns = predict(context, baked, best);
    tried.predicted_ns = predict(context, baked, tried);
    if (!(*tried.predicted_ns < share * *best.predicted_ns)) return false;
    best = tried;
    return true;
}

Contest::Contest(const PlanContext& context, const Loop& loop, Baked& best)
    : context_(context), loop_(loop), best_(best) {}

bool Contest::offer(const Baked& other, double share) {
    if (!best_ns_) best_ns_ = predicted_ns(context_, loop_, best_);
    const double ns = predicted_ns(context_, loop_, other);
    if (!(ns < share * *best_ns_)) return false;
    best_ = other;
    best_ns_ = ns;
    return true;
}

}  // namespace kgen
