// SPDX-License-Identifier: MIT
//
// Which form of a template a call takes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "signature/signature.hpp"
#include "template/template_definition.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// Whether resolve_types would accept the arguments (one a parameter), and the placeholders then have
// dtypes that `where` allows. Allocates nothing.
bool fits(const Signature& signature,
          std::span<const PlaceholderTypes> where,
          std::span<const ArgumentType> arguments) noexcept;

// "T x -> T y with T = float32 | float64".
std::string describe_form(const Signature& signature, std::span<const PlaceholderTypes> where);

// "float32, number int64": what was given.
std::string describe_given(std::span<const ArgumentType> arguments);

}  // namespace kgen
