// SPDX-License-Identifier: MIT
//
// Where templates are found by name: in what KGEN_TEMPLATE_PATH names, then in the built-in library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

// The origin of built-in templates begins with it: "<kgen>/arithmetic.json".
inline constexpr std::string_view library_origin = "<kgen>/";

// The built-in templates by name; read once.
const std::vector<TemplateDefinition>& library_templates();

// The templates of a file, or of the files *.json of a directory (not of those below it), by the
// files' names. Throws as read_template_file does, and SignatureError where two have one name.
std::vector<TemplateDefinition> read_template_path(const std::string& path);

// The user's templates in the order of KGEN_TEMPLATE_PATH (files and directories, separated by ':'), then
// the built-in ones; only the first of each name. The environment and the files are read each time. Throws
// IoError for what others may have written there (see distrust_path), unless KGEN_CACHE_TRUST is any.
std::vector<TemplateDefinition> known_templates();

// The first template of this name. Throws SignatureError, with the nearest name, where there is none.
TemplateDefinition find_template(std::string_view name);

}  // namespace kgen
