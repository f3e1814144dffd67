// SPDX-License-Identifier: MIT
// kgen prelude: names that a C++ program expects and NVRTC lacks.
#define KGEN_INLINE __device__ __forceinline__
#ifndef KGEN_OWN_PROGRAM  // the user's own programs include what they need
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define FLT_EPSILON 1.19209290e-07f
#define FLT_MAX_EXP 128
#define FLT_MANT_DIG 24
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MAX_EXP 1024
#define DBL_MANT_DIG 53
#endif

KGEN_INLINE unsigned kgen_float_bits(float x) { return __float_as_uint(x); }
KGEN_INLINE float kgen_bits_float(unsigned x) { return __uint_as_float(x); }

template <bool, class T = void> struct kgen_if {};
template <class T> struct kgen_if<true, T> { typedef T type; };
// The kind of a type: 1 is an integer, 2 floating point, 3 float16 or bfloat16, 0 any other type.
template <class T> struct kgen_kind { enum { value = 0 }; };
#define KGEN_KIND(T, k) template <> struct kgen_kind<T> { enum { value = k }; };
KGEN_KIND(bool, 1) KGEN_KIND(char, 1) KGEN_KIND(signed char, 1) KGEN_KIND(unsigned char, 1)
KGEN_KIND(short, 1) KGEN_KIND(unsigned short, 1) KGEN_KIND(int, 1) KGEN_KIND(unsigned, 1)
KGEN_KIND(long, 1) KGEN_KIND(unsigned long, 1) KGEN_KIND(long long, 1) KGEN_KIND(unsigned long long, 1)
KGEN_KIND(float, 2) KGEN_KIND(double, 2)
// Converts x to a float, with its last bit set if the conversion is inexact. Rounding the result to fewer bits equals
// rounding x.
KGEN_INLINE float kgen_round_to_odd(double x) {
    float y = __double2float_rz(x);
    return (double)y == x ? y : kgen_bits_float(kgen_float_bits(y) | 1u);
}
KGEN_INLINE double kgen_nudge_to_odd(double sum, double error) {
    long long bits = __double_as_longlong(sum);
    if (error != 0 && error == error && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1;
    return __longlong_as_double(bits);
}
