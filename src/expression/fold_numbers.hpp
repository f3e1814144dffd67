// SPDX-License-Identifier: MIT
//
// Arithmetic of two numbers in the text of an expression.
#pragma once

#include <kgen/scalar.hpp>
#include <optional>
#include <string_view>

namespace kgen {

// Returns a + b, or what "subtract", "multiply", "divide" and "power" give, with Python's types: integers stay integers
// but for divide and negative powers. Returns nothing for another function, and if an integer does not fit int64.
std::optional<Scalar> fold_numbers(std::string_view function, const Scalar& a, const Scalar& b);

}  // namespace kgen
