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
    static constexpr std::array<std::string_view, 9> names = {"flat",
                                                              "vector_rows",
                                                              "shared_tiles",
                                                              "rows",
                                                              "short_rows",
                                                              "tiles",
                                                              "reduced_rows",
                                                              "staged_rows",
                                                              "reduced_columns"};
    return names[static_cast<std::size_t>(loop)];
}

std::string_view plural(int count) {
    return count == 1 ? "" : "s";
}

std::string describe_flat(const Baked& baked) {
    bool dense = true;
    for (const BakedOperand& operand : baked.operands) {
        if (operand.kind == OperandKind::array && operand.access == Access::elements) dense = false;
    }
    std::string text =
        dense ? "contiguous"
              : fmt::format("strided over {} ax{}s", baked.rank, baked.rank == 1 ? "i" : "e");
    if (baked.vector > 1) text += fmt::format(", {} elements an access", baked.vector);
    if (baked.unroll > 1) text += fmt::format(", {} accesses a thread", baked.unroll);
    if (baked.shifted) text += ", the first vector cut off";
    if (!dense) text += fmt::format(", {}-bit offsets", bits(baked.width));
    return text;
}

std::string describe_host_reduction(const Baked& baked) {
    const int reduced = baked.rank - baked.kept;
    std::string text = baked.loop == LoopKind::reduced_rows ? "output by output"
                                                            : "neighbouring outputs side by side";
    if (baked.wide) text += ", several short rows as one";
    if (baked.split) text += ", in pieces that threads share";
    return text + fmt::format(
                      ", {} of {} ax{}s reduced", reduced, baked.rank, baked.rank == 1 ? "i" : "e");
}

std::string describe_cuda_reduction(const Baked& baked) {
    if (baked.loop == LoopKind::staged_rows) return "short rows through shared memory";
    std::string text;
    if (baked.loop == LoopKind::reduced_rows) {
        text = baked.block_team ? fmt::format("rows by blocks of {} threads", baked.block_bound)
                                : "rows by threads of one warp";
        if (baked.shifted) text += ", which begin anywhere";
    } else {
        text = baked.wide ? "several short rows as one, each thread its columns"
                          : "each thread its columns";
    }
    text += fmt::format(", {} element{} an access, {} access{} at once",
                        baked.vector,
                        plural(baked.vector),
                        baked.unroll,
                        baked.unroll == 1 ? "" : "es");
    return text + (baked.split ? ", in pieces that the last block folds" : "");
}

}  // namespace

std::string to_key(const Baked& baked) {
    std::string key = fmt::format("{} {} r{}k{} w{}:{} v{} u{}x{} b{} n{}:{}{}{}{}{}{}{}{}{} |",
                                  baked.device == DeviceKind::cuda ? "cuda" : "host",
                                  name_of(baked.loop),
                                  baked.rank,
                                  baked.kept,
                                  bits(baked.width),
                                  bits(baked.index_width),
                                  baked.vector,
                                  baked.unroll,
                                  baked.rows,
                                  baked.block_bound,
                                  baked.logical_rank,
                                  baked.output_rank,
                                  baked.by_reference ? " ref" : "",
                                  baked.shifted ? " shift" : "",
                                  baked.counted ? " i" : "",
                                  baked.split ? " split" : "",
                                  baked.wide ? " wide" : "",
                                  baked.block_team ? " block" : "",
                                  baked.counts_reduced ? " J" : "",
                                  baked.counts_outputs ? " o" : "");
    for (const BakedOperand& operand : baked.operands) {
        static constexpr std::string_view kinds = "ars";
        static constexpr std::string_view classes = "1ukr";
        static constexpr std::string_view accesses = "evnut";
        key += ' ';
        key += kinds[static_cast<std::size_t>(operand.kind)];
        if (operand.kind == OperandKind::array) {
            key += classes[static_cast<std::size_t>(operand.inner)];
            key += accesses[static_cast<std::size_t>(operand.access)];
            if (operand.loads == Loads::read_only) key += 'o';
            if (operand.repeats) key += 'r';
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
    const bool on_host = baked.device == DeviceKind::host;
    switch (baked.loop) {
        case LoopKind::flat:
            return describe_flat(baked);
        case LoopKind::vector_rows:
            return fmt::format(
                "vectors of rows over {} axes, {} elements an access, {} row{} a thread, "
                "{}-bit offsets",
                baked.rank,
                baked.vector,
                baked.unroll,
                plural(baked.unroll),
                bits(baked.width));
        case LoopKind::shared_tiles:
            return fmt::format(
                "tiles in shared memory over {} axes, {} element{} an access, {} "
                "square{} a thread, {}-bit offsets",
                baked.rank,
                baked.vector,
                plural(baked.vector),
                baked.unroll,
                plural(baked.unroll),
                bits(baked.width));
        case LoopKind::short_rows:
            return fmt::format("short rows, many at once, over {} axes", baked.rank);
        case LoopKind::tiles:
            return fmt::format("tiles of 64 by 64 over the two inner of {} axes", baked.rank);
        case LoopKind::reduced_rows:
        case LoopKind::reduced_columns:
        case LoopKind::staged_rows:
            return on_host ? describe_host_reduction(baked) : describe_cuda_reduction(baked);
        case LoopKind::rows:
            break;
    }
    return baked.rank <= 1 ? "one row" : fmt::format("rows over {} axes", baked.rank);
}

}  // namespace kgen
