// SPDX-License-Identifier: MIT
#include "source/reduction_source.hpp"

#include <embedded/division_host_cuh.hpp>
#include <embedded/fold_cuh.hpp>
#include <embedded/reduce_host_cuh.hpp>
#include <embedded/reduction_cu_in.hpp>

#include "source/loops.hpp"
#include "source/prelude.hpp"

namespace kgen {

namespace {

std::string helpers(const Baked& baked) {
    if (baked.device != DeviceKind::host) return loop_helpers(baked);
    std::string text(without_licence(embedded::fold_cuh));
    text += without_licence(embedded::division_host_cuh);
    return text += without_licence(embedded::reduce_host_cuh);
}

// Four blocks of a processor are enough to fill it, and the assembler then loads a thread's slots before it folds them.
// Without that, full sums of narrow elements are slower (bfloat16: 2.5 %, int8: 2.4 %, uint8: 4.7 %; float32, which has
// few elements in a slot, is not; measured on an H200).
std::string launch_bounds(const ReductionText& text) {
    const Baked& baked = text.baked();
    const bool loads_ahead = baked.loop == LoopKind::reduced_rows && is_split(baked) &&
                             baked.vector >= 8 && text.accumulator_symbol().empty();
    return std::to_string(baked.block_bound) + (loads_ahead ? ", 4" : "");
}

std::string_view fill_loop(const ReductionText& text, Slots& slots) {
    if (text.text().is_host()) return fill_host_reduction(text, slots);
    LoopText loop(text.baked());
    if (text.baked().loop == LoopKind::staged_rows)
        write_staged_rows_operands(text, loop);
    else if (text.baked().loop == LoopKind::reduced_columns)
        write_reduced_columns_operands(text, loop);
    else
        write_reduced_rows_operands(text, loop);
    slots["operands"] = {loop.text()};
    slots["loop"] = {std::string(loop_name(text.baked()))};
    return embedded::reduction_cu_in;
}

}  // namespace

Source generate_reduction(const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers) {
    const KernelParts parts(signature, types, baked);
    const ReductionText text(signature, types, parts);
    Slots slots;
    slots["head"] = {parts.head()};
    slots["prelude"] = {select_prelude(signature, types, baked, headers) + helpers(baked)};
    slots["types"] = {parts.placeholder_types()};
    slots["fields"] = {parts.fields()};
    slots["preamble"] = parts.user_slot("preamble", signature.definition().preamble, "");
    slots["symbol"] = {parts.symbol()};
    slots["names"] = {parts.visible_names()};
    slots["launch_bounds"] = {launch_bounds(text)};
    slots["has_identity"] = {text.has_identity() ? "true" : "false"};
    text.fill(slots);
    SourceWriter writer(signature.name + (text.text().is_host() ? ".cpp" : ".cu"));
    const std::string_view skeleton = fill_loop(text, slots);
    writer.write(skeleton, slots);
    return {writer.text(), parts.symbol(), text.accumulator_symbol(), writer.user_texts()};
}

}  // namespace kgen
