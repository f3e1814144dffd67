// SPDX-License-Identifier: MIT
//
// The dtype that two others have in common.
#pragma once

#include <kgen/dtype.hpp>
#include <kgen/export.hpp>

namespace kgen {

// The smallest dtype that holds the numbers of both, as numpy.promote_types: int16 and float32 make
// float32, int32 and float32 float64, uint64 and int8 float64. bfloat16 takes the place of float16 beside
// integers of 8 bits; the two together make float32.
KGEN_EXPORT DType promote_types(DType a, DType b) noexcept;

}  // namespace kgen
