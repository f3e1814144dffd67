// SPDX-License-Identifier: MIT
//
// What the predictions of CUDA loops count of warps and blocks.
#include "plan/cost_cuda.hpp"
#include "support/catch.hpp"
#include "support/random_trial.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// A copy of rows whose columns lie `apart` bytes from each other in the input.
class CopiedColumns {
public:
    CopiedColumns(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t apart)
        : shape_{rows, columns},
          planned_(
              plan_of(Trial{{{dtype, shape_, {static_cast<std::int64_t>(item_size(dtype)), apart}}},
                            c_part(dtype, shape_)})),
          request_{.signature = planned_.signature,
                   .types = planned_.types,
                   .operands = planned_.operands,
                   .loop = shape_,
                   .target = {DeviceKind::cuda, "sm_90"}},
          context_(request_) {}
    const PlanContext& context() const { return context_; }

private:
    Dims shape_;
    Planned planned_;
    PlanRequest request_;
    PlanContext context_;
};

// Returns the step between the columns that a warp reads at once if its threads have vectors of 8 elements.
std::int64_t step_in(std::int64_t columns) {
    const CopiedColumns call(uint8, 1024, columns, 2048);
    return step_over_rows(
        call.context(), walk_box(call.context(), std::int64_t{warp_lanes} * 8), 8);
}

// Returns the passes of a load of a warp whose threads have vectors of 4 elements.
double passes_of(std::int64_t apart) {
    const CopiedColumns call(float16, 1024, 113, apart);
    const Dims box = walk_box(call.context(), std::int64_t{warp_lanes} * 4);
    const std::int64_t step = step_over_rows(call.context(), box, 4);
    const double lines = warp_units(call.context(), 0, box, access_line, step);
    return element_passes(call.context(), 0, box, step, lines);
}

}  // namespace

TEST_CASE("a warp that goes on from row to row reads columns that its step does not divide",
          "[plan]") {
    CHECK(step_in(16) == 8);
    CHECK(step_in(12) == 4);   // 0, 8, 4 in the next row, 0 again
    CHECK(step_in(31) == 1);   // all of them, row by row
    CHECK(step_in(999) == 8);  // a warp is within a row
}

TEST_CASE("columns a multiple of a line apart take more passes, because they are in one bank",
          "[plan]") {
    CHECK(passes_of(16 * access_line) > 1.5 * passes_of(16 * access_line + 2));
    CHECK(passes_of(16 * access_line) == passes_of(17 * access_line));
}

TEST_CASE("blocks at the ends of axes count as the parts of boxes that they have", "[plan]") {
    const CopiedColumns call(float32, 96, 80, 1024);
    const Dims box{64, 64};
    CHECK(whole_boxes(call.context(), box, 4) == Approx(96.0 * 80 / (64 * 64)));
    // Blocks that handle several boxes one after the other count once.
    CHECK(whole_boxes(call.context(), box, 1) == 1);
}

TEST_CASE("runs touch the units that they reach from the places where they may begin", "[plan]") {
    const auto units = [](DType dtype, std::int64_t rows, std::int64_t apart, std::int64_t unit) {
        const CopiedColumns call(dtype, rows, 1000, apart);
        return touched_units(call.context(), 0, {rows, 1000}, unit);
    };
    CHECK(units(float64, 2, 80, 64) == 1000);  // 16 bytes at multiples of 16
    CHECK(units(float64, 4, 80, 64) ==
          1250);  // 32 bytes, of which one of four begins 16 bytes before a unit
    CHECK(units(float32, 8, 64, 32) == 1000);  // whole units
    CHECK(units(float32, 8, 68, 32) == 1875);  // anywhere: seven of eight reach another unit
}

TEST_CASE("sectors of which only a part is touched are counted", "[plan]") {
    const auto touched = [](std::int64_t rows, std::int64_t columns, std::int64_t apart) {
        const CopiedColumns call(float32, rows, columns, apart);
        return call.context().touched()[0];
    };
    CHECK(touched(1024, 64, 4096).partial <= 2);                          // no gaps but at the ends
    CHECK(touched(1, 1000, 8).partial == touched(1, 1000, 8).sectors);    // every other element
    CHECK(touched(7, 1000, 32).partial == touched(7, 1000, 32).sectors);  // seven of eight
    CHECK(touched(3, 1000, 16).partial == touched(3, 1000, 16).sectors);  // three of four
    CHECK(touched(8, 1000, 64).partial == 0);  // whole sectors between gaps
}
