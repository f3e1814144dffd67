// SPDX-License-Identifier: MIT
//
// Reductions of random geometry, compared with plain loops over indices in whole numbers.
#include <cstdlib>
#include <set>
#include <string>

#include "source/source.hpp"
#include "support/choice.hpp"
#include "support/cuda_source.hpp"
#include "support/random_reduction.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::uint64_t seed = 51;
constexpr int usual_runs = 130;

// Returns a number from the environment. KGEN_TEST_RUNS sets the number of runs, KGEN_TEST_SEED the seed.
std::uint64_t setting(const char* name, std::uint64_t usual) {
    const char* text = std::getenv(name);
    return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

// Returns the properties of a CUDA loop that the test should cover.
std::set<std::string> ways(const Baked& baked) {
    std::set<std::string> ways;
    for (const BakedOperand& operand : baked.operands) {
        static constexpr const char* names[] = {
            "elements", "vector", "singles", "uniform", "shared", "words"};
        ways.insert(names[static_cast<int>(operand.access)]);
    }
    if (baked.loop == LoopKind::staged_rows)
        ways.insert(baked.as<StagedRowsChoice>().side_by_side ? "staged rows side by side"
                                                              : "staged rows");
    if (const auto* folds = std::get_if<ThreadFoldsChoice>(&baked.choice))
        ways.insert(folds->along ? "short folds along" : "short folds");
    if (baked.loop == LoopKind::reduced_rows) {
        const std::string rows = is_split(baked)               ? "rows, split"
                                 : test::has_block_team(baked) ? "rows, a block each"
                                                               : "rows, a warp or less each";
        ways.insert(rows);
        if (baked.rank > baked.kept + 1) ways.insert(rows + ", segments");
        if (test::is_shifted(baked)) ways.insert(rows + ", shifted");
    }
    if (baked.loop == LoopKind::reduced_columns) {
        const std::string columns = test::is_wide(baked) ? "wide columns" : "columns";
        ways.insert(columns + (is_split(baked) ? ", split" : ""));
        if (baked.rank > baked.kept + 1) ways.insert("columns, several reduced axes");
        if (baked.kept > 1) ways.insert("columns, several kept axes");
    }
    return ways;
}

// Trial number `run`. Some stage rows or fold outputs in one thread if they can, because a plan does so only with many rows. Some have the plan of large
// calls, whose threads read vectors, or name the loop over columns, which then keeps wide rows and pieces.
ReductionTrial next_trial(RandomReductions& random, std::uint64_t run) {
    static constexpr const char* loops[] = {
        "staged_rows", "", "any_size", "short_folds", "reduced_columns"};
    return with_loop(random.next(), loops[run % 5]);
}

std::map<std::string, int> ways_in(std::uint64_t from, std::uint64_t runs) {
    RandomReductions random(from);
    std::map<std::string, int> count;
    for (std::uint64_t run = 0; run < runs; ++run) {
        for (const std::string& way : ways(plan_of(next_trial(random, run)).plan.baked))
            ++count[way];
    }
    return count;
}

}  // namespace

TEST_CASE("reductions of random geometry give what a loop over indices gives", "[reduction]") {
    const std::uint64_t from = setting("KGEN_TEST_SEED", seed);
    const std::uint64_t runs = setting("KGEN_TEST_RUNS", usual_runs);
    for (const Device device : present_devices()) {
        RandomReductions random(from);
        for (std::uint64_t run = 0; run < runs; ++run) {
            INFO("seed " << from << ", run " << run);
            check_trial(device, next_trial(random, run));
        }
    }
    SUCCEED();
}

TEST_CASE("random reductions go every way through the CUDA loops", "[reduction][plan]") {
    const std::vector<std::string> all = {"elements",
                                          "vector",
                                          "singles",
                                          "uniform",
                                          "shared",
                                          "words",
                                          "staged rows",
                                          "staged rows side by side",
                                          "short folds",
                                          "rows, a warp or less each",
                                          "rows, a warp or less each, segments",
                                          "rows, a warp or less each, shifted",
                                          "rows, a block each",
                                          "rows, a block each, segments",
                                          "rows, a block each, shifted",
                                          "rows, split",
                                          "rows, split, segments",
                                          "rows, split, shifted",
                                          "wide columns, split",
                                          "columns",
                                          "columns, split",
                                          "columns, several reduced axes",
                                          "columns, several kept axes"};
    std::map<std::string, int> often = ways_in(seed, rounds(4000));
    std::map<std::string, int> usual = ways_in(seed, usual_runs);
    for (const std::string& way : all) {
        INFO(way);
        CHECK(often[way] >= (is_sanitized ? 1 : 20));
        CHECK(usual[way] >= 1);
    }
}

TEST_CASE("NVRTC takes the sources of random reductions", "[reduction][nvrtc]") {
    if (!has_nvrtc()) return;
    RandomReductions random(setting("KGEN_TEST_SEED", seed));
    for (std::uint64_t run = 0; run < setting("KGEN_TEST_RUNS", 8); ++run) {
        const ReductionTrial trial = next_trial(random, run);
        INFO(describe(trial));
        const Planned planned = plan_of(trial);
        const Source source = generate_source(planned.signature, planned.types, planned.plan.baked);
        CHECK_NOTHROW(nvrtc_image({.kernel = planned.signature.name,
                                   .source = source.text,
                                   .symbol = source.symbol,
                                   .target = {DeviceKind::cuda, "sm_90"},
                                   .accumulator_symbol = source.accumulator_symbol}));
    }
}
