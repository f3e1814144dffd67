// SPDX-License-Identifier: MIT
// Declares functions of the stand-in headers. Every execution space can call them, whichever space the compiler
// assumes for functions without one.
#pragma once
#define KGEN_FUNCTION __host__ __device__ constexpr
