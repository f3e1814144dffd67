// SPDX-License-Identifier: MIT
// kgen prelude: bfloat16, the upper half of a float. narrow_float.cuh has its operators and functions.
#define KGEN_HAS_BFLOAT16
struct bfloat16;
template <> struct kgen_kind<bfloat16> { enum { value = 3, infinity = 0x7f80 }; };

struct bfloat16 {
    unsigned short kgen_bits;

    bfloat16() = default;
    KGEN_INLINE bfloat16(float x) {
#if !defined(KGEN_ON_HOST) && __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(kgen_bits) : "f"(x));
#else
        unsigned word = kgen_float_bits(x), bits = word + 0x7fffu + (word >> 16 & 1u);
        bits = (word & 0x7fffffffu) > 0x7f800000u ? word | 0x400000u : bits;
        kgen_bits = (unsigned short)(bits >> 16);
#endif
    }
    KGEN_INLINE bfloat16(double x) : bfloat16(kgen_round_to_odd(x)) {}
    template <class T, class = typename kgen_if<(kgen_kind<T>::value & 1) != 0>::type>
    KGEN_INLINE bfloat16(T x) {
        if (sizeof(T) <= 2) {
            *this = bfloat16((float)x);
        } else if (sizeof(T) == 4) {
            *this = bfloat16(kgen_round_to_odd((double)x));
        } else {  // first rounds to at most 53 bits, also to odd
            bool negative = !(x > T(0)) && x != T(0);
            unsigned long long size = negative ? 0ull - (unsigned long long)x : (unsigned long long)x;
            if (size >> 53) size = (size & ~0x7ffull) | (size & 0x7ff ? 0x800 : 0);
            *this = bfloat16(kgen_round_to_odd(negative ? -(double)size : (double)size));
        }
    }
    static KGEN_INLINE bfloat16 from_bits(unsigned short bits) {
        bfloat16 x;
        x.kgen_bits = bits;
        return x;
    }
    KGEN_INLINE unsigned short to_bits() const { return kgen_bits; }
    KGEN_INLINE operator float() const { return kgen_bits_float((unsigned)kgen_bits << 16); }
};

#if !defined(KGEN_ON_HOST) && __CUDA_ARCH__ >= 800
KGEN_INLINE bfloat16 kgen_fma(bfloat16 a, bfloat16 b, bfloat16 c) {
    asm("fma.rn.bf16 %0, %1, %2, %0;" : "+h"(c.kgen_bits) : "h"(a.kgen_bits), "h"(b.kgen_bits));
    return c;
}
// ptxas of CUDA 13.0 loses a mask (`& 0x7fff`) of every second number if two were rounded from floats and are stored together.
KGEN_INLINE bfloat16 kgen_abs(bfloat16 x) {
    asm("abs.bf16 %0, %0;" : "+h"(x.kgen_bits));
    return x;
}
// Each is one instruction, and has the same bits as through float. A zero that is added to a product is -0, which changes none.
KGEN_INLINE bfloat16 kgen_add(bfloat16 a, bfloat16 b) { return kgen_fma(a, bfloat16::from_bits(0x3f80), b); }
KGEN_INLINE bfloat16 kgen_sub(bfloat16 a, bfloat16 b) { return kgen_fma(b, bfloat16::from_bits(0xbf80), a); }
KGEN_INLINE bfloat16 kgen_mul(bfloat16 a, bfloat16 b) { return kgen_fma(a, b, bfloat16::from_bits(0x8000)); }
#endif
#ifndef KGEN_ON_HOST
// The instruction is off by 2 units of float at most. Quotients of 8 bits by 8 bits lie farther from the middle of two
// bfloat16, unless they are the middle, below the least normal number: rounding to 16 units restores it.
KGEN_INLINE bfloat16 kgen_div(bfloat16 a, bfloat16 b) {
    float q;
    asm("div.full.f32 %0, %1, %2;" : "=f"(q) : "f"((float)a), "f"((float)b));
    const float rounded = kgen_bits_float((kgen_float_bits(q) + 8) & ~15u);
    return fabsf(q) < 1.17549435e-38f ? rounded : q;
}
#endif
