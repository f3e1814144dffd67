// SPDX-License-Identifier: MIT
#include "plan/parameter_block.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <type_traits>

#include "plan/loop_table.hpp"

namespace kgen {

namespace {

__extension__ typedef unsigned __int128 WideRest;

// Appends fields in the way in which C++ lays out a struct: each at the next multiple of its alignment.
class BlockPlacer {
public:
    BlockPlacer(const Baked& baked, std::span<const DType> dtypes)
        : baked_(baked), dtypes_(dtypes) {}

    BlockLayout run() {
        if (!baked_.parts.empty()) add_parts();
        if (baked_.loop == LoopKind::parts) return std::move(layout_);
        if (baked_.is_part) add(FieldKind::first_block, 4, 4);
        const bool folds = kgen::folds(baked_.loop);
        const bool has_divisors = device_loops(baked_.device).has_divisors;
        const auto* flat = std::get_if<FlatChoice>(&baked_.choice);
        const Loop& loop = loop_of(baked_);
        const auto rank = static_cast<std::size_t>(baked_.rank);
        add(FieldKind::count, 8);
        if (folds) add(FieldKind::reduced_count, 8);
        if (flat != nullptr && flat->shifted) add(FieldKind::shift, 8);
        if (baked_.section) add(FieldKind::whole_counts, 16);
        add_each(OperandKind::array, [&](std::size_t k) { add(FieldKind::data, 8, 8, k); });
        for (std::size_t k = 0; k < dtypes_.size() && baked_.parts.empty(); ++k) {
            const auto axes = static_cast<std::size_t>(std::max(baked_.operands[k].view_rank, 1));
            if (baked_.operands[k].viewed) add(FieldKind::view, 16 + 16 * axes, 8, k);
        }
        add_extents(FieldKind::shape, baked_.logical_rank, shape_width(baked_));
        add_extents(FieldKind::output_shape, baked_.output_rank, shape_width(baked_));
        if (is_split(baked_) || is_spread(baked_)) add(FieldKind::scratch, 16);
        add(FieldKind::own, struct_bytes(loop.own));
        const bool used[] = {baked_.counted, baked_.counts_reduced, baked_.counts_outputs};
        for (std::size_t index = 0; index < place_index_count; ++index) {
            if (used[index] && (folds || loop.moves_index || baked_.moves_index))
                add(FieldKind::place_strides, 8 * (rank + 1), 8, index);
        }
        if (loop.has_reach && (!is_row_loop(baked_.loop) || is_shifted(baked_))) {
            add_each(OperandKind::array, [&](std::size_t k) {
                const Access access = baked_.operands[k].access;
                if (access == Access::shared || access == Access::words ||
                    (is_row_loop(baked_.loop) && access == Access::vector))
                    add(FieldKind::reach, 16, 8, k);
            });
        }
        if (divides(baked_)) add_extents(FieldKind::extents, baked_.rank, baked_.index_width);
        const std::size_t offset = has_divisors && baked_.width == IndexWidth::bits32 ? 4 : 8;
        add_each(OperandKind::array, [&](std::size_t k) {
            if (has_strides(baked_, k)) add(FieldKind::strides, offset * rank, offset, k);
        });
        add_each(OperandKind::scalar, [&](std::size_t k) {
            // Complex numbers are aligned to their whole size in device code.
            add(FieldKind::scalar, item_size(dtypes_[k]), item_size(dtypes_[k]), k);
        });
        layout_.size_bytes = rounded(layout_.size_bytes, layout_.alignment);
        return std::move(layout_);
    }

private:
    void add_parts() {
        for (const Baked& part : baked_.parts) {
            const BlockLayout own = lay_out_block(part, dtypes_);
            const std::size_t begin = rounded(layout_.size_bytes, own.alignment);
            for (BlockField field : own.fields) {
                field.offset += begin;
                layout_.fields.push_back(field);
            }
            layout_.size_bytes = begin + own.size_bytes;
            layout_.alignment = std::max(layout_.alignment, own.alignment);
        }
        layout_.size_bytes = rounded(layout_.size_bytes, layout_.alignment);
    }

    // `unit` is a power of two.
    static std::size_t rounded(std::size_t bytes, std::size_t unit) {
        return (bytes + unit - 1) & ~(unit - 1);
    }

    // Adds nothing if the field has no bytes.
    void add(FieldKind kind,
             std::size_t bytes,
             std::size_t alignment = 8,
             std::optional<std::size_t> operand = {}) {
        if (bytes == 0) return;
        layout_.size_bytes = rounded(layout_.size_bytes, alignment);
        BlockField& field = layout_.fields.emplace_back();
        field.kind = kind;
        field.operand = operand ? static_cast<int>(*operand) : -1;
        field.offset = layout_.size_bytes;
        field.size_bytes = bytes;
        layout_.size_bytes += bytes;
        layout_.alignment = std::max(layout_.alignment, alignment);
    }

    // Adds an extent, or its divisor, for each of `rank` axes.
    void add_extents(FieldKind kind, int rank, IndexWidth width) {
        const bool has_divisors = device_loops(baked_.device).has_divisors;
        const bool narrow = has_divisors && width == IndexWidth::bits32;
        const std::size_t bytes = narrow ? sizeof(Divisor32) : has_divisors ? sizeof(Divisor64) : 8;
        add(kind, bytes * static_cast<std::size_t>(rank), narrow ? alignof(Divisor32) : 8);
    }

    template <typename Add>
    void add_each(OperandKind kind, Add add) {
        for (std::size_t k = 0; k < dtypes_.size(); ++k) {
            if (baked_.operands[k].kind == kind && !is_of_part(k)) add(k);
        }
    }

    // Whether the block of a part has the operand.
    bool is_of_part(std::size_t k) const {
        return !baked_.parts.empty() &&
               baked_.parts.front().operands[k].kind != OperandKind::absent;
    }

    const Baked& baked_;
    std::span<const DType> dtypes_;
    BlockLayout layout_;
};

}  // namespace

IndexWidth shape_width(const Baked& baked) noexcept {
    // A fold may have more elements than its offsets have bytes, because inputs broadcast.
    return folds(baked.loop) ? IndexWidth::bits64 : baked.width;
}

std::size_t struct_bytes(const LoopStruct& own) noexcept {
    return std::visit(
        [](const auto& value) {
            return std::is_same_v<decltype(value), const std::monostate&> ? 0 : sizeof value;
        },
        own);
}

Divisor32 make_divisor32(std::int64_t wide_extent) noexcept {
    const auto extent = static_cast<std::uint32_t>(wide_extent);
    const auto shift = static_cast<std::uint32_t>(std::bit_width(extent - 1));
    const std::uint64_t power = std::uint64_t{1} << shift;
    const std::uint64_t multiplier = ((power - extent) << 32) / extent + 1;
    return {extent, static_cast<std::uint32_t>(multiplier), shift};
}

Divisor64 make_divisor64(std::uint64_t extent) noexcept {
    const auto shift = static_cast<std::uint64_t>(std::bit_width(extent - 1));
    // No overflow: extents are below 2^63.
    const WideRest rest = (std::uint64_t{1} << shift) - extent;
    return {extent, static_cast<std::uint64_t>((rest << 64U) / extent) + 1, shift};
}

bool has_strides(const Baked& baked, std::size_t k) noexcept {
    if (baked.operands[k].kind != OperandKind::array) return false;
    return baked.loop != LoopKind::flat || baked.operands[k].access == Access::elements;
}

bool divides(const Baked& baked) noexcept {
    if (baked.loop != LoopKind::flat) return baked.rank > 0;
    if (baked.moves_index) return true;
    for (std::size_t k = 0; k < baked.operands.size(); ++k) {
        if (has_strides(baked, k)) return true;
    }
    return false;
}

BlockLayout lay_out_block(const Baked& baked, std::span<const DType> dtypes) {
    return BlockPlacer(baked, dtypes).run();
}

}  // namespace kgen
