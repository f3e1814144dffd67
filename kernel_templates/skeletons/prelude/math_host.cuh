// SPDX-License-Identifier: MIT
// kgen prelude: CUDA's math functions on the host, with CUDA's overloads. The other C functions come from libm.
#define KGEN_LIBM1(name) \
    extern "C" double name(double); \
    extern "C" float name##f(float); \
    KGEN_INLINE float name(float x) { return name##f(x); }
#define KGEN_LIBM2(name) \
    extern "C" double name(double, double); \
    extern "C" float name##f(float, float); \
    KGEN_INLINE float name(float x, float y) { return name##f(x, y); }
#define KGEN_LIBM(R, name, A) \
    extern "C" R name(double, A); \
    extern "C" R name##f(float, A);
// The functions that own_functions_host.cuh has in float, and those that it has in double too. Without it, they come from libm.
#ifdef KGEN_OWN_FUNCTIONS
#define KGEN_OWN_FLOAT1(name) \
    extern "C" double name(double); \
    KGEN_INLINE float name(float x) { return name##f(x); }
#define KGEN_OWN_FLOAT2(name) \
    extern "C" double name(double, double); \
    KGEN_INLINE float name(float x, float y) { return name##f(x, y); }
#define KGEN_OWN1(name) \
    KGEN_INLINE float name(float x) { return name##f(x); }
KGEN_INLINE float atan2(float y, float x) { return atan2f(y, x); }
#else
#define KGEN_OWN_FLOAT1 KGEN_LIBM1
#define KGEN_OWN_FLOAT2 KGEN_LIBM2
#define KGEN_OWN1 KGEN_LIBM1
KGEN_LIBM2(atan2)
#endif
KGEN_OWN1(acos) KGEN_OWN1(acosh) KGEN_OWN1(asin) KGEN_OWN1(asinh) KGEN_OWN1(atan) KGEN_OWN1(atanh) KGEN_OWN1(cbrt)
KGEN_OWN1(cosh) KGEN_OWN1(exp) KGEN_OWN1(exp10) KGEN_OWN1(exp2) KGEN_OWN1(expm1) KGEN_OWN1(log) KGEN_OWN1(log10)
KGEN_OWN1(log1p) KGEN_OWN1(log2) KGEN_OWN1(sinh) KGEN_OWN1(tanh) KGEN_OWN_FLOAT1(erf) KGEN_OWN_FLOAT2(hypot)
#ifdef KGEN_OWN_POWER
KGEN_OWN_FLOAT2(pow)
#else
KGEN_LIBM2(pow)
#endif
KGEN_LIBM1(ceil) KGEN_LIBM1(cos) KGEN_LIBM1(erfc) KGEN_LIBM1(fabs) KGEN_LIBM1(floor) KGEN_LIBM1(j0) KGEN_LIBM1(j1)
KGEN_LIBM1(lgamma) KGEN_LIBM1(logb) KGEN_LIBM1(nearbyint) KGEN_LIBM1(rint) KGEN_LIBM1(round) KGEN_LIBM1(sin)
KGEN_LIBM1(sqrt) KGEN_LIBM1(tan) KGEN_LIBM1(tgamma) KGEN_LIBM1(trunc) KGEN_LIBM1(y0) KGEN_LIBM1(y1)
KGEN_LIBM2(copysign) KGEN_LIBM2(fdim) KGEN_LIBM2(fmod) KGEN_LIBM2(nextafter) KGEN_LIBM2(remainder)
#define KGEN_LIBM_INTEGER(R, name) \
    extern "C" R name(double); \
    extern "C" R name##f(float); \
    KGEN_INLINE R name(float x) { return name##f(x); }
KGEN_LIBM_INTEGER(int, ilogb) KGEN_LIBM_INTEGER(long, lrint) KGEN_LIBM_INTEGER(long, lround)
KGEN_LIBM_INTEGER(long long, llrint) KGEN_LIBM_INTEGER(long long, llround)
extern "C" {
int abs(int);
long labs(long);
long long llabs(long long);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
double scalbln(double, long);
float scalblnf(float, long);
double frexp(double, int*);
float frexpf(float, int*);
double modf(double, double*);
float modff(float, float*);
double remquo(double, double, int*);
float remquof(float, float, int*);
double fma(double, double, double);
float fmaf(float, float, float);
void sincos(double, double*, double*);
void sincosf(float, float*, float*);
double jn(int, double);
float jnf(int, float);
double yn(int, double);
float ynf(int, float);
double nan(const char*);
float nanf(const char*);
}
KGEN_INLINE float ldexp(float x, int n) { return ldexpf(x, n); }
KGEN_INLINE float scalbn(float x, int n) { return scalbnf(x, n); }
KGEN_INLINE float scalbln(float x, long n) { return scalblnf(x, n); }
KGEN_INLINE float frexp(float x, int* n) { return frexpf(x, n); }
KGEN_INLINE float modf(float x, float* whole) { return modff(x, whole); }
KGEN_INLINE float remquo(float x, float y, int* n) { return remquof(x, y, n); }
KGEN_INLINE float fma(float x, float y, float z) { return fmaf(x, y, z); }
KGEN_INLINE void sincos(float x, float* s, float* c) { sincosf(x, s, c); }
KGEN_INLINE float jn(int n, float x) { return jnf(n, x); }
KGEN_INLINE float yn(int n, float x) { return ynf(n, x); }
// Computes in double, so that the compiler turns a constant exponent 2 into x * x, which is rounded once.
KGEN_INLINE float pow(float x, int n) { return (float)pow((double)x, (double)n); }
KGEN_INLINE double pow(double x, int n) { return pow(x, (double)n); }
KGEN_INLINE double abs(double x) { return __builtin_fabs(x); }
KGEN_INLINE float abs(float x) { return __builtin_fabsf(x); }
KGEN_INLINE long abs(long x) { return x < 0 ? -x : x; }
KGEN_INLINE long long abs(long long x) { return x < 0 ? -x : x; }

// If one argument is NaN, the result is the other one. -0 is below +0. libm's functions would cost a call for each element.
#define KGEN_MAX_MIN(T, f) \
    KGEN_INLINE T fmax##f(T a, T b) { \
        return (a > b) | (b != b) | ((a == b) & (__builtin_copysign##f(T(1), b) < 0)) ? a : b; \
    } \
    KGEN_INLINE T fmin##f(T a, T b) { \
        return (a < b) | (b != b) | ((a == b) & (__builtin_copysign##f(T(1), b) > 0)) ? a : b; \
    }
KGEN_MAX_MIN(float, f) KGEN_MAX_MIN(double, )
KGEN_INLINE float fmax(float a, float b) { return fmaxf(a, b); }
KGEN_INLINE float fmin(float a, float b) { return fminf(a, b); }
#define KGEN_MAX_FLOAT(A, B, T) \
    KGEN_INLINE T max(A a, B b) { return fmax((T)a, (T)b); } \
    KGEN_INLINE T min(A a, B b) { return fmin((T)a, (T)b); }
KGEN_MAX_FLOAT(float, float, float) KGEN_MAX_FLOAT(double, double, double)
KGEN_MAX_FLOAT(float, double, double) KGEN_MAX_FLOAT(double, float, double)
#define KGEN_MAX_INTEGER(A, B, T) \
    KGEN_INLINE T max(A a, B b) { return (T)a > (T)b ? (T)a : (T)b; } \
    KGEN_INLINE T min(A a, B b) { return (T)a < (T)b ? (T)a : (T)b; }
#define KGEN_MAX_INTEGERS(S, U) \
    KGEN_MAX_INTEGER(S, S, S) KGEN_MAX_INTEGER(U, U, U) KGEN_MAX_INTEGER(S, U, U) KGEN_MAX_INTEGER(U, S, U)
KGEN_MAX_INTEGERS(int, unsigned) KGEN_MAX_INTEGERS(long, unsigned long)
KGEN_MAX_INTEGERS(long long, unsigned long long)

#define KGEN_TEST(name) \
    KGEN_INLINE bool name(float x) { return __builtin_##name(x); } \
    KGEN_INLINE bool name(double x) { return __builtin_##name(x); }
KGEN_TEST(isnan) KGEN_TEST(isinf) KGEN_TEST(isfinite) KGEN_TEST(signbit)

#define KGEN_REAL1(name, expression) \
    KGEN_INLINE double name(double x) { return expression; } \
    KGEN_INLINE float name(float x) { return expression; } \
    KGEN_INLINE float name##f(float x) { return name(x); }
KGEN_REAL1(rsqrt, 1 / sqrt(x)) KGEN_REAL1(rcbrt, 1 / cbrt(x))
// Returns sin(pi * x), or cos(pi * x). 0, 1 and -1 are exact, because x is reduced before it is multiplied by pi.
template <bool cosine, class T> inline T kgen_circle(T x) {
    T turn = x - 2 * rint(x / 2), quarters = rint(2 * turn), rest = (turn - quarters / 2) * T(3.14159265358979323846);
    int quadrant = ((int)quarters + cosine) & 3;
    T y = quadrant & 1 ? cos(rest) : sin(rest);
    y = quadrant & 2 ? -y : y;
    return y == 0 ? (cosine ? T(0) : copysign(T(0), x)) : y;
}
KGEN_REAL1(sinpi, kgen_circle<false>(x)) KGEN_REAL1(cospi, kgen_circle<true>(x))
#define KGEN_SINCOSPI(T, name) \
    KGEN_INLINE void name(T x, T* s, T* c) { *s = sinpi(x); *c = cospi(x); }
KGEN_SINCOSPI(float, sincospi) KGEN_SINCOSPI(double, sincospi) KGEN_SINCOSPI(float, sincospif)
KGEN_INLINE double fdivide(double x, double y) { return x / y; }
KGEN_INLINE float fdividef(float x, float y) { return x / y; }
KGEN_INLINE float fdivide(float x, float y) { return x / y; }
