// SPDX-License-Identifier: MIT
//
// Sources generated for a GPU, run on the CPU (support/emulated.hpp).
#include <fmt/format.h>

#include <map>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "support/choice.hpp"
#include "support/emulated.hpp"
#include "support/random_reduction.hpp"
#include "support/random_trial.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Part turned(DType dtype, const Dims& shape) {
    return {dtype, shape, f_order(shape, static_cast<std::int64_t>(item_size(dtype)))};
}

Trial tiled(const Trial& trial) {
    return with_loop(trial, "shared_tiles");
}

Trial staged(const Trial& trial) {
    return with_loop(trial, "staged_runs");
}

Trial by_blocks(Trial trial, int threads) {
    trial.block_size = threads;
    return trial;
}

std::string way_of(const Baked& baked) {
    switch (baked.loop) {
        case LoopKind::flat:
            return "flat";
        case LoopKind::vector_rows:
            return "vector rows";
        case LoopKind::shared_tiles:
            return baked.as<SharedTilesChoice>().straight ? "straight tiles" : "shared tiles";
        case LoopKind::staged_runs:
            return baked.vector > 1 ? fmt::format("staged runs by {}", baked.vector)
                                    : "staged runs";
        case LoopKind::staged_rows:
            return "staged rows";
        case LoopKind::short_folds:
            return std::string(baked.as<ThreadFoldsChoice>().turned ? "turned " : "") +
                   (baked.as<ThreadFoldsChoice>().along ? "short folds along" : "short folds");
        case LoopKind::reduced_rows:
            return std::string(test::has_block_team(baked) ? "blocks" : "teams") +
                   (is_split(baked) ? ", split" : "") +
                   (test::is_shifted(baked) ? ", shifted" : "") +
                   (baked.as<ReducedRowsChoice>().guarded ? ", guarded" : "");
        case LoopKind::reduced_columns:
            return std::string(test::is_wide(baked) ? "wide columns" : "columns") +
                   (is_split(baked) ? ", split" : "") +
                   (baked.as<ReducedColumnsChoice>().shifted ? ", shifted" : "");
        default:
            return "?";
    }
}

ReductionTrial ordered(DType dtype, const Dims& loop, const std::vector<int>& order, AxisSet axes) {
    ReductionTrial trial = dense_trial(dtype, loop, axes);
    trial.inputs[0] = ordered_part(dtype, loop, order);
    return trial;
}

ReductionTrial misaligned(DType dtype, const Dims& loop, AxisSet axes, std::int64_t bytes = 0) {
    ReductionTrial trial = dense_trial(dtype, loop, axes);
    trial.inputs[0].shift = bytes > 0 ? bytes : static_cast<std::int64_t>(item_size(dtype));
    return trial;
}

ReductionTrial beside(ReductionTrial trial, const std::vector<Part>& inputs) {
    trial.inputs.insert(trial.inputs.end(), inputs.begin(), inputs.end());
    return trial;
}

// Checks that nothing before or behind an array is read or written.
template <typename AnyTrial>
void check_in_exact_memory(const AnyTrial& trial, Fit fit = Fit::call) {
    for (const Edge edge : {Edge::end, Edge::begin}) check_emulated(trial, fit, edge);
}

}  // namespace

TEST_CASE("each elementwise loop for a GPU computes right on the CPU", "[emulated]") {
    const Dims s{96, 128};
    const Part full = c_part(float32, s);
    struct Row {
        Trial trial;
        std::string way;
    };
    const Row rows[] = {
        {{{full, full}, full}, "flat"},
        {{{c_part(float32, {1001}), c_part(float32, {1})}, c_part(float32, {1001})}, "flat"},
        {{{c_part(float32, {1001}, 4), c_part(uint8, {1001})}, c_part(float32, {1001}, 8)}, "flat"},
        {{{c_part(float64, {777})}, c_part(float16, {777}), Extra::index}, "flat"},
        {{{full, {float32, s, {1040, 8}}}, full}, "flat"},
        // Vectors that are cut at both ends, by fewer threads than they have elements outside, and no whole one.
        {{{c_part(uint8, {5003}, 3)}, c_part(uint8, {5003}, 3)}, "flat"},
        {by_blocks({{c_part(uint8, {300}, 13)}, c_part(uint8, {300}, 13)}, 1), "flat"},
        {by_blocks({{c_part(uint8, {301}, 1)}, c_part(uint8, {301}, 5)}, 3), "flat"},
        {{{c_part(uint8, {5}, 3)}, c_part(uint8, {5}, 3)}, "flat"},
        {{{c_part(uint8, {2}, 3)}, c_part(uint8, {2}, 15)}, "flat"},
        {by_blocks({{c_part(float64, {140003}, 8)}, c_part(float16, {140003}, 2)}, 64), "flat"},
        {{{c_part(float32, {9, 127}), c_part(float32, {127})}, c_part(float32, {9, 127})}, "flat"},
        {with_loop(Trial{{full, c_part(float32, {128})}, full}, "vector_rows"), "vector rows"},
        {with_loop(Trial{{full, c_part(float32, {96, 1})}, full, Extra::indices}, "vector_rows"),
         "vector rows"},
        {with_loop(Trial{{turned(float32, {9, 130}), c_part(float64, {9, 130})},
                         c_part(float16, {9, 130})},
                   "vector_rows"),
         "vector rows"},
        {with_loop(Trial{{turned(uint8, {13, 3, 64}), c_part(float32, {13, 3, 1})},
                         c_part(complex64, {13, 3, 64}),
                         Extra::index},
                   "vector_rows"),
         "vector rows"},
        {with_loop(Trial{{full, {float32, s, {1040, 8}}}, {float32, s, {528, 4}}}, "vector_rows"),
         "vector rows"},
        {tiled({{turned(float32, s), full}, full}), "straight tiles"},
        {tiled({{turned(uint8, {96, 160})}, c_part(uint8, {96, 160})}), "straight tiles"},
        {tiled({{turned(float32, {97, 127})}, c_part(float32, {97, 127})}), "straight tiles"},
        {tiled({{turned(float32, {97, 127}), c_part(float32, {97, 127})},
                c_part(float32, {97, 127}),
                Extra::indices}),
         "straight tiles"},
        {tiled({{turned(float32, {90, 4, 17})}, c_part(float32, {90, 4, 17})}), "straight tiles"},
        {tiled({{turned(uint8, {90, 9, 11})}, c_part(uint8, {90, 9, 11}), Extra::index}),
         "straight tiles"},
        {staged({{turned(uint8, {5, 999})}, c_part(uint8, {5, 999})}), "staged runs"},
        {staged({{c_part(float16, {333, 7}, 2), turned(float64, {333, 7})},
                 turned(float16, {333, 7}),
                 Extra::index}),
         "staged runs"},
        {staged({{{complex128, {2, 40, 3}, {1920, 48, 16}}}, turned(complex128, {2, 40, 3})}),
         "staged runs"},
        // Vectors begin where sectors of the output do, and beside them are single elements.
        {staged({{turned(uint8, {701, 997})}, c_part(uint8, {701, 997}, 3)}), "staged runs by 16"},
        {staged({{turned(uint8, {640, 1088})}, c_part(uint8, {640, 1088})}), "staged runs by 16"},
        {staged({{turned(uint16, {389, 811}), c_part(uint16, {811}, 2)},
                 c_part(uint16, {389, 811}, 6),
                 Extra::index}),
         "staged runs by 8"},
        {staged({{turned(float32, {401, 503}), c_part(float32, {401, 503}, 4)},
                 c_part(float32, {401, 503}, 4)}),
         "staged runs by 4"},
        {staged({{turned(float32, {401, 503}),
                  c_part(float32, {401, 503}, 8),
                  c_part(float32, {401, 1})},
                 c_part(float32, {401, 503}, 4)}),
         "staged runs by 4"},
        {staged({{ordered_part(int16, {9, 211, 160}, {2, 1, 0})}, c_part(int16, {9, 211, 160}, 2)}),
         "staged runs by 8"},
        {by_blocks(staged({{c_part(float16, {512, 601}, 2)}, turned(float16, {512, 601})}), 96),
         "staged runs by 8"},
    };
    for (const Row& row : rows) {
        INFO(describe(row.trial));
        CHECK(way_of(check_emulated(row.trial)) == row.way);
        check_in_exact_memory(row.trial);
    }
}

TEST_CASE("many pieces of columns are folded in bundles", "[emulated]") {
    Limits limits = small_limits();
    limits.processor_count = 132;
    int in_bundles = 0;
    for (const ReductionTrial& trial : {dense_trial(float32, {3001, 386}, 1, Fold::struct_16),
                                        dense_trial(float32, {3001, 386}, 1, Fold::places),
                                        dense_trial(float32, {3001, 386}, 1, Fold::compensated),
                                        dense_trial(float32, {9001, 190}, 1, Fold::struct_16),
                                        dense_trial(float16, {2, 5003, 130}, 2, Fold::struct_16)}) {
        const Planned planned = plan_of(trial, {}, limits);
        in_bundles += field_of<ColumnTiles>(planned, FieldKind::own).bundle > 1 ? 1 : 0;
        check_emulated(trial, Fit::call, {}, limits);
    }
    CHECK(in_bundles >= 2);
}

TEST_CASE("each loop of a reduction for a GPU computes right on the CPU", "[emulated]") {
    struct Row {
        ReductionTrial trial;
        std::string way;
    };
    const Row rows[] = {
        {dense_trial(float32, {4000}, 1), "blocks, guarded"},
        {dense_trial(float32, {70001}, 1), "blocks, split"},
        {misaligned(float32, {70001}, 1), "blocks, split, shifted"},
        {dense_trial(float32, {70001}, 1, Fold::compensated), "blocks, split"},
        {dense_trial(float32, {70000}, 1, Fold::places), "blocks, split"},
        {dense_trial(float32, {70000}, 1, Fold::top), "blocks, split"},
        {dense_trial(float32, {70000}, 1, Fold::struct_100), "blocks, split"},
        {dense_trial(uint8, {9, 901}, 2), "teams, shifted"},
        {dense_trial(uint8, {9, 6001}, 2), "blocks, shifted, guarded"},
        {misaligned(float16, {6521}, 1), "blocks, shifted, guarded"},
        {dense_trial(float16, {3, 12710}, 2), "blocks, shifted, guarded"},
        {dense_trial(uint8, {5, 9001}, 2, Fold::top), "blocks, shifted, guarded"},
        {dense_trial(float16, {17, 5, 2, 13}, 0b1010), "teams"},
        {dense_trial(int32, {3, 7, 231}, 5), "teams, shifted"},
        {dense_trial(int32, {16, 7, 231}, 5), "blocks, shifted"},
        {dense_trial(float32, {40, 100}, 2), "teams"},
        {dense_trial(float32, {40, 100}, 2, Fold::outputs), "teams"},
        {dense_trial(float32, {40, 100}, 2, Fold::struct_40), "teams"},
        {with_loop(dense_trial(float32, {3000, 7}, 2), "staged_rows"), "staged rows"},
        {with_loop(dense_trial(float32, {3000, 7}, 2, Fold::top), "staged_rows"), "staged rows"},
        {with_loop(dense_trial(float32, {300, 7, 9}, 2), "staged_rows"), "staged rows"},
        {with_loop(dense_trial(uint8, {900, 12, 5}, 2, Fold::places), "staged_rows"),
         "staged rows"},
        {with_loop(dense_trial(float16, {23, 3, 2000}, 2), "staged_rows"), "staged rows"},
        {with_loop(dense_trial(uint8, {50, 301}, 1), "any_size"), "columns"},
        {with_loop(dense_trial(int8, {300, 21}, 1), "any_size"), "columns"},
        {with_loop(dense_trial(uint8, {40, 3, 5}, 2), "any_size"), "columns"},
        {with_loop(misaligned(float16, {70, 66}, 1), "any_size"), "columns"},
        {with_loop(misaligned(uint8, {3, 70, 6}, 2), "any_size"), "columns"},
        {with_loop(dense_trial(uint8, {9, 70, 67}, 2, Fold::places), "any_size"), "columns"},
        {with_loop(dense_trial(float32, {5, 3000}, 1), "reduced_columns"), "columns"},
        {dense_trial(float32, {3000, 384}, 1), "columns, split"},
        {dense_trial(float32, {500, 384}, 1, Fold::places), "columns, split"},
        // Accumulators of 16 bytes take the elements that a thread reads at once as a batch, and the rest in smaller ones.
        {dense_trial(float32, {3001, 384}, 1, Fold::struct_16), "columns, split"},
        {dense_trial(float16, {3007, 386}, 1, Fold::struct_16), "columns, split"},
        {dense_trial(uint8, {30001, 3}, 1, Fold::struct_16), "wide columns, split"},
        {dense_trial(float32, {7, 9011}, 2, Fold::struct_16), "blocks, shifted"},
        {dense_trial(float32, {40, 100}, 2, Fold::struct_16), "teams"},
        {dense_trial(float32, {30000, 3}, 1), "wide columns, split"},
        {dense_trial(float32, {5, 1202, 66}, 2), "wide columns, split"},
        // Wide rows that begin and end within a vector.
        {misaligned(uint8, {30001, 3}, 1), "wide columns, split, shifted"},
        {misaligned(uint8, {30001, 3}, 1, 15), "wide columns, split, shifted"},
        {misaligned(float16, {7001, 19}, 1, 6), "wide columns, split, shifted"},
        {dense_trial(float32, {5, 2401, 7}, 2), "wide columns, shifted"},
        {dense_trial(uint8, {7, 3001, 19}, 2, Fold::places), "wide columns, split, shifted"},
        {dense_trial(int16, {4, 9001, 5}, 2, Fold::struct_40), "wide columns, split, shifted"},
        {beside(misaligned(float16, {3, 5001, 5}, 2), {c_part(float32, {5}, 4)}),
         "wide columns, shifted"},
        {beside(misaligned(float32, {3, 5001, 5}, 2), {c_part(uint8, {3, 5001, 5}, 1)}),
         "wide columns, split, shifted"},
        // What all rows have alike is read once.
        {beside(dense_trial(float32, {3000, 384}, 1),
                {c_part(float32, {384}, 4), c_part(float64, {1, 1})}),
         "columns, split"},
        {beside(misaligned(float32, {30, 500, 35}, 2), {c_part(uint8, {30, 1, 35}, 4)}),
         "wide columns, shifted"},
        {beside(dense_trial(float32, {0, 384}, 1), {c_part(float32, {384}, 4)}), "columns"},
        // One element each: elementwise loops, unless reductions' loops are named. Few and many elements; vectors whose last one is not
        // full; narrow integers by words.
        {dense_trial(float32, {40000}, 0), "flat"},
        {dense_trial(uint8, {140001}, 0), "flat"},
        {with_loop(dense_trial(uint8, {140001}, 0), "short_folds"), "short folds"},
        {dense_trial(float32, {2, 70003}, 1), "short folds"},
        {dense_trial(float32, {3, 1000}, 1, Fold::places), "short folds"},
        {dense_trial(float32, {12, 20, 5}, 1, Fold::outputs), "short folds"},
        {with_loop(dense_trial(uint8, {5, 140002}, 1), "short_folds"), "short folds"},
        {with_loop(dense_trial(int16, {17, 70002}, 1, Fold::top), "short_folds"), "short folds"},
        {with_loop(dense_trial(float32, {40, 3, 900}, 2, Fold::compensated), "short_folds"),
         "short folds"},
        {with_loop(dense_trial(float32, {2, 3, 900, 2}, 9, Fold::struct_40), "short_folds"),
         "short folds"},
        {with_loop(misaligned(uint8, {6, 9001}, 1), "short_folds"), "short folds"},
        {with_loop(ordered(uint8, {1000, 3, 5, 70}, {1, 2, 3, 0}, 2), "short_folds"),
         "turned short folds"},
        {with_loop(ordered(float32, {70, 2001, 3}, {2, 1, 0}, 4), "short_folds"),
         "turned short folds"},
        // The elements of an output are neighbours.
        {with_loop(dense_trial(uint8, {140003, 3}, 2), "short_folds"), "short folds along"},
        {with_loop(dense_trial(float16, {70001, 7}, 2), "short_folds"), "short folds along"},
        {with_loop(dense_trial(float32, {70002, 2}, 2, Fold::places), "short_folds"),
         "short folds along"},
        {with_loop(dense_trial(int16, {3, 40004, 5}, 4, Fold::top), "short_folds"),
         "short folds along"},
        {with_loop(dense_trial(float32, {700, 5}, 2), "short_folds"), "short folds"},
        {with_loop(dense_trial(uint8, {19, 4, 3, 31}, 9, Fold::struct_40), "reduced_rows"),
         "blocks"},
        {dense_trial(float32, {6, 30, 40}, 5), "teams"},
        {dense_trial(float32, {2, 3, 2, 3, 2, 3, 2, 3}, 0b10101010), "teams"},
        {{.loop = {50, 60, 3, 1},
          .axes = 8,
          .inputs = {{float32, {50, 60, 3, 1}, {12000, 40, 4, 4}}},
          .output = c_part(float32, {50, 60, 3})},
         "flat"},
    };
    for (const Row& row : rows) {
        // Named, the loop over columns keeps its wide rows and pieces where narrow blocks are quicker.
        const bool keeps_form =
            row.way.find("columns") == std::string::npos || !row.trial.loop_name.empty();
        const ReductionTrial trial =
            keeps_form ? row.trial : with_loop(row.trial, "reduced_columns");
        INFO(describe(trial));
        CHECK(way_of(check_emulated(trial)) == row.way);
        check_in_exact_memory(trial);
    }
}

TEST_CASE("narrow blocks fold few columns whole", "[emulated]") {
    Limits limits = small_limits();
    limits.processor_count = 132;
    for (const ReductionTrial& trial :
         {dense_trial(float32, {3000, 384}, 1),
          dense_trial(float32, {2187, 17}, 1, Fold::places),
          dense_trial(float16, {1200, 66}, 1, Fold::struct_16),
          dense_trial(float32, {5, 1202, 66}, 2),
          misaligned(uint8, {10001, 3}, 1),
          dense_trial(int16, {4, 2001, 5}, 2, Fold::struct_40),
          beside(misaligned(uint8, {3, 2187, 17}, 2), {c_part(float32, {3, 1, 1}, 4)})}) {
        INFO(describe(trial));
        CHECK(way_of(check_emulated(trial, Fit::call, {}, limits)) == "columns");
        check_in_exact_memory(trial);
    }
}

TEST_CASE("one general variant for a GPU computes every layout right on the CPU", "[emulated]") {
    const Dims s{2, 3, 4, 5, 6};
    const Part full = c_part(float32, s);
    const Part turned_about = turned(float32, s);
    const Trial trials[] = {
        {{full, full}, full},
        {{turned_about, c_part(float32, {5, 1}, 4)}, full},
        {{{float32, s, negated(f_order(s, 8), 2)}, c_part(float32, {1})}, turned_about},
        {{c_part(float32, {2, 1, 4, 1, 6}), turned_about}, full},
    };
    for (const Trial& trial : trials) {
        INFO(describe(trial));
        CHECK(way_of(check_emulated(trial, Fit::general)) == "flat");
        check_in_exact_memory(trial, Fit::general);
    }
    const ReductionTrial folds[] = {
        dense_trial(float32, {70001}, 1),
        dense_trial(float32, {40, 1, 100}, 4),
        dense_trial(float32, {3, 5, 7, 4, 6}, 0b01010),
        dense_trial(float32, {3, 5, 7, 4, 6}, 0b10101),
        {.loop = s,
         .axes = 0b01001,
         .inputs = {turned_about},
         .output = c_part(float32, {3, 4, 6})},
    };
    for (const ReductionTrial& trial : folds) {
        INFO(describe(trial));
        CHECK(way_of(check_emulated(trial, Fit::general)).starts_with("blocks") ==
              (trial.loop == Dims{70001}));
        check_in_exact_memory(trial, Fit::general);
    }
}

TEST_CASE("each loop that can run a random call for a GPU computes right on the CPU",
          "[emulated][random]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    RandomTrials trials(seed);
    RandomReductions reductions(seed);
    std::map<std::string, int> ran;
    const auto check_each = [&](auto trial, const std::vector<std::string>& loops) {
        for (const std::string& loop : loops) {
            trial.loop_name = loop;
            try {
                const Planned planned = plan_of(trial);
            } catch (const ShapeError&) {
                continue;  // the loop cannot run the call
            }
            INFO(loop << ": " << describe(trial));
            check_emulated(trial);
            ++ran[loop];
        }
    };
    for (int k = 0; k < rounds(10); ++k) {
        check_each(trials.next(),
                   {"flat", "vector_rows", "shared_tiles", "staged_runs", "any_size"});
        check_each(reductions.next(),
                   {"staged_rows", "short_folds", "reduced_rows", "reduced_columns", "any_size"});
    }
    CHECK(ran["flat"] == rounds(10));
    CHECK(ran["any_size"] == 2 * rounds(10));
    CHECK(ran["staged_rows"] + ran["reduced_rows"] + ran["reduced_columns"] >= rounds(10));
}

// KGEN_RANDOM_SEED and KGEN_RANDOM_TRIALS choose the trials.
TEST_CASE("random calls for a GPU compute right on the CPU", "[emulated][.random]") {
    const auto number_of = [](const char* name, unsigned long long otherwise) {
        const char* text = std::getenv(name);
        return text == nullptr ? otherwise : std::stoull(text);
    };
    const std::uint64_t seed = number_of("KGEN_RANDOM_SEED", 1);
    RandomTrials trials(seed);
    RandomReductions reductions(seed);
    for (std::uint64_t k = 0; k < number_of("KGEN_RANDOM_TRIALS", 50); ++k) {
        const Fit fits[] = {Fit::general, Fit::any_size, Fit::call, Fit::call};
        const Fit fit = fits[k % 4];
        const std::optional<Edge> exact =
            k % 3 == 0 ? std::nullopt : std::optional(k % 3 == 1 ? Edge::end : Edge::begin);
        check_emulated(trials.next(), fit, exact);
        check_emulated(reductions.next(), fit, exact);
    }
    CHECK(seed > 0);
}
