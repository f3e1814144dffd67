// SPDX-License-Identifier: MIT
//
// Functions for whole vectors: sin, cos, tan and pow of glibc's libmvec, and kgen's own (own_functions_host.cuh). Results
// are within 4 units in the last place and correct for every special value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/compile/host_toolchain.hpp"

namespace kgen {

// If this macro is defined, a source declares libmvec's functions (vector_math_host.cuh). If it is 2, tan too.
inline constexpr std::string_view vector_math_macro = "KGEN_VECTOR_MATH";

// Returns 0 if libmvec is not available, 1 for glibc 2.22 to 2.34, and 2 for newer versions, which have tan. Makes its
// symbols global so that kernels can be loaded against them. 0 except on x86-64, where each libmvec has its functions
// for every width.
int vector_math_version();

// Returns the options that a source with functions for vectors takes: "-DKGEN_VECTOR_MATH=2" if it uses libmvec and that
// is available, and on x86-64 one that makes loops use AVX-512's widest vectors, because such loops compute more than
// they wait for memory. Empty for other sources.
std::vector<std::string> vector_math_options(std::string_view source);

// Returns whether the compiler also needs -fveclib, as clang++ 12 and newer do. g++ reads the declarations
// instead.
bool takes_veclib(const HostToolchain& toolchain);

}  // namespace kgen
