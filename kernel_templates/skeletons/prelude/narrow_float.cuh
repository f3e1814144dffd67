// SPDX-License-Identifier: MIT
// kgen prelude: operators and functions of float16 and bfloat16. Each rounds its result once, to its type.
//
// The type of a mixed operation. A narrow type and itself or an integer give the narrow type. With float or the
// other narrow type, the result is float; with double, it is double. Pairs without a narrow type have no entry.
template <int a, int b, class A, class B> struct kgen_mix {};
template <class A> struct kgen_mix<3, 3, A, A> { typedef A type; };
template <class A, class B> struct kgen_mix<3, 3, A, B> { typedef float type; };
template <class A, class B> struct kgen_mix<3, 1, A, B> { typedef A type; };
template <class A, class B> struct kgen_mix<1, 3, A, B> { typedef B type; };
template <class A, class B> struct kgen_mix<3, 2, A, B> { typedef B type; };
template <class A, class B> struct kgen_mix<2, 3, A, B> { typedef A type; };
template <class A, class B> struct kgen_mixed : kgen_mix<kgen_kind<A>::value, kgen_kind<B>::value, A, B> {};
// The type in which results of type T are computed.
template <class T> struct kgen_wide { typedef float type; };
template <> struct kgen_wide<double> { typedef double type; };
#define KGEN_NARROW(T, R) typename kgen_if<kgen_kind<T>::value == 3, R>::type
#define KGEN_MIXED(A, B) typename kgen_mixed<A, B>::type

template <class M> KGEN_INLINE M kgen_add(M a, M b) { return M((typename kgen_wide<M>::type)a + (typename kgen_wide<M>::type)b); }
template <class M> KGEN_INLINE M kgen_sub(M a, M b) { return M((typename kgen_wide<M>::type)a - (typename kgen_wide<M>::type)b); }
template <class M> KGEN_INLINE M kgen_mul(M a, M b) { return M((typename kgen_wide<M>::type)a * (typename kgen_wide<M>::type)b); }
template <class M> KGEN_INLINE M kgen_div(M a, M b) { return M((typename kgen_wide<M>::type)a / (typename kgen_wide<M>::type)b); }
#define KGEN_OPERATOR(op, name) \
    template <class A, class B> KGEN_INLINE KGEN_MIXED(A, B) operator op(A a, B b) { \
        typedef KGEN_MIXED(A, B) M; \
        return kgen_##name(M(a), M(b)); \
    } \
    template <class A, class B> KGEN_INLINE KGEN_NARROW(A, A&) operator op##=(A& a, B b) { \
        return a = A(a op b); \
    }
KGEN_OPERATOR(+, add) KGEN_OPERATOR(-, sub) KGEN_OPERATOR(*, mul) KGEN_OPERATOR(/, div)
#define KGEN_COMPARE(op) \
    template <class A, class B> \
    KGEN_INLINE typename kgen_if<sizeof(KGEN_MIXED(A, B)) != 0, bool>::type operator op(A a, B b) { \
        typedef typename kgen_wide<KGEN_MIXED(A, B)>::type W; \
        return (W)a op (W)b; \
    }
KGEN_COMPARE(==) KGEN_COMPARE(!=) KGEN_COMPARE(<) KGEN_COMPARE(>) KGEN_COMPARE(<=) KGEN_COMPARE(>=)
template <class T> KGEN_INLINE KGEN_NARROW(T, T) operator+(T x) { return x; }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) operator-(T x) { return T::from_bits(x.kgen_bits ^ 0x8000); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T&) operator++(T& x) { return x = x + T(1); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T&) operator--(T& x) { return x = x - T(1); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) operator++(T& x, int) { T old = x; ++x; return old; }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) operator--(T& x, int) { T old = x; --x; return old; }

template <class T> KGEN_INLINE T kgen_abs(T x) { return T::from_bits(x.kgen_bits & 0x7fff); }
#define KGEN_TEST(name, test) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, bool) name(T x) { \
        return (x.kgen_bits & 0x7fff) test kgen_kind<T>::infinity; \
    }
KGEN_TEST(isnan, >) KGEN_TEST(isinf, ==) KGEN_TEST(isfinite, <)
template <class T> KGEN_INLINE KGEN_NARROW(T, bool) signbit(T x) { return x.kgen_bits >> 15; }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) fabs(T x) { return kgen_abs(x); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) abs(T x) { return kgen_abs(x); }
template <class T> KGEN_INLINE unsigned short kgen_sign(T x) { return x.kgen_bits ^ kgen_abs(x).kgen_bits; }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) copysign(T x, T y) {
    return T::from_bits((unsigned short)(kgen_abs(x).kgen_bits | kgen_sign(y)));
}
template <class T> KGEN_INLINE KGEN_NARROW(T, T) nextafter(T x, T y) {
    if (isnan(x) || isnan(y)) return x + y;
    if (x == y) return y;
    if (!(x.kgen_bits & 0x7fff)) return T::from_bits((unsigned short)(kgen_sign(y) + 1));
    bool away = (x < y) == !(x.kgen_bits & 0x8000);
    return T::from_bits((unsigned short)(away ? x.kgen_bits + 1 : x.kgen_bits - 1));
}

#define KGEN_MATH1(name) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, T) name(T x) { return T(name##f((float)x)); }
KGEN_MATH1(acos) KGEN_MATH1(acosh) KGEN_MATH1(asin) KGEN_MATH1(asinh) KGEN_MATH1(atan) KGEN_MATH1(atanh)
KGEN_MATH1(cbrt) KGEN_MATH1(ceil) KGEN_MATH1(cos) KGEN_MATH1(cosh) KGEN_MATH1(cospi) KGEN_MATH1(erf)
KGEN_MATH1(erfc) KGEN_MATH1(exp10) KGEN_MATH1(expm1) KGEN_MATH1(floor)
KGEN_MATH1(j0) KGEN_MATH1(j1) KGEN_MATH1(lgamma) KGEN_MATH1(log) KGEN_MATH1(log10) KGEN_MATH1(log1p)
KGEN_MATH1(log2) KGEN_MATH1(logb) KGEN_MATH1(nearbyint) KGEN_MATH1(rcbrt) KGEN_MATH1(rint) KGEN_MATH1(round)
KGEN_MATH1(rsqrt) KGEN_MATH1(sin) KGEN_MATH1(sinh) KGEN_MATH1(sinpi) KGEN_MATH1(tan) KGEN_MATH1(tanh)
KGEN_MATH1(tgamma) KGEN_MATH1(trunc) KGEN_MATH1(y0) KGEN_MATH1(y1)
#ifdef KGEN_ON_HOST
KGEN_MATH1(exp) KGEN_MATH1(exp2) KGEN_MATH1(sqrt)
#else
// The instructions are off by some units of float, which matter little in 11 bits. No float16 is subnormal as a float.
#define KGEN_INSTRUCTION(name, text, factor) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, T) name(T x) { \
        float y = (float)x * factor; \
        if (kgen_kind<T>::infinity == 0x7c00) asm(text ".approx.ftz.f32 %0, %0;" : "+f"(y)); \
        else asm(text ".approx.f32 %0, %0;" : "+f"(y)); \
        return T(y); \
    }
KGEN_INSTRUCTION(exp, "ex2", 1.44269504f) KGEN_INSTRUCTION(exp2, "ex2", 1) KGEN_INSTRUCTION(sqrt, "sqrt", 1)
#endif
#if !defined(KGEN_ON_HOST) || defined(KGEN_SPECIAL)
KGEN_MATH1(cyl_bessel_i0) KGEN_MATH1(cyl_bessel_i1) KGEN_MATH1(erfcinv) KGEN_MATH1(erfcx) KGEN_MATH1(erfinv)
KGEN_MATH1(normcdf) KGEN_MATH1(normcdfinv)
#endif
#define KGEN_TO_INTEGER(R, name) \
    template <class T> KGEN_INLINE KGEN_NARROW(T, R) name(T x) { return name##f((float)x); }
KGEN_TO_INTEGER(int, ilogb) KGEN_TO_INTEGER(long, lrint) KGEN_TO_INTEGER(long, lround)
KGEN_TO_INTEGER(long long, llrint) KGEN_TO_INTEGER(long long, llround)

#define KGEN_MATH2(name) \
    template <class A, class B> KGEN_INLINE KGEN_MIXED(A, B) name(A a, B b) { \
        typedef KGEN_MIXED(A, B) M; \
        typedef typename kgen_wide<M>::type W; \
        return M(::name((W)a, (W)b)); \
    }
KGEN_MATH2(atan2) KGEN_MATH2(fdim) KGEN_MATH2(fmax) KGEN_MATH2(fmin) KGEN_MATH2(fmod) KGEN_MATH2(hypot)
KGEN_MATH2(max) KGEN_MATH2(min) KGEN_MATH2(pow) KGEN_MATH2(remainder)
template <class T> KGEN_INLINE KGEN_NARROW(T, T) ldexp(T x, int n) { return T(ldexpf((float)x, n)); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) scalbn(T x, int n) { return T(ldexpf((float)x, n)); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) frexp(T x, int* n) { return T(frexpf((float)x, n)); }
template <class T> KGEN_INLINE KGEN_NARROW(T, T) modf(T x, T* whole) {
    *whole = trunc(x);
    return copysign(isinf(x) ? T(0) : x - *whole, x);
}
template <class T> KGEN_INLINE KGEN_NARROW(T, void) sincos(T x, T* sine, T* cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}
template <class T> KGEN_INLINE T kgen_fma(T a, T b, T c) {  // computes in double, rounding to odd
    double product = (double)(float)a * (float)b, addend = (float)c, sum = product + addend;
    double part = sum - product, error = (product - (sum - part)) + (addend - part);
    return T(kgen_nudge_to_odd(sum, error));
}
template <class T> KGEN_INLINE KGEN_NARROW(T, T) fma(T a, T b, T c) { return kgen_fma(a, b, c); }
