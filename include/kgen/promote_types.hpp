// SPDX-License-Identifier: MIT
//
// promote_types: the common dtype of two dtypes.
#pragma once

#include <kgen/dtype.hpp>
#include <kgen/export.hpp>

namespace kgen {

// Returns the dtype of numpy.promote_types, the smallest that holds the values of both: float32 for int16 and
// float32, float64 for int32 and float32, float64 for uint64 and int8. For bfloat16, which NumPy does not
// have: bfloat16 with bool or an 8-bit integer, float32 with float16, and otherwise as for float16.
KGEN_EXPORT DType promote_types(DType a, DType b) noexcept;

}  // namespace kgen
