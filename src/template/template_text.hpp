// SPDX-License-Identifier: MIT
//
// Writes a template in the format of the files.
#pragma once

#include <string>

#include "template/template_definition.hpp"

namespace kgen {

// One JSON object with every field of every form, groups of dtypes spelled out. Reading it again gives the
// same templates, and the same types.
std::string to_json(const TemplateDefinition& definition);

}  // namespace kgen
