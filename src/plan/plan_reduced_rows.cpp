// SPDX-License-Identifier: MIT
//
// Rows: the innermost axis is reduced. A team of threads folds an output.
#include <algorithm>

#include "plan/cuda_loop.hpp"
#include "plan/cuda_reduction.hpp"

namespace kgen {

namespace {

constexpr int row_threads = 512;   // of a block that folds one output, at most
constexpr int team_threads = 256;  // of a block in which each warp folds outputs of its own
constexpr std::int64_t least_block_slots = 512;  // of an output, for a block of its own
constexpr std::int64_t most_blocks_split = 4096;

struct Rows {
    std::int64_t outputs = 1;
    std::int64_t row = 1;  // elements of a segment
    std::int64_t segments = 1;
    std::int64_t slots = 1;  // of a segment, at least

    std::int64_t all_slots() const { return segments * slots; }
};

Rows rows_of(const ReductionContext& context, int vector) {
    Rows rows;
    const ReductionWalk& walk = context.walk;
    rows.outputs = walk.kept_count();
    if (walk.rank() > walk.kept) {
        rows.row = walk.extents[walk.rank() - 1];
        rows.segments = rows.row == 0 ? 1 : walk.reduced_count() / rows.row;
    }
    rows.slots = ceil_div(rows.row, vector);
    return rows;
}

// Threads of the block that folds one output: four slots each, if there are so many.
int block_threads(const Rows& rows) {
    return static_cast<int>(std::clamp<std::int64_t>(
        floor_power(rows.all_slots() / accesses_in_flight), 64, row_threads));
}

}  // namespace

bool choose_reduced_rows(const ReductionContext& context, Baked& baked) {
    const ReductionWalk& walk = context.walk;
    if (!walk.inner_reduced && walk.rank() > 0) return false;
    baked.loop = LoopKind::reduced_rows;
    const int inner = walk.rank() - 1;
    const std::size_t tokens = context.request.signature.facts.token_count;
    const std::int64_t widest = widest_along(context, inner);
    baked.vector = widest == 0 ? 1 : clone_limit(tokens, static_cast<int>(access_bytes / widest));
    // Rows of less than two vectors are read element by element.
    if (inner < 0 || walk.extents[inner] < 2 * baked.vector) baked.vector = 1;
    choose_accesses(context, inner, baked);
    const int copies = accesses_in_flight * baked.vector;
    baked.unroll = std::max(clone_limit(tokens, copies) / baked.vector, 1);

    const Rows rows = rows_of(context, baked.vector);
    // A warp has work for each of its threads' loads from 256 slots on; few outputs need more threads.
    baked.block_team = rows.all_slots() >= least_block_slots ||
                       (rows.outputs < many_outputs && rows.all_slots() >= 64);
    baked.split = baked.block_team && rows.outputs < many_outputs &&
                  rows.all_slots() > row_threads * accesses_in_flight;
    baked.block_bound = row_threads;
    baked.index_width = index_width(std::max(rows.outputs, rows.segments));
    return true;
}

ReductionGeometry measure_reduced_rows(const ReductionContext& context, const Baked& baked) {
    const Rows rows = rows_of(context, baked.vector);
    ReductionGeometry geometry;
    RowTeams& teams = geometry.teams;
    teams.row = rows.row;
    teams.segments = rows.segments;
    teams.segments_each = rows.segments;
    teams.slots_each = rows.slots;
    teams.segment_pieces = 1;
    teams.slot_pieces = 1;
    // Two slots a thread at least: fewer leave too little in flight. Float32 rows of 16 elements: 0.932
    // of a copy with one, 1.023 with two; of 128: 0.916, 1.017.
    const std::int64_t each_lane = rows.segments > 1 ? accesses_in_flight : 2;
    const std::int64_t lanes = floor_power(std::max<std::int64_t>(rows.slots / each_lane, 1));
    if (!baked.block_team) {
        geometry.threads = team_threads;
        teams.team = static_cast<int>(std::min<std::int64_t>(
            floor_power(std::max<std::int64_t>(rows.all_slots() / 2, 1)), 32));
        teams.lanes = static_cast<int>(std::min<std::int64_t>(lanes, teams.team));
        geometry.blocks = count_blocks(
            context.request, rows.outputs, geometry.threads / teams.team, geometry.threads);
        return geometry;
    }
    geometry.threads = block_threads(rows);
    teams.team = geometry.threads;
    teams.lanes = static_cast<int>(std::min<std::int64_t>(lanes, geometry.threads));
    std::int64_t pieces = 1;
    if (baked.split) {
        const std::int64_t processors = context.request.limits.processor_count;
        const std::int64_t blocks_busy = processors * busy_threads / geometry.threads;
        // A thread's slots: one while there are threads without any, up to what it has in flight, and
        // more once there are many blocks.
        const std::int64_t each = std::clamp<std::int64_t>(rows.outputs * rows.all_slots() /
                                                               (geometry.threads * blocks_busy),
                                                           1,
                                                           accesses_in_flight) *
                                  geometry.threads;
        pieces = std::min(ceil_div(rows.all_slots(), each),
                          std::max<std::int64_t>(most_blocks_split / rows.outputs, 1));
        const std::int64_t of_segments = std::min(rows.segments, pieces);
        teams.segments_each = ceil_div(rows.segments, of_segments);
        teams.segment_pieces = static_cast<int>(ceil_div(rows.segments, teams.segments_each));
        const std::int64_t of_slots = std::min(ceil_div(pieces, teams.segment_pieces), rows.slots);
        teams.slots_each = ceil_div(ceil_div(rows.slots, of_slots), teams.lanes) * teams.lanes;
        teams.slot_pieces = static_cast<int>(ceil_div(rows.slots, teams.slots_each));
        pieces = std::int64_t{teams.segment_pieces} * teams.slot_pieces;
        geometry.scratch = {.accumulators = rows.outputs * pieces,
                            .counters = static_cast<int>(rows.outputs)};
    }
    geometry.blocks = count_blocks(context.request, rows.outputs * pieces, 1, geometry.threads);
    return geometry;
}

}  // namespace kgen
