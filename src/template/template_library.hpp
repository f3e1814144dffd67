// SPDX-License-Identifier: MIT
//
// Finds templates by name: first in the files of KGEN_TEMPLATE_PATH, then in the built-in library.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "template/template_definition.hpp"
#include "template/user_templates.hpp"

namespace kgen {

// Prefix of the origin of built-in templates: "<kgen>/arithmetic.json".
inline constexpr std::string_view library_origin = "<kgen>/";

// Returns the built-in templates, sorted by name. They are parsed once.
const std::vector<TemplateDefinition>& library_templates();

// Returns summaries of the templates that known_templates() would return, in the same order. Takes half the time.
std::vector<TemplateSummary> known_summaries();

// Reads the templates of a file, or of the *.json files of a directory in the order of their names (without
// subdirectories). Throws like read_template_file, and SignatureError if two templates have the same name.
std::vector<TemplateDefinition> read_template_path(const std::string& path);

// Returns the paths of the *.json files of a directory, sorted. Throws IoError.
std::vector<std::string> template_files(const std::string& directory);

// Returns the user's templates in the order of KGEN_TEMPLATE_PATH (files and directories, separated by ':'),
// then those embedded in the program, then the built-in ones. If several have the same name, only the first is returned. Throws like
// user_templates().
std::vector<TemplateDefinition> known_templates();

// Returns the first template of this name or alias. Throws like user_templates(), and like fail_unknown_template if
// there is none.
TemplateDefinition find_template(std::string_view name);

// Returns the built-in template of this name or alias. Parses its text on each call.
std::optional<TemplateDefinition> find_library_template(std::string_view name);

// Throws SignatureError, whose message suggests the nearest name. `user` may be nullptr.
[[noreturn]] void fail_unknown_template(std::string_view name, const UserTemplates* user);

}  // namespace kgen
