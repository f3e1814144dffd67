// SPDX-License-Identifier: MIT
//
// NumPy's broadcasting: the shape that a loop runs over, and how each array walks it.
#pragma once

#include <kgen/dims.hpp>
#include <optional>
#include <span>

namespace kgen {

// The common shape of all; nothing if two of them do not broadcast.
std::optional<Dims> broadcast_shapes(std::span<const Dims> shapes);

// The strides by which an array of `shape` and `strides` walks the loop's shape: 0 along axes that
// it lacks or that are stretched. `shape` broadcasts to `loop`.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& loop);

}  // namespace kgen
