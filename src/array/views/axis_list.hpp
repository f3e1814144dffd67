// SPDX-License-Identifier: MIT
//
// Checks axes that a caller names and makes them non-negative.
#pragma once

#include <cstdint>
#include <kgen/dims.hpp>
#include <string_view>

namespace kgen {

// Throws ShapeError if an array of that shape has no such axis. `operation` names the operation in messages.
int find_axis(std::int64_t axis, const Dims& shape, std::string_view operation);

// Checks each axis of a list like find_axis. Throws ShapeError also if an axis appears twice.
Dims find_axes(const Dims& axes, const Dims& shape, std::string_view operation);

// Checks the axes of a result like find_axes. The result has `rank` axes; its shape is not known yet.
Dims find_new_axes(const Dims& axes, int rank, std::string_view operation);

}  // namespace kgen
