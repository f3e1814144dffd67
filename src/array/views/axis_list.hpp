// SPDX-License-Identifier: MIT
//
// Axes that a caller names, made non-negative.
#pragma once

#include <cstdint>
#include <kgen/dims.hpp>
#include <string_view>

namespace kgen {

// Throws ShapeError if an array of that shape has no such axis. `operation` is what was asked for.
int find_axis(std::int64_t axis, const Dims& shape, std::string_view operation);

// The same for each of a list, in which none may be named twice.
Dims find_axes(const Dims& axes, const Dims& shape, std::string_view operation);

// The same with the axes of a result of which only the rank is known.
Dims find_new_axes(const Dims& axes, int rank, std::string_view operation);

}  // namespace kgen
