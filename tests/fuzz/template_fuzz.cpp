// SPDX-License-Identifier: MIT
//
// Calls read_templates with any bytes. It returns templates or throws SignatureError. The
// message is safe to print, except for the file name that the user gave. Each template must be
// unchanged after it is written as JSON and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <kgen/error.hpp>
#include <kgen/terminal_text.hpp>
#include <string>
#include <vector>

#include "template/template_reader.hpp"
#include "template/template_text.hpp"

using namespace kgen;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::vector<TemplateDefinition> templates;
    try {
        templates = read_templates(text, "f.json");
    } catch (const SignatureError& error) {
        const std::string message = error.what();
        if (terminal_text(message, LineBreaks::kept) != message) std::abort();
        return 0;
    }
    for (const TemplateDefinition& made : templates) {
        const std::string json = to_json(made);
        const std::vector<TemplateDefinition> again = read_templates(json, "again.json");
        if (again.size() != 1 || to_json(again.front()) != json) std::abort();
        if (!read_template(text, "f.json", made.name)) std::abort();
    }
    return 0;
}
