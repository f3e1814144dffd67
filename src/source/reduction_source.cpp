// SPDX-License-Identifier: MIT
#include "source/reduction_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <embedded/skeletons.hpp>
#include <string>
#include <variant>

#include "device/device_traits.hpp"
#include "plan/loop_table.hpp"
#include "plan/plan_cuda.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Whether a thread should load all that it reads at once before it folds any of it, which takes more registers. It should not
// where more threads do better: on an H200, columns of large calls are 1 % slower, one sum of user-defined accumulators over a
// block 12 %, and one over columns 29 %.
bool loads_ahead(const Signature& signature, const Baked& baked) {
    constexpr std::size_t most_accesses = 8;  // whose vectors fit into 128 registers
    const bool is_own = signature.reduction->has_own_accumulator;
    if (const auto* columns = std::get_if<ReducedColumnsChoice>(&baked.choice))
        return columns->whole && !is_own;
    if (const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice))
        return !(is_own && rows->block_team) &&
               signature.input_count * static_cast<std::size_t>(rows->accesses) <= most_accesses;
    return baked.loop == LoopKind::short_folds;
}

// Returns the launch bounds. If they ask for a number of blocks that leaves enough registers, the assembler loads ahead.
// Otherwise it saves registers. Times of loading ahead on an H200: full sums of one or two narrow arrays 0.95 to 0.98, to which
// four blocks leave enough registers; short folds 0.57 to 1.01; teams 0.75 to 1.04.
std::string launch_bounds(const Signature& signature, const Baked& baked) {
    constexpr int registers_of_processor = 65536;
    constexpr int few_threads = 512;  // of a multiprocessor, which leave each of them 128 registers
    const bool is_compensated = signature.reduction->accuracy == Accuracy::compensated;
    int blocks = loads_ahead(signature, baked) ? few_threads / baked.block_bound : 0;
    if (baked.loop == LoopKind::folded_elements)
        blocks =
            std::max(registers_of_processor / folded_elements_registers / baked.block_bound, 1);
    if (baked.loop == LoopKind::reduced_rows && is_split(baked) && baked.rank <= baked.kept + 1 &&
        !signature.reduction->has_own_accumulator &&
        (is_compensated ? signature.input_count == 1
                        : baked.vector >= 8 && signature.input_count <= 2))
        blocks = 4;
    return std::to_string(baked.block_bound) + (blocks > 0 ? fmt::format(", {}", blocks) : "");
}

// Returns the statements that run the loop. An elementwise loop gets a body that folds the element: the one of each output, or those of
// folded_elements, whose accumulator a thread has for all of its elements.
std::string run_loop(const ReductionText& text) {
    const Baked& baked = text.baked();
    const std::string name = loop_name(baked);
    const std::string own = "    kgen_operands kgen_all(kgen_p);\n";
    if (!is_reduction(baked.loop))
        return text.body_of_one() + own +
               fmt::format("    {}<kgen_plan>(kgen_p, kgen_all, kgen_body);\n", name);
    if (baked.parts.empty())
        return own + fmt::format(
                         "    {}<kgen_plan>(kgen_p, kgen_all, kgen_map, kgen_reduce, "
                         "kgen_identity, kgen_post{});\n",
                         name,
                         text.text().is_cpp() ? ", kgen_begin, kgen_end" : "");
    const std::string part = KernelParts::part_name(0);
    return text.body_of_all() + own +
           fmt::format(
               "    kgen_numbered<{0}::kgen_operands> kgen_inputs(kgen_p);\n"
               "    const auto kgen_run = [&]() {1} {{\n"
               "        {2}<{0}::kgen_plan>((const {0}::kgen_parameters&)kgen_p, "
               "kgen_inputs, kgen_body);\n"
               "    }};\n"
               "    {3}<kgen_plan>(kgen_p, kgen_all, kgen_inputs, kgen_sum, kgen_narrow, "
               "kgen_run, kgen_reduce, kgen_identity, kgen_post);\n",
               part,
               "__attribute__((always_inline))",
               loop_name(baked.parts.front()),
               name);
}

}  // namespace

Source generate_reduction(const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers) {
    const KernelParts parts(signature, types, baked, headers);
    const ReductionText text(signature, types, parts);
    Slots slots;
    std::string helpers;
    if (is_reduction(baked.loop)) {
        LoopText loop(baked);
        write_operands(text, loop);
        slots["operands"] = {loop.text()};
        if (text.narrow_operation() != "0") {
            helpers = without_licence(embedded::narrow_steps_cuh);
            helpers += without_licence(parts.text().is_cpp() ? embedded::narrow_fold_host_cuh
                                                             : embedded::narrow_fold_cuh);
        }
    } else {
        slots["operands"] = {operands_text(parts.text())};
        helpers = without_licence(embedded::fold_cuh);
    }
    slots["names"] = {parts.visible_names()};
    slots["launch_bounds"] = {launch_bounds(signature, baked)};
    slots["run"] = {run_loop(text)};
    text.fill(slots);
    return parts.write(embedded::reduction_in, slots, text.accumulator_symbol(), helpers);
}

}  // namespace kgen
