// SPDX-License-Identifier: MIT
//
// Thread blocks that hand over the results of pieces, run on the CPU: accumulators of 4 to 40 bytes with and without an identity,
// bundles of which the last one has one piece, and wide rows whose last piece has no element of some outputs.
#include "support/catch.hpp"
#include "support/choice.hpp"
#include "support/emulated.hpp"
#include "support/planned_block.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Limits processors(int count) {
    Limits limits = small_limits();
    limits.processor_count = count;
    return limits;
}

ReductionTrial by_columns(ReductionTrial trial) {
    trial.loop_name = "reduced_columns";
    return trial;
}

void check_pieces(const ReductionTrial& trial, const Limits& limits, Fit fit = Fit::call) {
    INFO(describe(trial) << ", " << limits.processor_count << " processors");
    CHECK(is_split(check_emulated(trial, fit, {}, limits)));
}

ColumnTiles tiles_of(const ReductionTrial& trial, const Limits& limits) {
    const Planned planned = plan_of(trial, {}, limits);
    return is_split(planned.plan.baked) ? field_of<ColumnTiles>(planned, FieldKind::own)
                                        : ColumnTiles();
}

}  // namespace

TEST_CASE("blocks hand over accumulators of any size", "[emulated]") {
    for (const Fold fold : {Fold::sum,
                            Fold::compensated,
                            Fold::top,
                            Fold::struct_16,
                            Fold::struct_40,
                            Fold::struct_100}) {
        for (const DType dtype : {uint8, float32, float64}) {
            check_pieces(dense_trial(dtype, {70001}, 1, fold), processors(2));
            check_pieces(by_columns(dense_trial(dtype, {5001, 70}, 1, fold)), processors(132));
            check_pieces(by_columns(dense_trial(dtype, {20001, 3}, 1, fold)), processors(132));
        }
        check_pieces(dense_trial(float32, {70001}, 1, fold), processors(2), Fit::any_size);
    }
}

TEST_CASE("the last bundle may be a single piece", "[emulated]") {
    int found = 0;
    for (std::int64_t rows = 600; rows < 9000 && found < 3; rows += 11) {
        const ReductionTrial trial =
            by_columns(dense_trial(float32, {rows, 130}, 1, Fold::struct_40));
        const ColumnTiles tiles = tiles_of(trial, processors(132));
        if (tiles.bundle == 0 || tiles.by_pieces.extent % tiles.bundle != 1) continue;
        check_pieces(trial, processors(132));
        ++found;
    }
    CHECK(found == 3);
}
