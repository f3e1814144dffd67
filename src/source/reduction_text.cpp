// SPDX-License-Identifier: MIT
#include "source/reduction_text.hpp"

#include <fmt/format.h>

namespace kgen {

namespace {

constexpr std::string_view function_head = "__attribute__((always_inline))";

}  // namespace

bool ReductionText::stores_backwards() const {
    const auto moves = [&](std::size_t k) { return text().is_array(k) && !text().is_uniform(k); };
    for (std::size_t k = 0; k < baked().operands.size(); ++k) {
        if (!text().is_written(k) || baked().operands[k].inner != StrideClass::reversed) continue;
        for (std::size_t other = 0; other < baked().operands.size(); ++other)
            if (moves(other) && item_size(dtype(other)) < item_size(dtype(k))) return true;
    }
    return false;
}

bool ReductionText::has_narrow_terms() const {
    if (operation() != FoldOperation::sum || plain_map().asks_truth) return false;
    std::int64_t most = 0;
    for (const PlainTerm& term : plain_map().terms) {
        if (!term.cast.empty() && term.cast != "long long") return false;
        most += std::int64_t{1} << 8 * item_size(dtype(term.parameter));
    }
    const std::int64_t elements = baked().loop == LoopKind::reduced_rows ? 16384 : 256;
    return most > 0 && most * elements <= std::int64_t{1} << 31;
}

std::string ReductionText::for_inputs(const std::function<std::string(std::size_t)>& line) const {
    return text().for_arrays(
        [&](std::size_t k) { return text().is_written(k) ? std::string() : line(k); });
}

std::string ReductionText::for_outputs(const std::function<std::string(std::size_t)>& line) const {
    return text().for_arrays(
        [&](std::size_t k) { return text().is_written(k) ? line(k) : std::string(); });
}

void ReductionText::fill(Slots& slots) const {
    slots["value_type"] = value_type();
    slots["accumulator_type"] = {accumulator_type()};
    slots["map"] = map();
    slots["reduce"] = reduce();
    slots["identity"] = identity();
    slots["post_map"] = post_map();
}

std::string ReductionText::accumulator_symbol() const {
    return signature_.reduction->has_own_accumulator ? parts_.symbol() + "_accumulator" : "";
}

DType ReductionText::accumulator() const {
    return accumulator_dtype(signature_, types_);
}

bool ReductionText::has_integer_accumulator() const {
    if (signature_.reduction->has_own_accumulator) return false;
    const DTypeKind kind = kind_of(accumulator());
    return kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer;
}

std::string ReductionText::narrow_operation() const {
    if (!has_integer_accumulator()) return "0";
    // An input of another dtype may still have a map with narrow values: x > 3.
    const PlainMap& map = plain_map();
    const std::size_t widest = operation() == FoldOperation::sum ? 2 : 4;
    if (!map.terms.empty() && !map.asks_truth &&
        item_size(dtype(map.terms.front().parameter)) > widest)
        return "0";
    switch (operation()) {
        case FoldOperation::sum:
            return "kgen_adds";
        case FoldOperation::largest:
            return "kgen_takes_largest";
        case FoldOperation::least:
            return "kgen_takes_least";
        case FoldOperation::bits_or:
        case FoldOperation::logical_or:
            return "kgen_joins";
        case FoldOperation::bits_and:
        case FoldOperation::logical_and:
            return "kgen_intersects";
        case FoldOperation::bits_xor:
            return "kgen_toggles";
        case FoldOperation::other:
            break;
    }
    return "0";
}

// Whether sums are compensated. Sums of integers have no rounding error, so they never are.
bool ReductionText::is_compensated() const {
    if (signature_.reduction->accuracy != Accuracy::compensated) return false;
    if (signature_.reduction->has_own_accumulator) return true;
    const DTypeKind kind = kind_of(accumulator());
    return kind == DTypeKind::real || kind == DTypeKind::complex;
}

Slot ReductionText::value_type() const {
    if (!signature_.reduction->has_own_accumulator)
        return {fmt::format("typedef {} kgen_value;\n", text().type_of(accumulator()))};
    return {
        "using kgen_value =\n",
        {parts_.label("reduce_type"), definition_.reduction->reduce_type},
        ";\n"
        "static_assert(__is_trivially_copyable(kgen_value), \"reduce_type: an accumulator must be "
        "trivially copyable, because threads exchange its bytes\");\n"
        "static_assert(sizeof(kgen_value) <= 32768, \"reduce_type: an accumulator may have 32768 "
        "bytes\");\n"};
}

std::string ReductionText::accumulator_type() const {
    std::string type = is_compensated() ? "typedef kgen_compensated<kgen_value> kgen_accumulator;\n"
                                        : "typedef kgen_value kgen_accumulator;\n";
    if (accumulator_symbol().empty()) return type;
    return type +
           (text().is_cpp()
                ? fmt::format("extern \"C\" {{\n__attribute__((visibility(\"default\"))) extern "
                              "const unsigned long long {0};\n"
                              "const unsigned long long {0} = sizeof(kgen_accumulator);\n}}\n",
                              accumulator_symbol())
                : fmt::format("// Tells the size of an accumulator; never launched.\n"
                              "struct kgen_accumulator_bytes {{ alignas(kgen_accumulator) char "
                              "kgen_at[sizeof(kgen_accumulator)]; }};\n"
                              "extern \"C\" __global__ void {}(kgen_accumulator_bytes) {{}}\n",
                              accumulator_symbol()));
}

std::string ReductionText::indexers(const PlaceFacts& facts,
                                    std::string_view indent,
                                    std::string_view input,
                                    std::string_view output) const {
    std::string lines;
    if (facts.input_indexer)
        lines += fmt::format("{}kgen_indexer<{}, long long, {}> _in_ind({}{} * {}, {});\n",
                             indent,
                             baked().logical_rank,
                             text().shape_type(),
                             input.empty() ? "" : fmt::format("{}, ", input),
                             text().count(),
                             text().reduced_count(),
                             baked().logical_rank > 0 ? "kgen_p.kgen_shape" : "0");
    if (facts.output_indexer)
        lines += fmt::format("{}kgen_indexer<{}, long long, {}> _out_ind({}, {}, {});\n",
                             indent,
                             baked().output_rank,
                             text().shape_type(),
                             output,
                             text().count(),
                             baked().output_rank > 0 ? "kgen_p.kgen_output_shape" : "0");
    return lines;
}

std::string ReductionText::index(std::string_view name) const {
    return fmt::format("const {} {}", text().index_type(), name);
}

std::string ReductionText::declared(std::string_view name, std::string_view value) const {
    return fmt::format("        {} = {};\n", index(name), value);
}

Slot ReductionText::map() const {
    const PlaceFacts& facts = signature_.reduction->map_place;
    std::string parameters;
    const auto add = [&](const std::string& parameter) {
        parameters += (parameters.empty() ? "" : ", ") + parameter;
        return std::string();
    };
    const int drawn = text().drawn_alignment();
    if (baked().counted)
        add(drawn > 0 ? fmt::format("const kgen_drawn_index<{}>& kgen_i", drawn) : index("kgen_i"));
    if (baked().counts_reduced) add(index("kgen_J"));
    if (facts.uses_output()) add(index("kgen_o"));
    for_inputs([&](std::size_t k) { return add(text().const_type(k) + " " + text().name(k)); });
    const bool statements = signature_.reduction->map == TextForm::statements;
    std::string before = "    // The value of one element.\n";
    before += fmt::format("    const auto kgen_map = [&]({}) {}{} {{\n",
                          parameters,
                          function_head,
                          statements ? " -> kgen_value" : "");
    if (facts.index)
        before += drawn > 0 ? "        const auto& i = kgen_i;\n" : declared("i", "kgen_i");
    if (facts.reduced_index) before += declared("_J", "kgen_J");
    if (facts.output_index) before += declared("_i", "kgen_o");
    if (facts.joint_index)
        before += declared("_j", fmt::format("kgen_J * {} + kgen_o", text().count()));
    before += indexers(facts, "        ", "kgen_i", "kgen_o");
    before += statements ? "        {\n" : "        return (\n";
    return {before,
            {parts_.label("map"), definition_.operation},
            statements ? "; }\n    };\n" : ");\n    };\n"};
}

Slot ReductionText::reduce() const {
    if (is_compensated()) {
        return {
            fmt::format("    // Two sums as one, with what the addition loses.\n"
                        "    const auto kgen_reduce = [&](const kgen_accumulator& a, const "
                        "kgen_accumulator& b) {} {{\n"
                        "        return kgen_add_compensated(a, b);\n"
                        "    }};\n",
                        function_head)};
    }
    const bool statements = signature_.reduction->reduce == TextForm::statements;
    return {fmt::format("    // Two values as one.\n"
                        "    const auto kgen_reduce = [&](kgen_value a, kgen_value b) {} -> "
                        "kgen_accumulator {{\n{}",
                        function_head,
                        statements ? "        {\n" : "        return kgen_value(\n"),
            {parts_.label("reduce"), definition_.reduction->reduce},
            statements ? "; }\n    };\n" : ");\n    };\n"};
}

Slot ReductionText::identity() const {
    if (!has_identity()) return {"    const int kgen_identity = 0;  // none\n"};
    const std::string before = fmt::format(
        "    // Where a fold starts.\n"
        "    const auto kgen_identity = [&]() {} -> kgen_accumulator {{\n"
        "        return kgen_accumulator(kgen_value(",
        function_head);
    const std::string after = "));\n    };\n";
    const ReductionFacts& facts = *signature_.reduction;
    if (!facts.has_identity) return {before + implied_identity(facts, accumulator()) + after};
    return {before + "\n", {parts_.label("identity"), definition_.reduction->identity}, after};
}

Slot ReductionText::post_map() const {
    const PlaceFacts& facts = signature_.reduction->post_place;
    std::string parameters =
        baked().counts_outputs ? index("kgen_o") + ", kgen_value a" : "kgen_value a";
    for_outputs([&](std::size_t k) {
        parameters += fmt::format(", {}& {}", text().type(k), text().name(k));
        return std::string();
    });
    std::string before = "    // The outputs from a folded value.\n";
    before += fmt::format("    const auto kgen_post = [&]({}) {} {{\n", parameters, function_head);
    if (facts.index) before += declared("i", "kgen_o");
    if (facts.output_index) before += declared("_i", "kgen_o");
    before += indexers(facts, "        ", "", "kgen_o");
    before += "        do {  // the user's text, as it was written\n";
    return {before,
            {parts_.label("post_map"), definition_.reduction->post_map},
            "; } while (false);\n    };\n"};
}

std::string ReductionText::element(const PlaceText& place,
                                   const std::function<std::string(std::size_t)>& argument) const {
    std::string arguments;
    const auto add = [&](std::string_view each) {
        if (!arguments.empty()) arguments += ", ";
        arguments += each;
        return std::string();
    };
    if (baked().counted) add(place.input);
    if (baked().counts_reduced) add(place.reduced);
    if (signature_.reduction->map_place.uses_output()) add(place.output);
    for_inputs([&](std::size_t k) { return add(argument(k)); });
    return "kgen_text(" + arguments + ")";
}

std::string ReductionText::post(std::string_view output_index,
                                std::string_view value,
                                const std::function<std::string(std::size_t)>& argument) const {
    std::string arguments;
    if (baked().counts_outputs) arguments = fmt::format("{}, ", output_index);
    arguments += is_compensated() ? fmt::format("({}).kgen_total()", value) : std::string(value);
    for_outputs([&](std::size_t k) {
        arguments += ", " + argument(k);
        return std::string();
    });
    return "kgen_text(" + arguments + ")";
}

std::string ReductionText::body_parameters() const {
    std::string parameters;
    text().for_arrays([&](std::size_t k) {
        parameters += fmt::format("{}{}{} {}",
                                  parameters.empty() ? "" : ", ",
                                  text().const_type(k),
                                  text().is_written(k) ? "&" : "",
                                  text().value(k));
        return std::string();
    });
    return parameters;
}

std::string ReductionText::mapped(const std::function<std::string(std::size_t)>& argument) const {
    const std::string call = element({}, argument);
    return "kgen_map" + call.substr(call.find('('));
}

std::string ReductionText::body_of_one() const {
    const auto value = [&](std::size_t k) { return text().value(k); };
    const std::string call = post({}, "kgen_sum.kgen_at.kgen_value", value);
    return fmt::format(
        "    // Each output has one element, so that an elementwise loop runs the reduction.\n"
        "    const auto kgen_body = [&]({}) {} {{\n"
        "        kgen_fold<kgen_accumulator, {}> kgen_sum;\n"
        "{}"
        "        kgen_sum.kgen_add(kgen_accumulator(kgen_value({})), kgen_reduce);\n"
        "        kgen_post{};\n"
        "    }};\n",
        body_parameters(),
        function_head,
        has_identity(),
        has_identity() ? "        kgen_sum.kgen_at.kgen_value = kgen_identity();\n" : "",
        mapped(value),
        call.substr(call.find('(')));
}

std::string ReductionText::body_of_all() const {
    return fmt::format(
        "    // An elementwise loop reads the inputs, and its body folds them.\n"
        "    kgen_fold<kgen_accumulator, {}> kgen_sum;\n"
        "    kgen_narrow_fold<kgen_plan, decltype({}), false> kgen_narrow;\n"
        "    const auto kgen_body = [&]({}) {} {{\n"
        "        kgen_fold_value<kgen_plan>(kgen_sum, kgen_narrow, {}, kgen_reduce);\n"
        "    }};\n",
        has_identity(),
        mapped([&](std::size_t k) { return fmt::format("*({}*)0", text().const_type(k)); }),
        body_parameters(),
        function_head,
        mapped([&](std::size_t k) { return text().value(k); }));
}

std::string ReductionText::finish(std::string_view indent,
                                  std::string_view output_index,
                                  std::string_view value,
                                  const std::function<std::string(std::size_t)>& address) const {
    std::string lines = for_outputs([&](std::size_t k) {
        return fmt::format(
            "{}{} {} = {};\n", indent, text().type(k), text().value(k), text().load(k, address(k)));
    });
    const auto argument = [&](std::size_t k) { return text().value(k); };
    lines += fmt::format("{}{};\n", indent, post(output_index, value, argument));
    return lines + for_outputs([&](std::size_t k) {
               return fmt::format("{}{};\n", indent, text().store(address(k), text().value(k)));
           });
}

}  // namespace kgen
