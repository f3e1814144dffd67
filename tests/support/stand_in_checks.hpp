// SPDX-License-Identifier: MIT
//
// Checks of kgen's stand-in headers, as text that a compiler checks. They hold for any conforming
// C++17 implementation on 64-bit Linux, except those of int64_t and of the constexpr div().
#pragma once

#include <string_view>

namespace kgen::test {

// Precedes the checks.
inline constexpr std::string_view stand_in_check_prelude =
    "#define KGEN_CHECK __host__ __device__ constexpr\n";

struct StandInCheck {
    std::string_view header;
    std::string_view text;  // code at namespace scope
};

inline constexpr StandInCheck stand_in_checks[] = {
    {"climits", R"(
static_assert(CHAR_BIT == 8 && SCHAR_MIN == -128 && SCHAR_MAX == 127 && UCHAR_MAX == 255, "");
static_assert(CHAR_MIN == (char(-1) < 0 ? -128 : 0), "");
static_assert(SHRT_MIN == -32768 && SHRT_MAX == 32767 && USHRT_MAX == 65535, "");
static_assert(INT_MAX == int(~0u >> 1) && INT_MIN == ~INT_MAX && UINT_MAX == ~0u, "");
static_assert(LONG_MAX == long(~0ul >> 1) && LONG_MIN == ~LONG_MAX && ULONG_MAX == ~0ul, "");
static_assert(LLONG_MAX == (long long)(~0ull >> 1) && LLONG_MIN == ~LLONG_MAX && ULLONG_MAX == ~0ull, "");
)"},
    {"limits.h", "static_assert(INT_MAX == 2147483647, \"\");\n"},
    {"cstdint", R"(
static_assert(sizeof(int8_t) == 1 && sizeof(std::int16_t) == 2 && sizeof(int32_t) == 4, "");
static_assert(sizeof(std::int64_t) == 8 && sizeof(uint64_t) == 8 && sizeof(uintptr_t) == sizeof(void*), "");
static_assert(int8_t(-1) < 0 && uint8_t(-1) > 0 && int64_t(-1) < 0 && std::uint64_t(-1) > 0, "");
static_assert(INT8_MIN == -128 && UINT16_MAX == 65535 && INT32_MAX == 2147483647, "");
static_assert(INT64_MAX == LLONG_MAX && UINT64_MAX == ~0ull && INT64_MIN == -INT64_MAX - 1, "");
static_assert(UINT64_C(18446744073709551615) == ~0ull && INT64_C(-5) < 0 && SIZE_MAX == ~size_t(0), "");
template <class T> struct kgen_check_width;
template <> struct kgen_check_width<long long> { static constexpr int value = 1; };
static_assert(kgen_check_width<int64_t>::value == 1, "int64_t is long long everywhere");
)"},
    {"stdint.h", "static_assert(sizeof(int_fast16_t) >= 2 && sizeof(intmax_t) == 8, \"\");\n"},
    {"stddef.h",
     "struct kgen_check_d { int a; double b; };\n"
     "__device__ inline size_t kgen_check_offset() { return offsetof(kgen_check_d, b); }\n"
     "static_assert(alignof(max_align_t) == 16 && sizeof(nullptr_t) == sizeof(void*), \"\");\n"},
    {"cstddef", R"(
static_assert(sizeof(std::size_t) == 8 && std::ptrdiff_t(-1) < 0 && sizeof(std::byte) == 1, "");
static_assert(std::to_integer<int>((std::byte{1} << 3 | std::byte{5}) & ~std::byte{1}) == 12, "");
constexpr std::nullptr_t kgen_check_null = nullptr;
)"},
    {"cfloat", R"(
static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53 && FLT_RADIX == 2 && FLT_DIG == 6 && DBL_DIG == 15, "");
static_assert(1.0f + FLT_EPSILON > 1.0f && 1.0f + FLT_EPSILON / 2 == 1.0f, "");
static_assert(1.0 + DBL_EPSILON > 1.0 && 1.0 + DBL_EPSILON / 2 == 1.0, "");
static_assert(FLT_MAX == 0x1.fffffep127f && DBL_MAX == 0x1.fffffffffffffp1023, "");
static_assert(FLT_MIN == 0x1p-126f && DBL_MIN == 0x1p-1022 && FLT_TRUE_MIN == 0x1p-149f, "");
static_assert(FLT_MAX_10_EXP == 38 && DBL_MIN_10_EXP == -307 && FLT_MIN_EXP == -125, "");
)"},
    {"float.h", "static_assert(sizeof(DBL_MAX) == 8 && sizeof(FLT_MAX) == 4, \"\");\n"},
    {"limits", R"(
static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<int>::digits == 31, "");
static_assert(std::numeric_limits<signed char>::min() == -128 && std::numeric_limits<short>::lowest() == -32768, "");
static_assert(std::numeric_limits<unsigned short>::max() == 65535 && std::numeric_limits<unsigned>::min() == 0, "");
static_assert(std::numeric_limits<long long>::min() == -9223372036854775807ll - 1, "");
static_assert(std::numeric_limits<unsigned long>::max() == ~0ul && std::numeric_limits<unsigned long>::is_modulo, "");
static_assert(std::numeric_limits<bool>::digits == 1 && std::numeric_limits<bool>::max() == true, "");
static_assert(!std::numeric_limits<bool>::is_modulo && !std::numeric_limits<int>::is_modulo, "");
static_assert(std::numeric_limits<int>::digits10 == 9 && std::numeric_limits<unsigned long>::digits10 == 19, "");
static_assert(std::numeric_limits<const float>::max() == 0x1.fffffep127f, "");
static_assert(std::numeric_limits<float>::min() == 0x1p-126f && std::numeric_limits<double>::denorm_min() == 0x1p-1074, "");
static_assert(std::numeric_limits<double>::lowest() == -0x1.fffffffffffffp1023, "");
static_assert(std::numeric_limits<double>::epsilon() == 0x1p-52 && std::numeric_limits<float>::epsilon() == 0x1p-23f, "");
static_assert(std::numeric_limits<float>::infinity() > std::numeric_limits<float>::max(), "");
static_assert(std::numeric_limits<double>::quiet_NaN() != std::numeric_limits<double>::quiet_NaN(), "");
static_assert(std::numeric_limits<float>::digits10 == 6 && std::numeric_limits<double>::max_digits10 == 17, "");
static_assert(std::numeric_limits<double>::min_exponent == -1021 && std::numeric_limits<float>::max_exponent10 == 38, "");
static_assert(!std::numeric_limits<void*>::is_specialized && std::numeric_limits<char32_t>::max() == ~0u, "");
)"},
    {"type_traits", R"(
namespace kgen_check_traits {
struct Plain { int a; };
struct Virtual { __host__ __device__ virtual ~Virtual() {} };
struct Derived : Plain {};
struct Explicit { __host__ __device__ explicit Explicit(int); Explicit(const Explicit&) = delete; };
enum class Color : short { red };
union Either { int a; float b; };
__host__ __device__ int function(float) noexcept;
using std::is_same_v;
static_assert(is_same_v<std::remove_cv_t<const volatile int>, int> && !is_same_v<int, const int>, "");
static_assert(is_same_v<std::remove_reference_t<int&&>, int> && is_same_v<std::remove_cvref_t<const int&>, int>, "");
static_assert(is_same_v<std::remove_pointer_t<int* const>, int> && is_same_v<std::add_pointer_t<int&>, int*>, "");
static_assert(is_same_v<std::add_lvalue_reference_t<void>, void> && is_same_v<std::add_rvalue_reference_t<int&>, int&>, "");
static_assert(is_same_v<std::decay_t<const int[3]>, const int*> && is_same_v<std::decay_t<int(float)>, int (*)(float)>, "");
static_assert(is_same_v<std::remove_all_extents_t<int[2][3]>, int> && std::extent_v<int[2][3], 1> == 3, "");
static_assert(std::rank_v<int[2][3]> == 2 && std::extent_v<int[]> == 0 && std::alignment_of_v<double> == 8, "");
static_assert(is_same_v<std::conditional_t<true, int, float>, int> && is_same_v<std::enable_if_t<true>, void>, "");
static_assert(is_same_v<std::common_type_t<int, float, double>, double> && is_same_v<std::common_type_t<short, char>, int>, "");
static_assert(is_same_v<std::common_type_t<const int&>, int>, "");
static_assert(is_same_v<std::make_unsigned_t<const int>, const unsigned>, "");
static_assert(is_same_v<std::make_signed_t<unsigned long long>, long long> && is_same_v<std::make_signed_t<unsigned long>, long>, "");
static_assert(is_same_v<std::underlying_type_t<Color>, short> && is_same_v<std::make_unsigned_t<Color>, unsigned short>, "");
static_assert(is_same_v<std::invoke_result_t<decltype(function)&, float>, int> && std::is_invocable_v<decltype(function)&, int>, "");
static_assert(!std::is_invocable_v<decltype(function)&, Plain> && std::is_nothrow_invocable_v<decltype(function)&, float>, "");
static_assert(std::is_invocable_r_v<void, decltype(function)&, float> && !std::is_invocable_r_v<Plain, decltype(function)&, float>, "");
static_assert(std::is_integral_v<const long> && std::is_integral_v<bool> && !std::is_integral_v<float>, "");
static_assert(std::is_floating_point_v<double> && std::is_arithmetic_v<char> && std::is_void_v<const void>, "");
static_assert(std::is_null_pointer_v<decltype(nullptr)> && std::is_pointer_v<int* const> && !std::is_pointer_v<int[2]>, "");
static_assert(std::is_signed_v<double> && std::is_unsigned_v<bool> && !std::is_signed_v<Color>, "");
static_assert(std::is_enum_v<Color> && std::is_union_v<Either> && std::is_class_v<Plain> && !std::is_class_v<Either>, "");
static_assert(std::is_function_v<int(float)> && std::is_function_v<int(float) const> && !std::is_function_v<int (&)(float)>, "");
static_assert(std::is_member_function_pointer_v<int (Plain::*)()> && std::is_member_object_pointer_v<int Plain::*>, "");
static_assert(std::is_object_v<int[2]> && !std::is_object_v<int&> && std::is_scalar_v<Color> && std::is_compound_v<Plain>, "");
static_assert(std::is_const_v<const int> && !std::is_const_v<const int&> && std::is_array_v<int[]>, "");
static_assert(std::is_base_of_v<Plain, Derived> && !std::is_base_of_v<Derived, Plain>, "");
static_assert(std::is_convertible_v<int, double> && std::is_convertible_v<Derived*, Plain*>, "");
static_assert(!std::is_convertible_v<int, Explicit> && std::is_constructible_v<Explicit, int>, "");
static_assert(std::is_convertible_v<void, void> && !std::is_convertible_v<int, void>, "");
static_assert(!std::is_copy_constructible_v<Explicit> && std::is_move_assignable_v<int> && !std::is_copy_assignable_v<const int>, "");
static_assert(std::is_default_constructible_v<Plain> && !std::is_default_constructible_v<Explicit>, "");
static_assert(std::is_trivially_copyable_v<Plain> && std::is_standard_layout_v<Plain> && std::is_trivial_v<Plain>, "");
static_assert(std::is_polymorphic_v<Virtual> && std::has_virtual_destructor_v<Virtual> && !std::is_trivially_destructible_v<Virtual>, "");
static_assert(std::is_destructible_v<int[2]> && !std::is_destructible_v<void> && std::is_trivially_destructible_v<Plain>, "");
static_assert(std::is_empty_v<std::true_type> && std::is_aggregate_v<Plain> && !std::is_abstract_v<Virtual>, "");
static_assert(std::is_trivially_copy_constructible_v<Plain> && std::is_nothrow_move_constructible_v<int>, "");
static_assert(std::conjunction_v<> && !std::disjunction_v<> && std::negation_v<std::false_type>, "");
static_assert(std::conjunction_v<std::true_type, std::is_void<void>> && std::disjunction_v<std::false_type, std::true_type>, "");
static_assert(std::true_type() && std::integral_constant<int, 7>()() == 7 && std::bool_constant<true>::value, "");
static_assert(sizeof(std::aligned_storage_t<24, 8>) == 24 && alignof(std::aligned_storage_t<3, 16>) == 16, "");
}  // namespace kgen_check_traits
)"},
    {"utility", R"(
namespace kgen_check_utility {
KGEN_CHECK int swapped() {
    int a[2] = {1, 2}, b[2] = {3, 4};
    std::swap(a, b);
    int old = std::exchange(a[0], 9);
    return old * 1000 + a[0] * 100 + a[1] * 10 + b[0];
}
static_assert(swapped() == 3941, "");
static_assert(std::pair<int, char>(1, 'b') < std::make_pair(2, 'a') && std::make_pair(1, 2) == std::pair{1, 2}, "");
static_assert(std::get<1>(std::pair<int, double>(1, 2.5)) == 2.5, "");
KGEN_CHECK int bound() {
    auto [a, b] = std::pair<int, long>(3, 4);
    return a * 10 + int(b);
}
static_assert(bound() == 34 && std::tuple_size_v<std::pair<int, int>> == 2, "");
template <int... i> KGEN_CHECK int digits(std::integer_sequence<int, i...>) {
    int all = 0;
    ((all = all * 10 + i), ...);
    return all;
}
static_assert(digits(std::make_integer_sequence<int, 5>()) == 1234 && std::make_index_sequence<0>::size() == 0, "");
static_assert(std::is_same_v<std::index_sequence_for<int, char>, std::index_sequence<0, 1>>, "");
static_assert(std::is_same_v<decltype(std::move(std::declval<int&>())), int&&>, "");
static_assert(std::is_same_v<decltype(std::as_const(std::declval<int&>())), const int&>, "");
}  // namespace kgen_check_utility
)"},
    {"tuple", R"(
namespace kgen_check_tuple {
KGEN_CHECK int apart() {
    std::tuple<int, char, double> x(1, 'b', 2.5);
    auto [a, b, c] = x;
    std::get<0>(x) = 7;
    return std::get<int>(x) * 100 + a * 10 + int(c * 2) + (b == 'b' ? 0 : 1000);
}
static_assert(apart() == 715, "");
KGEN_CHECK int tied() {
    int a = 0, b = 0;
    std::tie(a, b) = std::make_tuple(4, 5);
    std::tie(b, std::ignore) = std::make_pair(a + b, 1);
    return a * 10 + b;
}
static_assert(tied() == 49, "");
KGEN_CHECK int add(int a, int b, int c) { return a + b * c; }
static_assert(std::apply(add, std::make_tuple(1, 2, 3)) == 7, "");
static_assert(std::make_tuple(1, 2) < std::make_tuple(1, 3) && std::tuple<>() == std::tuple<>(), "");
static_assert(std::tuple_size_v<std::tuple<int, int, int>> == 3, "");
static_assert(std::is_same_v<std::tuple_element_t<1, const std::tuple<int, char>>, const char>, "");
}  // namespace kgen_check_tuple
)"},
    {"iterator", R"(
namespace kgen_check_iterator {
constexpr int a[] = {1, 2, 3};
static_assert(std::size(a) == 3 && std::end(a) - std::begin(a) == 3 && *std::next(std::begin(a)) == 2, "");
static_assert(*std::prev(std::cend(a)) == 3 && std::distance(a, a + 2) == 2 && std::data(a) == a, "");
}  // namespace kgen_check_iterator
)"},
    {"array", R"(
namespace kgen_check_array {
constexpr std::array<int, 3> a = {1, 2, 3};
static_assert(a.size() == 3 && a[1] == 2 && a.front() == 1 && a.back() == 3 && std::get<2>(a) == 3, "");
static_assert(std::array{1, 2, 3} == a && a < std::array{1, 3, 0} && !a.empty(), "");
static_assert(std::array<int, 0>().empty() && sizeof(std::array<float, 4>) == 16, "");
KGEN_CHECK int sum() {
    std::array<int, 4> x{};
    x.fill(2);
    x.at(3) = 5;
    int all = 0;
    for (int y : x) all += y;
    auto [p, q, r] = a;
    return all * 1000 + p * 100 + q * 10 + r;
}
static_assert(sum() == 11123, "");
}  // namespace kgen_check_array
)"},
    {"functional", R"(
static_assert(std::plus<int>()(2, 3) == 5 && std::plus<>()(2, 3.5) == 5.5 && std::minus<>()(5, 2) == 3, "");
static_assert(std::less<>()(1, 2) && std::greater<int>()(2, 1) && std::negate<>()(3) == -3, "");
static_assert(std::bit_xor<>()(6, 3) == 5 && std::logical_not<>()(false) && std::modulus<int>()(7, 4) == 3, "");
static_assert(std::identity()(4) == 4, "");
)"},
    {"algorithm", R"(
namespace kgen_check_algorithm {
static_assert(std::min(2, 3) == 2 && std::max(2.5, 1.5) == 2.5 && std::min({4, 2, 8}) == 2 && std::max({4, 2, 8}) == 8, "");
static_assert(std::clamp(5, 0, 3) == 3 && std::clamp(-1, 0, 3) == 0 && std::clamp(2, 0, 3) == 2, "");
static_assert(std::max(1, 2, std::greater<>()) == 1 && std::minmax(3, 1).first == 1, "");
constexpr int a[] = {1, 3, 3, 7};
static_assert(std::lower_bound(a, a + 4, 3) - a == 1 && std::upper_bound(a, a + 4, 3) - a == 3, "");
static_assert(std::binary_search(a, a + 4, 7) && !std::binary_search(a, a + 4, 4), "");
static_assert(std::count(a, a + 4, 3) == 2 && std::find(a, a + 4, 7) - a == 3 && *std::max_element(a, a + 4) == 7, "");
KGEN_CHECK bool is_odd(int x) { return x % 2 != 0; }
static_assert(std::all_of(a, a + 4, is_odd) && !std::none_of(a, a + 4, is_odd) && std::equal(a, a + 4, a), "");
KGEN_CHECK int turned() {
    int b[4] = {};
    std::copy(a, a + 4, b);
    std::reverse(b, b + 4);
    std::fill_n(b + 1, 2, 5);
    std::iter_swap(b, b + 3);
    return b[0] * 1000 + b[1] * 100 + b[2] * 10 + b[3];
}
static_assert(turned() == 1557, "");
}  // namespace kgen_check_algorithm
)"},
    {"numeric", R"(
namespace kgen_check_numeric {
constexpr int a[] = {1, 2, 3};
static_assert(std::accumulate(a, a + 3, 0) == 6 && std::accumulate(a, a + 3, 1, std::multiplies<>()) == 6, "");
static_assert(std::inner_product(a, a + 3, a, 0) == 14 && std::gcd(12, -18) == 6 && std::lcm(4, 6) == 12, "");
KGEN_CHECK int counted() {
    int b[3] = {}, c[3] = {};
    std::iota(b, b + 3, 4);
    std::partial_sum(b, b + 3, c);
    return c[2];
}
static_assert(counted() == 15, "");
}  // namespace kgen_check_numeric
)"},
    {"initializer_list", R"(
KGEN_CHECK int kgen_check_list(std::initializer_list<int> x) { return int(x.size()) * 10 + *std::begin(x); }
static_assert(kgen_check_list({7, 8}) == 27, "");
)"},
    {"cmath", R"(
namespace kgen_check_math {
template <class T> struct kind;
template <> struct kind<float> { static constexpr int value = 4; };
template <> struct kind<double> { static constexpr int value = 8; };
#define KGEN_KIND_OF(...) kgen_check_math::kind<decltype(__VA_ARGS__)>::value
static_assert(KGEN_KIND_OF(std::sqrt(1.0f)) == 4 && KGEN_KIND_OF(std::sqrt(1.0)) == 8 && KGEN_KIND_OF(std::sqrt(1)) == 8, "");
static_assert(KGEN_KIND_OF(std::abs(1.0f)) == 4 && KGEN_KIND_OF(std::fabs(1)) == 8 && sizeof(std::abs(1ll)) == 8, "");
static_assert(KGEN_KIND_OF(std::pow(1.0f, 2.0f)) == 4 && KGEN_KIND_OF(std::pow(2, 3)) == 8 && KGEN_KIND_OF(std::pow(1.0, 2)) == 8, "");
static_assert(KGEN_KIND_OF(std::fmax(1.0f, 2.0)) == 8 && KGEN_KIND_OF(std::hypot(1.0f, 2.0f, 3.0f)) == 4, "");
static_assert(KGEN_KIND_OF(std::sinf(1.0f)) == 4 && KGEN_KIND_OF(std::lerp(1.0f, 2.0f, 0.5f)) == 4, "");
static_assert(std::lerp(1.0, 3.0, 0.5) == 2.0 && !std::isnan(3) && std::isgreater(2, 1) && !std::isunordered(1.0, 2.0), "");
static_assert(INFINITY > 1e38f && HUGE_VAL > 1e308 && NAN != NAN && sizeof(INFINITY) == 4, "");
static_assert(M_PI > 3.14159265 && M_PI < 3.14159266 && sizeof(std::float_t) == 4, "");
__device__ inline int classes(float x, double y) {
    int e;
    return (std::fpclassify(x) == FP_NORMAL) + std::isnormal(y) + std::isfinite(x) + std::signbit(y) + std::isinf(1) +
           int(std::frexp(x, &e)) + int(std::ldexp(y, 2)) + std::ilogb(x) + int(std::fma(x, x, x)) + int(std::round(3)) +
           int(std::lround(x)) + int(std::atan2(1, 2)) + int(std::fmod(x, x)) + int(std::tgamma(y)) + int(std::erf(x));
}
}  // namespace kgen_check_math
)"},
    {"math.h",
     "static_assert(FP_NAN != FP_NORMAL && sizeof(NAN) == 4 && M_SQRT2 > 1.414, \"\");\n"
     "__device__ inline double kgen_check_sine(double x) { return sin(x) + sqrtf(2.0f); }\n"},
    {"cstdio",
     "__device__ inline void kgen_check_print(int x) { std::printf(\"%d\\n\", x); printf(\"x\"); "
     "}\n"},
    {"stdio.h", "static_assert(EOF == -1, \"\");\n"},
    {"cassert",
     "__device__ inline void kgen_check_assert(int x) { assert(x > 0); assert(x < 9 && \"a, b\"); "
     "}\n"},
    {"assert.h", "__device__ inline void kgen_check_assert_h(int x) { assert(x > 0); }\n"},
    {"cstring", R"(
__device__ inline int kgen_check_bytes(char* a, const char* b, std::size_t n) {
    std::memcpy(a, b, n);
    std::memmove(a + 1, a, n);
    std::memset(a, 0, n);
    std::strncpy(a, b, n);
    return std::memcmp(a, b, n) + std::strcmp(a, b) + std::strncmp(a, b, n) + int(std::strlen(b));
}
)"},
    {"string.h",
     "__device__ inline size_t kgen_check_length(char* x) { return strlen(strcpy(x, \"abc\")); "
     "}\n"},
    {"cstdlib", R"(
static_assert(std::div(7, 2).quot == 3 && std::div(-7ll, 2ll).rem == -1 && EXIT_SUCCESS == 0, "");
__device__ inline void* kgen_check_memory(int x) {
    if (std::abs(x) > 5) std::abort();
    void* p = std::malloc(std::size_t(x));
    std::free(p);
    return p;
}
)"},
    {"stdlib.h",
     "static_assert(ldiv(9l, 4l).rem == 1, \"\");\n"
     "__device__ inline long kgen_check_abs(long x) { return labs(x) + abs(3); }\n"},
    {"new", "__device__ inline int* kgen_check_place(void* p) { return new (p) int(3); }\n"},
    {"kgen/array.cuh", R"(
namespace kgen_check_view {
using kgen::array;
static_assert(sizeof(array<float, 3>) == 8 + 2 * 3 * 8 && alignof(array<char, 1>) == 8, "");
static_assert(array<int, 2>{nullptr, {3, 4}, {16, 4}}.size() == 12 && array<int, 0>{}.size() == 1, "");
__device__ inline float sum(array<const float, 2> x, array<float, 0> y) {
    ptrdiff_t at[] = {1, 2};
    return x(0, 1) + x[5] + x.at(at) + y() + y[0] + x.shape[0] + x.strides[1] + x.ndim;
}
}  // namespace kgen_check_view
)"},
};

}  // namespace kgen::test
