// SPDX-License-Identifier: MIT
#include "plan/vector_width.hpp"

#include <algorithm>

namespace kgen {

namespace {

constexpr std::size_t access_bytes = 16;
constexpr std::size_t most_cloned_tokens = 4096;

}  // namespace

int clone_limit(std::size_t token_count, int wanted) {
    int copies = wanted;
    while (copies > 1 && static_cast<std::size_t>(copies) * token_count > most_cloned_tokens)
        copies /= 2;
    return copies;
}

VectorWidth choose_vector_width(const PlanRequest& request,
                                std::span<const std::size_t> arrays,
                                const Walk& walk,
                                bool by_reference) {
    if (by_reference) return {.reason = WidthReason::references};
    if (walk.extents.empty()) return {.reason = WidthReason::one_element};
    std::size_t widest_read = 0;
    std::size_t widest_written = 0;
    for (const std::size_t k : arrays) {
        const Operand& operand = request.operands[k];
        if (walk.strides[k][0] == 0) continue;
        std::size_t& widest = operand.written ? widest_written : widest_read;
        widest = std::max(widest, item_size(operand.dtype));
    }
    const std::size_t widest = std::max(widest_read, widest_written);
    if (widest == 0) return {.reason = WidthReason::one_element};

    VectorWidth width;
    const auto wanted = static_cast<int>(access_bytes / widest);
    width.vector = clone_limit(request.signature.facts.token_count, wanted);
    if (width.vector < wanted) width.reason = WidthReason::body_length;
    for (const std::size_t k : arrays) {
        const Operand& operand = request.operands[k];
        if (walk.strides[k][0] == 0) continue;
        const std::size_t bytes = item_size(operand.dtype) * static_cast<std::size_t>(width.vector);
        const std::uintptr_t begin = operand.address + static_cast<std::uintptr_t>(walk.offsets[k]);
        if (begin % bytes != 0) {
            width.vector = 1;
            width.reason = WidthReason::alignment;
        }
    }
    const int unroll = widest_written < widest_read ? 2 : 1;
    width.unroll = std::max(
        1, clone_limit(request.signature.facts.token_count, unroll * width.vector) / width.vector);
    return width;
}

}  // namespace kgen
