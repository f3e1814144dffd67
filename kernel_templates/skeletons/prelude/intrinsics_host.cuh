// SPDX-License-Identifier: MIT
// kgen prelude: CUDA's intrinsics on the host. Approximate intrinsics call the accurate functions.
#define KGEN_COPY_BITS(name, From, To) \
    KGEN_INLINE To name(From x) { \
        To y; \
        __builtin_memcpy(&y, &x, sizeof y); \
        return y; \
    }
KGEN_COPY_BITS(__float_as_int, float, int) KGEN_COPY_BITS(__int_as_float, int, float)
KGEN_COPY_BITS(__float_as_uint, float, unsigned) KGEN_COPY_BITS(__uint_as_float, unsigned, float)
KGEN_COPY_BITS(__double_as_longlong, double, long long) KGEN_COPY_BITS(__longlong_as_double, long long, double)
KGEN_INLINE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
KGEN_INLINE int __double2loint(double x) { return (int)__double_as_longlong(x); }
KGEN_INLINE double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

#define KGEN_FAST(name, function) \
    KGEN_INLINE float name(float x) { return function(x); }
KGEN_FAST(__expf, expf) KGEN_FAST(__exp10f, exp10f) KGEN_FAST(__logf, logf) KGEN_FAST(__log2f, log2f)
KGEN_FAST(__log10f, log10f) KGEN_FAST(__sinf, sinf) KGEN_FAST(__cosf, cosf) KGEN_FAST(__tanf, tanf)
KGEN_FAST(__tanhf, tanhf)
KGEN_INLINE float __powf(float x, float y) { return powf(x, y); }
KGEN_INLINE float __fdividef(float x, float y) { return x / y; }
KGEN_INLINE float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }
KGEN_INLINE void __sincosf(float x, float* s, float* c) { sincosf(x, s, c); }

// Operations with a rounding mode. Results pass through kgen_opaque, so that the compiler fuses no multiplication
// with an addition. A directed rounding starts from the nearest value and moves to its neighbour if the error says so.
template <class T> KGEN_INLINE T kgen_opaque(T x) {
#ifdef __x86_64__
    asm("" : "+x"(x));
#else
    asm("" : "+w"(x));
#endif
    return x;
}
// Rounds in the direction `mode`. x is the nearest value, `error` has the sign of (exact - x), and `finite` says that
// the exact result is finite.
template <class T> inline T kgen_directed(T x, T error, bool finite, char mode) {
    if (!finite || x != x) return x;
    if (__builtin_isinf(x)) error = -x;
    T to = mode == 'u' ? T(__builtin_inf()) : mode == 'd' ? -T(__builtin_inf()) : T(0);
    bool step = mode == 'u' ? error > 0 : mode == 'd' ? error < 0 : x != 0 && error != 0 && (error < 0) == (x > 0);
    return step ? nextafter(x, to) : x;
}
template <class T> inline T kgen_add_error(T a, T b, T sum) {
    T part = kgen_opaque(sum - a);
    return kgen_opaque(a - kgen_opaque(sum - part)) + kgen_opaque(b - part);
}
// Return the errors of x = a * b, a / b and sqrt(a). They use the mantissas, so nothing overflows or underflows.
template <class T> inline T kgen_mul_error(T a, T b, T x) {
    int m, n;
    a = frexp(a, &m), b = frexp(b, &n);
    return fma(a, b, -ldexp(x, -(m + n)));
}
template <class T> inline T kgen_div_error(T a, T b, T x) {
    int m, n;
    a = frexp(a, &m), b = frexp(b, &n);
    T error = fma(-ldexp(x, n - m), b, a);
    return b < 0 ? -error : error;
}
template <class T> inline T kgen_sqrt_error(T a, T x) {
    int n;
    frexp(a, &n);
    n -= n & 1;
    x = ldexp(x, -n / 2);
    return fma(-x, x, ldexp(a, -n));
}
#define KGEN_ROUNDED(T, prefix, mode, letter) \
    KGEN_INLINE T prefix##add_##mode(T a, T b) { \
        T x = kgen_opaque(a + b); \
        return letter ? kgen_directed(x, kgen_add_error(a, b, x), isfinite(a) && isfinite(b), letter) : x; \
    } \
    KGEN_INLINE T prefix##sub_##mode(T a, T b) { return prefix##add_##mode(a, -b); } \
    KGEN_INLINE T prefix##mul_##mode(T a, T b) { \
        T x = kgen_opaque(a * b); \
        return letter ? kgen_directed(x, kgen_mul_error(a, b, x), isfinite(a) && isfinite(b), letter) : x; \
    } \
    KGEN_INLINE T prefix##div_##mode(T a, T b) { \
        T x = kgen_opaque(a / b); \
        return letter ? kgen_directed(x, kgen_div_error(a, b, x), isfinite(a) && isfinite(b) && b != 0, letter) : x; \
    } \
    KGEN_INLINE T prefix##rcp_##mode(T a) { return prefix##div_##mode(T(1), a); } \
    KGEN_INLINE T prefix##sqrt_##mode(T a) { \
        T x = kgen_opaque(sqrt(a)); \
        return letter ? kgen_directed(x, kgen_sqrt_error(a, x), isfinite(a), letter) : x; \
    }
#define KGEN_ROUNDED_ALL(T, prefix) \
    KGEN_ROUNDED(T, prefix, rn, 0) KGEN_ROUNDED(T, prefix, rz, 'z') \
    KGEN_ROUNDED(T, prefix, ru, 'u') KGEN_ROUNDED(T, prefix, rd, 'd')
KGEN_ROUNDED_ALL(float, __f) KGEN_ROUNDED_ALL(double, __d)
#define KGEN_FMA(mode, letter) \
    KGEN_INLINE float __fmaf_##mode(float a, float b, float c) { \
        double product = (double)a * b, sum = kgen_opaque(product + c); \
        float x = fmaf(a, b, c); \
        double error = (sum - x) + kgen_add_error(product, (double)c, sum); \
        bool finite = isfinite(a) && isfinite(b) && isfinite(c); \
        return kgen_directed(x, error < 0 ? -1.0f : error > 0 ? 1.0f : 0.0f, finite, letter); \
    }
KGEN_FMA(rz, 'z') KGEN_FMA(ru, 'u') KGEN_FMA(rd, 'd')
KGEN_INLINE float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
KGEN_INLINE double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
KGEN_INLINE float __frsqrt_rn(float x) { return (float)(1 / sqrt((double)x)); }

// Conversions saturate, as the hardware's do. NaN becomes 0 if both types have 32 bits, otherwise the top bit alone.
template <class R, class T> KGEN_INLINE R kgen_saturate(T x) {
    const bool is_signed = R(-1) < R(0);
    const R top = R(1ull << (sizeof(R) * 8 - 1));
    const T limit = T(1ull << (sizeof(R) * 8 - 1)) * (is_signed ? 1 : 2);
    if (x != x) return sizeof(T) == 8 || sizeof(R) == 8 ? top : R(0);
    if (x >= limit) return is_signed ? R(~top) : R(~0ull);
    if (is_signed ? x < -limit : x < 0) return is_signed ? top : R(0);
    return (R)x;
}
#define KGEN_CONVERT(T, from, R, to) \
    KGEN_INLINE R __##from##2##to##_rn(T x) { return kgen_saturate<R>(rint(x)); } \
    KGEN_INLINE R __##from##2##to##_rz(T x) { return kgen_saturate<R>(trunc(x)); } \
    KGEN_INLINE R __##from##2##to##_ru(T x) { return kgen_saturate<R>(ceil(x)); } \
    KGEN_INLINE R __##from##2##to##_rd(T x) { return kgen_saturate<R>(floor(x)); }
KGEN_CONVERT(float, float, int, int) KGEN_CONVERT(float, float, unsigned, uint)
KGEN_CONVERT(float, float, long long, ll) KGEN_CONVERT(float, float, unsigned long long, ull)
KGEN_CONVERT(double, double, int, int) KGEN_CONVERT(double, double, unsigned, uint)
KGEN_CONVERT(double, double, long long, ll) KGEN_CONVERT(double, double, unsigned long long, ull)
#define KGEN_CONVERT_BACK(T, name) \
    KGEN_INLINE float __##name##2float_rn(T x) { return (float)x; } \
    KGEN_INLINE double __##name##2double_rn(T x) { return (double)x; }
KGEN_CONVERT_BACK(int, int) KGEN_CONVERT_BACK(unsigned, uint) KGEN_CONVERT_BACK(long long, ll)
KGEN_CONVERT_BACK(unsigned long long, ull)
KGEN_INLINE float __double2float_rn(double x) { return (float)x; }
KGEN_INLINE float __double2float_rz(double x) {
    float y = (float)x;
    return fabs((double)y) > fabs(x) ? nextafter(y, 0.0f) : y;
}
KGEN_INLINE float __double2float_ru(double x) {
    float y = (float)x;
    return (double)y < x ? nextafter(y, __builtin_inff()) : y;
}
KGEN_INLINE float __double2float_rd(double x) {
    float y = (float)x;
    return (double)y > x ? nextafter(y, -__builtin_inff()) : y;
}
#define KGEN_CONVERT_DIRECTED(mode) \
    KGEN_INLINE float __int2float_##mode(int x) { return __double2float_##mode(x); } \
    KGEN_INLINE float __uint2float_##mode(unsigned x) { return __double2float_##mode(x); }
KGEN_CONVERT_DIRECTED(rz) KGEN_CONVERT_DIRECTED(ru) KGEN_CONVERT_DIRECTED(rd)

KGEN_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
KGEN_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KGEN_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
KGEN_INLINE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
KGEN_INLINE int __ffs(int x) { return __builtin_ffs(x); }
KGEN_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned long long __brevll(unsigned long long x) {
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
}
KGEN_INLINE unsigned __brev(unsigned x) { return (unsigned)(__brevll(x) >> 32); }
KGEN_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned pick = selector >> (4 * i) & 7;
        result |= ((unsigned)(bytes >> (8 * pick)) & 0xff) << (8 * i);
    }
    return result;
}
KGEN_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (n & 31)) >> 32);
}
KGEN_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
KGEN_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (n < 32 ? n : 32)) >> 32);
}
KGEN_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (n < 32 ? n : 32));
}
KGEN_INLINE int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
KGEN_INLINE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
KGEN_INLINE int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
KGEN_INLINE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
__extension__ typedef __int128 kgen_int128;
__extension__ typedef unsigned __int128 kgen_uint128;
KGEN_INLINE long long __mul64hi(long long x, long long y) { return (long long)((kgen_int128)x * y >> 64); }
KGEN_INLINE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((kgen_uint128)x * y >> 64);
}
KGEN_INLINE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
KGEN_INLINE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
KGEN_INLINE unsigned __uhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y) >> 1); }
KGEN_INLINE unsigned __urhadd(unsigned x, unsigned y) { return (unsigned)(((unsigned long long)x + y + 1) >> 1); }
KGEN_INLINE unsigned __sad(int x, int y, unsigned z) {
    return z + (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x);
}
KGEN_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
inline int __dp4a(int x, int y, int sum) {
    for (int i = 0; i < 32; i += 8) sum += (signed char)(x >> i) * (signed char)(y >> i);
    return sum;
}
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
    for (int i = 0; i < 32; i += 8) sum += (x >> i & 0xff) * (y >> i & 0xff);
    return sum;
}
inline int __dp2a_lo(int x, int y, int sum) {
    for (int i = 0; i < 2; ++i) sum += (short)(x >> (16 * i)) * (signed char)(y >> (8 * i));
    return sum;
}
inline unsigned __dp2a_lo(unsigned x, unsigned y, unsigned sum) {
    for (int i = 0; i < 2; ++i) sum += (x >> (16 * i) & 0xffff) * (y >> (8 * i) & 0xff);
    return sum;
}
// The two halves of a word, each by itself.
template <class T, class Choose> KGEN_INLINE unsigned kgen_of_halves(unsigned x, unsigned y, const Choose& choose) {
    const unsigned low = (unsigned short)choose((T)x, (T)y), high = (unsigned short)choose((T)(x >> 16), (T)(y >> 16));
    return high << 16 | low;
}
KGEN_INLINE unsigned __vmaxs2(unsigned x, unsigned y) {
    return kgen_of_halves<short>(x, y, [](short a, short b) { return a < b ? b : a; });
}
KGEN_INLINE unsigned __vmins2(unsigned x, unsigned y) {
    return kgen_of_halves<short>(x, y, [](short a, short b) { return b < a ? b : a; });
}
KGEN_INLINE unsigned __vmaxu2(unsigned x, unsigned y) {
    return kgen_of_halves<unsigned short>(x, y, [](unsigned short a, unsigned short b) { return a < b ? b : a; });
}
KGEN_INLINE unsigned __vminu2(unsigned x, unsigned y) {
    return kgen_of_halves<unsigned short>(x, y, [](unsigned short a, unsigned short b) { return b < a ? b : a; });
}
KGEN_INLINE unsigned umin(unsigned x, unsigned y) { return x < y ? x : y; }
KGEN_INLINE unsigned umax(unsigned x, unsigned y) { return x > y ? x : y; }
KGEN_INLINE long long llmin(long long x, long long y) { return x < y ? x : y; }
KGEN_INLINE long long llmax(long long x, long long y) { return x > y ? x : y; }
KGEN_INLINE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
KGEN_INLINE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }
KGEN_INLINE long long clock64() {
#ifdef __x86_64__
    return (long long)__builtin_ia32_rdtsc();
#else
    long long ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#endif
}
KGEN_INLINE clock_t clock() { return (clock_t)clock64(); }
KGEN_INLINE void __nanosleep(unsigned) {}
