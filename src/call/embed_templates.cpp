// SPDX-License-Identifier: MIT
//
// embed_templates: C++ text that makes templates part of a program.
#include <kgen/embedded_templates.hpp>
#include <kgen/kernel_template.hpp>
#include <span>
#include <string>
#include <string_view>

#include "text/cpp_literal.hpp"
#include "text/rethrow.hpp"

namespace kgen {

std::string embed_templates(std::span<const KernelTemplate> templates, std::string_view name) try {
    if (templates.empty()) return {};
    std::string json = "{\"templates\": [";
    for (const KernelTemplate& each : templates) {
        if (json.back() != '[') json += ",";
        json += "\n" + each.json();
    }
    json += "]}\n";
    std::string text =
        "\n#include <kgen/embedded_templates.hpp>\n\n"
        "namespace {\n\n"
        "constexpr char kgen_templates_text[] =";
    append_literals(text, std::as_bytes(std::span(json)));
    text += ";\n\nconst kgen::EmbeddedTemplates kgen_templates(\n    ";
    append_literal(text, std::as_bytes(std::span(name)));
    text += ",\n    {kgen_templates_text, sizeof kgen_templates_text - 1});\n\n}  // namespace\n";
    return text;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
