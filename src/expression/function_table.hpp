// SPDX-License-Identifier: MIT
//
// The functions of expressions by number: the templates of the library, which detail::Function names, then
// templates that call() found by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "template/template_definition.hpp"

namespace kgen {

// Returns the template of a function's number. The reference stays valid.
const TemplateDefinition& function_definition(std::uint16_t function);

// Returns the number of a template. `owner` keeps it alive; the table keeps the owner.
std::uint16_t function_number(const TemplateDefinition& definition,
                              std::shared_ptr<const void> owner);

}  // namespace kgen
