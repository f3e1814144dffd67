// SPDX-License-Identifier: MIT
#include "plan/reduced_row_team.hpp"

#include <algorithm>
#include <cmath>

#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

// Teams of few threads take fewer instructions for each output, so a thread gets several slots, as long as there are threads enough for the
// device. Teams of eight threads with slots of 16 bytes still read a whole cache line. Microseconds with teams of 4, 8, 16 and 32 threads on an
// H200, of rows in the L2 cache and of eight times as many in memory. Rows of 32 slots have at most 16 threads:
// - 16384 rows of 64 slots: float16 3.8, 3.7, 3.9, 5.1 and 34.7, 31.7, 31.7, 35.3; float32 3.5, 3.5, 3.6, 4.1 and 32.2, 32.1, 32.0, 32.1;
// - 32768 rows of 32 slots: float16 3.8, 3.8, 4.8 and 35.0, 32.1, 34.2; float32 3.5, 3.6, 3.9 and 32.9, 32.6, 32.8;
// - 8192 rows of 128 slots: float16 4.1, 3.7, 3.8, 4.2.
constexpr std::int64_t team_slots = 8;
constexpr std::int64_t least_team_slots = 4;
constexpr std::int64_t line_team = 8;
constexpr std::int64_t small_team = 4;
// With a user-defined accumulator, or elements of 8 bytes or more, a step over the threads of a team costs much. Shares of a copy with 4, 8, 16 and 32
// threads: float64 rows of 150 elements 0.84, 0.95, 0.86, 0.74; logsumexp of float32 rows of 200 0.66, 0.54, 0.38, not measured.
constexpr std::int64_t wide_team_slots = 24;

}  // namespace

int row_axis(const PlanContext& context) {
    return context.walk.rank() > context.walk.kept ? context.walk.rank() - 1 : -1;
}

Rows rows_of(const PlanContext& context, int vector) {
    Rows rows;
    const Walk& walk = context.walk;
    rows.outputs = walk.kept_count();
    if (walk.rank() > walk.kept) {
        rows.row = walk.extents[walk.rank() - 1];
        rows.segments = rows.row == 0 ? 0 : walk.reduced_count() / rows.row;
    }
    rows.slots = ceil_div(rows.row, vector);
    return rows;
}

bool has_own_accumulator(const PlanContext& context) {
    return context.request.signature.reduction->has_own_accumulator;
}

std::int64_t team_of(const PlanContext& context, const Rows& rows) {
    const auto share_of = [&](std::int64_t slots) {
        return floor_power(std::max<std::int64_t>(rows.all_slots() / slots, 1));
    };
    const std::int64_t largest = std::min<std::int64_t>(share_of(2), warp_lanes);
    if (rows.outputs == 0) return largest;
    const bool is_own = has_own_accumulator(context);
    const bool is_wide = is_own || widest_along(context, context.walk.rank() - 1) >= 8;
    const std::int64_t least = is_own ? small_team
                               : is_wide
                                   ? line_team
                                   : std::clamp(share_of(least_team_slots), small_team, line_team);
    const std::int64_t wanted =
        std::max({least,
                  share_of(is_wide ? wide_team_slots : team_slots),
                  is_wide ? ceil_power(ceil_div(threads_at_work, rows.outputs))
                          : floor_power(ceil_div(threads_at_work, rows.outputs))});
    const std::int64_t turned = context.turned_item(context.walk.kept - 1);
    const bool is_turned = turned > 0 && rows.outputs * turned_lanes(turned) >= turned_threads;
    return std::min({wanted, largest, is_turned ? turned_lanes(turned) : largest});
}

std::int64_t lanes_of(const PlanContext& context, const Rows& rows, std::int64_t team) {
    if (rows.segments <= 1) return team;
    const std::int64_t turned =
        context.walk.inner_reduced ? context.turned_item(context.rank() - 2) : 0;
    // All threads of the team get a segment.
    const std::int64_t most =
        turned == 0
            ? team
            : std::min(std::max(team / floor_power(rows.segments), turned_lanes(turned)), team);
    // No lanes are left over if there are few segments.
    const std::int64_t least = turned == 0 ? team / ceil_power(rows.segments) : 1;
    return std::clamp<std::int64_t>(
        floor_power(rows.slots / accesses_in_flight), std::max<std::int64_t>(least, 1), most);
}

int fit_segments(const PlanContext& context, const Rows& rows, std::int64_t team, int wanted) {
    constexpr double most_missing = 0.2;  // of the slots
    if (rows.segments <= 1 || wanted <= accesses_in_flight) return wanted;
    const double slots =
        static_cast<double>(rows.slots) / static_cast<double>(lanes_of(context, rows, team));
    while (wanted > 1 && std::ceil(slots / wanted) * wanted > (1 + most_missing) * slots)
        wanted /= 2;
    return wanted;
}

}  // namespace kgen
