// SPDX-License-Identifier: MIT
// kgen prelude: tan, which libmvec has from glibc 2.35 on; see vector_math_host.cuh.
#if defined(KGEN_VECTOR_MATH) && defined(KGEN_VECTOR_TAN)
#ifndef __clang__
KGEN_VECTOR1(tan)
#endif
KGEN_FUNCTION("tan")
#endif
