// SPDX-License-Identifier: MIT
//
// Finds templates by name: first in the files of KGEN_TEMPLATE_PATH, then in the built-in library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

// Prefix of the origin of built-in templates: "<kgen>/arithmetic.json".
inline constexpr std::string_view library_origin = "<kgen>/";

// Returns the built-in templates, sorted by name. They are parsed once.
const std::vector<TemplateDefinition>& library_templates();

// Reads the templates of a file, or of the *.json files of a directory in the order of their names (without
// subdirectories). Throws like read_template_file, and SignatureError if two templates have the same name.
std::vector<TemplateDefinition> read_template_path(const std::string& path);

// Returns the user's templates in the order of KGEN_TEMPLATE_PATH (files and directories, separated by ':'),
// then the built-in ones. If several have the same name, only the first is returned. Reads the environment
// and the files on each call. Throws IoError if another user may have written one of the files or
// directories (see distrust_path), unless KGEN_CACHE_TRUST is "any".
std::vector<TemplateDefinition> known_templates();

// Returns the first template of this name. If there is none, throws SignatureError, whose message suggests
// the nearest name.
TemplateDefinition find_template(std::string_view name);

}  // namespace kgen
