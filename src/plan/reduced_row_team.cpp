// SPDX-License-Identifier: MIT
#include "plan/reduced_row_team.hpp"

#include <algorithm>

namespace kgen {

namespace {

// With a user-defined accumulator, or elements of 8 bytes or more, a step over the threads of a team costs much. So a
// thread gets more slots and teams are smaller, as long as there are outputs enough for the threads of the device.
// Teams of eight threads still read a whole cache line. Measured with 4, 8, 16 and 32 threads: float64 rows of 150
// elements 0.84, 0.95, 0.86, 0.74; logsumexp of float32 rows of 200 0.66, 0.54, 0.38, not measured.
constexpr std::int64_t few_team_slots = 24;
constexpr std::int64_t own_team = 4;
constexpr std::int64_t wide_team = 8;

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
    std::int64_t most =
        std::min<std::int64_t>(floor_power(std::max<std::int64_t>(rows.all_slots() / 2, 1)), 32);
    if (rows.outputs == 0) return most;
    const std::int64_t turned = context.turned_item(context.walk.kept - 1);
    if (turned > 0 && rows.outputs * turned_lanes(turned) >= turned_threads)
        most = std::min(most, turned_lanes(turned));
    const bool is_own = has_own_accumulator(context);
    if (!is_own && widest_along(context, context.walk.rank() - 1) < 8) {
        // 16 threads would read a third time for 8 of them or fewer: float16 rows of 257 elements 0.850, with eight 0.984.
        return most == 16 && rows.all_slots() > 32 && rows.all_slots() <= 40 ? 8 : most;
    }
    const std::int64_t wanted =
        std::max({is_own ? own_team : wide_team,
                  floor_power(std::max<std::int64_t>(rows.all_slots() / few_team_slots, 1)),
                  ceil_power(ceil_div(threads_at_work, rows.outputs))});
    return std::min(wanted, most);
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

}  // namespace kgen
