// SPDX-License-Identifier: MIT
#include "source/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kgen {

namespace {

constexpr std::string_view inlined = "__attribute__((always_inline))";

std::string call(std::string arguments, const KernelText& text, const RowText::Argument& argument) {
    text.for_arrays([&](std::size_t k) {
        const std::string each = argument(k);
        if (!each.empty()) arguments += ", " + each;
        return std::string();
    });
    return "kgen_text(" + arguments + ")";
}

std::string with_draws(std::string_view results,
                       const std::vector<RowDraw>& draws,
                       const RowText::Drawn& drawn) {
    std::string arguments(results);
    for (const RowDraw& each : draws) arguments += ", " + drawn(each);
    return arguments;
}

}  // namespace

std::string RowText::map(std::string_view results,
                         std::string_view reduced,
                         const Argument& input,
                         const Drawn& drawn) const {
    std::string first(results);
    if (text().baked().counts_reduced) first += fmt::format(", {}", reduced);
    return call(with_draws(first, draws(), drawn), text(), [&](std::size_t k) {
        return is_input(k) ? input(k) : std::string();
    });
}

std::string RowText::body(std::string_view results,
                          const Argument& input,
                          const Drawn& drawn,
                          const Argument& output) const {
    return call(with_draws(results, draws(), drawn), text(), [&](std::size_t k) {
        return is_input(k) ? input(k) : has_elements(k) ? output(k) : std::string();
    });
}

std::string RowText::finish(std::string_view results, const Argument& output) const {
    return call(std::string(results), text(), [&](std::size_t k) {
        return is_of_row(k) ? output(k) : std::string();
    });
}

std::string RowText::draw(std::string_view index) const {
    if (draws().empty()) return {};
    const int aligned = text().drawn_alignment();
    return fmt::format("{}        const {} i({});\n{}",
                       parts_.visible_names(),
                       aligned > 0 ? fmt::format("kgen_drawn_index<{}>", aligned)
                                   : std::string(text().index_type()),
                       index,
                       rows_.draw);
}

std::string RowText::draw_parameters() const {
    std::string parameters;
    for (const RowDraw& each : draws())
        parameters += fmt::format(", const {} {}", text().type_of(each.dtype), each.name);
    return parameters;
}

std::string RowText::results() const {
    std::string members, arrays, load, store;
    for (const RowResult& each : rows_.results) {
        members += fmt::format("    {} {};\n", each.type, each.name);
        arrays += fmt::format("    {} {}[count];\n", each.type, each.name);
        load += fmt::format("        one.{0} = {0}[k];\n", each.name);
        store += fmt::format("        {0}[k] = one.{0};\n", each.name);
    }
    std::string lines = fmt::format("struct kgen_row_results {{\n{}}};\n", members);
    if (!text().is_cpp()) return lines;
    return lines + fmt::format(
                       "template <int count> struct kgen_many_results {{\n{}"
                       "    KGEN_INLINE kgen_row_results kgen_get(long long k) const {{\n"
                       "        kgen_row_results one;\n{}        return one;\n    }}\n"
                       "    KGEN_INLINE void kgen_set(long long k, const kgen_row_results& one) "
                       "{{\n{}    }}\n}};\n",
                       arrays,
                       load,
                       store);
}

std::string RowText::accumulators(const std::string& symbol) const {
    if (symbol.empty()) return {};
    std::string types;
    for (const RowPass& pass : rows_.passes) types += (types.empty() ? "" : ", ") + pass.type;
    return fmt::format(
        "// Tells the size of an accumulator; never launched.\n"
        "struct kgen_accumulator_bytes {{ alignas(16) char "
        "kgen_at[kgen_partial_size<{}>::kgen_bytes]; }};\n"
        "extern \"C\" __global__ void {}(kgen_accumulator_bytes) {{}}\n",
        types,
        symbol);
}

std::string RowText::parameters(bool inputs,
                                const std::function<bool(std::size_t)>& outputs) const {
    return (inputs ? draw_parameters() : "") + text().for_arrays([&](std::size_t k) {
        if (is_input(k))
            return inputs ? fmt::format(", {} {}", text().const_type(k), text().name(k)) : "";
        return outputs(k) ? fmt::format(", {}& {}", text().type(k), text().name(k)) : "";
    });
}

void RowText::add_pass(std::size_t k, std::string& lines) const {
    const RowPass& pass = rows_.passes[k];
    std::string no_outputs = parameters(true, [](std::size_t) { return false; });
    if (text().baked().counts_reduced)
        no_outputs = fmt::format(", const {} _J{}", text().index_type(), no_outputs);
    lines += fmt::format(
        "    const auto kgen_map_{0} = [&](const kgen_row_results& kgen_row{1}) {2} -> {3} {{\n{4}"
        "\n    }};\n"
        "    const auto kgen_reduce_{0} = [&](const {3} a, const {3} b) {2} -> {3} {{\n{5}\n    "
        "}};\n",
        k,
        no_outputs,
        inlined,
        pass.type,
        pass.map,
        pass.reduce);
    if (pass.identity.empty()) {
        lines += fmt::format("    const int kgen_identity_{} = 0;  // none\n", k);
    } else {
        lines += fmt::format("    const auto kgen_identity_{} = [&]() {} -> {} {{\n{}\n    }};\n",
                             k,
                             inlined,
                             pass.type,
                             pass.identity);
    }
    lines += fmt::format(
        "    const auto kgen_post_{0} = [&](kgen_row_results& kgen_row, const {1} a) {2} {{\n{3}\n"
        "    }};\n"
        "    const auto kgen_pass_{0} = kgen_make_pass<{1}, {4}>(kgen_map_{0}, kgen_reduce_{0}, "
        "kgen_identity_{0}, kgen_post_{0});\n",
        k,
        pass.type,
        inlined,
        pass.post_map,
        !pass.identity.empty());
}

void RowText::fill(Slots& slots) const {
    std::string passes, list;
    const bool counts =
        std::any_of(rows_.passes.begin(), rows_.passes.end(), [](const RowPass& pass) {
            return pass.post_map.find("kgen_row_count") != std::string::npos;
        });
    if (counts) passes = "    const long long kgen_row_count = kgen_p.kgen_reduced;\n";
    for (std::size_t k = 0; k < rows_.passes.size(); ++k) {
        add_pass(k, passes);
        list += fmt::format(", kgen_pass_{}", k);
    }
    slots["results"] = {results()};
    slots["passes"] = {passes};
    slots["pass_list"] = {list};
    const auto function = [&](std::string_view name, const std::string& parameters) {
        return fmt::format("    const auto {} = [&](const kgen_row_results& kgen_row{}) {} {{\n",
                           name,
                           parameters,
                           inlined);
    };
    slots["body"] = {
        function("kgen_body", parameters(true, [&](std::size_t k) { return has_elements(k); })),
        {parts_.label("operation"), definition_.operation},
        "    };\n"};
    slots["finish"] = {
        function("kgen_finish", parameters(false, [&](std::size_t k) { return is_of_row(k); })),
        {parts_.label("finish"), rows_.finish},
        "    };\n"};
}

}  // namespace kgen
