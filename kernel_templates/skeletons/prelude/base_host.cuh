// SPDX-License-Identifier: MIT
// kgen prelude: names that are built into NVRTC, for the host's compiler.
#define KGEN_ON_HOST 1
#define KGEN_INLINE inline __attribute__((always_inline))
#define __device__
#define __host__
#define __global__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef long clock_t;
#define NULL __null

extern "C" {
int printf(const char*, ...);
void __assert_fail(const char*, const char*, unsigned, const char*);
void* memcpy(void*, const void*, size_t);
void* memset(void*, int, size_t);
void* malloc(size_t);
void free(void*);
}
#define assert(...) \
    ((__VA_ARGS__) ? void() : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __func__))
#ifndef __clang__
#define __builtin_assume(x) ((x) ? void() : __builtin_unreachable())
#endif
#define __trap __builtin_trap

inline void* operator new(size_t, void* p) noexcept { return p; }

struct uint3;
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v);
    constexpr operator uint3() const;
};

namespace std {
template <class T> struct kgen_plain { typedef T type; };
template <class T> struct kgen_plain<T&> { typedef T type; };
template <class T> struct kgen_plain<T&&> { typedef T type; };
template <class T> constexpr typename kgen_plain<T>::type&& move(T&& x) noexcept {
    return static_cast<typename kgen_plain<T>::type&&>(x);
}
template <class T> constexpr T&& forward(typename kgen_plain<T>::type& x) noexcept {
    return static_cast<T&&>(x);
}
template <class T> class initializer_list {
    const T* kgen_data;
    size_t kgen_size;

public:
    constexpr initializer_list() noexcept : kgen_data(nullptr), kgen_size(0) {}
    constexpr size_t size() const noexcept { return kgen_size; }
    constexpr const T* begin() const noexcept { return kgen_data; }
    constexpr const T* end() const noexcept { return kgen_data + kgen_size; }
};
}  // namespace std

// On the host, loads and stores with a cache hint are plain ones.
#define KGEN_LOAD(name) \
    template <class T> KGEN_INLINE T name(const T* p) { return *p; }
#define KGEN_STORE(name) \
    template <class T> KGEN_INLINE void name(T* p, T x) { *p = x; }
KGEN_LOAD(__ldg) KGEN_LOAD(__ldcg) KGEN_LOAD(__ldca) KGEN_LOAD(__ldcs) KGEN_LOAD(__ldlu) KGEN_LOAD(__ldcv)
KGEN_STORE(__stwb) KGEN_STORE(__stcg) KGEN_STORE(__stcs) KGEN_STORE(__stwt)

KGEN_INLINE unsigned kgen_float_bits(float x) {
    unsigned y;
    __builtin_memcpy(&y, &x, 4);
    return y;
}
KGEN_INLINE float kgen_bits_float(unsigned x) {
    float y;
    __builtin_memcpy(&y, &x, 4);
    return y;
}

template <bool, class T = void> struct kgen_if {};
template <class T> struct kgen_if<true, T> { typedef T type; };
// The kind of a type: 1 is an integer, 2 floating point, 3 float16 or bfloat16, 0 any other type.
template <class T> struct kgen_kind { enum { value = 0 }; };
#define KGEN_KIND(T, k) template <> struct kgen_kind<T> { enum { value = k }; };
KGEN_KIND(bool, 1) KGEN_KIND(char, 1) KGEN_KIND(signed char, 1) KGEN_KIND(unsigned char, 1)
KGEN_KIND(short, 1) KGEN_KIND(unsigned short, 1) KGEN_KIND(int, 1) KGEN_KIND(unsigned, 1)
KGEN_KIND(long, 1) KGEN_KIND(unsigned long, 1) KGEN_KIND(long long, 1) KGEN_KIND(unsigned long long, 1)
KGEN_KIND(float, 2) KGEN_KIND(double, 2)
// Converts x to a float, with its last bit set if the conversion is inexact. Rounding the result to fewer bits equals
// rounding x.
KGEN_INLINE float kgen_round_to_odd(double x) {
    float y = (float)x;
    unsigned bits = kgen_float_bits(y);
    bits -= __builtin_fabs((double)y) > __builtin_fabs(x);
    return (double)y == x ? y : kgen_bits_float(bits | 1u);
}
KGEN_INLINE double kgen_nudge_to_odd(double sum, double error) {
    long long bits;
    __builtin_memcpy(&bits, &sum, 8);
    if (error != 0 && error == error && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1;
    __builtin_memcpy(&sum, &bits, 8);
    return sum;
}
