// SPDX-License-Identifier: MIT
//
// Contest: of several ways to run a loop, keeps the one that is predicted to take the least time.
#pragma once

#include <optional>

#include "plan/loop_table.hpp"

namespace kgen {

// Whether further ways to run the call are worth what it takes to predict them: a plan is made for one call, and it is not small.
bool is_worth_contests(const PlanContext& context);

// Returns the predicted time of a way to run a loop, in nanoseconds; infinite if it would need more blocks than can be launched.
double predicted_ns(const PlanContext& context, const Loop& loop, const Baked& baked);

// Replaces a geometry by another one that is predicted to take less than that share of its time. Returns whether it did.
bool take_quicker(const PlanContext& context,
                  const Baked& baked,
                  double (*predict)(const PlanContext&, const Baked&, const Geometry&),
                  Geometry tried,
                  double share,
                  Geometry& best);

class Contest {
public:
    // `best` is the first way. It and the loop must live as long as the contest.
    Contest(const PlanContext& context, const Loop& loop, Baked& best);

    // Replaces the best way by another one that is predicted to take less than that share of its time. Returns whether it did.
    bool offer(const Baked& other, double share);

private:
    const PlanContext& context_;
    const Loop& loop_;
    Baked& best_;
    std::optional<double> best_ns_;  // from the first offer on
};

}  // namespace kgen
