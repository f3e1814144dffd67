// SPDX-License-Identifier: MIT
//
// Plan: how one call runs. Stage 3. `baked` is compiled in, `runtime` is passed at the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device_limits.hpp"
#include "device/target.hpp"
#include "plan/baked.hpp"
#include "plan/operand.hpp"
#include "plan/parameter_block.hpp"
#include "plan/walk.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Threads of a CUDA block, on every device.
inline constexpr int most_threads = 1024;

// What a launch needs beside its arguments, see Backend::scratch.
struct ScratchNeed {
    std::int64_t accumulators = 0;
    int counters = 0;
};

struct Runtime {
    std::vector<std::byte> block;  // the parameter block, see lay_out_block
    std::int64_t count = 0;        // elements, of a reduction its outputs; 0: nothing to launch
    std::int64_t work = 0;         // the host: elements that threads share, at least one an output
    std::int64_t grid = 0;         // CUDA: blocks
    int threads = 0;               // CUDA: threads of a block
    int shared_bytes = 0;          // CUDA: shared memory of a block
    ScratchNeed scratch = {};
};

struct Plan {
    Baked baked;
    Runtime runtime;
};

// Of a shape's axes: bit k is axis k.
using AxisSet = std::uint32_t;

// Whether a plan serves its call alone, as fast as it can be, or every call of the same types: any
// layout, alignment and size, with 64-bit indices. The second is for where nothing can be compiled.
enum class Fit : std::uint8_t { call, general };

// Axes of a general plan, as far as they do not merge; of a reduction, kept and reduced ones each.
inline constexpr int general_rank = 8;

// What a plan is made of. `loop` is the shape the loop runs over; the operands' shapes broadcast to
// it (raw ones apart). The outputs of a reduction have extent 1 along its reduced axes.
struct PlanRequest {
    const Signature& signature;
    const TypeBinding& types;
    std::span<const Operand> operands;
    Dims loop;
    AxisSet reduced_axes = 0;  // of a reduction
    Target target;
    Limits limits = {};  // reach only Plan::runtime
    std::optional<int> block_size = {};
    Merging merging = Merging::yes;
    Fit fit = Fit::call;
};

// Pure. Throws ShapeError where a size is over a limit of the launch, or a general plan is asked for
// and the call has more than general_rank axes.
Plan make_plan(const PlanRequest& request);

// Why the plan is as it is, one line a choice, for `kgen explain`.
std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan);

}  // namespace kgen
