// SPDX-License-Identifier: MIT
#include "plan/baked.hpp"

#include <fmt/format.h>

#include "plan/loop_table.hpp"

namespace kgen {

namespace {

int bits(IndexWidth width) {
    return width == IndexWidth::bits32 ? 32 : 64;
}

// Writes the part of the key for the fields that only one kind of loop bakes.
struct ChoiceKey {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const FlatChoice& choice) const {
        return fmt::format(" u{}{}{}",
                           choice.accesses,
                           choice.shifted ? " shift" : "",
                           choice.vector_rest ? " rest" : "");
    }
    std::string operator()(const VectorRowsChoice& choice) const {
        return fmt::format(" u{}{}", choice.rows, choice.turned ? " turned" : "");
    }
    std::string operator()(const SharedTilesChoice& choice) const {
        return fmt::format(" s{} u{}x{} t{}x{}{}",
                           choice.side_b,
                           choice.patches,
                           choice.vectors,
                           choice.axes_b,
                           choice.axes_a,
                           choice.straight ? " straight" : "");
    }
    std::string operator()(const StagedRunsChoice& choice) const {
        return fmt::format(" u{} t{}x{}", choice.rows, choice.axes_b, choice.axes_a);
    }
    std::string operator()(const StagedRowsChoice& choice) const {
        return choice.side_by_side ? " beside" : "";
    }
    std::string operator()(const TilesChoice& choice) const { return choice.bands ? " bands" : ""; }
    std::string operator()(const HostRowsChoice& choice) const {
        return choice.short_vectors ? " short" : "";
    }
    std::string operator()(const ShortRowsChoice& choice) const {
        return fmt::format(" u{} f{}", choice.axes, choice.few);
    }
    std::string operator()(const ShortFoldsChoice& choice) const {
        return fmt::format(" u{} f{}", choice.axes, choice.few);
    }
    std::string operator()(const ThreadFoldsChoice& choice) const {
        return fmt::format(" u{} f{} g{}{}",
                           choice.accesses,
                           choice.few,
                           choice.groups,
                           choice.along    ? " along"
                           : choice.turned ? " turned"
                                           : "");
    }
    std::string operator()(const ReducedRowsChoice& choice) const {
        return fmt::format(" u{} f{}{}{}{}{}{}",
                           choice.accesses,
                           choice.few,
                           choice.ends_first ? " ends" : "",
                           choice.shifted ? " shift" : "",
                           choice.guarded ? " guarded" : "",
                           choice.split ? " split" : "",
                           choice.block_team ? " block" : "");
    }
    std::string operator()(const ReducedColumnsChoice& choice) const {
        return fmt::format(" u{} a{}{}{}{}{}{}",
                           choice.accesses,
                           choice.axes,
                           choice.split ? " split" : "",
                           choice.wide ? " wide" : "",
                           choice.shifted ? " shift" : "",
                           choice.whole ? " whole" : "",
                           choice.merged ? " merged" : "");
    }
    std::string operator()(const FusedRowsChoice& choice) const {
        return fmt::format(" h{} c{} t{}{}{}{}{}",
                           choice.held,
                           choice.blocks,
                           choice.team,
                           choice.shifted ? " shift" : "",
                           choice.whole ? " whole" : "",
                           choice.packed ? " packed" : "",
                           choice.spread ? " spread" : "");
    }
    std::string operator()(const FusedColumnsChoice& choice) const {
        return fmt::format(" h{} c{} a{} t{}{}{}{}{}{}",
                           choice.held,
                           choice.blocks,
                           choice.across,
                           choice.team,
                           choice.dense ? " dense" : "",
                           choice.shifted ? " shift" : "",
                           choice.whole ? " whole" : "",
                           choice.packed ? " packed" : "",
                           choice.spread ? " spread" : "");
    }
};

}  // namespace

bool is_split(const Baked& baked) noexcept {
    const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<ReducedColumnsChoice>(&baked.choice);
    return (rows != nullptr && rows->split) || (columns != nullptr && columns->split) ||
           baked.loop == LoopKind::folded_elements;
}

bool is_spread(const Baked& baked) noexcept {
    const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    return (rows != nullptr && rows->spread) || (columns != nullptr && columns->spread);
}

bool is_shifted(const Baked& baked) noexcept {
    const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    return (rows != nullptr && rows->shifted) || (columns != nullptr && columns->shifted);
}

int cluster_blocks(const Baked& baked) noexcept {
    const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    return rows != nullptr ? rows->blocks : columns != nullptr ? columns->blocks : 1;
}

bool reads_rows_again(const Baked& baked) noexcept {
    const auto* rows = std::get_if<FusedRowsChoice>(&baked.choice);
    const auto* columns = std::get_if<FusedColumnsChoice>(&baked.choice);
    return (rows != nullptr && rows->held == 0) || (columns != nullptr && columns->held == 0);
}

std::string to_key(const Baked& baked) {
    std::string key = fmt::format("{} {} r{}k{} w{}:{} v{} b{} n{}:{}{}{}{}{}{}{}{}{}{}{} |",
                                  device_loops(baked.device).name,
                                  loop_of(baked).name,
                                  baked.rank,
                                  baked.kept,
                                  bits(baked.width),
                                  bits(baked.index_width),
                                  baked.vector,
                                  baked.block_bound,
                                  baked.logical_rank,
                                  baked.output_rank,
                                  std::visit(ChoiceKey(), baked.choice),
                                  baked.by_reference ? " ref" : "",
                                  baked.counted ? " i" : "",
                                  baked.moves_index ? " moves" : "",
                                  baked.draws_neighbours ? " draws" : "",
                                  baked.narrow_index ? " narrow" : "",
                                  baked.counts_reduced ? " J" : "",
                                  baked.counts_outputs ? " o" : "",
                                  baked.section ? " section" : "",
                                  baked.is_part ? " part" : "");
    if (baked.unit_axes != 0) key += fmt::format(" 1:{:x}", baked.unit_axes);
    for (const Coordinate& coordinate : baked.coordinates)
        key += fmt::format(" {}{}", coordinate.backwards ? '<' : '>', coordinate.axis);
    for (const BakedOperand& operand : baked.operands) {
        static constexpr std::string_view kinds = "ars-";
        static constexpr std::string_view classes = "1ukr";
        static constexpr std::string_view accesses = "evnutw";
        key += ' ';
        key += kinds[static_cast<std::size_t>(operand.kind)];
        if (operand.kind == OperandKind::array) {
            key += classes[static_cast<std::size_t>(operand.inner)];
            if (operand.step != 0) key += std::to_string(operand.step);
            key += accesses[static_cast<std::size_t>(operand.access)];
            if (operand.loads == Loads::read_only) key += 'o';
            if (operand.repeats) key += 'r';
            if (operand.planar) key += 'p';
        }
        if (operand.viewed) {
            key += fmt::format("v{}{}{}w{}",
                               operand.view_rank,
                               operand.view_contiguous ? "c" : "",
                               operand.view_wraps ? "%" : "",
                               bits(operand.view_width));
        }
    }
    for (const Baked& part : baked.parts) key += " & " + to_key(part);
    return key;
}

std::string describe_loop(const Baked& baked) {
    return loop_of(baked).describe(baked);
}

}  // namespace kgen
