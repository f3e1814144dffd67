// SPDX-License-Identifier: MIT
#include "plan/vector_width.hpp"

#include <algorithm>

namespace kgen {

namespace {

constexpr std::size_t access_bytes = 16;
constexpr std::size_t resident_threads = 2048;
constexpr std::size_t wanted_in_flight = 48 << 10;
constexpr std::size_t register_budget = 128;
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
    if (by_reference || walk.extents.empty()) return {};
    std::size_t widest = 1;
    std::size_t bytes_in = 0;
    std::size_t bytes_all = 0;
    for (const std::size_t k : arrays) {
        const Operand& operand = request.operands[k];
        if (walk.strides[k][0] == 0) continue;
        const std::size_t item = item_size(operand.dtype);
        widest = std::max(widest, item);
        bytes_all += item;
        if (!operand.written) bytes_in += item;
    }
    if (bytes_all == 0) return {1, clone_limit(request.signature.facts.token_count, 4)};

    VectorWidth width;
    width.vector =
        clone_limit(request.signature.facts.token_count, static_cast<int>(access_bytes / widest));
    for (const std::size_t k : arrays) {
        const Operand& operand = request.operands[k];
        if (walk.strides[k][0] == 0) continue;
        const std::size_t bytes = item_size(operand.dtype) * static_cast<std::size_t>(width.vector);
        const std::uintptr_t begin = operand.address + static_cast<std::uintptr_t>(walk.offsets[k]);
        if (begin % bytes != 0) width.vector = 1;
    }
    // A kernel that only writes has no load to keep in flight: the bytes it writes count instead.
    const std::size_t counted = bytes_in == 0 ? bytes_all : bytes_in;
    const auto vector = static_cast<std::size_t>(width.vector);
    int unroll = 1;
    while (unroll < 8 &&
           static_cast<std::size_t>(unroll) * vector * counted * resident_threads <
               wanted_in_flight &&
           2 * static_cast<std::size_t>(unroll) * vector * bytes_all <= register_budget) {
        unroll *= 2;
    }
    width.unroll = std::max(
        1, clone_limit(request.signature.facts.token_count, unroll * width.vector) / width.vector);
    return width;
}

}  // namespace kgen
