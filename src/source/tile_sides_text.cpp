// SPDX-License-Identifier: MIT
#include "source/tile_sides_text.hpp"

#include <fmt/format.h>

#include <vector>

namespace kgen {

TileSidesText::TileSidesText(const KernelText& text, const CudaText& cuda, int axes_a, int axes_b)
    : text_(text), cuda_(cuda), first_a_(text.baked().rank - axes_a), first_b_(first_a_ - axes_b) {}

std::string TileSidesText::find() const {
    std::vector<int> axes;  // those into which the block's index is divided, the slowest first
    for (int axis = 0; axis < first_b_; ++axis) axes.push_back(axis);
    // Neighbouring blocks store to neighbouring places, because two of them may fill one sector of memory.
    const bool stores_along_b = any(&TileSidesText::is_written_turned);
    axes.push_back(stores_along_b ? first_a_ : first_b_);
    axes.push_back(stores_along_b ? first_b_ : first_a_);
    const auto sum =
        [&](std::string text, std::string_view type, bool along_b, bool along_a, auto stride) {
            const auto add = [&](std::string_view place, int axis) {
                text += fmt::format(
                    "{}({}){} * {}", text.empty() ? "" : " + ", type, place, stride(axis));
            };
            for (int axis = 0; axis < first_b_; ++axis) add(fmt::format("kgen_i{}", axis), axis);
            if (along_b) add("kgen_begin_b", last_of('b'));
            if (along_a) add("kgen_begin_a", last_of('a'));
            return text.empty() ? std::string("0") : text;
        };
    std::string text =
        cuda_.divide("        ", "kgen_tile_index", axes) +
        fmt::format(
            "        kgen_begin_a = (long long)kgen_i{} * kgen_p.kgen_tile.tile_a;\n"
            "        kgen_begin_b = (long long)kgen_i{} * kgen_p.kgen_tile.tile_b;\n",
            first_a_,
            first_b_) +
        text_.statements("        ", [&](std::size_t k) {
            const std::string offset =
                sum("", cuda_.offset_type(), is_linear(k, 'b'), is_linear(k, 'a'), [&](int axis) {
                    return cuda_.stride(k, axis);
                });
            return fmt::format("kgen_at_{} = {}",
                               text_.name(k),
                               cuda_.at_bytes(k, cuda_.data(k), "(" + offset + ")"));
        });
    if (!text_.counts()) return text;
    const std::string first = "(long long)" + CudaText::index_stride(text_.baked().rank);
    return text + fmt::format("        kgen_at = {};\n",
                              sum(first,
                                  "long long",
                                  has_one_axis('b'),
                                  has_one_axis('a'),
                                  CudaText::index_stride));
}

bool TileSidesText::is_read_turned(std::size_t k) const {
    return is_turned(k) && !text_.signature().parameters[k].overwritten;
}
bool TileSidesText::is_written_turned(std::size_t k) const {
    return is_turned(k) && text_.is_written(k);
}
bool TileSidesText::any(bool (TileSidesText::*test)(std::size_t k) const) const {
    for (std::size_t k = 0; k < text_.baked().operands.size(); ++k) {
        if ((this->*test)(k)) return true;
    }
    return false;
}

bool TileSidesText::is_linear(std::size_t k, char side) const {
    if (has_one_axis(side)) return true;
    return side == 'b' ? is_turned(k) : text_.baked().operands[k].inner == StrideClass::unit;
}

std::string TileSidesText::along(std::size_t k, char side, std::string_view place) const {
    if (is_linear(k, side))
        return fmt::format(
            "({}){} * {}", cuda_.offset_type(), place, cuda_.stride(k, last_of(side)));
    return fmt::format("kgen_far_{}_{}({})", side, text_.name(k), place);
}
std::string TileSidesText::index_along(char side, std::string_view place) const {
    if (has_one_axis(side))
        return fmt::format("({}) * {}", place, CudaText::index_stride(last_of(side)));
    return fmt::format("kgen_far_{}({})", side, place);
}

void TileSidesText::write(LoopText& loop) const {
    const auto add = [&](char side, std::string_view of, std::string_view type, auto stride) {
        std::string text = fmt::format(
            "        unsigned kgen_rest = (unsigned)kgen_begin_{} + kgen_place, kgen_q;\n"
            "        {} kgen_far = 0;\n",
            side,
            type);
        for (int axis = last_of(side); axis > first_of(side); --axis)
            text += fmt::format(
                "        kgen_q = kgen_divide(kgen_rest, kgen_p.kgen_extents[{0}]);\n"
                "        kgen_far += ({1})(kgen_rest - kgen_q * "
                "kgen_extent_of(kgen_p.kgen_extents[{0}])) * {2};\n"
                "        kgen_rest = kgen_q;\n",
                axis,
                type,
                stride(axis));
        text += fmt::format(
            "        return kgen_far + ({})kgen_rest * {};\n", type, stride(first_of(side)));
        loop.function(type, fmt::format("kgen_far_{}{}(int kgen_place) const", side, of), text);
    };
    for (const char side : {'a', 'b'}) {
        if (has_one_axis(side)) continue;
        text_.for_arrays([&](std::size_t k) {
            if (!is_linear(k, side))
                add(side, "_" + text_.name(k), cuda_.offset_type(), [&](int axis) {
                    return cuda_.stride(k, axis);
                });
            return std::string();
        });
        if (text_.counts()) add(side, "", "long long", CudaText::index_stride);
    }
}

}  // namespace kgen
