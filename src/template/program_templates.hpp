// SPDX-License-Identifier: MIT
//
// The templates that are embedded in the program (EmbeddedTemplates).
#pragma once

#include <string_view>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

// Prefix of the origin of embedded templates: "<program>/NAME".
inline constexpr std::string_view program_origin = "<program>/";

// Returns the embedded templates in the order in which they were registered, the first of each name. They are
// parsed once and never destroyed. Throws like read_templates. Thread-safe; costs one load if there are none.
const std::vector<TemplateDefinition>& embedded_templates();

}  // namespace kgen
