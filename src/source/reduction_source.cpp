// SPDX-License-Identifier: MIT
#include "source/reduction_source.hpp"

#include <embedded/access_cuda_cuh.hpp>
#include <embedded/axes_cuda_cuh.hpp>
#include <embedded/division_host_cuh.hpp>
#include <embedded/fold_cuda_cuh.hpp>
#include <embedded/fold_cuh.hpp>
#include <embedded/reduce_host_cuh.hpp>

#include "source/prelude.hpp"

namespace kgen {

namespace {

std::string helpers(const Baked& baked) {
    std::string text(without_licence(embedded::fold_cuh));
    if (baked.device == DeviceKind::host) {
        text += without_licence(embedded::division_host_cuh);
        return text += without_licence(embedded::reduce_host_cuh);
    }
    text += without_licence(embedded::access_cuda_cuh);
    text += without_licence(embedded::axes_cuda_cuh);
    return text += without_licence(embedded::fold_cuda_cuh);
}

std::string_view fill_loop(const ReductionText& text, Slots& slots) {
    if (text.text().is_host()) return fill_host_reduction(text, slots);
    switch (text.baked().loop) {
        case LoopKind::staged_rows:
            return fill_staged_rows(text, slots);
        case LoopKind::reduced_columns:
            return fill_reduced_columns(text, slots);
        default:
            return fill_reduced_rows(text, slots);
    }
}

}  // namespace

Source generate_reduction(const Definition& definition,
                          const Signature& signature,
                          const TypeBinding& types,
                          const Baked& baked,
                          const std::vector<UserText>& headers) {
    const KernelParts parts(definition, signature, types, baked);
    const ReductionText text(definition, signature, types, parts);
    Slots slots;
    slots["head"] = {parts.head()};
    slots["prelude"] = {select_prelude(definition, signature, types, baked, headers) +
                        helpers(baked)};
    slots["types"] = {parts.placeholder_types()};
    slots["fields"] = {parts.fields()};
    slots["preamble"] = parts.user_slot("preamble", definition.preamble, "");
    slots["symbol"] = {parts.symbol()};
    slots["names"] = {parts.visible_names()};
    slots["block_bound"] = {std::to_string(baked.block_bound)};
    slots["vector"] = {std::to_string(baked.vector)};
    slots["unroll"] = {std::to_string(baked.unroll)};
    slots["has_identity"] = {text.has_identity() ? "true" : "false"};
    text.fill(slots);
    SourceWriter writer(signature.name + (text.text().is_host() ? ".cpp" : ".cu"));
    const std::string_view skeleton = fill_loop(text, slots);
    writer.write(skeleton, slots);
    return {writer.text(), parts.symbol(), text.accumulator_symbol(), writer.user_texts()};
}

}  // namespace kgen
