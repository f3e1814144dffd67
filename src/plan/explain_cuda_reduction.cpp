// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>

#include "plan/cuda_reduction.hpp"

namespace kgen {

namespace {

// Returns a field of the plan's parameter block.
template <typename T>
T read_field(const PlanRequest& request, const Plan& plan, FieldKind kind) {
    T value;
    for (const BlockField& field : lay_out_block(plan.baked, request.types.dtypes).fields) {
        if (field.kind == kind)
            std::memcpy(&value, plan.runtime.block.data() + field.offset, sizeof value);
    }
    return value;
}

std::string pieces_line(std::int64_t pieces, std::string_view of) {
    return fmt::format(
        "pieces: {} of each {}, because there are few of these; their folds meet in scratch memory",
        pieces,
        of);
}

void explain_rows(const PlanRequest& request, const Plan& plan, std::vector<std::string>& lines) {
    const auto teams = read_field<RowTeams>(request, plan, FieldKind::teams);
    lines.push_back(fmt::format("team: {} threads an output, {} of them a row of {} elements",
                                teams.team,
                                teams.lanes,
                                teams.row));
    if (plan.baked.split)
        lines.push_back(
            pieces_line(std::int64_t{teams.segment_pieces} * teams.slot_pieces, "output"));
}

void explain_columns(const PlanRequest& request,
                     const Plan& plan,
                     std::vector<std::string>& lines) {
    const auto tiles = read_field<ColumnTiles>(request, plan, FieldKind::columns);
    if (plan.baked.wide) {
        lines.push_back(fmt::format("tile: {} threads read {} rows of {} elements as one",
                                    tiles.across,
                                    tiles.across * plan.baked.vector / tiles.period,
                                    tiles.period));
    } else {
        lines.push_back(fmt::format(
            "tile: {} threads side by side, {} below each other", tiles.across, tiles.height));
    }
    if (plan.baked.split) lines.push_back(pieces_line(tiles.pieces, "tile"));
}

}  // namespace

std::vector<std::string> explain_cuda_reduction(const PlanRequest& request, const Plan& plan) {
    const CudaReduction& reduction = chosen_reduction(plan.baked);
    std::vector<std::string> lines = {
        fmt::format("because: {}: {}", reduction.when, reduction.why)};
    if (plan.runtime.count == 0) return lines;
    if (plan.baked.loop == LoopKind::reduced_rows) explain_rows(request, plan, lines);
    if (plan.baked.loop == LoopKind::reduced_columns) explain_columns(request, plan, lines);
    if (plan.baked.loop == LoopKind::staged_rows) {
        const auto staged = read_field<StagedRows>(request, plan, FieldKind::staged);
        lines.push_back(
            fmt::format("tile: {} rows of {} elements, a thread each", staged.block, staged.row));
    }
    return lines;
}

}  // namespace kgen
