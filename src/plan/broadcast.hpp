// SPDX-License-Identifier: MIT
//
// NumPy's broadcasting: finds the shape over which a loop runs, and the strides of each array over it.
#pragma once

#include <kgen/dims.hpp>
#include <span>

namespace kgen {

// Makes `common` the common shape of itself and `shape`. Returns false, and leaves it, if they do not broadcast.
bool broadcast_to_both(Dims& common, const Dims& shape);

// Return the strides of an array along the axes of `loop`: 0 along axes that it lacks or that are stretched.
// `shape` must broadcast to `loop`. The second function stores them in `walked`, which has a place for each axis.
Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& loop);
void broadcast_strides(const Dims& shape,
                       const Dims& strides,
                       const Dims& loop,
                       std::span<std::int64_t> walked) noexcept;

}  // namespace kgen
