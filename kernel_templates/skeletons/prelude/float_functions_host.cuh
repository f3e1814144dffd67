// SPDX-License-Identifier: MIT
// kgen prelude: functions of float that loops vectorise: without calls, tables and branches. All elements of a kernel run the
// same operations, so equal inputs have equal results at any position. The README, "Devices", gives the largest errors.
//
// Arguments are reduced as in Muller, Elementary Functions: Algorithms and Implementation (3rd edition, 2016), chapters 8 and 11
// (Cody and Waite's reduction in two steps). Coefficients without a comment are least-squares fits on Chebyshev nodes whose
// weights were iterated towards equal ripples (Lawson's method), except for those of exponentials, which are Taylor's.
#define KGEN_FLOAT_FUNCTIONS 1
// One rounding on machines with such an instruction. Elsewhere libm would compute it far more slowly than two operations.
KGEN_INLINE float kgen_fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}
template <class... Rest> KGEN_INLINE float kgen_horner(float, float sum) { return sum; }
template <class... Rest> KGEN_INLINE float kgen_horner(float x, float sum, float next, Rest... rest) {
    return kgen_horner(x, kgen_fused(sum, x, next), rest...);
}
// The magnitude of `size` with the sign of `sign`.
KGEN_INLINE float kgen_signed(float size, float sign) {
    return kgen_bits_float((kgen_float_bits(size) & 0x7fffffffu) | (kgen_float_bits(sign) & 0x80000000u));
}
KGEN_INLINE float kgen_size(float x) { return kgen_bits_float(kgen_float_bits(x) & 0x7fffffffu); }
KGEN_INLINE float kgen_power_of_two(int n) { return kgen_bits_float((unsigned)(n + 127) << 23); }
// Rounds to the nearest integer, for |x| < 2^21.
KGEN_INLINE int kgen_nearest(float x, float& whole) {
    const float shifted = x + 12582912.0f;
    whole = shifted - 12582912.0f;
    return (int)(kgen_float_bits(shifted) - 0x4b400000u);
}
// exp(r) - 1 for |r| <= ln(2) / 2.
KGEN_INLINE float kgen_small_expm1(float r) {
    return kgen_fused(r * r, kgen_horner(r, 1 / 5040.0f, 1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 0.5f), r);
}
// exp(x) is 2^n * (1 + p). Valid for |x| <= 1000; p is NaN for a NaN.
struct kgen_exponential {
    int kgen_n;
    float kgen_p;
    KGEN_INLINE explicit kgen_exponential(float x) {
        float whole;
        kgen_n = kgen_nearest(x * 1.44269504f, whole);
        kgen_p = kgen_small_expm1(kgen_fused(whole, 2.12194440e-4f, kgen_fused(whole, -0.693359375f, x)));
    }
    // (exp(x) - base) * 2^scale, for base 0 or 1.
    KGEN_INLINE float kgen_less(float base, int scale) const {
        const float power = kgen_power_of_two(kgen_n + scale);
        return kgen_fused(power, kgen_p, power - base * kgen_power_of_two(scale));
    }
    // exp(x), also if it is subnormal or infinite.
    KGEN_INLINE float kgen_whole() const {
        const int half = kgen_n / 2;
        return (1 + kgen_p) * kgen_power_of_two(half) * kgen_power_of_two(kgen_n - half);
    }
};
KGEN_INLINE float expm1f(float x) {
    const float low = x < -20.0f ? -20.0f : x, within = low > 89.5f ? 89.5f : low;
    const float y = 4 * kgen_exponential(within).kgen_less(1, -2);
    return kgen_size(x) < 1e-5f ? x * kgen_fused(x, 0.5f, 1) : y;  // keeps the sign of 0
}
KGEN_INLINE float sinhf(float x) {
    const float size = kgen_size(x), within = size > 89.5f ? 89.5f : size;
    const float quarter = kgen_exponential(within).kgen_less(1, -2);
    const float y = 2 * (quarter + quarter / kgen_fused(4, quarter, 1));
    return kgen_signed(size < 1e-4f ? size : y, x);
}
KGEN_INLINE float coshf(float x) {
    const float size = kgen_size(x), within = size > 89.5f ? 89.5f : size;
    const float quarter = kgen_exponential(within).kgen_less(0, -2);
    return kgen_fused(2, quarter, 0.125f / quarter);
}
KGEN_INLINE float tanhf(float x) {
    const float size = kgen_size(x), within = size > 10.0f ? 10.0f : size;
    const float y = kgen_exponential(2 * within).kgen_less(1, 0);
    return kgen_signed(size < 1e-4f ? size : y / (y + 2), x);
}
KGEN_INLINE float exp2f(float x) {
    const float low = x < -160.0f ? -160.0f : x, within = low > 129.0f ? 129.0f : low;
    float whole;
    kgen_exponential e(0);
    e.kgen_n = kgen_nearest(within, whole);
    e.kgen_p = kgen_small_expm1((within - whole) * 0.693147181f);
    return e.kgen_whole();
}
KGEN_INLINE float exp10f(float x) {
    const float low = x < -50.0f ? -50.0f : x, within = low > 39.0f ? 39.0f : low;
    float whole;
    kgen_exponential e(0);
    e.kgen_n = kgen_nearest(within * 3.32192809f, whole);
    const float rest = kgen_fused(whole, -4.60503898e-6f, kgen_fused(whole, -0.301025391f, within));
    e.kgen_p = kgen_small_expm1(kgen_fused(rest, 2.30258512f, rest * -3.1975e-8f));
    return e.kgen_whole();
}
// log(1 + f) for f in [sqrt(0.5) - 1, sqrt(2) - 1].
KGEN_INLINE float kgen_small_log1p(float f) {
    const float rest = kgen_horner(f, -7.857310778e-02f, 1.288096109e-01f, -1.312923707e-01f, 1.418130921e-01f,
                                   -1.662452093e-01f, 2.000228065e-01f, -2.500081113e-01f, 3.333331679e-01f);
    return kgen_fused(f * f, kgen_fused(rest, f, -0.5f), f);
}
// Divides by the power of two that leaves a number in [sqrt(0.5), sqrt(2)]. Returns the power's exponent.
KGEN_INLINE int kgen_split_power(float x, float& rest) {
    const unsigned bits = kgen_float_bits(x);
    const int n = (int)(bits - 0x3f3504f3u) >> 23;
    rest = kgen_bits_float(bits - ((unsigned)n << 23));
    return n;
}
KGEN_INLINE float kgen_with_logarithm(int n, float log) {
    return kgen_fused((float)n, 0.693359375f, kgen_fused((float)n, -2.12194440e-4f, log));
}
// The values of logarithms at their ends: -infinity at `zero`, NaN below it, infinity at infinity.
KGEN_INLINE float kgen_logarithm_ends(float x, float zero, float y) {
    y = x == __builtin_inff() ? x : y;
    y = x == zero ? -__builtin_inff() : y;
    return x >= zero ? y : __builtin_nanf("");
}
KGEN_INLINE float log1pf(float x) {
    const float sum = 1 + x;
    const float lost = x >= 1 ? 1 - (sum - x) : x - (sum - 1);
    float rest;
    const int n = kgen_split_power(sum, rest);
    const float y = kgen_with_logarithm(n, kgen_small_log1p(kgen_fused(lost, kgen_power_of_two(n > 126 ? -126 : -n), rest - 1)));
    return kgen_logarithm_ends(x, -1, kgen_size(x) < 1e-4f ? kgen_fused(x * -0.5f, x, x) : y);
}
template <int base> KGEN_INLINE float kgen_log_of_base(float x) {
    const bool is_small = x < 1.17549435e-38f;
    float rest;
    const int n = kgen_split_power(is_small ? x * 8388608.0f : x, rest) - (is_small ? 23 : 0);
    const float log = kgen_small_log1p(rest - 1);
    const float y = base == 2 ? kgen_fused(log, 1.44269502f, kgen_fused(log, 1.92596303e-8f, (float)n))
                              : kgen_fused((float)n, 0.301025391f,
                                           kgen_fused((float)n, 4.60503846e-6f, log * 0.434294482f));
    return kgen_logarithm_ends(x, 0, y);
}
KGEN_INLINE float log2f(float x) { return kgen_log_of_base<2>(x); }
KGEN_INLINE float log10f(float x) { return kgen_log_of_base<10>(x); }
KGEN_INLINE float atanhf(float x) {
    const float size = kgen_size(x), y = 0.5f * log1pf(2 * size / (1 - size));
    return kgen_signed(size < 1e-4f ? size : y, x);
}
KGEN_INLINE float asinhf(float x) {
    const float size = kgen_size(x);
    const bool is_large = size > 1e9f;
    const float square = is_large ? 0 : size * size;
    const float y = log1pf(size + square / (1 + __builtin_sqrtf(1 + square))) + (is_large ? 0.693147181f : 0.0f);
    return kgen_signed(size < 1e-4f ? size : y, x);
}
KGEN_INLINE float acoshf(float x) {
    const bool is_large = x > 1e9f;
    const float above = x - 1, square = is_large ? 0 : above * (above + 2);
    const float y = log1pf((is_large ? x : above) + __builtin_sqrtf(square)) + (is_large ? 0.693147181f : 0.0f);
    return x >= 1 ? y : __builtin_nanf("");
}
// atan(x) for x in [0, 1].
KGEN_INLINE float kgen_small_atan(float x) {
    const float z = x * x;
    return kgen_fused(x * z, kgen_horner(z, 2.920646046e-03f, -1.636774392e-02f, 4.321156315e-02f, -7.552189279e-02f,
                                         1.066599305e-01f, -1.421105241e-01f, 1.999377249e-01f, -3.333315272e-01f), x);
}
#define KGEN_PI_HIGH 3.14159274f
#define KGEN_PI_LOW -8.74227766e-8f
KGEN_INLINE float atanf(float x) {
    const float size = kgen_size(x);
    const bool is_above = size > 1;
    const float y = kgen_small_atan(is_above ? 1 / size : size);
    return kgen_signed(is_above ? KGEN_PI_HIGH / 2 - (y - KGEN_PI_LOW / 2) : y, x);
}
KGEN_INLINE float atan2f(float y, float x) {
    const float height = kgen_size(y), width = kgen_size(x);
    const bool is_steep = height > width;
    const float small = is_steep ? width : height, large = is_steep ? height : width;
    float ratio = small / large;
    ratio = small == large ? (large == 0 ? 0.0f : 1.0f) : ratio;
    float angle = kgen_small_atan(ratio);
    angle = is_steep ? KGEN_PI_HIGH / 2 - (angle - KGEN_PI_LOW / 2) : angle;
    angle = (int)kgen_float_bits(x) < 0 ? KGEN_PI_HIGH - (angle - KGEN_PI_LOW) : angle;
    return (x != x) | (y != y) ? x + y : kgen_signed(angle, y);
}
// (asin(x) - x) / x for x * x = z <= 0.25.
KGEN_INLINE float kgen_small_asin(float z) {
    return z * kgen_horner(z, 3.756518843e-02f, 1.440261494e-02f, 3.181760933e-02f, 4.451572049e-02f, 7.500510917e-02f,
                           1.666665987e-01f);
}
KGEN_INLINE float asinf(float x) {
    const float size = kgen_size(x);
    const bool is_large = size > 0.5f;
    const float z = is_large ? 0.5f * (1 - size) : size * size, root = is_large ? __builtin_sqrtf(z) : size;
    const float y = kgen_fused(root, kgen_small_asin(z), root);
    return kgen_signed(is_large ? KGEN_PI_HIGH / 2 - (2 * y - KGEN_PI_LOW / 2) : y, x);
}
KGEN_INLINE float acosf(float x) {
    const float size = kgen_size(x);
    const bool is_large = size > 0.5f;
    const float z = is_large ? 0.5f * (1 - size) : size * size, root = is_large ? __builtin_sqrtf(z) : x;
    const float y = kgen_fused(root, kgen_small_asin(z), root);
    const float outer = x > 0 ? 2 * y : KGEN_PI_HIGH - (2 * y - KGEN_PI_LOW);
    return is_large ? outer : KGEN_PI_HIGH / 2 - (y - KGEN_PI_LOW / 2);
}
// Above 1, 1 - exp(log(erfc(x))).
KGEN_INLINE float erff(float x) {
    const float size = kgen_size(x), z = size * size, within = size > 4 ? 4.0f : size;
    const float near = kgen_fused(size * z, kgen_horner(z, -9.722135530e-06f, 1.128620267e-04f, -8.487042870e-04f,
                                                        5.221251245e-03f, -2.686551700e-02f, 1.128378421e-01f,
                                                        -3.761263861e-01f), size * 0.128379167f) + size;
    const float power = kgen_horner(within, -2.513263059e-07f, 2.531480390e-05f, -4.637879904e-04f, 4.282382522e-03f,
                                    -2.537355552e-02f, 1.086389974e-01f, 6.330396129e-01f, 1.129661157e+00f,
                                    -2.043598589e-04f);
    const float far = 1 - kgen_exponential(-power).kgen_less(0, 0);
    return x != x ? x : kgen_signed(size < 1 ? near : far, x);
}
// Kahan's start by dividing the bits by 3, then one step of Halley's method in float and one in double.
KGEN_INLINE float cbrtf(float x) {
    const float size = kgen_size(x);
    const bool is_small = size < 1e-30f;
    const float scaled = is_small ? size * 16777216.0f : size;
    const float start = kgen_bits_float(kgen_float_bits(scaled) / 3 + 709958130u);
    const float quarter = start * start * (start * 0.25f);  // of a cube, which may be above the largest float
    const double near = start * ((quarter + 0.5f * scaled) / (2 * quarter + 0.25f * scaled)), exact = near * near * near;
    const float root = (float)(near * ((exact + 2.0 * scaled) / (2.0 * exact + scaled)));
    const float y = is_small ? root * 0.00390625f : root;
    return kgen_signed(size > 0 && size < __builtin_inff() ? y : size, x);
}
KGEN_INLINE float hypotf(float x, float y) {
    const float root = (float)__builtin_sqrt((double)x * x + (double)y * y);
    return (kgen_size(x) == __builtin_inff()) | (kgen_size(y) == __builtin_inff()) ? __builtin_inff() : root;
}
