// SPDX-License-Identifier: MIT
//
// The number of pieces of outputs whose blocks fold them together.
#pragma once

#include <cstdint>

#include "plan/contest.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

// Returns the geometry cut(count) of the number of pieces from which a launch is predicted to take the least time: `pieces`, a half,
// a quarter and so on of it, or twice or four times as many if it `may_double`. Each piece costs time in the end, and fewer pieces have fewer
// loads in flight. Figures of 89 calls on an H200: 17 of them took 0.65 to 0.97 of the time with half as many, one 1.03.
template <typename Cut>
Geometry quickest_pieces(const PlanContext& context,
                         const Baked& baked,
                         double (*predict)(const PlanContext&, const Baked&, const Geometry&),
                         std::int64_t pieces,
                         bool may_double,
                         const Cut& cut) {
    constexpr double clearly_quicker = 0.97;
    constexpr std::int64_t most_doubled = 4;
    Geometry best = cut(pieces);
    if (context.request.fit != Fit::call) return best;
    const auto takes = [&](std::int64_t count) {
        return take_quicker(context, baked, predict, cut(count), clearly_quicker, best);
    };
    std::int64_t fewer = pieces / 2;
    while (fewer > 0 && takes(fewer)) fewer /= 2;
    if (!may_double || fewer < pieces / 2) return best;
    std::int64_t more = 2 * pieces;
    while (more <= most_doubled * pieces && takes(more)) more *= 2;
    return best;
}

}  // namespace kgen
