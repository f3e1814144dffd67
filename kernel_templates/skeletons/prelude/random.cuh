// SPDX-License-Identifier: MIT
// kgen prelude: random numbers as functions of a seed, an index and the number of a draw. The values are the promise
// "philox4x32-10, layout 1" of docs/random-numbers.md.
struct kgen_random_block { unsigned kgen_a, kgen_b, kgen_c, kgen_d; };

KGEN_INLINE void kgen_multiply(unsigned x, unsigned y, unsigned& high, unsigned& low) {
#ifdef KGEN_ON_HOST
    high = (unsigned)((unsigned long long)x * y >> 32);
    low = x * y;  // not the lower half of a product of 64 bits, which g++ 12 vectorises badly
#else
    // Otherwise NVRTC 13.0 multiplies 64-bit numbers and adds their upper halves, which are 0: 24 instructions instead of 17
    // for a float (sm_90).
    asm("{ .reg .u64 product; mul.wide.u32 product, %2, %3; mov.b64 {%0, %1}, product; }"
        : "=r"(low), "=r"(high) : "r"(x), "r"(y));
#endif
}
// Philox4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
KGEN_INLINE kgen_random_block kgen_philox(unsigned long long key, unsigned a, unsigned b, unsigned c, unsigned d) {
    unsigned left = (unsigned)key, right = (unsigned)(key >> 32);
#ifdef KGEN_ON_HOST
#pragma GCC unroll 10
#else
#pragma unroll
#endif
    for (int round = 0; round < 10; ++round) {
        unsigned high, low, other_high, other_low;
        kgen_multiply(a, 0xD2511F53u, high, low);
        kgen_multiply(c, 0xCD9E8D57u, other_high, other_low);
        a = other_high ^ b ^ left;
        b = other_low;
        c = high ^ d ^ right;
        d = low;
        left += 0x9E3779B9u;
        right += 0xBB67AE85u;
    }
    return {a, b, c, d};
}
KGEN_INLINE kgen_random_block kgen_random_at(unsigned long long seed, unsigned long long block,
                                             unsigned long long draw, unsigned attempt) {
    return kgen_philox(seed, (unsigned)block, (unsigned)(block >> 32), (unsigned)draw,
                       ((unsigned)(draw >> 32) & 0xffffffu) | attempt << 24);
}
// The index of an element of a vector that begins at a multiple of `aligned`. Values of one block share it if the compiler
// knows `kgen_place`.
template <int aligned> struct kgen_drawn_index {
    long long kgen_first;
    unsigned kgen_place;

    KGEN_INLINE explicit kgen_drawn_index(long long i) : kgen_first(i & -aligned), kgen_place((unsigned)i & (aligned - 1)) {}
    KGEN_INLINE kgen_drawn_index(long long first, unsigned place) : kgen_first(first), kgen_place(place) {}
    KGEN_INLINE operator long long() const { return kgen_first + kgen_place; }
};
// Return the place of the element's value in its block of `width` values, and the number of the block.
template <int width> KGEN_INLINE unsigned kgen_random_place(long long i) { return (unsigned)i & (width - 1); }
template <int width> KGEN_INLINE unsigned long long kgen_random_number(long long i) { return (unsigned long long)i / width; }
template <int width, int aligned> KGEN_INLINE unsigned kgen_random_place(const kgen_drawn_index<aligned>& i) {
    if constexpr (aligned % width == 0) return i.kgen_place & (width - 1);
    else return kgen_random_place<width>((long long)i);
}
template <int width, int aligned> KGEN_INLINE unsigned long long kgen_random_number(const kgen_drawn_index<aligned>& i) {
    if constexpr (aligned % width == 0) return (unsigned long long)i.kgen_first / width + i.kgen_place / width;
    else return kgen_random_number<width>((long long)i);
}
template <int width, class I>
KGEN_INLINE kgen_random_block kgen_random_of(unsigned long long seed, const I& i, unsigned long long draw, unsigned attempt = 0) {
    return kgen_random_at(seed, kgen_random_number<width>(i), draw, attempt);
}
template <class I>
KGEN_INLINE unsigned kgen_random_word(unsigned long long seed, const I& i, unsigned long long draw, unsigned attempt = 0) {
    const kgen_random_block x = kgen_random_of<4>(seed, i, draw, attempt);
    const unsigned place = kgen_random_place<4>(i);
    return place & 2 ? (place & 1 ? x.kgen_d : x.kgen_c) : (place & 1 ? x.kgen_b : x.kgen_a);
}
KGEN_INLINE unsigned long long kgen_join(unsigned low, unsigned high) { return (unsigned long long)high << 32 | low; }
template <class I>
KGEN_INLINE unsigned long long kgen_random_long(unsigned long long seed, const I& i, unsigned long long draw,
                                                unsigned attempt = 0) {
    const kgen_random_block x = kgen_random_of<2>(seed, i, draw, attempt);
    return kgen_random_place<2>(i) ? kgen_join(x.kgen_c, x.kgen_d) : kgen_join(x.kgen_a, x.kgen_b);
}

// Bits of a uniform number.
template <class T> struct kgen_random_digits { enum { value = 0 }; };
template <> struct kgen_random_digits<float> { enum { value = 24 }; };
template <> struct kgen_random_digits<double> { enum { value = 53 }; };
#ifdef KGEN_HAS_FLOAT16
template <> struct kgen_random_digits<float16> { enum { value = 11 }; };
#endif
#ifdef KGEN_HAS_BFLOAT16
template <> struct kgen_random_digits<bfloat16> { enum { value = 8 }; };
#endif

// Sums of products are fused where the text says so, so that the numbers do not depend on the loop around them.
#ifdef KGEN_ON_HOST
#ifdef __FP_FAST_FMAF
KGEN_INLINE float kgen_random_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
KGEN_INLINE double kgen_random_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
#else
KGEN_INLINE float kgen_random_fma(float x, float y, float z) { return x * y + z; }
KGEN_INLINE double kgen_random_fma(double x, double y, double z) { return x * y + z; }
#endif
KGEN_INLINE float kgen_random_sqrt(float x) { return __builtin_sqrtf(x); }
KGEN_INLINE double kgen_random_sqrt(double x) { return __builtin_sqrt(x); }
KGEN_INLINE unsigned long long kgen_double_bits(double x) {
    unsigned long long y;
    __builtin_memcpy(&y, &x, 8);
    return y;
}
KGEN_INLINE double kgen_bits_double(unsigned long long x) {
    double y;
    __builtin_memcpy(&y, &x, 8);
    return y;
}
KGEN_INLINE unsigned long long kgen_multiply_high(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
#else
KGEN_INLINE float kgen_random_fma(float x, float y, float z) { return __fmaf_rn(x, y, z); }
KGEN_INLINE double kgen_random_fma(double x, double y, double z) { return __fma_rn(x, y, z); }
KGEN_INLINE float kgen_random_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
KGEN_INLINE double kgen_random_sqrt(double x) { return __dsqrt_rn(x); }
KGEN_INLINE float kgen_random_log2(float x) {
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
KGEN_INLINE unsigned long long kgen_double_bits(double x) { return (unsigned long long)__double_as_longlong(x); }
KGEN_INLINE double kgen_bits_double(unsigned long long x) { return __longlong_as_double((long long)x); }
KGEN_INLINE unsigned long long kgen_multiply_high(unsigned long long x, unsigned long long y) { return __umul64hi(x, y); }
#endif
// Returns the value at x of the polynomial with these coefficients, from the highest power on.
template <class T> KGEN_INLINE T kgen_random_horner(T, T sum) { return sum; }
template <class T, class... Rest> KGEN_INLINE T kgen_random_horner(T x, T sum, T next, Rest... rest) {
    return kgen_random_horner(x, kgen_random_fma(sum, x, next), rest...);
}

// -2 log(y) of y = (x + 0.5) * 2^-32. Read as a signed integer, a large x is x - 2^32, so 1 - y has all digits where y is near 1.
KGEN_INLINE float kgen_random_log(unsigned x) {
    const float rest = kgen_random_fma((float)(int)x, -0x1p-31f, -0x1p-32f);  // 2 (1 - y), or -2 y if y is below 1/2
#ifdef KGEN_ON_HOST
    const bool is_small = rest < 0.0f;
    // y is 2^-power (1 - u / 2)
    const unsigned bits = kgen_float_bits(-rest);
    const float power = is_small ? (float)(127 - (int)(bits >> 23)) : 0.0f;
    const float u = is_small ? 2.0f - kgen_bits_float((bits & 0x7fffffu) | 0x3f800000u) : rest;
#else
    const float u = rest;
#endif
    const float q = kgen_random_horner(u, 0.005524604116f, -0.01280515734f, 0.01887895726f, -0.005648170598f, 0.01647729799f,
                                       0.03046128713f, 0.08340789378f, 0.2499976158f);
    const float p = kgen_random_fma(u * u, q, u);
#ifdef KGEN_ON_HOST
    return kgen_random_fma(power, 1.38629436f, p);
#else
    // The hardware's logarithm is exact enough below 1/2, where p is negative. From 1/2 on it is NaN, which is not the maximum.
    return fmaxf(kgen_random_fma(kgen_random_log2(-rest), -1.38629436f, 1.38629436f), p);
#endif
}
// -log((n + 0.5) * 2^-53) of n, the upper 53 bits of x.
KGEN_INLINE double kgen_random_log(unsigned long long x) {
    const unsigned long long bits = kgen_double_bits((double)(long long)(x >> 11) + 0.5);
    const int exponent = (int)((long long)(bits - 0x3fe5555555555555u) >> 52);
    const double near = kgen_bits_double(bits - ((unsigned long long)exponent << 52)) - 1.0;
    const double f = exponent == 53 ? ((double)(long long)(~x >> 11) + 0.5) * -0x1p-53 : near;
    const double s = f / (2.0 + f), z = s * s;
    const double p = kgen_random_horner(z, 0.136040157071240786, 0.13210360485132619, 0.153888346778019158, 0.18181738454723026,
                                        0.222222230378072427, 0.28571428567339191, 0.400000000000078015, 0.66666666666666663);
    return kgen_random_fma((double)(53 - exponent), 0.693147180559945309, -kgen_random_fma(-s, kgen_random_fma(-z, p, f), f));
}
// The cosine, or the sine if `odd`, of a part of a circle, times the radius. The angle is reduced exactly, to t right angles
// from the nearest axis, so values near 0 keep their digits.
KGEN_INLINE float kgen_random_wave(float radius, unsigned angle, bool odd) {
    const unsigned axis = angle + 0x20000000u;  // in the upper two bits
    const float t = (float)(int)(angle << 2) * 0x1p-32f, z = t * t;
    // 1.570796371 - 4.371139e-8 is half of pi.
    float sine = kgen_random_horner(z, -0.004603731912f, 0.07968108356f, -0.6459636092f, -4.371139e-8f);
    sine = kgen_random_fma(t, 1.570796371f, t * sine);
    const float cosine = kgen_random_horner(z, -0.02041452937f, 0.2536023855f, -1.233697653f, 1.0f);
    const float value = ((axis & 0x40000000u) != 0) != odd ? sine : cosine;
    return kgen_bits_float(kgen_float_bits(value) ^ ((axis + (odd ? 0u : 0x40000000u)) & 0x80000000u)) * radius;
}
KGEN_INLINE double kgen_random_wave(double radius, unsigned long long angle, bool odd) {
    const unsigned long long axis = angle + 0x2000000000000000u;
    const double t = (double)(long long)(angle << 2) * 0x1p-64, z = t * t;
    double sine = kgen_random_horner(z, 5.63393378153785425e-8, -3.5986433529823099e-6, 0.00016044115074219091,
                                     -0.00468175413234097563, 0.0796926262460430079, -0.645964097506244284, 6.123233995736766e-17);
    sine = kgen_random_fma(t, 1.57079632679489656, t * sine);
    const double cosine = kgen_random_horner(z, -6.3293963449674238e-9, 4.71067840550522707e-7, -0.0000252020390280291777,
                                             0.000919260274546844654, -0.0208634807633407728, 0.253669507901047808,
                                             -1.23370055013616975, 1.0);
    const double value = ((axis & 0x4000000000000000u) != 0) != odd ? sine : cosine;
    return kgen_bits_double(kgen_double_bits(value) ^ ((axis + (odd ? 0u : 0x4000000000000000u)) & 0x8000000000000000u)) * radius;
}

// Lemire's multiplication: the upper half of word * n, without the words that would make some results likelier.
template <class I>
KGEN_INLINE unsigned long long kgen_random_below(unsigned long long seed, const I& i, unsigned long long n,
                                                 unsigned long long draw) {
    if (n > 0x100000000u) {
        unsigned long long x = kgen_random_long(seed, i, draw);
        if (x * n < n) {
            const unsigned long long least = (0 - n) % n;
#pragma unroll 1
            for (unsigned attempt = 1; x * n < least && attempt < 255; ++attempt) x = kgen_random_long(seed, i, draw, attempt);
        }
        return kgen_multiply_high(x, n);
    }
    unsigned long long product = kgen_random_word(seed, i, draw) * n;
    if ((unsigned)product < n) {
        const unsigned least = (unsigned)((0x100000000u - n) % n);
#pragma unroll 1
        for (unsigned attempt = 1; (unsigned)product < least && attempt < 255; ++attempt)
            product = kgen_random_word(seed, i, draw, attempt) * n;
    }
    return product >> 32;
}

#define KGEN_RANDOM(name) \
    template <class T = float, class I> \
    KGEN_INLINE T random_##name(unsigned long long seed, const I& i, unsigned long long draw = 0) { \
        constexpr int digits = kgen_random_digits<T>::value; \
        static_assert(digits != 0, "random_" #name "<T>: T must be float, double, float16 or bfloat16"); \
        if constexpr (digits == 53) return kgen_random_double_##name(seed, i, draw); \
        else return T(kgen_random_float_##name<digits>(seed, i, draw)); \
    }
template <int digits, class I>
KGEN_INLINE float kgen_random_float_uniform(unsigned long long seed, const I& i, unsigned long long draw) {
    return (float)(int)(kgen_random_word(seed, i, draw) >> (32 - digits)) * (1.0f / (float)(1 << digits));
}
template <class I>
KGEN_INLINE double kgen_random_double_uniform(unsigned long long seed, const I& i, unsigned long long draw) {
    return (double)(long long)(kgen_random_long(seed, i, draw) >> 11) * 0x1p-53;
}
template <int, class I>
KGEN_INLINE float kgen_random_float_exponential(unsigned long long seed, const I& i, unsigned long long draw) {
    return 0.5f * kgen_random_log(kgen_random_word(seed, i, draw));
}
template <class I>
KGEN_INLINE double kgen_random_double_exponential(unsigned long long seed, const I& i, unsigned long long draw) {
    return kgen_random_log(kgen_random_long(seed, i, draw));
}
template <int, class I>
KGEN_INLINE float kgen_random_float_normal(unsigned long long seed, const I& i, unsigned long long draw) {
    const kgen_random_block x = kgen_random_of<4>(seed, i, draw);
    const bool second = kgen_random_place<4>(i) & 2;
    const float radius = kgen_random_sqrt(kgen_random_log(second ? x.kgen_c : x.kgen_a));
    return kgen_random_wave(radius, second ? x.kgen_d : x.kgen_b, kgen_random_place<2>(i) != 0);
}
template <class I>
KGEN_INLINE double kgen_random_double_normal(unsigned long long seed, const I& i, unsigned long long draw) {
    const kgen_random_block x = kgen_random_of<2>(seed, i, draw);
    const double radius = kgen_random_sqrt(2.0 * kgen_random_log(kgen_join(x.kgen_a, x.kgen_b)));
    return kgen_random_wave(radius, kgen_join(x.kgen_c, x.kgen_d), kgen_random_place<2>(i) != 0);
}

template <class I>
KGEN_INLINE unsigned random_bits(unsigned long long seed, const I& i, unsigned long long draw = 0) {
    return kgen_random_word(seed, i, draw);
}
KGEN_RANDOM(uniform) KGEN_RANDOM(normal) KGEN_RANDOM(exponential)
// From 0 to n - 1, or 0 if n is not positive.
template <class I, class N>
KGEN_INLINE N random_integer(unsigned long long seed, const I& i, N n, unsigned long long draw = 0) {
    static_assert(kgen_kind<N>::value == 1, "random_integer(seed, i, n): n must be an integer");
    return n > 0 ? (N)kgen_random_below(seed, i, (unsigned long long)n, draw) : (N)0;
}
