// SPDX-License-Identifier: MIT
//
// Reads files of kernel templates: JSON, as kernel_templates/README.md describes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

inline constexpr std::size_t longest_template_file = 1 << 20;  // bytes

// The templates of a text, in its order. `file` is what messages call it. Throws SignatureError with
// one line "file:line:column: what is wrong" for anything but a text that follows the format, and for
// templates whose strings do not read (parse_signature), then with its excerpt on further lines.
std::vector<TemplateDefinition> read_templates(std::string_view text, std::string_view file);

// The same of a file. What is no regular file, or longer than longest_template_file, is refused at 1:1
// without waiting for it or reading it. Throws IoError where it is missing or cannot be read.
std::vector<TemplateDefinition> read_template_file(const std::string& path);

// The template of that name alone; the others are not looked at. For texts that were read before.
std::optional<TemplateDefinition> read_template(std::string_view text,
                                                std::string_view file,
                                                std::string_view name);

}  // namespace kgen
