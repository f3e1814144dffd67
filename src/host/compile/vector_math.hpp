// SPDX-License-Identifier: MIT
//
// glibc's libmvec: exp, log, sin, cos and pow for whole vectors. Results are within 4 units in the last place
// and correct for every special value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/compile/host_toolchain.hpp"

namespace kgen {

// If this macro is defined, a source declares libmvec's functions (vector_math_host.cuh).
inline constexpr std::string_view vector_math_macro = "KGEN_VECTOR_MATH";

// Returns whether libmvec is available, and makes its symbols global so that kernels can be loaded against
// them. False except on x86-64, where each libmvec (glibc 2.22 and newer) has all ten functions for every
// width.
bool has_vector_math();

// Returns the option that enables libmvec in `source`: "-DKGEN_VECTOR_MATH". Empty if the source does not use
// libmvec or it is not available.
std::vector<std::string> vector_math_options(std::string_view source);

// Returns whether the compiler also needs -fveclib, as clang++ 12 and newer do. g++ reads the declarations
// instead.
bool takes_veclib(const HostToolchain& toolchain);

}  // namespace kgen
