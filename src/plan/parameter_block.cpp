// SPDX-License-Identifier: MIT
#include "plan/parameter_block.hpp"

#include <algorithm>

#include "plan/reduction_plan.hpp"

namespace kgen {

void BlockPlacer::add(FieldKind kind, int operand, std::size_t bytes, std::size_t alignment) {
    layout_.size_bytes = (layout_.size_bytes + alignment - 1) / alignment * alignment;
    layout_.fields.push_back({kind, operand, layout_.size_bytes, bytes});
    layout_.size_bytes += bytes;
    largest_ = std::max(largest_, alignment);
}

void BlockPlacer::add_views(const Baked& baked) {
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        const BakedOperand& operand = baked.operands[k];
        const auto view_rank = static_cast<std::size_t>(std::max(operand.view_rank, 1));
        if (operand.viewed) add(FieldKind::view, static_cast<int>(k), 16 + 16 * view_rank, 8);
    }
}

void BlockPlacer::add_numbers(const Baked& baked, std::span<const DType> dtypes) {
    for (std::size_t k = 0; k < dtypes.size(); ++k) {
        if (baked.operands[k].kind != OperandKind::scalar) continue;
        // Complex numbers are aligned to their whole size in device code.
        const std::size_t bytes = item_size(dtypes[k]);
        add(FieldKind::scalar, static_cast<int>(k), bytes, bytes);
    }
}

void BlockPlacer::finish() {
    layout_.size_bytes = (layout_.size_bytes + largest_ - 1) / largest_ * largest_;
}

Divisor32 make_divisor32(std::uint32_t extent) noexcept {
    std::uint32_t shift = 0;
    while ((std::uint64_t{1} << shift) < extent) ++shift;
    const std::uint64_t power = std::uint64_t{1} << shift;
    const std::uint64_t multiplier = ((power - extent) << 32) / extent + 1;
    return {extent, static_cast<std::uint32_t>(multiplier), shift};
}

Divisor64 make_divisor64(std::uint64_t extent) noexcept {
    std::uint64_t shift = 0;
    while (shift < 63 && (std::uint64_t{1} << shift) < extent) ++shift;
    // Computes (2^shift - extent) * 2^64 / extent bit by bit, because the dividend has 128 bits.
    std::uint64_t rest = (std::uint64_t{1} << shift) - extent;
    std::uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit) {
        rest <<= 1U;  // no overflow: rest < 2 * extent, and extents are below 2^63
        quotient <<= 1U;
        if (rest >= extent) {
            rest -= extent;
            ++quotient;
        }
    }
    return {extent, quotient + 1, shift};
}

std::size_t divisor_bytes(IndexWidth width) noexcept {
    return width == IndexWidth::bits32 ? sizeof(Divisor32) : sizeof(Divisor64);
}

std::size_t divisor_alignment(IndexWidth width) noexcept {
    return width == IndexWidth::bits32 ? alignof(Divisor32) : alignof(Divisor64);
}

bool has_strides(const Baked& baked, std::size_t k) noexcept {
    if (baked.operands[k].kind != OperandKind::array) return false;
    return baked.loop != LoopKind::flat || baked.operands[k].access == Access::elements;
}

bool divides(const Baked& baked) noexcept {
    if (baked.loop != LoopKind::flat) return baked.rank > 0;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        if (has_strides(baked, k)) return true;
    }
    return false;
}

BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes) {
    if (is_reduction(baked.loop)) return lay_out_reduction_block(baked, dtypes);
    BlockLayout layout;
    BlockPlacer place(layout);
    const auto rank = static_cast<std::size_t>(baked.rank);
    const bool on_cuda = baked.device == DeviceKind::cuda;
    place.add(FieldKind::count, -1, 8, 8);
    if (baked.loop == LoopKind::vector_rows) place.add(FieldKind::work, -1, 8, 8);
    if (baked.shifted) place.add(FieldKind::shift, -1, 8, 8);
    for (std::size_t k = 0; k < dtypes.size(); ++k) {
        if (baked.operands[k].kind == OperandKind::array)
            place.add(FieldKind::data, static_cast<int>(k), 8, 8);
    }
    place.add_views(baked);
    if (baked.logical_rank > 0) {
        place.add(FieldKind::shape, -1, 8 * static_cast<std::size_t>(baked.logical_rank), 8);
    }
    if (baked.loop == LoopKind::vector_rows) place.add(FieldKind::rows, -1, sizeof(RowSteps), 8);
    if (baked.loop == LoopKind::shared_tiles) place.add(FieldKind::tile, -1, sizeof(TileShape), 8);
    const bool has_index = baked.loop == LoopKind::vector_rows ||
                           baked.loop == LoopKind::shared_tiles || baked.loop == LoopKind::tiles;
    if (has_index && baked.counted) place.add(FieldKind::index_strides, -1, 8 * rank, 8);
    if (divides(baked)) {
        place.add(FieldKind::extents,
                  -1,
                  (on_cuda ? divisor_bytes(baked.index_width) : 8) * rank,
                  on_cuda ? divisor_alignment(baked.index_width) : 8);
    }
    for (std::size_t k = 0; k < dtypes.size(); ++k) {
        if (!has_strides(baked, k)) continue;
        const std::size_t item = on_cuda && baked.width == IndexWidth::bits32 ? 4 : 8;
        place.add(FieldKind::strides, static_cast<int>(k), item * rank, item);
    }
    place.add_numbers(baked, dtypes);
    place.finish();
    return layout;
}

}  // namespace kgen
