// SPDX-License-Identifier: MIT
//
// Threads that fold several vectors of outputs, run on the CPU: of two to four elements, with accumulators of several kinds, and
// outputs that run fastest along another axis than the inputs. The last block has threads with fewer vectors.
#include "support/catch.hpp"
#include "support/choice.hpp"
#include "support/emulated.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

int groups_of(const ReductionTrial& trial) {
    INFO(describe(trial));
    const Baked baked = check_emulated(trial);
    REQUIRE(baked.loop == LoopKind::short_folds);
    return baked.as<ThreadFoldsChoice>().groups;
}

}  // namespace

// Rows of outputs do not follow each other in the input, so a vector of outputs has as many as the extent of a row allows.
TEST_CASE("a thread folds several vectors of outputs", "[emulated]") {
    const auto [fold, dtype, columns] =
        GENERATE(table<Fold, DType, std::int64_t>({{Fold::sum, uint8, 1001},
                                                   {Fold::sum, uint8, 1002},
                                                   {Fold::compensated, float32, 1001},
                                                   {Fold::struct_16, float32, 1001}}));
    for (const std::int64_t elements : {2, 3}) {
        const Dims loop{elements, 1301, columns};
        const auto item = static_cast<std::int64_t>(item_size(dtype));
        const std::int64_t row = (columns + 2) * item;
        ReductionTrial trial = dense_trial(dtype, loop, 1, fold);
        trial.inputs = {{dtype, loop, {row, elements * row, item}}};
        CAPTURE(elements);
        CHECK(groups_of(trial) > 1);
    }
}
