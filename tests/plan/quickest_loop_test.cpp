// SPDX-License-Identifier: MIT
//
// A plan leaves out loops that cannot be the quickest. The loop that it chooses is still the one that the predictions of
// all loops give.
#include <optional>

#include "plan/loop_table.hpp"
#include "support/random_trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns the loop that runs the call if all are predicted. A later one is taken if it takes less than `share` of the time.
std::string quickest_of(const std::vector<LoopOffer>& offers, double share) {
    const LoopOffer* best = &offers.front();
    for (const LoopOffer& offer : offers) {
        // A flat loop is the first one only if all arrays are contiguous in one order. Then no other is quicker.
        if (offers.front().name == "flat") break;
        if (*offer.predicted_ns < share * *best->predicted_ns) best = &offer;
    }
    return best->name;
}

}  // namespace

TEST_CASE("the chosen loop is the one that the predictions of all loops give", "[plan]") {
    RandomTrials trials(71);
    for (int k = 0; k < 2000; ++k) {
        const Trial trial = trials.next();
        const Planned planned = plan_of(trial);
        const PlanRequest request{.signature = planned.signature,
                                  .types = planned.types,
                                  .operands = planned.operands,
                                  .loop = trial.output.shape,
                                  .target = {DeviceKind::cuda, "sm_90"},
                                  .limits = {.processor_count = 132},
                                  .block_size = trial.block_size};
        const std::vector<LoopOffer> offers = offered_loops(request);
        if (loop_of(planned.plan.baked).name != quickest_of(offers, 0.985))
            FAIL_CHECK(describe(trial));
    }
}
