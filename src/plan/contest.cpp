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

Contest::Contest(const PlanContext& context, const Loop& loop, Baked& best)
    : context_(context), loop_(loop), best_(best) {}

double Contest::predicted_ns(const Baked& baked) const {
    try {
        return loop_.predict_launch(context_, baked, loop_.measure(context_, baked));
    } catch (const ShapeError&) {  // more blocks than can be launched
        return std::numeric_limits<double>::infinity();
    }
}

bool Contest::offer(const Baked& other, double share) {
    if (!best_ns_) best_ns_ = predicted_ns(best_);
    const double ns = predicted_ns(other);
    if (!(ns < share * *best_ns_)) return false;
    best_ = other;
    best_ns_ = ns;
    return true;
}

}  // namespace kgen
