// SPDX-License-Identifier: MIT
// kgen prelude: the elementary functions of complex<T>, with the branch cuts and limits of C's Annex G.
#define KGEN_FUNCTION template <class T> inline __device__
#define KGEN_INF(T) ((T)kgen_bits_float(0x7f800000u))
#define KGEN_NAN(T) ((T)kgen_bits_float(0x7fc00000u))
KGEN_FUNCTION complex<T> kgen_times_i(const complex<T>& z) { return complex<T>(-z.kgen_imag, z.kgen_real); }
KGEN_FUNCTION complex<T> kgen_over_i(const complex<T>& z) { return complex<T>(z.kgen_imag, -z.kgen_real); }
// Returns exp(x) * (u + iv) * factor, also if exp(x) alone overflows.
KGEN_FUNCTION complex<T> kgen_exp_times(T x, T u, T v, T factor = T(1)) {
    T root = exp(x / 2), rest = root * factor;
    return complex<T>(root * u * rest, root * v * rest);
}
// Returns log |z| without overflow, and without cancellation near |z| = 1.
KGEN_FUNCTION T kgen_log_abs(const complex<T>& z) {
    T x = fabs(z.kgen_real), y = fabs(z.kgen_imag);
    if (x < y) {
        T t = x;
        x = y;
        y = t;
    }
    if (x > T(0.5) && x < 2 && y < 2) {
        T xx = x * x, yy = y * y, rest = fma(x, x, -xx) + fma(y, y, -yy);
        return log1p((xx - 1) + yy + rest) / 2;
    }
    const T high = T(sizeof(T) == 4 ? 8.507059173023462e+37 : 4.49423283715579e+307), low = T(sizeof(T) == 4 ? 7.888609052210118e-31 : 1.0261342003245941e-289);
    if (x > high) return log(hypot(x / 4, y / 4)) + 2 * T(M_LN2);
    if (x < low && x > 0) return log(hypot(x * T(1.152921504606847e+18), y * T(1.152921504606847e+18))) - 60 * T(M_LN2);
    return log(hypot(x, y));
}

KGEN_FUNCTION complex<T> exp(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (y == 0) return complex<T>(exp(x), y);
    if (!isfinite(y)) {
        if (x == -KGEN_INF(T)) return complex<T>(T(0), copysign(T(0), y));
        return complex<T>(x == KGEN_INF(T) ? x : KGEN_NAN(T), KGEN_NAN(T));
    }
    T s, c;
    sincos(y, &s, &c);
    if (x > T(sizeof(T) == 4 ? 88 : 709)) return kgen_exp_times(x, c, s);
    T e = exp(x);
    return complex<T>(e * c, e * s);
}
KGEN_FUNCTION complex<T> expm1(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (y == 0) return complex<T>(expm1(x), y);
    if (!isfinite(z) || x > 40) return exp(z) - T(1);
    T s, c, half = sin(y / 2), e = expm1(x);
    sincos(y, &s, &c);
    return complex<T>(e * c - 2 * half * half, x < -1 ? exp(x) * s : e * s + s);
}
KGEN_FUNCTION complex<T> log(const complex<T>& z) { return complex<T>(kgen_log_abs(z), arg(z)); }
KGEN_FUNCTION complex<T> log10(const complex<T>& z) { return log(z) * T(M_LOG10E); }
KGEN_FUNCTION complex<T> log2(const complex<T>& z) { return log(z) * T(M_LOG2E); }
KGEN_FUNCTION complex<T> log1p(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (y == 0 && x > -1) return complex<T>(log1p(x), y);
    if (fabs(x) < T(0.5) && fabs(y) < T(0.5)) return complex<T>(log1p(fma(x, x + 2, y * y)) / 2, atan2(y, 1 + x));
    return log(z + T(1));
}
KGEN_FUNCTION complex<T> sqrt(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (x == 0 && y == 0) return complex<T>(T(0), y);
    if (isinf(y)) return complex<T>(KGEN_INF(T), y);
    if (isnan(x)) return complex<T>(x, x);
    if (isinf(x)) {
        T other = isnan(y) ? y : T(0);
        return x > 0 ? complex<T>(x, copysign(other, y)) : complex<T>(other, copysign(-x, y));
    }
    const T high = T(sizeof(T) == 4 ? 4.253529586511731e+37 : 2.247116418577895e+307), low = T(sizeof(T) == 4 ? 7.888609052210118e-31 : 1.0261342003245941e-289);
    T size = fmax(fabs(x), fabs(y)), scale = 1;
    if (size > high) x /= 16, y /= 16, scale = 4;
    if (size < low) x *= T(1.152921504606847e+18), y *= T(1.152921504606847e+18), scale = T(9.313225746154785e-10);
    T t = sqrt((fabs(x) + hypot(x, y)) / 2), other = y / (2 * t);
    return z.kgen_real >= 0 ? complex<T>(t * scale, other * scale)
                            : complex<T>(fabs(other) * scale, copysign(t * scale, y));
}

// Returns z * w. In the cases of C's Annex G in which operator* gives NaN instead of infinity, the result is infinite.
KGEN_FUNCTION complex<T> kgen_product_with_limits(const complex<T>& z, const complex<T>& w) {
    const complex<T> plain = z * w;
    if (!isnan(plain.kgen_real) || !isnan(plain.kgen_imag)) return plain;
    T a = z.kgen_real, b = z.kgen_imag, c = w.kgen_real, d = w.kgen_imag;
    if (!isinf(z) && !isinf(w)) return plain;
    if (isinf(z)) a = copysign(T(isinf(a)), a), b = copysign(T(isinf(b)), b);
    if (isinf(w)) c = copysign(T(isinf(c)), c), d = copysign(T(isinf(d)), d);
    if (isnan(a)) a = copysign(T(0), a);
    if (isnan(b)) b = copysign(T(0), b);
    if (isnan(c)) c = copysign(T(0), c);
    if (isnan(d)) d = copysign(T(0), d);
    return complex<T>(KGEN_INF(T) * (a * c - b * d), KGEN_INF(T) * (a * d + b * c));
}
// Computes powers with whole exponents by multiplication, as NumPy does. A negative power of 0 is NaN.
KGEN_FUNCTION complex<T> kgen_pow_whole(const complex<T>& x, int n) {
    if (n == 0) return complex<T>(T(1));
    if (x == T(0)) return n > 0 ? complex<T>(T(0)) : complex<T>(KGEN_NAN(T), KGEN_NAN(T));
    if (n == 1) return x;
    if (n == 2) return x * x;
    if (n == 3) return x * (x * x);
    complex<T> power(T(1), T(0)), square = x;
    for (unsigned left = (unsigned)(n < 0 ? -n : n); left; left >>= 1) {
        if (left & 1) power = power * square;
        if (left > 1) square = square * square;
    }
    return n < 0 ? T(1) / power : power;
}
KGEN_FUNCTION complex<T> kgen_pow(const complex<T>& x, const complex<T>& y) {
    if (y.kgen_imag == 0) {
        if (fabs(y.kgen_real) < 100 && rint(y.kgen_real) == y.kgen_real) return kgen_pow_whole(x, (int)y.kgen_real);
        const T size = pow(abs(x), y.kgen_real), angle = y.kgen_real * arg(x);
        if (x != T(0) && isfinite(size) && isfinite(angle)) return polar(size, angle);
    }
    if (x == T(0)) return y.kgen_real > 0 ? complex<T>(T(0)) : complex<T>(KGEN_NAN(T), KGEN_NAN(T));
    return exp(kgen_product_with_limits(y, log(x)));
}
template <class A, class B> KGEN_INLINE KGEN_COMPLEX(A, B) pow(const complex<A>& x, const complex<B>& y) {
    typedef KGEN_COMPLEX(A, B) C;
    return kgen_pow(C(x), C(y));
}
template <class A, class B> KGEN_INLINE KGEN_COMPLEX_REAL(A, B) pow(const complex<A>& x, B y) {
    typedef KGEN_COMPLEX_REAL(A, B) C;
    if constexpr (kgen_kind<B>::value == 1) {
        if (-100 < (long long)y && (long long)y < 100) return kgen_pow_whole(C(x), (int)y);
    }
    return kgen_pow(C(x), C((typename C::value_type)y));
}
template <class A, class B> KGEN_INLINE KGEN_COMPLEX_REAL(A, B) pow(B x, const complex<A>& y) {
    typedef KGEN_COMPLEX_REAL(A, B) C;
    typedef typename C::value_type T;
    if (T(x) > 0) {
        const T size = pow((T)x, (T)y.kgen_real), angle = (T)y.kgen_imag * log((T)x);
        if (isfinite(size) && isfinite(angle)) return polar(size, angle);
    }
    return kgen_pow(C((T)x), C(y));
}

KGEN_FUNCTION complex<T> sinh(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag, s, c;
    if (y == 0) return complex<T>(sinh(x), y);
    if (!isfinite(y)) return complex<T>(x == 0 ? x : isinf(x) ? KGEN_INF(T) : KGEN_NAN(T), KGEN_NAN(T));
    sincos(y, &s, &c);
    if (fabs(x) > T(sizeof(T) == 4 ? 88 : 709)) return kgen_exp_times(fabs(x), x < 0 ? -c : c, s, T(0.5));
    return complex<T>(sinh(x) * c, cosh(x) * s);
}
KGEN_FUNCTION complex<T> cosh(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag, s, c;
    if (y == 0) return complex<T>(cosh(x), y * copysign(T(1), x));
    if (!isfinite(y)) {
        if (x == 0) return complex<T>(KGEN_NAN(T), T(0));
        return complex<T>(isinf(x) ? KGEN_INF(T) : KGEN_NAN(T), KGEN_NAN(T));
    }
    sincos(y, &s, &c);
    if (fabs(x) > T(sizeof(T) == 4 ? 88 : 709)) return kgen_exp_times(fabs(x), c, x < 0 ? -s : s, T(0.5));
    return complex<T>(cosh(x) * c, sinh(x) * s);
}
KGEN_FUNCTION complex<T> tanh(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (!isfinite(y)) {
        if (isinf(x)) return complex<T>(copysign(T(1), x), copysign(T(0), y));
        return complex<T>(x == 0 ? x : KGEN_NAN(T), KGEN_NAN(T));
    }
    if (y == 0) return complex<T>(tanh(x), y);
    if (fabs(x) > T(sizeof(T) == 4 ? 12 : 24)) {
        T e = exp(-fabs(x));
        return complex<T>(copysign(T(1), x), 4 * sin(y) * cos(y) * e * e);
    }
    T t = tan(y), s = sinh(x), rise = 1 + t * t, below = 1 + rise * s * s;
    if (isinf(rise)) return complex<T>(sqrt(1 + s * s) / s, 1 / (t * s * s));
    return complex<T>(rise * sqrt(1 + s * s) * s / below, t / below);
}
KGEN_FUNCTION complex<T> sin(const complex<T>& z) { return kgen_times_i(sinh(kgen_over_i(z))); }
KGEN_FUNCTION complex<T> cos(const complex<T>& z) { return cosh(kgen_times_i(z)); }
KGEN_FUNCTION complex<T> tan(const complex<T>& z) { return kgen_over_i(tanh(kgen_times_i(z))); }

// The inverse functions use Kahan's formulas, whose square roots stay on their side of the branch cuts. From KGEN_FAR on,
// 2z replaces z + sqrt(z * z - 1).
#define KGEN_FAR(T) T(sizeof(T) == 4 ? 8192.0 : 268435456.0)
#define KGEN_IS_FAR(z) (!(fmax(fabs(z.kgen_real), fabs(z.kgen_imag)) < KGEN_FAR(T)) || isnan(z))
KGEN_FUNCTION complex<T> asin(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (KGEN_IS_FAR(z)) {
        if (x == 0) return complex<T>(x, isnan(y) ? y : copysign(kgen_log_abs(z) + T(M_LN2), y));
        return complex<T>(atan2(x, fabs(y)), copysign(kgen_log_abs(z) + T(M_LN2), y));
    }
    complex<T> a = sqrt(T(1) - z), b = sqrt(z + T(1));
    return complex<T>(atan2(x, a.kgen_real * b.kgen_real - a.kgen_imag * b.kgen_imag),
                      asinh(a.kgen_real * b.kgen_imag - a.kgen_imag * b.kgen_real));
}
KGEN_FUNCTION complex<T> acos(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag;
    if (KGEN_IS_FAR(z)) {
        if (x == 0) return complex<T>(T(M_PI_2), isnan(y) ? y : -copysign(kgen_log_abs(z) + T(M_LN2), y));
        return complex<T>(atan2(fabs(y), x), -copysign(kgen_log_abs(z) + T(M_LN2), y));
    }
    complex<T> a = sqrt(T(1) - z), b = sqrt(z + T(1));
    return complex<T>(2 * atan2(a.kgen_real, b.kgen_real), asinh(b.kgen_real * a.kgen_imag - b.kgen_imag * a.kgen_real));
}
KGEN_FUNCTION complex<T> acosh(const complex<T>& z) {
    if (KGEN_IS_FAR(z)) {
        return complex<T>(kgen_log_abs(z) + T(M_LN2), z.kgen_real == 0 && isnan(z) ? T(M_PI_2) : arg(z));
    }
    complex<T> a = sqrt(z - T(1)), b = sqrt(z + T(1));
    return complex<T>(asinh(a.kgen_real * b.kgen_real + a.kgen_imag * b.kgen_imag), 2 * atan2(a.kgen_imag, b.kgen_real));
}
KGEN_FUNCTION complex<T> atanh(const complex<T>& z) {
    T x = z.kgen_real, y = z.kgen_imag, size = fabs(x);
    if (KGEN_IS_FAR(z)) {
        T re = x, im = isnan(y) ? y : copysign(T(M_PI_2), y), half = hypot(x / 2, y / 2);
        if (isinf(z)) re = copysign(T(0), x);
        else if (isnan(z)) re = x == 0 ? x : KGEN_NAN(T), im = KGEN_NAN(T);
        else re = x / half / 2 / half / 2, im -= y / half / 2 / half / 2;  // 1 / z plus or minus i * pi / 2
        return complex<T>(re, im);
    }
    T re = size == 1 && fabs(y) < T(1e-9) ? (T(M_LN2) - log(fabs(y))) / 2 : size == 1 ? log(hypot(T(2), y) / fabs(y)) / 2 : log1p(4 * size / ((1 - size) * (1 - size) + y * y)) / 4;
    T im = size == 1 && y == 0 ? y : atan2(2 * y, (1 - size) * (1 + size) - y * y) / 2;
    return complex<T>(copysign(re, x), im);
}
KGEN_FUNCTION complex<T> asinh(const complex<T>& z) { return kgen_over_i(asin(kgen_times_i(z))); }
KGEN_FUNCTION complex<T> atan(const complex<T>& z) { return kgen_over_i(atanh(kgen_times_i(z))); }
namespace thrust {
using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atanh; using ::cos; using ::cosh; using ::exp;
using ::log; using ::log10; using ::pow; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh;
}
