// SPDX-License-Identifier: MIT
#include "source/reduction_source.hpp"

#include <embedded/skeletons.hpp>

#include "device/device_traits.hpp"
#include "source/loops.hpp"

namespace kgen {

namespace {

// Returns the launch bounds. Four blocks are enough to fill a multiprocessor, and if the bounds ask for four,
// the assembler loads all slots of a thread before it folds them. Without this, full sums of narrow elements
// are slower on an H200: bfloat16 by 2.5 %, int8 by 2.4 %, uint8 by 4.7 %. float32 has few elements in a slot
// and is not slower, but compensated sums load twice as many slots at once, and would store some of them. More inputs,
// or rows of several axes, would not fit into the registers of four blocks.
std::string launch_bounds(const Signature& signature, const ReductionText& text) {
    const Baked& baked = text.baked();
    const bool is_compensated = signature.reduction->accuracy == Accuracy::compensated;
    const bool loads_ahead = baked.loop == LoopKind::reduced_rows && is_split(baked) &&
                             (baked.vector >= 8 || is_compensated) && signature.input_count == 1 &&
                             baked.rank <= baked.kept + 1 && text.accumulator_symbol().empty();
    return std::to_string(baked.block_bound) + (loads_ahead ? ", 4" : "");
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
    slots["launch_bounds"] = {launch_bounds(signature, text)};
    text.fill(slots);
    return parts.write(embedded::reduction_in, slots, text.accumulator_symbol(), narrow);
}

}  // namespace kgen
