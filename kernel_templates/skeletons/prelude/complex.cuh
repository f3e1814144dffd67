// SPDX-License-Identifier: MIT
// kgen prelude: complex<T>, also as thrust::complex<T>. complex_functions.cuh has exp to atanh.
template <class T> struct alignas(2 * sizeof(T)) complex {
    typedef T value_type;
    T kgen_real, kgen_imag;

    complex() = default;
    KGEN_INLINE constexpr complex(T re, T im = T()) : kgen_real(re), kgen_imag(im) {}
    template <class U> KGEN_INLINE constexpr complex(const complex<U>& z) : kgen_real((T)z.kgen_real), kgen_imag((T)z.kgen_imag) {}
    template <class U, class = typename kgen_if<kgen_kind<U>::value == 3>::type>
    KGEN_INLINE complex(U re) : kgen_real((T)re), kgen_imag(T()) {}
    KGEN_INLINE constexpr T real() const { return kgen_real; }
    KGEN_INLINE constexpr T imag() const { return kgen_imag; }
    KGEN_INLINE void real(T re) { kgen_real = re; }
    KGEN_INLINE void imag(T im) { kgen_imag = im; }
};

// A mixed operation has the wider parts; an integer, float16 or bfloat16 takes the complex number's.
template <class A, class B> struct kgen_parts { typedef A type; };
template <> struct kgen_parts<float, double> { typedef double type; };
template <class A, class B, int kind> struct kgen_complex_mix {};
template <class A, class B> struct kgen_complex_mix<A, B, 1> { typedef complex<A> type; };
template <class A, class B> struct kgen_complex_mix<A, B, 2> { typedef complex<typename kgen_parts<A, B>::type> type; };
template <class A, class B> struct kgen_complex_mix<A, B, 3> { typedef complex<A> type; };
#define KGEN_COMPLEX(A, B) complex<typename kgen_parts<A, B>::type>
#define KGEN_COMPLEX_REAL(A, B) typename kgen_complex_mix<A, B, kgen_kind<B>::value>::type

#define KGEN_COMPLEX_OPERATOR(op, both, right, left) \
    template <class A, class B> KGEN_INLINE KGEN_COMPLEX(A, B) operator op(const complex<A>& x, const complex<B>& y) { \
        typedef KGEN_COMPLEX(A, B) C; \
        const C z(x), w(y); \
        return both; \
    } \
    template <class A, class B> KGEN_INLINE KGEN_COMPLEX_REAL(A, B) operator op(const complex<A>& x, B y) { \
        typedef KGEN_COMPLEX_REAL(A, B) C; \
        const C z(x); \
        const typename C::value_type r = (typename C::value_type)y; \
        return right; \
    } \
    template <class A, class B> KGEN_INLINE KGEN_COMPLEX_REAL(A, B) operator op(B y, const complex<A>& x) { \
        typedef KGEN_COMPLEX_REAL(A, B) C; \
        const C z(x); \
        const typename C::value_type r = (typename C::value_type)y; \
        return left; \
    } \
    template <class A, class B> KGEN_INLINE complex<A>& operator op##=(complex<A>& x, const B& y) { return x = x op y; }

// z / w, the parts scaled where a product could overflow or vanish.
template <class T> inline __device__ complex<T> kgen_divide_scaled(T a, T b, T c, T d) {
    T top = fmax(fabs(a), fabs(b)), bottom = fmax(fabs(c), fabs(d)), inf = (T)kgen_bits_float(0x7f800000u);
    if (bottom == 0 && !(isnan(a) && isnan(b))) return complex<T>(copysign(inf, c) * a, copysign(inf, c) * b);
    if (isinf(top) && isfinite(c) && isfinite(d)) {
        a = copysign(T(isinf(a) ? 1 : 0), a);
        b = copysign(T(isinf(b) ? 1 : 0), b);
        return complex<T>(inf * (a * c + b * d), inf * (b * c - a * d));
    }
    if (isinf(bottom) && isfinite(a) && isfinite(b)) {
        c = copysign(T(isinf(c) ? 1 : 0), c);
        d = copysign(T(isinf(d) ? 1 : 0), d);
        return complex<T>(T(0) * (a * c + b * d), T(0) * (b * c - a * d));
    }
    int up = 0, down = 0;
    if (top > 0 && isfinite(top)) up = ilogb(top);
    if (isfinite(bottom)) down = ilogb(bottom);
    a = ldexp(a, -up), b = ldexp(b, -up), c = ldexp(c, -down), d = ldexp(d, -down);
    T square = c * c + d * d;
    return complex<T>(ldexp((a * c + b * d) / square, up - down), ldexp((b * c - a * d) / square, up - down));
}
template <class T> KGEN_INLINE complex<T> kgen_divide(const complex<T>& z, const complex<T>& w) {
    const T high = T(sizeof(T) == 4 ? 1.152921504606847e+18 : 3.273390607896142e+150), low = T(1) / high;
    T a = z.kgen_real, b = z.kgen_imag, c = w.kgen_real, d = w.kgen_imag;
    T top = fmax(fabs(a), fabs(b)), bottom = fmax(fabs(c), fabs(d));
    bool safe = top < high && (top > low || top == 0) && bottom < high && bottom > low && a == a && b == b && c == c && d == d;
    if (!safe) return kgen_divide_scaled(a, b, c, d);
    T square = c * c + d * d;
    return complex<T>((a * c + b * d) / square, (b * c - a * d) / square);
}
KGEN_COMPLEX_OPERATOR(+, C(z.kgen_real + w.kgen_real, z.kgen_imag + w.kgen_imag), C(z.kgen_real + r, z.kgen_imag),
                      C(r + z.kgen_real, z.kgen_imag))
KGEN_COMPLEX_OPERATOR(-, C(z.kgen_real - w.kgen_real, z.kgen_imag - w.kgen_imag), C(z.kgen_real - r, z.kgen_imag),
                      C(r - z.kgen_real, -z.kgen_imag))
KGEN_COMPLEX_OPERATOR(*,
                      C(z.kgen_real * w.kgen_real - z.kgen_imag * w.kgen_imag,
                        z.kgen_real * w.kgen_imag + z.kgen_imag * w.kgen_real),
                      C(z.kgen_real * r, z.kgen_imag * r), C(r * z.kgen_real, r * z.kgen_imag))
KGEN_COMPLEX_OPERATOR(/, kgen_divide(z, w), C(z.kgen_real / r, z.kgen_imag / r), kgen_divide(C(r), z))
template <class T> KGEN_INLINE complex<T> operator+(const complex<T>& z) { return z; }
template <class T> KGEN_INLINE complex<T> operator-(const complex<T>& z) { return complex<T>(-z.kgen_real, -z.kgen_imag); }

template <class A, class B> KGEN_INLINE bool operator==(const complex<A>& z, const complex<B>& w) {
    return z.kgen_real == w.kgen_real && z.kgen_imag == w.kgen_imag;
}
template <class A, class B> KGEN_INLINE typename kgen_if<kgen_kind<B>::value != 0, bool>::type operator==(const complex<A>& z, B r) {
    return z.kgen_real == r && z.kgen_imag == 0;
}
template <class A, class B> KGEN_INLINE typename kgen_if<kgen_kind<B>::value != 0, bool>::type operator==(B r, const complex<A>& z) {
    return z == r;
}
template <class A, class B> KGEN_INLINE bool operator!=(const complex<A>& z, const B& w) { return !(z == w); }
template <class A, class B> KGEN_INLINE typename kgen_if<kgen_kind<B>::value != 0, bool>::type operator!=(B r, const complex<A>& z) {
    return !(z == r);
}
template <class T> KGEN_INLINE bool isnan(const complex<T>& z) { return isnan(z.kgen_real) || isnan(z.kgen_imag); }
template <class T> KGEN_INLINE bool isinf(const complex<T>& z) { return isinf(z.kgen_real) || isinf(z.kgen_imag); }
template <class T> KGEN_INLINE bool isfinite(const complex<T>& z) { return isfinite(z.kgen_real) && isfinite(z.kgen_imag); }
// The order of NumPy: by the real part, then by the imaginary one. A NaN is neither less nor greater.
template <class T> KGEN_INLINE bool operator<(const complex<T>& z, const complex<T>& w) {
    if (isnan(z) || isnan(w)) return false;
    return z.kgen_real < w.kgen_real || (z.kgen_real == w.kgen_real && z.kgen_imag < w.kgen_imag);
}
template <class T> KGEN_INLINE bool operator>(const complex<T>& z, const complex<T>& w) { return w < z; }
template <class T> KGEN_INLINE bool operator<=(const complex<T>& z, const complex<T>& w) { return z < w || z == w; }
template <class T> KGEN_INLINE bool operator>=(const complex<T>& z, const complex<T>& w) { return w < z || z == w; }
template <class T> KGEN_INLINE complex<T> min(const complex<T>& z, const complex<T>& w) { return isnan(w) || z < w ? z : w; }
template <class T> KGEN_INLINE complex<T> max(const complex<T>& z, const complex<T>& w) { return isnan(w) || w < z ? z : w; }

template <class T> KGEN_INLINE T real(const complex<T>& z) { return z.kgen_real; }
template <class T> KGEN_INLINE T imag(const complex<T>& z) { return z.kgen_imag; }
template <class T> KGEN_INLINE T abs(const complex<T>& z) { return hypot(z.kgen_real, z.kgen_imag); }
template <class T> KGEN_INLINE T arg(const complex<T>& z) { return atan2(z.kgen_imag, z.kgen_real); }
template <class T> KGEN_INLINE T norm(const complex<T>& z) { return z.kgen_real * z.kgen_real + z.kgen_imag * z.kgen_imag; }
template <class T> KGEN_INLINE complex<T> conj(const complex<T>& z) { return complex<T>(z.kgen_real, -z.kgen_imag); }
template <class T> KGEN_INLINE complex<T> proj(const complex<T>& z) {
    return isinf(z) ? complex<T>((T)kgen_bits_float(0x7f800000u), copysign(T(0), z.kgen_imag)) : z;
}
template <class T> KGEN_INLINE complex<T> polar(const T& size, const T& angle = T()) {
    return angle == 0 ? complex<T>(size, angle * size) : complex<T>(size * cos(angle), size * sin(angle));
}
template <class T> KGEN_INLINE complex<T> rint(const complex<T>& z) { return complex<T>(rint(z.kgen_real), rint(z.kgen_imag)); }
namespace thrust {
using ::complex; using ::abs; using ::arg; using ::conj; using ::imag; using ::norm; using ::polar; using ::proj; using ::real;
}
