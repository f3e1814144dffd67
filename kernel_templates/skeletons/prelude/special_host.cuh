// SPDX-License-Identifier: MIT
// kgen prelude: CUDA's functions that libm lacks, for the host. They compute in double.
#define KGEN_SPECIAL 1
#define KGEN_2_SQRTPI 1.12837916709551257390
#define KGEN_SQRT2 1.41421356237309504880
#define KGEN_SQRT1_2 0.70710678118654752440
inline double erfcx(double x) {
    if (x < 10) {  // the square is in two parts, because exp multiplies its relative error by x * x
        double square = x * x, low = fma(x, x, -square);
        return x < -26.7 ? __builtin_inf() : exp(square) * (1 + low) * erfc(x);
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 12; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
    return sum / (x * 1.7724538509055160273);
}
inline double erfinv(double y);
inline double erfcinv(double y) {
    if (y >= 0.5 && y <= 1.5) return erfinv(1 - y);
    if (!(y > 0 && y < 2)) return y == 0 ? __builtin_inf() : y == 2 ? -__builtin_inf() : __builtin_nan("");
    bool upper = y > 1;
    double p = upper ? 2 - y : y, t = sqrt(-2 * log(p / 2));
    double x = (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                        (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))) * KGEN_SQRT1_2;
    for (int step = 0; step < 4; ++step) {  // Halley's method on erfc(x) = p
        double u = (erfc(x) - p) / (KGEN_2_SQRTPI * exp(-x * x));
        x += u / (1 + x * u);
    }
    return upper ? -x : x;
}
inline double erfinv(double y) {
    double size = fabs(y);
    if (size > 0.5) return copysign(size > 1 ? __builtin_nan("") : erfcinv(1 - size), y);
    double x = y / KGEN_2_SQRTPI;
    for (int step = 0; step < 4; ++step) {
        double u = (erf(x) - y) / (KGEN_2_SQRTPI * exp(-x * x));
        x -= u / (1 + x * u);
    }
    return x;
}
inline double normcdf(double x) {  // corrects for `low`, the rounding error of t, by the slope
    double t = -x * KGEN_SQRT1_2, low = fma(-x, KGEN_SQRT1_2, -t) + x * 4.8336466567264567e-17;
    return erfc(t) / 2 - (t * t < 700 ? low * exp(-t * t) * (KGEN_2_SQRTPI / 2) : 0);
}
inline double normcdfinv(double p) { return -KGEN_SQRT2 * erfcinv(2 * p); }
inline double kgen_bessel_i(int order, double x) {  // all terms of the series have the same sign
    double square = x * x / 4, term = order ? fabs(x) / 2 : 1, sum = term;
    for (int k = 1; term > sum * 1e-17 && k < 2000; ++k) sum += term *= square / ((double)k * (k + order));
    return order && x < 0 ? -sum : sum;
}
inline double cyl_bessel_i0(double x) { return kgen_bessel_i(0, x); }
inline double cyl_bessel_i1(double x) { return kgen_bessel_i(1, x); }
// Scales by a power of two, so that squares neither overflow nor underflow.
inline double norm(int n, const double* x) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; ++i) {
        if (__builtin_isinf(x[i])) return __builtin_inf();
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest == 0) largest = 1;
    int exponent;
    frexp(largest, &exponent);
    for (int i = 0; i < n; ++i) {
        double part = ldexp(x[i], -exponent);
        sum += part * part;
    }
    return ldexp(sqrt(sum), exponent);
}
inline float normf(int n, const float* x) {
    double sum = 0;
    bool infinite = false;
    for (int i = 0; i < n; ++i) {
        infinite |= (bool)__builtin_isinf(x[i]);
        sum += (double)x[i] * x[i];
    }
    return infinite ? __builtin_inff() : (float)sqrt(sum);
}
inline double norm3d(double a, double b, double c) {
    double x[] = {a, b, c};
    return norm(3, x);
}
inline double norm4d(double a, double b, double c, double d) {
    double x[] = {a, b, c, d};
    return norm(4, x);
}
inline double rnorm(int n, const double* x) { return 1 / norm(n, x); }
inline float rnormf(int n, const float* x) { return 1 / normf(n, x); }
inline double rnorm3d(double a, double b, double c) { return 1 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1 / norm4d(a, b, c, d); }
inline double rhypot(double a, double b) { return 1 / hypot(a, b); }
#define KGEN_SPECIAL1(name) \
    inline float name##f(float x) { return (float)name((double)x); } \
    inline float name(float x) { return name##f(x); }
KGEN_SPECIAL1(erfcx) KGEN_SPECIAL1(erfcinv) KGEN_SPECIAL1(erfinv) KGEN_SPECIAL1(normcdf)
KGEN_SPECIAL1(normcdfinv) KGEN_SPECIAL1(cyl_bessel_i0) KGEN_SPECIAL1(cyl_bessel_i1)
#define KGEN_NORM(name) \
    inline float name##3df(float a, float b, float c) { return (float)name##3d(a, b, c); } \
    inline float name##3d(float a, float b, float c) { return name##3df(a, b, c); } \
    inline float name##4df(float a, float b, float c, float d) { return (float)name##4d(a, b, c, d); } \
    inline float name##4d(float a, float b, float c, float d) { return name##4df(a, b, c, d); }
KGEN_NORM(norm) KGEN_NORM(rnorm)
inline float rhypotf(float a, float b) { return (float)rhypot((double)a, (double)b); }
inline float rhypot(float a, float b) { return rhypotf(a, b); }
