// SPDX-License-Identifier: MIT
// kgen prelude: the functions of libm that libmvec has for vectors too, so that g++ vectorises loops around
// them. clang++ has an option for it. Largest errors: see the README, "Devices".
#if defined(KGEN_VECTOR_MATH) && !defined(__clang__)
#define KGEN_VECTOR1(name) \
    extern "C" __attribute__((simd("notinbranch"))) double name(double); \
    extern "C" __attribute__((simd("notinbranch"))) float name##f(float);
KGEN_VECTOR1(cos) KGEN_VECTOR1(exp) KGEN_VECTOR1(log) KGEN_VECTOR1(sin)
extern "C" __attribute__((simd("notinbranch"))) double pow(double, double);
extern "C" __attribute__((simd("notinbranch"))) float powf(float, float);
#endif
