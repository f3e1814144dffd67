// SPDX-License-Identifier: MIT
// kgen prelude: complex<T>, also named thrust::complex<T>. complex_functions.cuh has the functions exp to atanh.
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

// The type of a mixed operation has the wider of the two part types. Integers, float16 and bfloat16 do not count.
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

// Returns x * y, rounded. The compiler cannot fuse it with a following addition.
#ifdef KGEN_ON_HOST
template <class T> KGEN_INLINE T kgen_rounded_product(T x, T y) {
    T product = x * y;
#if defined(__x86_64__)
    asm("" : "+x"(product));
#elif defined(__aarch64__)
    asm("" : "+w"(product));
#else
    asm("" : "+m"(product));
#endif
    return product;
}
#else
KGEN_INLINE float kgen_rounded_product(float x, float y) { return __fmul_rn(x, y); }
KGEN_INLINE double kgen_rounded_product(double x, double y) { return __dmul_rn(x, y); }
#endif

// Divides by Smith's method, with NumPy's results for infinities, NaN and 0. Unlike NumPy, it divides by the sum instead
// of multiplying by its reciprocal, so quotients of real numbers are rounded correctly. Numbers near the ends of the
// range are scaled by powers of two.
template <class T> KGEN_INLINE complex<T> kgen_divide(const complex<T>& z, const complex<T>& w) {
    const T large = T(sizeof(T) == 4 ? 4.253529586511731e+37 : 2.247116418577895e+307);
    const T small = T(sizeof(T) == 4 ? 7.888609052210118e-31 : 1.0261342003245941e-289);
    const T up = T(sizeof(T) == 4 ? 1.152921504606847e+18 : 1.6069380442589903e+60);
    T a = z.kgen_real, b = z.kgen_imag, c = w.kgen_real, d = w.kgen_imag, scale = 1;
    const T top = fmax(fabs(a), fabs(b)), bottom = fmax(fabs(c), fabs(d));
    if (!(top < large && bottom < large && bottom > small)) {
        if (bottom >= large) c /= 16, d /= 16, scale /= 16;
        if (bottom <= small) c *= up, d *= up, scale *= up;
        if (top >= large) a /= 4, b /= 4, scale *= 4;
        if (c == 0 && d == 0) return complex<T>(a / fabs(c), b / fabs(c));
    }
    const bool along = fabs(c) >= fabs(d);
    const T p = along ? c : d, q = along ? d : c, u = along ? a : b, v = along ? b : a;
    const T ratio = q / p, sum = p + kgen_rounded_product(q, ratio), rest = kgen_rounded_product(u, ratio);
    return complex<T>((u + kgen_rounded_product(v, ratio)) / sum * scale, (along ? v - rest : rest - v) / sum * scale);
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
// NumPy's order compares the real parts first, then the imaginary parts. A NaN is neither less nor greater.
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
// Returns sqrt(x * x + y * y) with an error of at most 0.6 units in the last place; CUDA's hypot has up to 3. It corrects
// for the rounding errors of the squares and of the root.
template <class T> inline __device__ T kgen_hypot(T x, T y) {
    const T high = T(sizeof(T) == 4 ? 1.152921504606847e+18 : 3.273390607896142e+150);
    const T down = T(sizeof(T) == 4 ? 1.3552527156068805e-20 : 2.4099198651028841e-181);
    const T low = T(sizeof(T) == 4 ? 9.094947017729282e-13 : 3.8725919148493183e-121);
    const T up = T(sizeof(T) == 4 ? 1.2676506002282294e+30 : 5.260135901548374e+210);
    const T least = T(sizeof(T) == 4 ? 1.2207031e-04 : 3.725290298461914e-09);  // a side this much shorter adds nothing
    if (isinf(x) || isinf(y)) return (T)kgen_bits_float(0x7f800000u);
    if (isnan(x) || isnan(y)) return x + y;
    T a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y)), scale = 1;
    if (b <= a * least) return a;
    if (a > high) a *= down, b *= down, scale = 1 / down;
    if (a < low) a *= up, b *= up, scale = 1 / up;
    const T aa = kgen_rounded_product(a, a), bb = kgen_rounded_product(b, b), sum = aa + bb;
    const T error = fma(a, a, -aa) + fma(b, b, -bb) + (aa - sum + bb), root = sqrt(sum);
    return (root + (fma(-root, root, sum) + error) / (2 * root)) * scale;
}
#ifdef KGEN_ON_HOST
template <class T> KGEN_INLINE T abs(const complex<T>& z) { return hypot(z.kgen_real, z.kgen_imag); }
#else
template <class T> KGEN_INLINE T abs(const complex<T>& z) { return kgen_hypot(z.kgen_real, z.kgen_imag); }
#endif
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
