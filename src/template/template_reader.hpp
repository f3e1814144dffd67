// SPDX-License-Identifier: MIT
//
// Reads template files: JSON in the format that kernel_templates/README.md describes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

inline constexpr std::size_t longest_template_file = 1 << 20;  // bytes

// Reads the templates of a text, in its order. `file` is its name in messages. Throws SignatureError if the
// text does not follow the format, with one line "file:line:column: what is wrong". If parse_signature
// rejects a template's strings, its excerpt follows on further lines.
std::vector<TemplateDefinition> read_templates(std::string_view text, std::string_view file);

// Reads the templates of a file. Throws SignatureError at position 1:1, without blocking, if the path is not
// a regular file or the file is longer than longest_template_file. Throws IoError if the file is missing or
// cannot be read.
std::vector<TemplateDefinition> read_template_file(const std::string& path);

// Reads only the template of that name or alias, or nothing if there is none. The other templates are not checked, so
// use it for texts that are known to be valid.
std::optional<TemplateDefinition> read_template(std::string_view text,
                                                std::string_view file,
                                                std::string_view name);

// Reads only what a list shows of each template, ten times as fast as read_templates. The text must be valid and
// have the form {"templates": [...]}, as the built-in ones have.
std::vector<TemplateSummary> read_summaries(std::string_view text, std::string_view file);

}  // namespace kgen
