// SPDX-License-Identifier: MIT
//
// The table of loops. It has a row for each way in which a device can run a call. A row is defined at the end
// of the file with its functions. The device text of the loop is in kernel_templates/skeletons/loops.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/baked.hpp"
#include "plan/parameter_block.hpp"
#include "plan/plan_context.hpp"

namespace kgen {

// The sizes of one launch. Loop::measure computes them from the extents of the call.
struct Geometry {
    std::int64_t blocks = 0;
    int threads = 0;       // per block
    int shared_bytes = 0;  // per block
    ScratchNeed scratch = {};
    // Extents by which an index is divided into axes. The extents of the walk unless the loop sets others.
    Dims counts = {};
    std::int64_t shift = 0;  // flat: elements by which the first vector begins before the arrays
    LoopStruct own = {};     // the loop's own struct of the parameter block
    std::optional<double> predicted_ns = {};  // by which `measure` chose these sizes among others
};

// A row of a device's table. `name`, `when` and `why` are printed by `kgen explain`.
struct Loop {
    LoopKind kind;
    std::string_view name;
    std::string_view when;
    std::string_view why;
    // Fills `baked`. Returns false if the loop does not suit the layout.
    bool (*choose)(const PlanContext& context, Baked& baked);
    Geometry (*measure)(const PlanContext& context, const Baked& baked);
    std::string (*describe)(const Baked& baked);
    // Returns the predicted time of a launch in nanoseconds. Of several rows that suit a call, the one with the
    // least time runs it. A row without this function runs every call that it suits unless an earlier row
    // suits it too.
    double (*predict)(const PlanContext& context,
                      const Baked& baked,
                      const Geometry& geometry) = nullptr;
    double predict_launch(const PlanContext& context,
                          const Baked& baked,
                          const Geometry& geometry) const {
        return geometry.predicted_ns ? *geometry.predicted_ns : predict(context, baked, geometry);
    }
    // No prediction of a launch with elements is below least_ns() of so many phases.
    double phases = 1;
    // Returns about the least time that the loop could take. It is not tried where another loop is predicted to be as quick.
    double (*bound)(const PlanContext& context) = nullptr;
    bool is_best = false;  // no later row is faster where this one suits
    // Puts the axes of a context that `choose` accepted in the loop's order, and bakes what depends on it. The
    // context is a copy. Loops without this function share the one of the call.
    void (*reorder)(PlanContext& context, Baked& baked) = nullptr;
    // Whether `reorder` changes the walk of this choice; if not, no copy is made. Without this function a copy is always made.
    bool (*reorders)(const Baked& baked) = nullptr;
    // Returns details of one launch, a line for each choice.
    std::vector<std::string> (*explain)(const PlanRequest& request,
                                        const Plan& plan,
                                        const LoopStruct& own) = nullptr;
    bool has_any_size = false;  // `choose` also makes plans for any size
    // Fills the `baked` of a general plan. One elementwise loop and one reduction loop have this function.
    void (*choose_general)(const PlanContext& context, Baked& baked) = nullptr;
    LoopStruct own = {};             // default of the loop's own struct in the parameter block
    std::string_view own_text = {};  // declaration of this struct in device code
    bool has_reach =
        false;  // the block has FieldKind::reach for arrays of Access::shared and words, and for vectors of shifted rows
    bool moves_index = false;  // elementwise: counts the C-order index by its strides
};

// The properties that all plans for a kind of device share. The rows of each table are in the order in which
// they are tried. The last row of elementwise loops and of row kernels accepts every layout, and so do the loops of reductions together.
struct DeviceLoops {
    std::string_view name;
    // Whether kernels divide by multiplication. If so, the strides of 32-bit offsets have 32 bits.
    bool has_divisors;
    bool has_read_only_loads;
    // Describes how a loop accesses an array.
    std::string (*describe_access)(const Baked& baked, const BakedOperand& operand);
    std::span<const Loop* const> elementwise;
    std::span<const Loop* const> reductions;
    std::span<const Loop* const> rows;  // of row kernels
};

inline constexpr std::size_t most_loops = 6;  // of a table

const DeviceLoops& device_loops(DeviceKind device);
// Returns the row of the table from which the plan was made.
const Loop& loop_of(const Baked& baked);

// Returns the count and the noun, in the plural unless the count is 1: "1 element", "4 elements".
std::string count_of(std::int64_t count, std::string_view noun);

// Returns a / b rounded up, or 0 if a is not positive.
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a <= 0 ? 0 : (a - 1) / b + 1;
}

inline bool is_row_loop(LoopKind loop) noexcept {
    return loop == LoopKind::fused_rows || loop == LoopKind::fused_columns;
}
inline bool is_reduction(LoopKind loop) noexcept {
    return loop == LoopKind::reduced_rows || loop == LoopKind::staged_rows ||
           loop == LoopKind::reduced_columns || loop == LoopKind::short_folds ||
           loop == LoopKind::folded_elements;
}
// Whether the loop has kept and reduced axes.
inline bool folds(LoopKind loop) noexcept {
    return is_reduction(loop) || is_row_loop(loop);
}

}  // namespace kgen
