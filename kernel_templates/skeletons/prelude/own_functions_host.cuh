// SPDX-License-Identifier: MIT
// kgen prelude: functions of float and double that loops vectorise: without calls, tables and branches. All elements of a kernel
// run the same operations, so equal inputs have equal results at any position. The README, "Devices", gives the largest errors.
//
// Arguments are reduced as in Muller, Elementary Functions: Algorithms and Implementation (3rd edition, 2016), chapters 8 and 11
// (Cody and Waite's reduction in two steps). Coefficients of float are least-squares fits on Chebyshev nodes whose weights were
// iterated towards equal ripples (Lawson's method). Those of double are minimax fits (Remez's exchange in 60 digits, weighted for
// the relative error of the function, then rounded). Those of exponentials are Taylor's.
#define KGEN_OWN_FUNCTIONS 1
// One rounding on machines with such an instruction. Elsewhere libm would compute it far more slowly than two operations.
#if defined(__FMA__) || defined(__aarch64__)
KGEN_INLINE float kgen_fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KGEN_INLINE double kgen_fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
template <class T> KGEN_INLINE T kgen_fused(T a, T b, T c) { return a * b + c; }
#endif
template <class T> KGEN_INLINE T kgen_horner(T, T sum) { return sum; }
template <class T, class... Rest> KGEN_INLINE T kgen_horner(T x, T sum, T next, Rest... rest) {
    return kgen_horner(x, kgen_fused(sum, x, next), rest...);
}
// The bits of a number, and the number with such bits.
KGEN_INLINE unsigned kgen_bits(float x) { return kgen_float_bits(x); }
KGEN_INLINE float kgen_of_bits(unsigned x) { return kgen_bits_float(x); }
KGEN_INLINE unsigned long long kgen_bits(double x) {
    unsigned long long y;
    __builtin_memcpy(&y, &x, 8);
    return y;
}
KGEN_INLINE double kgen_of_bits(unsigned long long x) {
    double y;
    __builtin_memcpy(&y, &x, 8);
    return y;
}
KGEN_INLINE float kgen_root(float x) { return __builtin_sqrtf(x); }
KGEN_INLINE double kgen_root(double x) { return __builtin_sqrt(x); }
// A constant of float, or that of double.
template <class T> constexpr T kgen_constant(double of_float, double of_double) {
    return (T)(sizeof(T) == 4 ? of_float : of_double);
}
template <class T> struct kgen_format {
    static constexpr int kgen_digits = sizeof(T) == 4 ? 23 : 52, kgen_bias = sizeof(T) == 4 ? 127 : 1023;
    static constexpr T kgen_whole = kgen_constant<T>(8388608, 4503599627370496);  // no number from here on has a fraction
    static constexpr T kgen_normal = kgen_constant<T>(__FLT_MIN__, __DBL_MIN__);
};
template <class T> KGEN_INLINE T kgen_size(T x) { return kgen_of_bits(kgen_bits(x) << 1 >> 1); }
// The magnitude of `size` with the sign of `sign`.
template <class T> KGEN_INLINE T kgen_signed(T size, T sign) {
    const auto sign_bit = kgen_bits(T(-0.0));
    return kgen_of_bits((kgen_bits(size) & ~sign_bit) | (kgen_bits(sign) & sign_bit));
}
// 2^n for -bias < n <= bias, 0 for n = -bias, infinity for n = bias + 1.
template <class T> KGEN_INLINE T kgen_power_of_two(T n) {
    return kgen_of_bits(kgen_bits(n + (kgen_format<T>::kgen_whole + kgen_format<T>::kgen_bias)) << kgen_format<T>::kgen_digits);
}
// Rounds to the nearest integer, for |x| < 2^21.
template <class T> KGEN_INLINE T kgen_nearest(T x) {
    const T middle = kgen_format<T>::kgen_whole * T(1.5);
    return x + middle - middle;
}
template <class T> KGEN_INLINE T kgen_below(T x, T most) { return x > most ? most : x; }
template <class T> KGEN_INLINE T kgen_limit(T x, T most) { return kgen_signed(kgen_below(kgen_size(x), most), x); }
// exp(r) - 1 for |r| <= ln(2) / 2.
KGEN_INLINE float kgen_small_expm1(float r) {
    return kgen_fused(r * r, kgen_horner(r, 1 / 5040.0f, 1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 0.5f), r);
}
KGEN_INLINE double kgen_small_expm1(double r) {
    return kgen_fused(r * r, kgen_horner(r, 1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0, 1 / 362880.0,
                                         1 / 40320.0, 1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5), r);
}
// exp(x) is 2^n * (1 + p). Valid for |x| <= 1000, of no meaning beyond; p is NaN for a NaN.
template <class T> struct kgen_exponential {
    T kgen_n, kgen_p;
    KGEN_INLINE kgen_exponential(T n, T p) : kgen_n(n), kgen_p(p) {}
    KGEN_INLINE explicit kgen_exponential(T x) : kgen_n(kgen_nearest(x * T(1.4426950408889634))) {
        const T high = kgen_constant<T>(-0.693359375, -6.93147180560117703862e-01);
        const T low = kgen_constant<T>(2.12194440e-4, 1.72394445256148348e-13);
        kgen_p = kgen_small_expm1(kgen_fused(kgen_n, low, kgen_fused(kgen_n, high, x)));
    }
    // (exp(x) - base) * 2^scale, for base 0 or 1.
    KGEN_INLINE T kgen_less(T base, T scale) const {
        const T power = kgen_power_of_two(kgen_n + scale);
        return kgen_fused(power, kgen_p, power - base * kgen_power_of_two(scale));
    }
    // exp(x), also if it is subnormal or infinite. The last product is fused with 0, so that compilers do not fuse it with what
    // follows: infinity less infinity would be -infinity, as the factors are finite.
    KGEN_INLINE T kgen_all() const {
        const T half = kgen_nearest(kgen_n * T(0.5));
        return kgen_fused((1 + kgen_p) * kgen_power_of_two(half), kgen_power_of_two(kgen_n - half), T(0));
    }
};
#define KGEN_OWN(name, function) \
    KGEN_INLINE float name##f(float x) { return function(x); } \
    KGEN_INLINE double name(double x) { return function(x); }
template <class T> constexpr T kgen_exp_end = kgen_constant<T>(89.5, 710.5);  // exp is infinite there
template <class T> constexpr T kgen_tiny = kgen_constant<T>(1e-4, 1e-9);      // odd functions are x below
template <class T> KGEN_INLINE T kgen_exp(T x) {
    return kgen_exponential<T>(kgen_limit(x, kgen_constant<T>(110, 760))).kgen_all();
}
template <class T> KGEN_INLINE T kgen_expm1(T x) {
    T y = 4 * kgen_exponential<T>(kgen_below(x, kgen_exp_end<T>)).kgen_less(1, -2);
    y = x < -40 ? T(-1) : y;
    return kgen_size(x) < kgen_constant<T>(1e-5, 1e-9) ? x * kgen_fused(x, T(0.5), T(1)) : y;  // keeps the sign of 0
}
template <class T> KGEN_INLINE T kgen_sinh(T x) {
    const T size = kgen_size(x);
    const T quarter = kgen_exponential<T>(kgen_below(size, kgen_exp_end<T>)).kgen_less(1, -2);
    const T y = 2 * (quarter + quarter / kgen_fused(T(4), quarter, T(1)));
    return kgen_signed(size < kgen_tiny<T> ? size : y, x);
}
template <class T> KGEN_INLINE T kgen_cosh(T x) {
    const T quarter = kgen_exponential<T>(kgen_below(kgen_size(x), kgen_exp_end<T>)).kgen_less(0, -2);
    return kgen_fused(T(2), quarter, T(0.125) / quarter);
}
template <class T> KGEN_INLINE T kgen_tanh(T x) {
    const T size = kgen_size(x);
    const T y = kgen_exponential<T>(2 * kgen_below(size, T(20))).kgen_less(1, 0);
    return kgen_signed(size < kgen_tiny<T> ? size : y / (y + 2), x);
}
template <class T> KGEN_INLINE T kgen_exp2(T x) {
    const T within = kgen_limit(x, kgen_constant<T>(160, 1100)), whole = kgen_nearest(within);
    return kgen_exponential<T>(whole, kgen_small_expm1((within - whole) * T(0.693147180559945309))).kgen_all();
}
template <class T> KGEN_INLINE T kgen_exp10(T x) {
    const T within = kgen_limit(x, kgen_constant<T>(50, 330));
    const T whole = kgen_nearest(within * T(3.32192809488736218));
    const T high = kgen_constant<T>(-0.301025391, -3.01029995664066518657e-01);
    const T low = kgen_constant<T>(-4.60503898e-6, 8.53234431705710656e-14);
    const T rest = kgen_fused(whole, low, kgen_fused(whole, high, within));
    const T lost = kgen_constant<T>(-3.1975e-8, -2.17075622338224935e-16);  // of the factor ln(10)
    return kgen_exponential<T>(whole, kgen_small_expm1(kgen_fused(rest, T(2.30258509299404590), rest * lost))).kgen_all();
}
KGEN_OWN(exp, kgen_exp) KGEN_OWN(expm1, kgen_expm1) KGEN_OWN(sinh, kgen_sinh) KGEN_OWN(cosh, kgen_cosh)
KGEN_OWN(tanh, kgen_tanh) KGEN_OWN(exp2, kgen_exp2) KGEN_OWN(exp10, kgen_exp10)
// (log((1 + s) / (1 - s)) - 2 s) / s^3 for s * s = z <= 0.04.
KGEN_INLINE float kgen_log_rest(float z) { return kgen_horner(z, 3.037461162e-01f, 3.995717112e-01f, 6.666695386e-01f); }
KGEN_INLINE double kgen_log_rest(double z) {
    return kgen_horner(z, 1.53848757710684375e-01, 1.52480379821899908e-01, 1.81864638135721651e-01, 2.22221358647697181e-01,
                       2.85714294276428304e-01, 3.99999999959809949e-01, 6.66666666666730467e-01);
}
// Divides by the power of two that leaves a number in [sqrt(0.5), sqrt(2)]. Returns the power's exponent.
template <class T> KGEN_INLINE T kgen_split_power(T x, T& rest) {
    const auto least = kgen_bits(T(0.70710678118654752)), above = kgen_bits(x) + (kgen_bits(T(1)) - least);
    rest = kgen_of_bits((above & (kgen_bits(kgen_format<T>::kgen_normal) - 1)) + least);
    const auto biased = above >> kgen_format<T>::kgen_digits | kgen_bits(kgen_format<T>::kgen_whole);
    return kgen_of_bits(biased) - (kgen_format<T>::kgen_whole + kgen_format<T>::kgen_bias);
}
// The same for numbers that may be subnormal. Whether x is, is asked in two different forms, because g++ would turn one
// condition into a branch and compile all that follows twice.
template <class T> KGEN_INLINE T kgen_split_any(T x, T& rest) {
    const T least = kgen_format<T>::kgen_normal;
    const T n = kgen_split_power(x < least ? x * kgen_format<T>::kgen_whole : x, rest);
    return n - (kgen_bits(x) < kgen_bits(least) ? kgen_format<T>::kgen_digits : T(0));
}
template <class T> KGEN_INLINE T kgen_with_logarithm(T n, T log) {
    return kgen_fused(n, kgen_constant<T>(0.693359375, 6.93147180560117703862e-01),
                      kgen_fused(n, kgen_constant<T>(-2.12194440e-4, -1.72394445256148348e-13), log));
}
// The values of logarithms at their ends: -infinity at `zero`, NaN below it, infinity at infinity.
template <class T> KGEN_INLINE T kgen_logarithm_ends(T x, T zero, T y) {
    y = x == T(__builtin_inf()) ? x : y;
    y = x == zero ? -T(__builtin_inf()) : y;
    return x >= zero ? y : T(__builtin_nan(""));
}
// log(1 + top / bottom), where `sum` is 1 + top / bottom to 6 %.
template <class T> KGEN_INLINE T kgen_log_of_sum(T top, T bottom, T sum) {
    T rest;
    const T n = kgen_split_power(sum, rest), power = kgen_power_of_two(n - 3);  // an eighth, which does not overflow
    const T above = kgen_fused(T(0.125), top, (T(0.125) - power) * bottom), s = above / kgen_fused(2 * power, bottom, above);
    return kgen_with_logarithm(n, kgen_fused(s * (s * s), kgen_log_rest(s * s), 2 * s));
}
template <class T> KGEN_INLINE T kgen_log1p(T x) {
    const T y = kgen_log_of_sum(x, T(1), 1 + x);
    return kgen_logarithm_ends(x, T(-1), kgen_size(x) < kgen_tiny<T> ? kgen_fused(x * T(-0.5), x, x) : y);
}
template <int base, class T> KGEN_INLINE T kgen_log_of_base(T x) {
    T rest;
    const T n = kgen_split_any(x, rest);
    const T f = rest - 1, s = f / (2 + f), log = kgen_fused(-s, kgen_fused(-(s * s), kgen_log_rest(s * s), f), f);
    const T log2e = T(1.44269504088896339), log2e_low = kgen_constant<T>(1.92596303e-8, 2.03552737409310331e-17);
    const T high = kgen_constant<T>(0.301025391, 3.01029995664066518657e-01);
    const T low = kgen_constant<T>(4.60503846e-6, -8.53234431705710656e-14);
    const T y = base == 2    ? kgen_fused(log, log2e, kgen_fused(log, log2e_low, n))
                : base == 10 ? kgen_fused(n, high, kgen_fused(n, low, log * T(0.434294481903251817)))
                             : kgen_with_logarithm(n, log);
    return kgen_logarithm_ends(x, T(0), y);
}
template <class T> KGEN_INLINE T kgen_atanh(T x) {
    const T size = kgen_size(x), sum = 1 + size, difference = 1 - size;
    // The difference of the bits, less the middle of its error, is that of the logarithms to 0.09.
    T y = T(0.5) * kgen_log_of_sum(size, T(0.5) * difference, kgen_of_bits(kgen_bits(sum) - kgen_bits(difference) + kgen_bits(T(0.957))));
    y = size == 1 ? T(__builtin_inf()) : y;
    y = size <= 1 ? y : T(__builtin_nan(""));
    return kgen_signed(size < kgen_tiny<T> ? size : y, x);
}
template <class T> KGEN_INLINE T kgen_asinh(T x) {
    const T size = kgen_size(x);
    const bool is_large = size > kgen_constant<T>(1e9, 1e150);
    const T square = is_large ? 0 : size * size, root = kgen_root(1 + square), mean = T(0.5) * (1 + root);
    T y = kgen_log_of_sum(kgen_fused(size, mean, T(0.5) * square), mean, size + root);
    y += is_large ? T(0.693147180559945309) : 0;
    y = size < T(__builtin_inf()) ? y : size;
    return kgen_signed(size < kgen_tiny<T> ? size : y, x);
}
template <class T> KGEN_INLINE T kgen_acosh(T x) {
    const bool is_large = x > kgen_constant<T>(1e9, 1e150);
    const T above = x - 1, square = is_large ? 0 : above * (above + 2);
    const T y = kgen_log1p((is_large ? x : above) + kgen_root(square)) + (is_large ? T(0.693147180559945309) : 0);
    return x >= 1 ? y : T(__builtin_nan(""));
}
KGEN_OWN(log1p, kgen_log1p) KGEN_OWN(log, kgen_log_of_base<0>) KGEN_OWN(log2, kgen_log_of_base<2>)
KGEN_OWN(log10, kgen_log_of_base<10>) KGEN_OWN(atanh, kgen_atanh) KGEN_OWN(asinh, kgen_asinh) KGEN_OWN(acosh, kgen_acosh)
// (atan(x) - x) / x^3 for x * x = z <= 1.
KGEN_INLINE float kgen_atan_rest(float z) {
    return kgen_horner(z, 2.920646046e-03f, -1.636774392e-02f, 4.321156315e-02f, -7.552189279e-02f, 1.066599305e-01f,
                       -1.421105241e-01f, 1.999377249e-01f, -3.333315272e-01f);
}
KGEN_INLINE double kgen_atan_rest(double z) {
    return kgen_horner(z, -2.02559338379993991e-05, 2.22997537129268234e-04, -1.16396307084430640e-03, 3.85568478461473935e-03,
                       -9.18403060470060310e-03, 1.69773396856278090e-02, -2.58261121656988904e-02, 3.40672987913153147e-02,
                       -4.09260880260657392e-02, 4.67393659599415270e-02, -5.23922858646568915e-02, 5.87730663360802388e-02,
                       -6.66586014434009944e-02, 7.69221289994338753e-02, -9.09090123240002962e-02, 1.11111106785553457e-01,
                       -1.42857142713272295e-01, 1.99999999997548639e-01, -3.33333333333318549e-01);
}
// atan(x) for x in [0, 1].
template <class T> KGEN_INLINE T kgen_small_atan(T x) { return kgen_fused(x * (x * x), kgen_atan_rest(x * x), x); }
// pi is `high` + `low`.
template <class T> constexpr T kgen_pi_high = T(3.14159265358979312);
template <class T> constexpr T kgen_pi_low = kgen_constant<T>(-8.74227766e-8, 1.22464679914735321e-16);
template <class T> KGEN_INLINE T kgen_from_half_pi(T angle) { return kgen_pi_high<T> / 2 - (angle - kgen_pi_low<T> / 2); }
template <class T> KGEN_INLINE T kgen_from_pi(T angle) { return kgen_pi_high<T> - (angle - kgen_pi_low<T>); }
template <class T> KGEN_INLINE T kgen_atan(T x) {
    const T size = kgen_size(x);
    const bool is_above = size > 1;
    const T y = kgen_small_atan(is_above ? 1 / size : size);
    return kgen_signed(is_above ? kgen_from_half_pi(y) : y, x);
}
template <class T> KGEN_INLINE T kgen_atan2(T y, T x) {
    const T height = kgen_size(y), width = kgen_size(x);
    const bool is_steep = height > width;
    const T small = is_steep ? width : height, large = is_steep ? height : width;
    T ratio = small / large;
    ratio = small == large ? (large == 0 ? T(0) : T(1)) : ratio;
    T angle = kgen_small_atan(ratio);
    angle = is_steep ? kgen_from_half_pi(angle) : angle;
    angle = kgen_bits(x) >> (8 * sizeof(T) - 1) ? kgen_from_pi(angle) : angle;
    return (x != x) | (y != y) ? x + y : kgen_signed(angle, y);
}
KGEN_INLINE float atan2f(float y, float x) { return kgen_atan2(y, x); }
KGEN_INLINE double atan2(double y, double x) { return kgen_atan2(y, x); }
// (asin(x) - x) / x^3 for x * x = z <= 0.25.
KGEN_INLINE float kgen_asin_rest(float z) {
    return kgen_horner(z, 3.756518843e-02f, 1.440261494e-02f, 3.181760933e-02f, 4.451572049e-02f, 7.500510917e-02f,
                       1.666665987e-01f);
}
KGEN_INLINE double kgen_asin_rest(double z) {
    return kgen_horner(z, 3.19128618231843061e-02, -1.62250820192362324e-02, 1.95287679162578533e-02, 6.52780247589261273e-03,
                       1.21692486904906583e-02, 1.38852303319720888e-02, 1.73597052238825648e-02, 2.23717580243282220e-02,
                       3.03819591378581104e-02, 4.46428568283110672e-02, 7.50000000033703290e-02, 1.66666666666654084e-01);
}
template <class T> KGEN_INLINE T kgen_asin(T x) {
    const T size = kgen_size(x);
    const bool is_large = size > T(0.5);
    const T z = is_large ? T(0.5) * (1 - size) : size * size, root = is_large ? kgen_root(z) : size;
    const T y = kgen_fused(root, z * kgen_asin_rest(z), root);
    return kgen_signed(is_large ? kgen_from_half_pi(2 * y) : y, x);
}
template <class T> KGEN_INLINE T kgen_acos(T x) {
    const T size = kgen_size(x);
    const bool is_large = size > T(0.5);
    const T z = is_large ? T(0.5) * (1 - size) : size * size, root = is_large ? kgen_root(z) : x;
    const T y = kgen_fused(root, z * kgen_asin_rest(z), root);
    return is_large ? (x > 0 ? 2 * y : kgen_from_pi(2 * y)) : kgen_from_half_pi(y);
}
KGEN_OWN(atan, kgen_atan) KGEN_OWN(asin, kgen_asin) KGEN_OWN(acos, kgen_acos)
// Above 1, 1 - exp(log(erfc(x))).
KGEN_INLINE float erff(float x) {
    const float size = kgen_size(x), z = size * size, within = size > 4 ? 4.0f : size;
    const float near = kgen_fused(size * z, kgen_horner(z, -9.722135530e-06f, 1.128620267e-04f, -8.487042870e-04f,
                                                        5.221251245e-03f, -2.686551700e-02f, 1.128378421e-01f,
                                                        -3.761263861e-01f), size * 0.128379167f) + size;
    const float power = kgen_horner(within, -2.513263059e-07f, 2.531480390e-05f, -4.637879904e-04f, 4.282382522e-03f,
                                    -2.537355552e-02f, 1.086389974e-01f, 6.330396129e-01f, 1.129661157e+00f,
                                    -2.043598589e-04f);
    const float far = 1 - kgen_exponential<float>(-power).kgen_less(0, 0);
    return x != x ? x : kgen_signed(size < 1 ? near : far, x);
}
// A number whose cube times x is 1 to about 0.1: the bits of a float, divided by -3.
KGEN_INLINE float kgen_cube_start(float x) { return kgen_of_bits(0x54a1f800u - kgen_bits(x) / 3); }
KGEN_INLINE double kgen_cube_start(double x) {
    return kgen_of_bits((0x553f0000ull - ((kgen_bits(x) >> 32) * 0x55555556ull >> 32)) << 32);
}
// A step of Householder's method towards 1 / cbrt(x).
template <class T> KGEN_INLINE T kgen_cube_step(T x, T inverse) {
    const T rest = kgen_fused(x * inverse * inverse, -inverse, T(1));
    return kgen_fused(inverse * rest, kgen_horner(rest, T(14 / 81.0), T(2 / 9.0), T(1 / 3.0)), inverse);
}
template <class T> KGEN_INLINE T kgen_cbrt(T x) {
    const T size = kgen_size(x);
    const bool is_small = size < kgen_constant<T>(1e-30, 1e-290);
    const T scaled = is_small ? size * kgen_constant<T>(16777216.0, 18014398509481984.0) : size;
    T inverse = kgen_cube_step(scaled, kgen_cube_start(scaled));
    if (sizeof(T) == 8) inverse = kgen_cube_step(scaled, inverse);
    const T near = scaled * inverse * inverse;  // then one step of Newton's method for the cube root
    const T quarter = kgen_fused(near * near, near * T(-0.25), scaled * T(0.25));  // of the error, as a cube may overflow
    const T root = kgen_fused(quarter * T(4 / 3.0), inverse * inverse, near);
    const T y = is_small ? root * kgen_constant<T>(1 / 256.0, 1 / 262144.0) : root;
    return kgen_signed((size > 0) & (size < T(__builtin_inf())) ? y : size, x);
}
KGEN_OWN(cbrt, kgen_cbrt)
KGEN_INLINE float hypotf(float x, float y) {
    const float root = (float)__builtin_sqrt((double)x * x + (double)y * y);
    return (kgen_size(x) == __builtin_inff()) | (kgen_size(y) == __builtin_inff()) ? __builtin_inff() : root;
}
#if defined(__FMA__) || defined(__aarch64__)
#define KGEN_OWN_POWER 1
// 2^(y * log2(x)). The logarithm and the product are sums of two floats.
KGEN_INLINE float powf(float x, float y) {
    if (__builtin_constant_p(y) && y == 2) return x * x;
    const float size = kgen_size(x);
    float rest;
    const float n = kgen_split_any(size, rest), f = rest - 1;
    const float sum = 2 + f, inverse = 1 / sum, s = f * inverse, square = s * s;
    // log2(rest) is s * (2 / ln(2) + square * rest_of_log).
    const float s_low = inverse * kgen_fused(-s, f - (sum - 2), kgen_fused(-s, sum, f));
    const float rest_of_log = kgen_horner(square, 3.402184635e-01f, 4.117063421e-01f, 5.770828519e-01f, 9.617966792e-01f);
    const float two = 2.885390043f, two_low = 3.851926067e-8f, factor = kgen_fused(square, rest_of_log, two);
    const float factor_low = kgen_fused(square, rest_of_log, two - factor) + two_low, high = s * factor, log = n + high;
    const float log_low = n - log + high + kgen_fused(s, factor_low, kgen_fused(s_low, factor, kgen_fused(s, factor, -high)));
    const float power = y * log, power_low = kgen_fused(y, log_low, kgen_fused(y, log, -power));
    const float shifted = power + 12582912.0f, part = power - (shifted - 12582912.0f) + power_low;
    float z = kgen_fused(part, kgen_horner(part, 1.559387052e-04f, 1.340662788e-03f, 9.617695526e-03f, 5.550310601e-02f,
                                           2.402265277e-01f, 6.931472149e-01f), 1.0f);
    // Multiplies by 2^-80 or 2^80 last, so that a subnormal number is rounded once. The square of that is 0 or infinity.
    const float step = power < 0 ? 8.27180613e-25f : 1.20892582e24f;
    z = kgen_of_bits(kgen_bits(z) + (kgen_bits(shifted) << 23) + (power < 0 ? 80u << 23 : -80u << 23));
    z = (kgen_size(power) > 160 ? step : z) * step;
    z = power != power ? 1.0f : z;  // |x| is 1 and y infinite
    const float off = kgen_size(kgen_fused(-2.0f, __builtin_rintf(y * 0.5f), y));  // 0 if y is even, 1 if it is odd
    z = (x < 0) & (off > 0) & (off < 1) ? __builtin_nanf("") : z;
    const unsigned infinity = kgen_bits(__builtin_inff()), bits = kgen_bits(size);
    const float end = y < 0 ? kgen_of_bits(infinity - bits) : size;
    z = (bits - 1 >= infinity - 1) & (y != 0) ? end : z;  // of 0, infinity and NaN
    z = off == 1 ? kgen_of_bits(kgen_bits(z) ^ (kgen_bits(x) & 0x80000000u)) : z;
    return (y != y) & (x != 1) ? y : z;
}
#endif
