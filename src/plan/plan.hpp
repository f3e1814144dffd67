// SPDX-License-Identifier: MIT
//
// Plan: how one call runs. Stage 3. `baked` is compiled into the source, and `runtime` is passed at the
// launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_limits.hpp"
#include "device/target.hpp"
#include "plan/baked.hpp"
#include "plan/operand.hpp"
#include "plan/parameter_block.hpp"
#include "plan/section.hpp"
#include "plan/walk.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Greatest number of threads in a CUDA block, on every device.
inline constexpr int most_threads = 1024;

// The scratch memory that a launch needs (see Backend::scratch).
struct ScratchNeed {
    std::int64_t accumulators = 0;
    int counters = 0;
    // Accumulators that thread blocks hand over. They lie in the part of the memory that is zero between launches, behind the
    // counters (see kgen_handed).
    std::int64_t handed = 0;
};

// Returns the words of 4 bytes that an accumulator of so many bytes takes on its way from one thread block to another.
constexpr std::int64_t handed_words(std::int64_t accumulator_bytes) {
    return 2 * ((accumulator_bytes + 3) / 4);
}

// The bytes of a parameter block, aligned for its fields: a number of dtype complex128 needs 16. Larger ones take memory
// from the heap.
using Block = InlineVector<std::byte, 512, 16>;

struct Runtime {
    Block block;  // the parameter block (see lay_out_block)
    std::int64_t count =
        0;  // number of elements (for reductions: outputs); if 0, nothing is launched
    // Host: number of elements that are distributed over threads, at least one for each output.
    std::int64_t work = 0;
    std::int64_t grid = 0;     // CUDA: number of blocks
    int threads = 0;           // CUDA: threads in a block
    int shared_bytes = 0;      // CUDA: shared memory of a block
    bool cooperative = false;  // CUDA: all blocks run at the same time
    ScratchNeed scratch = {};
};

struct Plan {
    Baked baked;
    Runtime runtime;
};

// The calls that a plan serves. `call`: only calls like this one, as fast as possible. `any_size`: calls whose
// arrays lie in memory like those of this call, of any size. Such plans have few kernels, so that all of them can be
// compiled ahead; only CUDA has them. `general`: every call with the same types, with any layout, alignment and size,
// and with 64-bit indices. The last two are used if compiling is forbidden or impossible.
enum class Fit : std::uint8_t { call, any_size, general };

// A PlanRequest::loop_name that asks for Fit::any_size. On the host, no loop has this name.
inline constexpr std::string_view any_size_name = "any_size";

// Number of axes of a general plan after merging. For a reduction, the number of kept axes, which is also the
// number of reduced axes.
inline constexpr int general_rank = 8;

// The input of a plan. `loop` is the shape over which the loop runs. The shapes of all operands except raw
// ones broadcast to it. The outputs of a reduction have extent 1 along its reduced axes.
struct PlanRequest {
    const Signature& signature;
    const TypeBinding& types;
    std::span<const Operand> operands;
    Dims loop;
    AxisSet reduced_axes = 0;  // the axes that a reduction reduces; empty for elementwise calls
    Target target;
    Limits limits = {};  // Plan::baked does not depend on them
    std::optional<int> block_size = {};
    Merging merging = Merging::yes;
    Fit fit = Fit::call;
    std::string_view loop_name =
        {};  // the loop to use (see make_plan); empty: the first that suits
    std::optional<Section> section = {};
    // Of a part: the bytes that the launch of all parts passes from and to memory. They decide what stays in the L2 cache between calls.
    double launch_bytes = 0;
    bool is_part = false;  // a part of a call, which leaves out operands of OperandKind::absent
};

// Returns the shape of the loop of which the call's is a section, or that of the call.
const Dims& whole_loop(const PlanRequest& request);

// Makes the plan of a call. A pure function. Throws ShapeError if a size exceeds a limit of the launch, if
// a general plan is requested and the call has more than general_rank axes, or if the loop that the request names
// cannot run the call. A name is ignored by an elementwise call if it is that of a loop of reductions, and by
// a reduction if it is that of an elementwise loop that cannot run it.
Plan make_plan(const PlanRequest& request);

// Also predicts the time of the launch in nanoseconds, on a usual GPU of the architecture. The device must predict times, and the call
// have elements.
Plan make_plan(const PlanRequest& request, double& predicted_ns);

// A loop that can run a call, and the predicted time of its launch, if the loop predicts one: on a usual GPU of the
// architecture, by which a loop is chosen, and with the request's limits.
struct LoopOffer {
    std::string name;
    std::optional<double> predicted_ns;
    std::optional<double> device_ns;
};

// What is expected of the launch that make_plan() plans, on a usual GPU of the architecture.
struct Forecast {
    double ns = 0;
    bool is_idle = false;      // fewer thread blocks than multiprocessors
    bool reads_again = false;  // each pass of a row kernel reads its rows again
};

// Whether loops of the device predict their times.
bool predicts_times(DeviceKind device);
// Returns nothing if the loop predicts no time, or nothing is launched. Throws as make_plan() does.
std::optional<Forecast> make_forecast(const PlanRequest& request);

// Return the loops that can run the call, in the order in which they are tried.
std::vector<LoopOffer> offered_loops(const PlanRequest& request);
std::vector<std::string> fitting_loops(const PlanRequest& request);
// Returns the names by which a call can be planned, from the quickest to the slowest by their predictions; loops without
// one keep their order. any_size_name is among them, before all loops without a prediction.
std::vector<std::string> loops_by_cost(const PlanRequest& request);

// Explains the plan for `kgen explain`, one line for each choice.
std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan);

}  // namespace kgen
