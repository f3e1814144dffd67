// SPDX-License-Identifier: MIT
#include "plan/baked.hpp"

#include <fmt/format.h>

#include <array>

namespace kgen {

namespace {

int bits(IndexWidth width) {
    return width == IndexWidth::bits32 ? 32 : 64;
}

std::string_view name_of(LoopKind loop) {
    static constexpr std::array<std::string_view, 3> names = {"linear", "strided", "rows"};
    return names[static_cast<std::size_t>(loop)];
}

}  // namespace

std::string to_key(const Baked& baked) {
    std::string key = fmt::format("{} {} r{} w{} v{} u{} b{} n{}{} |",
                                  baked.device == DeviceKind::cuda ? "cuda" : "host",
                                  name_of(baked.loop),
                                  baked.rank,
                                  bits(baked.width),
                                  baked.vector,
                                  baked.unroll,
                                  baked.block_bound,
                                  baked.logical_rank,
                                  baked.by_reference ? " ref" : "");
    for (const BakedOperand& operand : baked.operands) {
        static constexpr std::string_view kinds = "ars";
        static constexpr std::string_view classes = "1uk";
        key += ' ';
        key += kinds[static_cast<std::size_t>(operand.kind)];
        if (operand.kind == OperandKind::array) {
            key += classes[static_cast<std::size_t>(operand.inner)];
            if (operand.loads == Loads::read_only) key += 'o';
        }
        if (operand.viewed) {
            key += fmt::format("v{}{}w{}",
                               operand.view_rank,
                               operand.view_contiguous ? "c" : "",
                               bits(operand.view_width));
        }
    }
    return key;
}

std::string describe_loop(const Baked& baked) {
    switch (baked.loop) {
        case LoopKind::linear: {
            std::string text = "contiguous";
            if (baked.vector > 1) text += fmt::format(", {} elements an access", baked.vector);
            if (baked.unroll > 1) text += fmt::format(", {} accesses a thread", baked.unroll);
            return text;
        }
        case LoopKind::strided:
            return fmt::format(
                "strided over {} {}, {}-bit offsets{}",
                baked.rank,
                baked.rank == 1 ? "axis" : "axes",
                bits(baked.width),
                baked.unroll > 1 ? fmt::format(", {} elements a thread", baked.unroll) : "");
        case LoopKind::rows:
            break;
    }
    return baked.rank <= 1 ? "one row" : fmt::format("rows over {} axes", baked.rank);
}

}  // namespace kgen
