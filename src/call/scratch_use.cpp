// SPDX-License-Identifier: MIT
#include "call/scratch_use.hpp"

#include <cstring>

namespace kgen {

void ScratchUse::fill(std::span<std::byte> block, const Scratch& scratch) const noexcept {
    std::memcpy(block.data() + offset, &scratch.counters, sizeof scratch.counters);
    std::memcpy(block.data() + offset + sizeof scratch.counters,
                &scratch.partials,
                sizeof scratch.partials);
}

ScratchUse scratch_use(const Variant& variant, const Runtime& runtime) {
    const ScratchNeed& need = runtime.scratch;
    if (need.accumulators == 0 && need.counters == 0 && need.handed == 0) return {};
    const std::size_t bytes = variant.code.accumulator_bytes;
    const std::int64_t handed = need.handed * handed_words(static_cast<std::int64_t>(bytes));
    ScratchUse use{.counters = static_cast<std::size_t>(need.counters + handed),
                   .bytes = static_cast<std::size_t>(need.accumulators) * bytes};
    for (const BlockField& field : variant.layout.fields) {
        if (field.kind == FieldKind::scratch) use.offset = field.offset;
    }
    return use;
}

}  // namespace kgen
