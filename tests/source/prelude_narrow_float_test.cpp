// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstring>
#include <kgen/half.hpp>
#include <limits>
#include <random>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

using kgen::bfloat16_t;
using kgen::half_t;

namespace {

// Exports conversions and operations for float16 and bfloat16, which take and return bits.
const char* const snippet = R"(
#define EXPORT(T) \
    KGEN_EXPORT float T##_value(unsigned short x) { return T::from_bits(x); } \
    KGEN_EXPORT unsigned short T##_from_float(float x) { return T(x).to_bits(); } \
    KGEN_EXPORT unsigned short T##_from_double(double x) { return T(x).to_bits(); } \
    KGEN_EXPORT unsigned short T##_from_int(long long x) { return T(x).to_bits(); } \
    KGEN_EXPORT unsigned short T##_from_unsigned(unsigned long long x) { return T(x).to_bits(); } \
    KGEN_EXPORT unsigned short T##_from_int32(int x) { return T(x).to_bits(); } \
    KGEN_EXPORT unsigned short T##_call(int f, unsigned short a, unsigned short b, unsigned short c) { \
        T x = T::from_bits(a), y = T::from_bits(b), z = T::from_bits(c), r = 0; \
        switch (f) { \
            case 0: r = x + y; break; \
            case 1: r = x - y; break; \
            case 2: r = x * y; break; \
            case 3: r = x / y; break; \
            case 4: r = fma(x, y, z); break; \
            case 5: r = sqrt(x); break; \
            case 6: r = -x; break; \
            case 7: r = abs(x); break; \
            case 8: r = copysign(x, y); break; \
            case 9: r = max(x, y); break; \
            case 10: r = fmin(x, y); break; \
            case 11: r = nextafter(x, y); break; \
            case 12: r = x; r += y; r *= z; break; \
            case 13: r = pow(x, 2); break; \
            case 14: r = exp(x); break; \
            case 15: r = isnan(x) + 2 * isinf(x) + 4 * isfinite(x) + 8 * signbit(x); break; \
            case 16: r = (x < y) + 2 * (x == y) + 4 * (x >= y) + 8 * (x != y); break; \
            case 17: r = floor(x); break; \
            case 18: r = x; ++r; r--; break; \
        } \
        return r.to_bits(); \
    }
EXPORT(float16) EXPORT(bfloat16)
KGEN_EXPORT unsigned short float16_from_other(unsigned short x) { float16 y = bfloat16::from_bits(x); return y.to_bits(); }
KGEN_EXPORT unsigned short bfloat16_from_other(unsigned short x) { bfloat16 y = float16::from_bits(x); return y.to_bits(); }
)";

prelude::HostProgram compiled(const std::string& compiler) {
    return prelude::HostProgram(
        compiler,
        prelude::sections({"base_host", "math_host", "float16", "bfloat16", "narrow_float"}) +
            prelude::export_macro + snippet);
}

template <typename T>
std::string named(const char* function) {
    return std::string(std::is_same_v<T, half_t> ? "float16" : "bfloat16") + function;
}

// Returns the T nearest to an exact value, ties to even. A bisection finds its neighbours.
template <typename T>
std::uint16_t nearest(long double exact) {
    if (std::isnan(exact)) return 0x7fff;
    const auto value = [](std::uint16_t bits) {
        const auto x = static_cast<long double>(static_cast<float>(T::from_bits(bits)));
        // Infinity stands for the next power of two.
        return std::isinf(x) ? std::copysign(std::is_same_v<T, half_t> ? 65536.0L : 0x1p128L, x)
                             : x;
    };
    const std::uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    const long double size = std::fabs(exact);
    const auto infinity = std::uint16_t(std::is_same_v<T, half_t> ? 0x7c00 : 0x7f80);
    if (size >= value(infinity)) return sign | infinity;
    std::uint16_t low = 0, high = infinity;  // value(low) <= size < value(high)
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (value(middle) <= size ? low : high) = middle;
    }
    const long double below = size - value(low), above = value(high) - size;
    const bool up = above < below || (above == below && (low & 1) != 0);
    return sign | (up ? high : low);
}

template <typename T>
bool same(std::uint16_t got, std::uint16_t expected) {
    const unsigned infinity = std::is_same_v<T, half_t> ? 0x7c00 : 0x7f80;
    if ((expected & 0x7fffu) > infinity) return (got & 0x7fffu) > infinity;
    return got == expected;
}

// Bit patterns for tests of all pairs: zeros, subnormals, powers, the largest numbers, NaN.
template <typename T>
std::vector<std::uint16_t> patterns() {
    std::vector<std::uint16_t> all;
    const unsigned infinity = std::is_same_v<T, half_t> ? 0x7c00 : 0x7f80;
    for (const unsigned bits : {0x0u,
                                0x1u,
                                0x2u,
                                0x7fu,
                                0x80u,
                                0x3ffu,
                                0x400u,
                                0x401u,
                                infinity / 2,
                                infinity / 2 + 1,
                                infinity / 2 - 1,
                                infinity - 1,
                                infinity,
                                infinity + 1}) {
        all.push_back(static_cast<std::uint16_t>(bits));
        all.push_back(static_cast<std::uint16_t>(bits | 0x8000u));
    }
    std::mt19937 random(7);
    while (all.size() < 200) all.push_back(static_cast<std::uint16_t>(random()));
    return all;
}

template <typename T>
void check_conversions(const prelude::HostProgram& program) {
    auto* const value = program.function<float(std::uint16_t)>(named<T>("_value").c_str());
    auto* const from_float =
        program.function<std::uint16_t(float)>(named<T>("_from_float").c_str());
    auto* const from_double =
        program.function<std::uint16_t(double)>(named<T>("_from_double").c_str());
    auto* const from_int =
        program.function<std::uint16_t(long long)>(named<T>("_from_int").c_str());
    auto* const from_int32 = program.function<std::uint16_t(int)>(named<T>("_from_int32").c_str());
    auto* const from_unsigned =
        program.function<std::uint16_t(unsigned long long)>(named<T>("_from_unsigned").c_str());
    int wrong = 0;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto pattern = static_cast<std::uint16_t>(bits);
        const float expected = T::from_bits(pattern), got = value(pattern);
        wrong += std::isnan(expected) ? !std::isnan(got) : std::memcmp(&got, &expected, 4) != 0;
        // The midpoint to the next number, and the floats and doubles next to the midpoint.
        const auto next = static_cast<float>(T::from_bits(static_cast<std::uint16_t>(bits + 1)));
        if (!std::isfinite(expected) || !std::isfinite(next)) continue;
        const double middle = (static_cast<double>(expected) + static_cast<double>(next)) / 2;
        const auto middle_float = static_cast<float>(middle);
        for (const float x : {expected,
                              middle_float,
                              std::nextafterf(middle_float, 1e30f),
                              std::nextafterf(middle_float, -1e30f)}) {
            wrong += from_float(x) != T(x).bits;
            wrong += from_float(x) != nearest<T>(static_cast<long double>(x));
        }
        for (const double x :
             {middle, std::nextafter(middle, 1e300), std::nextafter(middle, -1e300)}) {
            wrong += from_double(x) != nearest<T>(static_cast<long double>(x));
        }
    }
    CHECK(wrong == 0);
    std::mt19937_64 random(11);
    for (int n = 0; n < 20000; ++n) {
        const std::uint64_t bits = random() >> (random() % 64);
        const auto number = static_cast<long long>(bits), small = number >> 32;
        wrong += from_unsigned(bits) != nearest<T>(static_cast<long double>(bits));
        wrong += from_int(number) != nearest<T>(static_cast<long double>(number));
        wrong += from_int(-number) != nearest<T>(static_cast<long double>(-number));
        wrong += from_int32(static_cast<int>(small)) != nearest<T>(static_cast<long double>(small));
    }
    CHECK(wrong == 0);
    // One more than the midpoint of two neighbours between 2^62 and 2^63.
    CHECK(from_int(0x4040000000000001) == nearest<T>(0x4040000000000001p0L));
    CHECK(from_double(1e-300) == 0);
    CHECK(from_double(-1e300) == nearest<T>(-1e300L));
    CHECK(same<T>(from_double(std::nan("")), 0x7fff));
}

template <typename T>
void check_operations(const prelude::HostProgram& program) {
    auto* const call =
        program.function<std::uint16_t(int, std::uint16_t, std::uint16_t, std::uint16_t)>(
            named<T>("_call").c_str());
    const std::vector<std::uint16_t> all = patterns<T>();
    struct Operation {
        int number;
        const char* name;
        long double (*exact)(long double, long double);
    };
    // Each is exact in long double, or its error is far below the last place of T.
    const Operation operations[] = {
        {0, "+", [](long double a, long double b) { return a + b; }},
        {1, "-", [](long double a, long double b) { return a - b; }},
        {2, "*", [](long double a, long double b) { return a * b; }},
        {3, "/", [](long double a, long double b) { return a / b; }},
        {5, "sqrt", [](long double a, long double) { return std::sqrt(a); }},
        {6, "unary -", [](long double a, long double) { return -a; }},
        {7, "abs", [](long double a, long double) { return std::fabs(a); }},
        {8, "copysign", [](long double a, long double b) { return std::copysign(a, b); }},
        {9,
         "max",
         [](long double a, long double b) {
             return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
         }},
        {10,
         "fmin",
         [](long double a, long double b) {
             return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
         }},
        {13, "pow(x, 2)", [](long double a, long double) { return a * a; }},
        {17, "floor", [](long double a, long double) { return std::floor(a); }},
    };
    const auto wide = [](std::uint16_t bits) {
        return static_cast<long double>(static_cast<float>(T::from_bits(bits)));
    };
    for (const Operation& operation : operations) {
        int wrong = 0;
        for (const std::uint16_t a : all) {
            for (const std::uint16_t b : all) {
                const long double exact = operation.exact(wide(a), wide(b));
                wrong += !same<T>(call(operation.number, a, b, 0), nearest<T>(exact));
            }
        }
        INFO(operation.name);
        CHECK(wrong == 0);
    }
    int wrong = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
        for (const std::uint16_t b : all) {
            const std::uint16_t a = all[n], c = all[(n * 7 + b) % all.size()];
            // The product of two T is exact in long double. `error` is the rounding error of the sum.
            const long double product = wide(a) * wide(b), sum = product + wide(c);
            const long double part = sum - product;
            const long double error = (product - (sum - part)) + (wide(c) - part);
            long double exact = sum;
            if (std::isfinite(sum) && error != 0)
                exact = std::nextafter(sum, error > 0 ? 1e4000L : -1e4000L);
            const std::uint16_t rounded = nearest<T>(sum), nudged = nearest<T>(exact);
            // The error decides only if the sum itself is a tie.
            const std::uint16_t expected = error == 0 ? rounded : nudged;
            wrong += !same<T>(call(4, a, b, c), expected);
            const std::uint16_t twice = nearest<T>(wide(nearest<T>(wide(a) + wide(b))) * wide(c));
            wrong += !same<T>(call(12, a, b, c), twice);
        }
    }
    CHECK(wrong == 0);
}

template <typename T>
void check_tests(const prelude::HostProgram& program) {
    auto* const call =
        program.function<std::uint16_t(int, std::uint16_t, std::uint16_t, std::uint16_t)>(
            named<T>("_call").c_str());
    const auto bits = [](float x) { return T(x).bits; };
    const auto value = [](std::uint16_t x) { return static_cast<float>(T::from_bits(x)); };
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(value(call(15, bits(nan), 0, 0)) == 1);
    CHECK(value(call(15, bits(-infinity), 0, 0)) == 2 + 8);
    CHECK(value(call(15, bits(-0.0f), 0, 0)) == 4 + 8);
    CHECK(value(call(15, bits(1.5f), 0, 0)) == 4);
    CHECK(value(call(16, bits(1), bits(2), 0)) == 1 + 8);
    CHECK(value(call(16, bits(0), bits(-0.0f), 0)) == 2 + 4);
    CHECK(value(call(16, bits(nan), bits(nan), 0)) == 8);
    CHECK(value(call(16, bits(-1), bits(-2), 0)) == 4 + 8);
    CHECK(call(11, 0, bits(-1), 0) == 0x8001);
    CHECK(call(11, bits(1), bits(2), 0) == bits(1) + 1);
    CHECK(call(11, bits(-1), bits(2), 0) == bits(-1) - 1);
    CHECK(call(11, bits(1), bits(infinity), 0) == bits(1) + 1);
    CHECK(call(11, bits(infinity), 0, 0) == bits(infinity) - 1);
    CHECK(call(14, bits(1), 0, 0) == bits(2.7182817f));
    CHECK(value(call(18, bits(3), 0, 0)) == 3);
}

}  // namespace

TEST_CASE("float16 and bfloat16 convert in device code as half_t and bfloat16_t do", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        check_conversions<half_t>(program);
        check_conversions<bfloat16_t>(program);
        auto* const narrow = program.function<std::uint16_t(std::uint16_t)>("float16_from_other");
        auto* const widen = program.function<std::uint16_t(std::uint16_t)>("bfloat16_from_other");
        CHECK(narrow(bfloat16_t(1e30f).bits) == 0x7c00);
        CHECK(widen(half_t(0.1f).bits) == bfloat16_t(half_t(0.1f)).bits);
    }
}

TEST_CASE("each operation of float16 and bfloat16 rounds once", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        check_operations<half_t>(program);
        check_operations<bfloat16_t>(program);
        check_tests<half_t>(program);
        check_tests<bfloat16_t>(program);
    }
}

TEST_CASE("mixed operations of narrow types have C++'s types, and none is ambiguous", "[prelude]") {
    const std::string body = R"(
template <class A, class B> struct same { enum { value = 0 }; };
template <class A> struct same<A, A> { enum { value = 1 }; };
#define TYPE(e, T) static_assert(same<decltype(e), T>::value, #e)
template <class H> __device__ void check(H x, H y, int i, unsigned u, float f, double d, long long l, unsigned char c, bool b) {
    TYPE(x + y, H); TYPE(x + i, H); TYPE(u * x, H); TYPE(x - l, H); TYPE(c / x, H); TYPE(b * x, H);
    TYPE(x * f, float); TYPE(f - x, float); TYPE(d / x, double); TYPE(x + 1.5, double);
    TYPE(-x, H); TYPE(+x, H); TYPE(x < y, bool); TYPE(x == 0, bool); TYPE(1.5 > x, bool); TYPE(!x, bool);
    TYPE(sqrt(x), H); TYPE(pow(x, 2), H); TYPE(pow(x, 2.f), float); TYPE(pow(2.0, x), double);
    TYPE(max(x, y), H); TYPE(max(x, 0), H); TYPE(min(x, f), float); TYPE(fmax(x, y), H); TYPE(fma(x, y, x), H);
    TYPE(abs(x), H); TYPE(x += 1, H&); TYPE(x /= d, H&); TYPE(++x, H&); TYPE(x--, H);
    x = 1; x = 1.5; x = f; x = l; x = b; x = c; x = u;
    H z = 2, w = 3.0, q(i); H list[] = {1, 2.5f, 3.5};
    f = x; d = x; i = x; i = (int)x; l = (long long)x; b = (bool)x; f += x; d *= x; i += (int)x;
    x = x < 0 ? x : H(0); f = x ? 1 : 2; if (x && !y) x = z + w + q + list[1];
    x = rsqrt(y) + exp(x) + log1p(x) + sin(x) + cospi(x) + tanh(x) + erf(x) + pow(x, y) + fmod(x, y) + floor(x) + rint(x);
    x += copysign(x, y) + hypot(x, y) + atan2(x, y) + nextafter(x, y) + ldexp(x, 2) + fdim(x, y) + remainder(x, y) + cbrt(x);
    x = modf(x, &y) + frexp(x, &i); sincos(x, &y, &z); i = isinf(x) + isfinite(y) + signbit(x) + isnan(z) + lrint(x) + ilogb(x);
    static_assert(sizeof(H) == 2 && alignof(H) == 2 && __is_trivially_copyable(H), "two bytes");
}
extern "C" __global__ void kernel(float16* a, bfloat16* b, complex<float>* z) {
    check<float16>(a[0], a[1], 2, 2u, 1.0f, 1.0, 3, 4, true);
    check<bfloat16>(b[0], b[1], 2, 2u, 1.0f, 1.0, 3, 4, true);
    a[0] = b[0]; b[1] = a[1]; TYPE(a[0] + b[0], float); float16 u(b[2]); bfloat16 v = u; b[3] = v;
    z[0] = a[0]; z[1] = z[2] * a[1] + b[1]; TYPE(z[0] * a[0], complex<float>); z[3] = pow(z[2], a[0]); if (z[3] == a[0]) z[4] += b[0];
}
)";
    const std::string types = R"(
#define TYPE2(e, T) static_assert(same<decltype(e), T>::value, #e)
template <class T> __device__ void mixes(complex<T> x, complex<T> y, int i, float f, double d, long long l) {
    typedef complex<T> C;
    TYPE2(x + y, C); TYPE2(x * 2, C); TYPE2(2 - x, C); TYPE2(x / T(2), C); TYPE2(x * 2.0, complex<double>); TYPE2(x == y, bool);
    TYPE2(abs(x), T); TYPE2(norm(x), T); TYPE2(arg(x), T); TYPE2(real(x), T); TYPE2(x.imag(), T); TYPE2(-x, C); TYPE2(conj(x), C);
    TYPE2(pow(x, 2), C); TYPE2(pow(x, y), C); TYPE2(pow(T(2), x), C); TYPE2(pow(2.0, x), complex<double>); TYPE2(x += 1, C&);
    TYPE2(x + complex<float>(1), C); TYPE2(x + complex<double>(1), complex<double>);
    C z = x * 2.0; z = 1; z = f; z = d; z = l; z += 1; z -= 2.0; z *= x; z /= 3.0f; z.real(1); z.imag(T(2)); C u(f), v(f, d), w(i);
    thrust::complex<T> t(1, 2); z = thrust::exp(t) + thrust::abs(t) + (x < y ? x : C(0)) + u + v + w + max(x, y) + polar(T(1), T(2));
    static_assert(sizeof(C) == 2 * sizeof(T) && alignof(C) == 2 * sizeof(T) && __is_trivially_copyable(C), "two parts");
}
extern "C" __global__ void kernel2(complex<float>* z, complex<double>* w) {
    mixes<float>(z[0], z[1], 1, 1, 1, 1); mixes<double>(w[0], w[1], 1, 1, 1, 1); z[0] = w[0]; w[1] = z[1];
}
)";
    if (const prelude::Nvrtc nvrtc; nvrtc) {
        for (const char* target : {"sm_75", "sm_80", "sm_90", "compute_90"}) {
            INFO(target);
            CHECK(nvrtc.refusal(prelude::all_cuda() + body + types, target) == "");
        }
    }
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        CHECK(prelude::HostProgram(compiler, prelude::all_host() + body + types).refusal() == "");
    }
}
