// SPDX-License-Identifier: MIT
//
// <kgen/math.hpp> is written from the template library. After a change of the library run this test with
// KGEN_UPDATE_GOLDEN=1.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <kgen/kernel_template.hpp>
#include <string>
#include <vector>

#include "call/template_access.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

namespace {

using kgen::KernelTemplate;

constexpr const char* head = R"(// SPDX-License-Identifier: MIT
//
// The functions of the template library as functions of arrays and expressions. Each returns an Expression; at
// least one operand is an array or an expression, the others may be numbers. The names and the results are NumPy's;
// kernel_templates/library/README.md lists the differences. Reductions take axis(...) and keepdims, and reduce all
// axes without them.
//
// Written from the library by tests/tree/math_header_test.cpp.
#pragma once

#include <cstdint>
#include <kgen/expression.hpp>
#include <kgen/indexing.hpp>
#include <utility>

namespace kgen {

namespace detail {

// clang-format off
// The templates of the library by name: each(name).
#define KGEN_FUNCTIONS(each) \
)";

constexpr const char* after_names = R"(
#define KGEN_ENUMERATOR(name) name,
enum class Function : std::uint16_t { KGEN_FUNCTIONS(KGEN_ENUMERATOR) };
#undef KGEN_ENUMERATOR

}  // namespace detail

)";

std::vector<KernelTemplate> library() {
    std::vector<KernelTemplate> list;
    for (const kgen::TemplateInfo& each : kgen::kernel_templates()) {
        if (each.built_in) list.push_back(kgen::kernel_template(each.name));
    }
    return list;
}

// Returns the declaration's parameters ("X&& x, Y&& low"), template parameters and arguments for each operand.
struct Operands {
    std::string types, names, parameters, arguments;
};
Operands operands_of(const KernelTemplate& each, const char* concept_name) {
    Operands made;
    const std::vector<std::string> names = each.parameter_names();
    for (int k = 0; k < each.input_count(); ++k) {
        const char letter = "XYZWVU"[k];
        const char* comma = k > 0 ? ", " : "";
        made.types += fmt::format("{}{} {}", comma, concept_name, letter);
        made.names += fmt::format("{}{}", comma, letter);
        made.parameters +=
            fmt::format("{}{}&& {}", comma, letter, names[static_cast<std::size_t>(k)]);
        made.arguments +=
            fmt::format(", std::forward<{}>({})", letter, names[static_cast<std::size_t>(k)]);
    }
    return made;
}

std::string sentence(std::string text) {
    if (text.size() > 1 && text[1] >= 'a' && text[1] <= 'z')
        text[0] = static_cast<char>(std::toupper(text[0]));
    return text + ".";
}

std::string function(const KernelTemplate& each, const std::string& name) {
    const bool is_reduction = each.kind() == KernelTemplate::Kind::reduction;
    const char* concept_name = each.input_count() == 1 ? "ArrayOperand" : "ValueOperand";
    const Operands x = operands_of(each, name == "all" ? "typename" : concept_name);
    std::string text = fmt::format("// {}\n", sentence(each.description()));
    if (is_reduction) {
        text += fmt::format(
            "template <{}, {}... M>\n", x.types, name == "all" ? "typename" : "ReductionMarker");
        if (each.input_count() > 1) text += fmt::format("requires Operands<{}>\n", x.names);
        text += name == "all" ? "Expression AllObject::operator()("
                              : fmt::format("[[nodiscard]] Expression {}(", name);
        return text + fmt::format(
                          "{}, M&&... markers){} {{\n"
                          "    return detail::reduce(detail::Function::{}, "
                          "(detail::ReductionAxes() << ... << markers){});\n}}\n",
                          x.parameters,
                          name == "all" ? " const" : "",
                          each.name(),
                          x.arguments);
    }
    text += fmt::format("template <{}>\n", x.types);
    if (each.input_count() > 1) text += fmt::format("requires Operands<{}>\n", x.names);
    return text + fmt::format(
                      "[[nodiscard]] Expression {}({}) {{\n    return "
                      "detail::apply(detail::Function::{}{});\n}}\n",
                      name,
                      x.parameters,
                      each.name(),
                      x.arguments);
}

// Returns the definitions of a reduction that Array and Expression have as a member.
std::string member(const char* name) {
    return fmt::format(
        "template <typename... Markers>\n"
        "Expression Array::{0}(const Markers&... markers) const {{\n"
        "    return detail::reduce(detail::Function::{0}, (detail::ReductionAxes() << ... << "
        "markers), *this);\n}}\n"
        "template <typename... Markers>\n"
        "Expression Expression::{0}(const Markers&... markers) && {{\n"
        "    return detail::reduce(detail::Function::{0}, (detail::ReductionAxes() << ... << "
        "markers), std::move(*this));\n}}\n",
        name);
}

std::string math_header() {
    std::string text = head;
    std::string functions;
    for (const KernelTemplate& each : library()) {
        text += fmt::format("    each({}) \\\n", each.name());
        // The dtype of `cast` comes from its output, so astype() is its function. Generator has those of random numbers.
        const bool draws =
            kgen::TemplateAccess::definition(each).overloads[0].signature.facts.draws;
        if (each.output_count() != 1 || each.name() == "cast" || draws) continue;
        // `std` is a namespace, and a function of that name would hide it.
        functions += function(each, each.name() == "std" ? "stddev" : each.name());
        for (const std::string& alias : kgen::TemplateAccess::definition(each).aliases)
            functions += function(each, alias);
        // NumPy's functions of these names take the decimals as a second operand.
        if (each.name() == "round_to")
            functions += function(each, "round") + function(each, "around");
    }
    for (const char* name :
         {"sum", "prod", "min", "max", "mean", "var", "std", "argmin", "argmax", "any", "all"})
        functions += member(name);
    text.resize(text.size() - 3);
    return text + "\n" + after_names + functions + "// clang-format on\n\n}  // namespace kgen\n";
}

}  // namespace

TEST_CASE("the header of functions is what the library says", "[tree]") {
    const std::string path = std::string(KGEN_SOURCE_DIR) + "/include/kgen/math.hpp";
    const std::string made = math_header();
    if (std::getenv("KGEN_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << made;
    std::ifstream stream(path);
    const std::string found{std::istreambuf_iterator<char>(stream), {}};
    CHECK(made == found);
}
