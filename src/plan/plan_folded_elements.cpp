// SPDX-License-Identifier: MIT
//
// The loop for reductions of all axes that an elementwise loop reads better than one over rows: inputs run fastest along different axes, as
// in the sum of x * transpose(y), or rows are short and do not follow each other. Its blocks run the elementwise loop that suits the
// inputs, with a body that folds the element into the thread's accumulator. Block k of n runs the blocks k, k + n, k + 2n, ... of that loop,
// so that blocks that run at the same time read neighbouring elements, and folds its threads' accumulators once, as one piece of the output.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/part_request.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Returns what the elementwise loop gets: all operands but the outputs.
ParameterSet read_operands(const PlanContext& context) {
    ParameterSet operands = 0;
    for (std::size_t k = 0; k < context.request.operands.size(); ++k) {
        const bool is_output =
            context.is_written(k) && context.operand(k).kind == OperandKind::array;
        operands |= ParameterSet{!is_output} << k;
    }
    return operands;
}

// Whether rows would read the inputs badly: some run fastest along another axis, or rows are short and have gaps between them.
bool has_poor_rows(const PlanContext& context) {
    constexpr std::int64_t short_row = 64;  // bytes
    const int inner = context.inner_axis();
    return context.rank() > 1 &&
           (has_turned_inputs(context) ||
            context.walk.extents[inner] * widest_along(context, inner) < short_row);
}

bool choose_folded_elements(const PlanContext& context, Baked& baked) {
    const PlanRequest& request = context.request;
    if (context.walk.kept > 0 || context.walk.reduced_count() == 0 || request.fit != Fit::call ||
        request.section || tells_places(request.signature) || context.by_reference ||
        request.operands.size() > most_in_set || !has_poor_rows(context) ||
        (!is_worth_contests(context) && request.loop_name != folded_elements_loop.name))
        return false;
    const PartRequest part(request, read_operands(context), memory_bytes(context));
    PlannedPart planned{.operands = read_operands(context)};
    planned.plan = make_plan(part.request(), planned.predicted_ns);
    const Plan& plan = planned.plan;
    // What is left of 48 KiB has room for the accumulators of a block's warps (most_room in folded_elements.cuh).
    constexpr int most_shared_bytes = 46 * 1024;
    if (plan.baked.loop == LoopKind::parts || plan.runtime.shared_bytes > most_shared_bytes)
        return false;
    // The threads of a block fold their accumulators in halves.
    const auto threads = static_cast<unsigned>(plan.runtime.threads);
    if (!std::has_single_bit(threads) || threads < warp_lanes) return false;
    baked.rank = 0;  // the part has axes
    baked.width = plan.baked.width;
    baked.block_bound = plan.runtime.threads;
    baked.parts = {plan.baked};
    for (BakedOperand& operand : baked.operands) operand.loads = Loads::plain;
    if (lay_out_block(baked, request.types.dtypes).size_bytes > largest_block_bytes) return false;
    context.parts = {std::move(planned)};
    return true;
}

Geometry measure_folded_elements(const PlanContext& context, const Baked&) {
    const Runtime& part = context.parts.front().plan.runtime;
    const double at_once =
        context.limits.processor_count *
        blocks_at_once(part.threads, part.shared_bytes, folded_elements_registers);
    Geometry geometry;
    geometry.blocks = std::clamp<std::int64_t>(static_cast<std::int64_t>(at_once), 1, part.grid);
    geometry.threads = part.threads;
    geometry.shared_bytes = part.shared_bytes;
    geometry.scratch = {.handed = geometry.blocks};
    geometry.own = FoldedShape{.blocks = static_cast<unsigned>(part.grid),
                               .pieces = static_cast<unsigned>(geometry.blocks)};
    return geometry;
}

// What the elementwise loop takes, longer because it also folds: 32 calls on an H200 took 0.99 to 1.63 times as long as that loop was
// predicted to take, 1.15 in the median. They took 0.15 to 1.17 of the time of reduced_rows, 0.73 in the geometric mean.
double predict_folded_elements(const PlanContext& context, const Baked&, const Geometry&) {
    constexpr double longer = 1.15;
    return longer * context.parts.front().predicted_ns;
}

std::string describe_folded_elements(const Baked& baked) {
    return fmt::format("folded by blocks of {} threads: {}",
                       baked.block_bound,
                       describe_loop(baked.parts.front()));
}

std::vector<std::string> explain_folded_elements(const PlanRequest& request,
                                                 const Plan& plan,
                                                 const LoopStruct& own) {
    const auto& shape = std::get<FoldedShape>(own);
    const PlanContext context(request);
    Baked baked = plan.baked;
    choose_folded_elements(context, baked);
    const PlannedPart& planned = context.parts.front();
    const PartRequest part(request, planned.operands, memory_bytes(context));
    std::vector<std::string> lines = {
        fmt::format(
            "pieces: {0}, one for each block; block k runs the blocks k, k + {0}, ... of the {1} "
            "of the loop below, and the last one folds the results of all",
            shape.pieces,
            shape.blocks),
        "elements are read by this loop:"};
    for (const std::string& line : explain_plan(part.request(), planned.plan))
        if (!line.starts_with("launch: ")) lines.push_back("  " + line);
    return lines;
}

}  // namespace

constinit const Loop folded_elements_loop = {
    .kind = LoopKind::folded_elements,
    .name = "folded_elements",
    .when = "all axes are reduced, and rows would read the inputs badly",
    .why = "an elementwise loop reads them as they lie, and each thread folds what it reads",
    .choose = choose_folded_elements,
    .measure = measure_folded_elements,
    .describe = describe_folded_elements,
    .predict = predict_folded_elements,
    .phases = 3,
    .bound = memory_ns,
    .explain = explain_folded_elements,
    .own = FoldedShape{},
    .own_text = "kgen_folded_shape kgen_folded"};

}  // namespace kgen
