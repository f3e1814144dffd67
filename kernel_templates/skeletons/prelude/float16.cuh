// SPDX-License-Identifier: MIT
// kgen prelude: float16, IEEE binary16. narrow_float.cuh has its operators and functions.
#define KGEN_HAS_FLOAT16
struct float16;
template <> struct kgen_kind<float16> { enum { value = 3, infinity = 0x7c00 }; };

struct float16 {
    unsigned short kgen_bits;

    float16() = default;
    KGEN_INLINE float16(float x) {
#ifdef KGEN_ON_HOST
        unsigned word = kgen_float_bits(x), size = word & 0x7fffffffu;
        unsigned subnormal = kgen_float_bits(kgen_bits_float(size) + 0.5f) - 0x3f000000u;
        unsigned bits = (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
        bits = size < 0x38800000u ? subnormal : bits;
        bits = size >= 0x477ff000u ? 0x7c00u : bits;
        bits = size > 0x7f800000u ? 0x7e00u : bits;
        kgen_bits = (unsigned short)(bits | (word >> 16 & 0x8000u));
#else
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(kgen_bits) : "f"(x));
#endif
    }
    KGEN_INLINE float16(double x) {
#ifdef KGEN_ON_HOST
        *this = float16(kgen_round_to_odd(x));
#else
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(kgen_bits) : "d"(x));
#endif
    }
    // Integers that float cannot represent are beyond the range of float16, so nothing is rounded twice.
    template <class T, class = typename kgen_if<(kgen_kind<T>::value & 1) != 0>::type>
    KGEN_INLINE float16(T x) : float16((float)x) {}
    static KGEN_INLINE float16 from_bits(unsigned short bits) {
        float16 x;
        x.kgen_bits = bits;
        return x;
    }
    KGEN_INLINE unsigned short to_bits() const { return kgen_bits; }

    KGEN_INLINE operator float() const {
#ifdef KGEN_ON_HOST
        unsigned size = (kgen_bits & 0x7fffu) << 13;
        unsigned bits = size + (size >= 0x0f800000u ? 0x70000000u : 0x38000000u);
        unsigned subnormal = kgen_float_bits((float)(int)(kgen_bits & 0x3ffu) * 5.960464477539063e-08f);
        bits = size < 0x00800000u ? subnormal : bits;
        return kgen_bits_float(bits | (kgen_bits & 0x8000u) << 16);
#else
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(kgen_bits));
        return x;
#endif
    }
};

#ifndef KGEN_ON_HOST
#define KGEN_FLOAT16(op, name) \
    KGEN_INLINE float16 kgen_##name(float16 a, float16 b) { \
        float16 c; \
        asm(op ".rn.f16 %0, %1, %2;" : "=h"(c.kgen_bits) : "h"(a.kgen_bits), "h"(b.kgen_bits)); \
        return c; \
    }
KGEN_FLOAT16("add", add) KGEN_FLOAT16("sub", sub) KGEN_FLOAT16("mul", mul)
KGEN_INLINE float16 kgen_fma(float16 a, float16 b, float16 c) {
    asm("fma.rn.f16 %0, %1, %2, %0;" : "+h"(c.kgen_bits) : "h"(a.kgen_bits), "h"(b.kgen_bits));
    return c;
}
// This is an instruction instead of a mask for the reason that bfloat16.cuh gives.
KGEN_INLINE float16 kgen_abs(float16 x) {
    asm("abs.f16 %0, %0;" : "+h"(x.kgen_bits));
    return x;
}
// The exact remainder corrects the quotient to that of float division, without its branch: no number here leaves the range
// of float. The remainder is NaN if the quotient is infinite or b is. A quotient of -0 keeps its sign.
KGEN_INLINE float16 kgen_div(float16 a, float16 b) {
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"((float)b));
    const float q = (float)a * r, rest = fmaf(-(float)b, q, (float)a);
    return fabsf(rest) > 0 ? fmaf(rest, r, q) : q;
}
#elif defined(__AVX512FP16__) && !defined(__clang__)
// The same bits as through float. The change of NaNs, which that makes too, keeps g++ from fusing operations.
#define KGEN_FLOAT16(op, name) \
    KGEN_INLINE float16 kgen_##name(float16 a, float16 b) { \
        _Float16 x, y; \
        __builtin_memcpy(&x, &a, 2); \
        __builtin_memcpy(&y, &b, 2); \
        x = x op y; \
        __builtin_memcpy(&a, &x, 2); \
        return float16::from_bits(a.kgen_bits & ((a.kgen_bits & 0x7fff) > 0x7c00 ? 0xfe00 : 0xffff)); \
    }
KGEN_FLOAT16(+, add) KGEN_FLOAT16(-, sub) KGEN_FLOAT16(*, mul) KGEN_FLOAT16(/, div)
#endif
