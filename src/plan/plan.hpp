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

struct Runtime {
    std::vector<std::byte> block;  // the parameter block, see lay_out_block
    std::int64_t count = 0;        // elements; 0: there is nothing to launch
    std::int64_t grid = 0;         // CUDA: blocks
    int threads = 0;               // CUDA: threads of a block
};

// Why a vector is no wider than it is.
enum class WidthReason : std::uint8_t {
    widest_dtype,  // 16 bytes of it
    references,    // the body takes an address
    one_element,   // or every element the same: nothing moves along the axis
    alignment,     // an address is not aligned for 16 bytes
    body_length,   // copies of the body would be too long
};

struct Plan {
    Baked baked;
    Runtime runtime;
    WidthReason width_reason = WidthReason::widest_dtype;  // of linear loops, for explain_plan
};

// What a plan is made of. `loop` is the shape the loop runs over; the operands' shapes broadcast to
// it (raw ones apart).
struct PlanRequest {
    const Signature& signature;
    const TypeBinding& types;
    std::span<const Operand> operands;
    Dims loop;
    Target target;
    std::optional<int> block_size = {};
    Merging merging = Merging::yes;
};

// Pure. Throws ShapeError where a size is over a limit of the launch.
Plan make_plan(const PlanRequest& request);

// Why the plan is as it is, one line a choice, for `kgen explain`.
std::vector<std::string> explain_plan(const PlanRequest& request, const Plan& plan);

}  // namespace kgen
