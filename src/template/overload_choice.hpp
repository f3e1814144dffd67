// SPDX-License-Identifier: MIT
//
// Decides which overload of a template a call uses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "signature/signature.hpp"
#include "template/template_definition.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Whether resolve_types would accept the arguments (one for each parameter) and bind the placeholders to
// dtypes that `where` allows. Allocates nothing.
bool fits(const Signature& signature,
          std::span<const PlaceholderTypes> where,
          std::span<const ArgumentType> arguments) noexcept;

// Returns the overload for a message: "T x -> T y with T = float32 | float64".
std::string describe_form(const Signature& signature, std::span<const PlaceholderTypes> where);

// Returns the types of the given arguments for a message: "float32, number int64".
std::string describe_given(std::span<const ArgumentType> arguments);

}  // namespace kgen
