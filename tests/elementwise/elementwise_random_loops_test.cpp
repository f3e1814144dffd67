// SPDX-License-Identifier: MIT
//
// Random layouts that are large enough for every CUDA loop, compared with a loop over indices.
#include "support/choice.hpp"
#include "support/random_trial.hpp"
#include "support/sanitizers.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr std::uint64_t seed = 31;
constexpr int runs = 60;

struct Reached {
    int kinds[4] = {};     // flat, vector_rows, shared_tiles, staged_runs
    int accesses[5] = {};  // in the order of Access
    int shifted = 0;
};

// Trial number `run`, with each loop in turn if it can run the trial. The plan chooses few tiles for small arrays, and few layouts suit vector_rows.
Trial next_trial(RandomTrials& random, int run) {
    static const std::string loops[] = {
        "", "shared_tiles", "vector_rows", "staged_runs", "vector_rows", "flat", "vector_rows"};
    return with_loop(random.next(), loops[run % 7]);
}

Reached reached_in(int trials) {
    RandomTrials random(seed);
    Reached reached;
    for (int run = 0; run < trials; ++run) {
        const Baked baked = plan_of(next_trial(random, run)).plan.baked;
        ++reached.kinds[static_cast<int>(baked.loop)];
        reached.shifted += test::is_shifted(baked) ? 1 : 0;
        for (const BakedOperand& operand : baked.operands)
            ++reached.accesses[static_cast<int>(operand.access)];
    }
    return reached;
}

}  // namespace

TEST_CASE("random large layouts of mixed dtypes are walked right") {
    for (const Device device : present_devices()) {
        RandomTrials random(seed);
        for (int run = 0; run < runs; ++run) {
            INFO("seed " << seed << ", run " << run);
            check_trial(device, next_trial(random, run));
        }
    }
    SUCCEED();
}

TEST_CASE("random layouts reach every CUDA loop and every way of access", "[plan]") {
    if (!is_sanitized) {
        const Reached often = reached_in(1000);
        for (const int count : often.kinds) CHECK(count >= 50);
        for (const int count : often.accesses) CHECK(count >= 50);
        CHECK(often.shifted >= 20);
    }
    const Reached run = reached_in(runs);
    for (const int count : run.kinds) CHECK(count >= 1);
    for (const int count : run.accesses) CHECK(count >= 1);
}
