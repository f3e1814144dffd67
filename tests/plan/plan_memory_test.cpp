// SPDX-License-Identifier: MIT
#include "support/allocation_count.hpp"
#include "support/trial.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a plan of a usual number of operands takes no memory from the heap", "[plan]") {
    const Dims shape = {300, 500};
    const Part dense = c_part(float32, shape);
    const Part turned = ordered_part(float32, shape, {1, 0});
    const Part row = c_part(float32, {500});
    const Trial trials[] = {
        {{dense, dense}, dense},
        {{dense, row}, dense},
        {{turned, dense}, dense},
        {{turned, row}, dense, Extra::indices},
        {std::vector<Part>(8, turned), dense},
    };
    for (const Trial& trial : trials) {
        INFO(describe(trial));
        const Planned planned = plan_of(trial);
        const PlanRequest request{.signature = planned.signature,
                                  .types = planned.types,
                                  .operands = planned.operands,
                                  .loop = shape,
                                  .target = {DeviceKind::cuda, "sm_90"},
                                  .limits = {.processor_count = 132}};
        CHECK(allocations_of([&] { static_cast<void>(make_plan(request)); }) == 0);
    }
}
