// SPDX-License-Identifier: MIT
//
// Functions for whole vectors: sin, cos, tan and pow of glibc's libmvec, and kgen's own (own_functions_host.cuh). Results
// are within 4 units in the last place and correct for every special value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/compile/host_toolchain.hpp"

namespace kgen {

// If these macros are defined, a source declares libmvec's functions (vector_math_host.cuh), and tan
// (vector_tan_host.cuh).
inline constexpr std::string_view vector_math_macro = "KGEN_VECTOR_MATH";
inline constexpr std::string_view vector_tan_macro = "KGEN_VECTOR_TAN";
// Defined by a source whose loops have fewer elements than the widest vectors.
inline constexpr std::string_view short_vectors_macro = "KGEN_SHORT_VECTORS";

// What there is of libmvec: nothing, glibc 2.22 to 2.34, or a newer one.
enum class VectorMath : std::uint8_t { none, without_tan, with_tan };

// Looks for libmvec and makes its symbols global, so that kernels can be loaded against them. Finds nothing except on
// x86-64, where each libmvec has its functions for every width.
VectorMath find_vector_math();

// Returns the options that a source with functions for vectors takes: "-DKGEN_VECTOR_MATH" and "-DKGEN_VECTOR_TAN" if it
// uses what libmvec has, and on x86-64 one that makes loops use AVX-512's widest vectors, because such loops compute
// more than they wait for memory. A source without such functions whose loops are short takes an option for vectors of 16
// bytes. Empty for other sources.
std::vector<std::string> vector_math_options(std::string_view source);

// Returns whether the compiler also needs -fveclib, as clang++ 12 to 22 do. g++ reads the declarations instead.
// From 19 on clang++ also calls tan, and from 23 on functions for which the prelude does not define one width.
bool takes_veclib(const HostToolchain& toolchain, VectorMath found);

}  // namespace kgen
