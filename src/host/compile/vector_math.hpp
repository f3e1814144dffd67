// SPDX-License-Identifier: MIT
//
// glibc's libmvec: exp, log, sin, cos and pow of whole vectors, within 4 units in the last place and
// right for every special value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/compile/host_toolchain.hpp"

namespace kgen {

// Under this macro a source declares libmvec's functions (vector_math_host.cuh).
inline constexpr std::string_view vector_math_macro = "KGEN_VECTOR_MATH";

// Whether libmvec is there; its symbols are then global, for kernels to be loaded against. Only on
// x86-64, where each libmvec (glibc 2.22 and newer) has all ten functions for every width.
bool has_vector_math();

// The options that a compile of `source` gets for it: "-DKGEN_VECTOR_MATH", or none.
std::vector<std::string> vector_math_options(std::string_view source);

// What clang++ (12 and newer) needs beside that; g++ reads the declarations.
bool takes_veclib(const HostToolchain& toolchain);

}  // namespace kgen
