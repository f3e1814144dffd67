// SPDX-License-Identifier: MIT
//
// The accumulator of a reduction: its type where the user names none, and its size.
#pragma once

#include <cstddef>

#include "types/type_binding.hpp"

namespace kgen {

// What a reduction to this dtype folds in: float32 for float16 and bfloat16, int64 for int8 to
// int32, uint64 for bool and uint8 to uint32, else the dtype itself.
DType default_accumulator(DType output) noexcept;

// Bytes of one accumulator of the reduction; 0 where its type is the user's own, so that only its
// compiler knows (see LoadedKernel::accumulator_bytes).
std::size_t accumulator_bytes(const Signature& signature, const TypeBinding& types);

}  // namespace kgen
