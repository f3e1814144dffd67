// SPDX-License-Identifier: MIT
//
// The functions of <kgen/row_functions.hpp> by their names.
#pragma once

#include <kgen/row_functions.hpp>
#include <optional>
#include <span>
#include <string_view>

namespace kgen {

// Returns the default of a function's epsilon, 0 for a function that has none, or nothing if there is no function of
// rows of this name.
std::optional<double> find_row_function(std::string_view name) noexcept;

// Calls the function with x and, if it is given, epsilon. Without axes, rows run along the last one.
Expression call_row_function(std::string_view name,
                             std::span<const detail::OperandView> operands,
                             const detail::ReductionAxes& axes,
                             double default_epsilon);

}  // namespace kgen
