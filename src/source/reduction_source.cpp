// SPDX-License-Identifier: MIT
#include "source/reduction_source.hpp"

#include <fmt/format.h>

#include <embedded/skeletons.hpp>
#include <string>
#include <variant>

#include "device/device_traits.hpp"
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
    constexpr int few_threads = 512;  // of a multiprocessor, which leave each of them 128 registers
    const bool is_compensated = signature.reduction->accuracy == Accuracy::compensated;
    int blocks = loads_ahead(signature, baked) ? few_threads / baked.block_bound : 0;
    if (baked.loop == LoopKind::reduced_rows && is_split(baked) && baked.rank <= baked.kept + 1 &&
        !signature.reduction->has_own_accumulator &&
        (is_compensated ? signature.input_count == 1
                        : baked.vector >= 8 && signature.input_count <= 2))
        blocks = 4;
    return std::to_string(baked.block_bound) + (blocks > 0 ? fmt::format(", {}", blocks) : "");
}

}  // namespace

Source generate_reduction(const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers) {
    const KernelParts parts(signature, types, baked, headers);
    const ReductionText text(signature, types, parts);
    LoopText loop(baked);
    write_operands(text, loop);
    Slots slots;
    std::string narrow;
    if (text.narrow_operation() != "0") {
        narrow = without_licence(embedded::narrow_steps_cuh);
        narrow += without_licence(traits(baked.device).language == SourceLanguage::cuda
                                      ? embedded::narrow_fold_cuh
                                      : embedded::narrow_fold_host_cuh);
    }
    slots["operands"] = {loop.text()};
    slots["names"] = {parts.visible_names()};
    slots["launch_bounds"] = {launch_bounds(signature, baked)};
    text.fill(slots);
    return parts.write(embedded::reduction_in, slots, text.accumulator_symbol(), narrow);
}

}  // namespace kgen
