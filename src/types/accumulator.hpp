// SPDX-License-Identifier: MIT
//
// The accumulator of a reduction: its default type and its size.
#pragma once

#include <cstddef>
#include <string>

#include "types/type_binding.hpp"

namespace kgen {

// Returns the accumulator's dtype for an output dtype if the user names none: float32 for float16 and
// bfloat16, int64 for int8 to int32, uint64 for bool and uint8 to uint32, else the output's dtype.
DType default_accumulator(DType output) noexcept;

// Returns the accumulator's dtype in a call. Requires that the user defines no type of his own.
DType accumulator_dtype(const Signature& signature, const TypeBinding& types);

// Returns the size of one accumulator in bytes. Returns 0 if the user defines its type, because then only the
// compiler knows the size (see LoadedKernel::accumulator_bytes).
std::size_t accumulator_bytes(const Signature& signature, const TypeBinding& types);

// Returns the text of a value at which the fold of one or more elements may start, although the definition names no identity: the
// fold of it and any value is that value. Empty if none is known.
std::string implied_identity(const ReductionFacts& facts, DType accumulator);

// Whether a fold starts at an identity, the definition's or an implied one, so that each accumulator has a value.
bool has_identity(const Signature& signature, const TypeBinding& types);

}  // namespace kgen
