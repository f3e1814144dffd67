// SPDX-License-Identifier: MIT
#include "source/reduction_operands.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

ReductionOperands::ReductionOperands(const ReductionText& text)
    : text_(text), kernel_(text.text()), cuda_(text.text()), baked_(text.baked()) {}

ReductionOperands::Movers ReductionOperands::kept_inputs() const {
    Movers movers;
    text_.for_inputs([&](std::size_t k) {
        const std::string& name = kernel_.name(k);
        movers.push_back({"long long", "kgen_kept_" + name, "0", "kgen_p.kgen_strides_" + name});
        return std::string();
    });
    const auto add = [&](bool used, std::string_view index) {
        if (!used) return;
        const std::string strides = fmt::format("kgen_p.kgen_{}_strides", index);
        movers.push_back({"long long",
                          fmt::format("kgen_place_kept_{}", index),
                          fmt::format("{}[{}]", strides, baked_.rank),
                          strides});
    };
    add(baked_.counted, "input");
    add(baked_.counts_reduced, "reduced");
    add(baked_.counts_outputs, "output");
    return movers;
}

ReductionOperands::Movers ReductionOperands::row_inputs() const {
    Movers movers = kept_inputs();
    // The place index of an output moves only along kept axes.
    if (baked_.counts_outputs) movers.pop_back();
    for (Mover& mover : movers) {
        const bool is_pointer = mover.begin == "0";
        const std::string name = mover.variable.substr(mover.variable.find("_kept_") + 6);
        mover.begin =
            (is_pointer ? "(const char*)kgen_p.kgen_data_" + name + " + " : "") + mover.variable;
        mover.variable = (is_pointer ? "kgen_at_" : "kgen_place_at_") + name;
        if (is_pointer) mover.type = "const char*";
    }
    return movers;
}

ReductionOperands::Movers ReductionOperands::outputs() const {
    Movers movers;
    text_.for_outputs([&](std::size_t k) {
        const std::string& name = kernel_.name(k);
        movers.push_back(
            {"char*", "kgen_to_" + name, "(char*)" + cuda_.data(k), "kgen_p.kgen_strides_" + name});
        return std::string();
    });
    if (baked_.counts_outputs)
        movers.push_back({"long long",
                          "kgen_place",
                          fmt::format("kgen_p.kgen_output_strides[{}]", baked_.rank),
                          "kgen_p.kgen_output_strides"});
    return movers;
}

std::string ReductionOperands::members(const Movers& movers) {
    std::string text;
    for (const Mover& mover : movers)
        text += fmt::format("    {} {};\n", mover.type, mover.variable);
    return text;
}

std::string ReductionOperands::moved(const Movers& movers,
                                     int first,
                                     int last,
                                     const CudaText::Place& place) {
    std::string text;
    for (const Mover& mover : movers) {
        text += fmt::format("        {} = {}", mover.variable, mover.begin);
        for (int axis = first; axis < last; ++axis) {
            text += fmt::format(" + (long long){} * {}[{}]",
                                place ? place(axis) : fmt::format("kgen_i{}", axis),
                                mover.strides,
                                axis);
        }
        text += ";\n";
    }
    return text;
}

std::string ReductionOperands::walk(const Movers& movers,
                                    std::string_view index,
                                    int first,
                                    int last) const {
    if (!CudaText::has_many_axes(first, last))
        return cuda_.divide("        ", index, first, last) + moved(movers, first, last);
    std::string moves;
    for (const Mover& mover : movers)
        moves += fmt::format("            {} += (long long)kgen_i * {}[kgen_axis];\n",
                             mover.variable,
                             mover.strides);
    return moved(movers, 0, 0) + cuda_.divide_in_loop("        ", index, first, last, moves);
}

ReductionOperands::PlaceNames ReductionOperands::place(std::string_view prefix,
                                                       std::string_view along,
                                                       int axis) const {
    const auto at = [&](std::string_view base, std::string_view name) {
        if (axis < 0) return fmt::format("{}_{}", base, name);
        return fmt::format("{0}_{1} + {2} * kgen_p.kgen_{1}_strides[{3}]", base, name, along, axis);
    };
    return {at(prefix, "input"),
            at(prefix, "reduced"),
            axis < baked_.kept ? at("kgen_place_kept", "output") : "kgen_place_kept_output"};
}

void ReductionOperands::write_types(LoopText& loop) const {
    loop.constant("kgen_has_identity", text_.has_identity());
    loop.constant("kgen_own_accumulator", !text_.accumulator_symbol().empty());
    loop.type("kgen_value_type", "kgen_value");
    loop.type("kgen_accumulator_type", "kgen_accumulator");
    // Outputs, rows and elements of a row are counted by this type, and divided as the unsigned one.
    loop.type("kgen_number", baked_.index_width == IndexWidth::bits32 ? "int" : "long long");
    loop.type("kgen_index", cuda_.index_type());
    write_narrow(loop);
}

void ReductionOperands::write_adds_integers(LoopText& loop) const {
    loop.constant("kgen_adds_integers",
                  text_.operation() == FoldOperation::sum && text_.has_identity() &&
                      text_.has_integer_accumulator());
}

void ReductionOperands::write_narrow(LoopText& loop) const {
    // Two elements are folded in fewer instructions than it takes to find the results in the words.
    const auto* folds = std::get_if<ThreadFoldsChoice>(&baked_.choice);
    const bool is_worse = folds != nullptr && (folds->along || folds->few == 1 || folds->few == 2);
    const std::string operation = is_worse ? "0" : text_.narrow_operation();
    loop.constant("kgen_narrow", operation);
    if (operation == "0") return;
    loop.constant("kgen_is_logical", text_.is_logical());
    const PlainMap& map = text_.plain_map();
    const bool is_plain = has_plain_words(map);
    std::string terms = std::to_string(map.terms.size());
    std::string takes;
    bool has_narrow_terms = !map.terms.empty();
    bool has_signs = false;
    for (const PlainTerm& term : map.terms) {
        const DTypeKind kind = kind_of(text_.dtype(term.parameter));
        has_signs = has_signs || kind == DTypeKind::signed_integer;
        has_narrow_terms = has_narrow_terms && item_size(text_.dtype(term.parameter)) <= 2 &&
                           kind != DTypeKind::real && kind != DTypeKind::complex;
        // A cast must keep every value of its input.
        if (!term.cast.empty())
            terms += fmt::format(
                " * kgen_represents<{}, {}>::value", term.cast, kernel_.type(term.parameter));
        if (is_plain) takes += take_term(term.parameter);
    }
    loop.constant("kgen_terms", is_plain ? terms : "0");
    // Terms of up to 16 bits, whose sums fit into words although the map may have more bits.
    loop.constant("kgen_narrow_terms", has_narrow_terms ? terms : "0");
    loop.constant("kgen_has_signs", has_signs);
    loop.constant("kgen_asks_truth", is_plain && map.asks_truth);
    loop.type("kgen_term_type", is_plain ? kernel_.type(map.terms.front().parameter) : "bool");
    if (!is_plain) return;
    loop.calling("void",
                 baked_.loop == LoopKind::staged_rows
                     ? "kgen_each_term() const"
                     : "kgen_each_term(const kgen_values& kgen_v) const",
                 takes);
}

std::string ReductionOperands::take_term(std::size_t k) const {
    if (baked_.loop == LoopKind::staged_rows)
        return fmt::format("        kgen_text(kgen_row_{});\n", kernel_.name(k));
    // The operands hold elements that are the same in all rows of columns, and the one that is the same in a whole row.
    const std::string value =
        baked_.operands[k].repeats ? "kgen_same_" + kernel_.name(k)
        : baked_.loop == LoopKind::reduced_rows && cuda_.access(k) == Access::uniform
            ? kernel_.value(k)
            : "kgen_v." + kernel_.value(k);
    if (cuda_.access(k) != Access::uniform) return fmt::format("        kgen_text({});\n", value);
    return fmt::format(
        "        {{\n            {0} kgen_alike;\n#pragma unroll\n            for (int kgen_e = 0; "
        "kgen_e < {1}; ++kgen_e) kgen_alike.kgen_at[kgen_e] = {2};\n            "
        "kgen_text(kgen_alike);\n        }}\n",
        cuda_.vector_type(k),
        baked_.vector,
        value);
}

bool ReductionOperands::has_plain_words(const PlainMap& map) const {
    if (map.terms.empty()) return false;
    const FoldOperation operation = text_.operation();
    const DType first = text_.dtype(map.terms.front().parameter);
    const DTypeKind kind = kind_of(first);
    if (kind == DTypeKind::real || kind == DTypeKind::complex) return false;
    const auto item = static_cast<int>(item_size(first));
    const int widest = operation == FoldOperation::sum || map.asks_truth ? 2 : 4;
    const bool is_staged = baked_.loop == LoopKind::staged_rows;
    if (is_staged && baked_.as<StagedRowsChoice>().side_by_side) return false;
    if (item > widest || (!is_staged && item * baked_.vector % 4 != 0)) return false;
    if (map.terms.size() > 1 && operation != FoldOperation::sum) return false;
    return std::all_of(map.terms.begin(), map.terms.end(), [&](const PlainTerm& term) {
        const Access access = cuda_.access(term.parameter);
        const bool is_read = is_staged ? access == Access::shared
                                       : access == Access::vector || access == Access::words ||
                                             access == Access::uniform ||
                                             baked_.operands[term.parameter].repeats;
        return is_read && text_.dtype(term.parameter) == first;
    });
}

std::string ReductionOperands::found_kept(int last) const {
    return cuda_.divide("        ", "kgen_outer", 0, last) + moved(kept_inputs(), 0, last);
}

void ReductionOperands::write_finish(LoopText& loop,
                                     std::string_view parameter,
                                     const std::string& found) const {
    std::string declared;
    for (const Mover& mover : outputs())
        declared += fmt::format("        {} {};\n", mover.type, mover.variable);
    loop.calling(
        "void",
        fmt::format("kgen_finish(long long {}, const kgen_accumulator& kgen_folded)", parameter),
        declared + found +
            text_.finish("        ", "kgen_place", "kgen_folded", [&](std::size_t k) {
                return fmt::format("({}*)kgen_to_{}", kernel_.type(k), kernel_.name(k));
            }));
}

std::string ReductionOperands::statements(
    const std::function<std::string(std::size_t)>& statement) const {
    return kernel_.statements(
        "        ", [&](std::size_t k) { return kernel_.is_written(k) ? "" : statement(k); });
}

}  // namespace kgen
