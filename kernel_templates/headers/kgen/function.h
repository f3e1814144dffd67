// SPDX-License-Identifier: MIT
// kgen's stand-ins: how their functions are declared. Callable from code of every execution space, whatever
// the compiler takes for the space of a function without one.
#pragma once
#define KGEN_FUNCTION __host__ __device__ constexpr
