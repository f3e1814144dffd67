// SPDX-License-Identifier: MIT
//
// Writes a template in the format of template files.
#pragma once

#include <string>

#include "template/template_definition.hpp"

namespace kgen {

// Returns one JSON object with the fields of every overload; groups of dtypes are written as single dtypes.
// Reading it again gives the same template with the same types.
std::string to_json(const TemplateDefinition& definition);

}  // namespace kgen
