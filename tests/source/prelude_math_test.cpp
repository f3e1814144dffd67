// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

// A function that the test program exports as `declaration { return expression; }`.
struct Row {
    const char* declaration;
    const char* expression;
};

prelude::HostProgram compiled(const std::string& compiler, std::initializer_list<Row> rows) {
    std::string text = prelude::all_host() + prelude::export_macro;
    for (const Row& row : rows) {
        text +=
            std::string("KGEN_EXPORT ") + row.declaration + " { return " + row.expression + "; }\n";
    }
    return prelude::HostProgram(compiler, text);
}

template <typename T>
bool same(T a, T b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Returns the relative error of `got` in units of epsilon.
double error(double got, long double exact) {
    return static_cast<double>(std::fabs((static_cast<long double>(got) - exact) / exact) /
                               static_cast<long double>(std::numeric_limits<double>::epsilon()));
}

}  // namespace

TEST_CASE("max and min are CUDA's: a NaN gives way, and -0 is below +0", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const auto program =
            compiled(compiler,
                     {{"float max_float(float a, float b)", "max(a, b)"},
                      {"double min_double(double a, double b)", "min(a, b)"},
                      {"double fmax_double(double a, double b)", "fmax(a, b)"},
                      {"float fminf_float(float a, float b)", "fminf(a, b)"},
                      {"unsigned max_mixed(unsigned a, int b)", "max(a, b)"},
                      {"long long min_wide(long long a, long long b)", "min(a, b)"},
                      {"long long abs_wide(long long a)", "abs(a)"},
                      {"int size_of_mixed()", "(int)sizeof(max(1.0f, 1.0))"}});
        REQUIRE(program.refusal() == "");
        auto* const max_float = program.function<float(float, float)>("max_float");
        auto* const min_double = program.function<double(double, double)>("min_double");
        auto* const fmax_double = program.function<double(double, double)>("fmax_double");
        auto* const fminf_float = program.function<float(float, float)>("fminf_float");
        const double values[] = {0.0, -0.0, 1.0, -1.0, infinity, -infinity, std::nan("")};
        for (const double a : values) {
            for (const double b : values) {
                INFO(a << " " << b);
                const bool tie = a == b;
                const double largest = tie ? (std::signbit(a) ? b : a) : std::fmax(a, b);
                const double least = tie ? (std::signbit(a) ? a : b) : std::fmin(a, b);
                const auto x = static_cast<float>(a), y = static_cast<float>(b);
                CHECK(same(max_float(x, y), static_cast<float>(largest)));
                CHECK(same(fmax_double(a, b), largest));
                CHECK(same(min_double(a, b), least));
                CHECK(same(fminf_float(x, y), static_cast<float>(least)));
            }
        }
        CHECK(program.function<unsigned(unsigned, int)>("max_mixed")(1u, -1) == 0xffffffffu);
        CHECK(program.function<long long(long long, long long)>("min_wide")(-5, 3) == -5);
        CHECK(program.function<long long(long long)>("abs_wide")(-5000000000) == 5000000000);
        CHECK(program.function<int()>("size_of_mixed")() == 8);
    }
}

TEST_CASE("functions that libm has not are accurate", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const auto program =
            compiled(compiler,
                     {{"double f_erfinv(double x)", "erfinv(x)"},
                      {"double f_erfcinv(double x)", "erfcinv(x)"},
                      {"double f_erfcx(double x)", "erfcx(x)"},
                      {"double f_normcdf(double x)", "normcdf(x)"},
                      {"double f_normcdfinv(double x)", "normcdfinv(x)"},
                      {"double f_i0(double x)", "cyl_bessel_i0(x)"},
                      {"double f_i1(double x)", "cyl_bessel_i1(x)"},
                      {"double f_sinpi(double x)", "sinpi(x)"},
                      {"double f_cospi(double x)", "cospi(x)"},
                      {"float f_sinpif(float x)", "sinpif(x)"},
                      {"double f_rcbrt(double x)", "rcbrt(x)"},
                      {"double f_rsqrt(double x)", "rsqrt(x)"},
                      {"double f_norm3d(double x, double y, double z)", "norm3d(x, y, z)"},
                      {"double f_rhypot(double x, double y)", "rhypot(x, y)"},
                      {"float f_powi(float x, int n)", "pow(x, n)"}});
        REQUIRE(program.refusal() == "");
        const auto f = [&](const char* name) { return program.function<double(double)>(name); };

        // The exact inverse is found by one Newton step from the computed inverse x: the difference between
        // the function at x and y, divided by the slope, is the error of x.
        for (const double y :
             {1e-300, 1e-20, 1e-3, 0.1, 0.3, 0.5, 0.6, 0.9, 0.99, 0.999999, -0.7, -1e-5}) {
            const long double x = f("f_erfinv")(y);
            const long double slope = 2 / std::sqrt(std::acos(-1.0L)) * std::exp(-x * x);
            INFO("erfinv " << y);
            const long double exact = x - (std::erf(x) - static_cast<long double>(y)) / slope;
            CHECK(error(static_cast<double>(x), exact) <= 4);
        }
        for (const double y : {1e-300, 1e-100, 1e-20, 1e-3, 0.1, 0.5, 0.9, 1.1, 1.5, 1.9, 1.999}) {
            const long double x = f("f_erfcinv")(y);
            const long double slope = -2 / std::sqrt(std::acos(-1.0L)) * std::exp(-x * x);
            INFO("erfcinv " << y);
            const long double exact = x - (std::erfc(x) - static_cast<long double>(y)) / slope;
            CHECK(error(static_cast<double>(x), exact) <= 4);
        }
        for (const double x : {-5.0, -1.0, -1e-5, 0.1, 1.0, 3.0, 6.0, 9.9}) {
            const long double wide = x;
            INFO("erfcx " << x);
            CHECK(error(f("f_erfcx")(x), std::exp(wide * wide) * std::erfc(wide)) <= 6);
            CHECK(error(f("f_normcdf")(x), std::erfc(-wide / std::sqrt(2.0L)) / 2) <= 4);
        }
        CHECK(error(f("f_erfcx")(10), 0.05614099274382258586L) <= 4);
        CHECK(error(f("f_erfcx")(100), 0.00564161378298943290L) <= 4);
        CHECK(f("f_erfcx")(-30) == infinity);
        CHECK(error(f("f_normcdfinv")(0.975), 1.95996398454005423552L) <= 4);
        CHECK(f("f_normcdfinv")(0.5) == 0);
        CHECK(f("f_normcdfinv")(0) == -infinity);
        CHECK(f("f_erfinv")(1) == infinity);
        CHECK(f("f_erfinv")(-1) == -infinity);
        CHECK(std::isnan(f("f_erfinv")(1.5)));
        CHECK(same(f("f_erfinv")(-0.0), -0.0));
        CHECK(error(f("f_i0")(1), 1.26606587775200833560L) <= 4);
        CHECK(error(f("f_i0")(20), 43558282.5595535332723L) <= 4);
        CHECK(error(f("f_i1")(-1), -0.56515910399248502721L) <= 4);
        CHECK(f("f_i1")(800) == infinity);

        for (int quarter = -12; quarter <= 12; ++quarter) {
            const double x = quarter * 0.25;
            INFO("sinpi " << x);
            const double expected[] = {
                0, std::sqrt(0.5), 1, std::sqrt(0.5), 0, -std::sqrt(0.5), -1, -std::sqrt(0.5)};
            const double sine = expected[(quarter + 16) % 8], cosine = expected[(quarter + 18) % 8];
            CHECK(f("f_sinpi")(x) == Approx(sine).epsilon(4e-16));
            CHECK(f("f_cospi")(x) == Approx(cosine).epsilon(4e-16));
            if (sine == 0) CHECK(same(f("f_sinpi")(x), std::copysign(0.0, x)));
            if (cosine == 0) CHECK(same(f("f_cospi")(x), 0.0));
        }
        CHECK(f("f_sinpi")(0x1p60) == 0);
        CHECK(f("f_sinpi")(0.3) == Approx(std::sin(0.3 * pi)).epsilon(4e-16));
        CHECK(std::isnan(f("f_cospi")(infinity)));
        CHECK(program.function<float(float)>("f_sinpif")(0.125f) ==
              Approx(0.38268343).epsilon(2e-7));
        CHECK(f("f_rcbrt")(-27) == Approx(-1.0 / 3).epsilon(4e-16));
        CHECK(f("f_rsqrt")(0) == infinity);
        CHECK(program.function<double(double, double, double)>("f_norm3d")(3e200, 4e200, 12e200) ==
              Approx(13e200).epsilon(4e-16));
        CHECK(program.function<double(double, double, double)>("f_norm3d")(
                  infinity, std::nan(""), 0) == infinity);
        CHECK(program.function<double(double, double)>("f_rhypot")(3, 4) ==
              Approx(0.2).epsilon(4e-16));
        CHECK(program.function<float(float, int)>("f_powi")(1.1f, 2) == 1.1f * 1.1f);
        CHECK(program.function<float(float, int)>("f_powi")(2.0f, -3) == 0.125f);
    }
}

TEST_CASE("integer and bit intrinsics have CUDA's results", "[prelude]") {
    struct Case {
        const char* expression;  // has type long long
        long long expected;
    };
    const Case cases[] = {
        {"__popc(0xf0f0u)", 8},
        {"__popcll(~0ull)", 64},
        {"__clz(0)", 32},
        {"__clz(1)", 31},
        {"__clz(-1)", 0},
        {"__clzll(0)", 64},
        {"__clzll(1ll << 40)", 23},
        {"__ffs(0)", 0},
        {"__ffs(8)", 4},
        {"__ffsll(1ll << 40)", 41},
        {"__brev(1u)", 0x80000000ll},
        {"__brev(0x12345678u)", 0x1e6a2c48},
        {"(long long)__brevll(2)", 0x4000000000000000},
        {"__byte_perm(0x33221100u, 0x77665544u, 0x7520u)", 0x77552200},
        {"__byte_perm(0x80u, 0u, 0x0008u)", 0x80808080ll},
        {"__funnelshift_l(0x80000000u, 1u, 1u)", 3},
        {"__funnelshift_r(2u, 1u, 1u)", 0x80000001ll},
        {"__funnelshift_lc(5u, 1u, 40u)", 5},
        {"__funnelshift_rc(5u, 7u, 40u)", 7},
        {"__mul24(0x01000003, 5)", 15},
        {"__mul24(-3, 5)", -15},
        {"__umul24(0xff000003u, 5u)", 15},
        {"__mulhi(-2, 0x40000000)", -1},
        {"__umulhi(0xffffffffu, 2u)", 1},
        {"__mul64hi(-1ll, 2ll)", -1},
        {"(long long)__umul64hi(~0ull, 2ull)", 1},
        {"__hadd(-3, 0)", -2},
        {"__rhadd(-3, 0)", -1},
        {"__uhadd(0xffffffffu, 1u)", 0x80000000ll},
        {"__urhadd(2u, 3u)", 3},
        {"__sad(-5, 3, 1u)", 9},
        {"__usad(3u, 5u, 1u)", 3},
        {"__dp4a(0x01ff0102, 0x01010101, 10)", 13},
        {"__dp2a_lo((int)0xffff0005, 0x0102, 10)", 19},
        {"__dp2a_lo(0xffff0005u, 0x0102u, 10u)", 65555},
        {"__vmaxs2(0x8000ffffu, 0x7fff0001u)", 0x7fff0001},
        {"__vmins2(0x8000ffffu, 0x7fff0001u)", 0x8000ffffll},
        {"__vmaxu2(0x8000ffffu, 0x7fff0001u)", 0x8000ffffll},
        {"__vminu2(0x8000ffffu, 0x7fff0001u)", 0x7fff0001},
        {"__float_as_int(1.0f)", 0x3f800000},
        {"__double2hiint(1.0)", 0x3ff00000},
        {"(long long)__hiloint2double(0x3ff00000, 0)", 1},
        {"__float2int_rn(2.5f)", 2},
        {"__float2int_rz(-2.9f)", -2},
        {"__float2int_ru(2.1f)", 3},
        {"__float2int_rd(-2.1f)", -3},
        {"__float2int_rn(1e20f)", 0x7fffffff},
        {"__float2int_rn(-1e20f)", -0x80000000ll},
        {"__float2int_rn(CUDART_NAN_F)", 0},
        {"__float2uint_rn(-1.0f)", 0},
        {"__float2uint_rn(1e20f)", 0xffffffffll},
        {"__float2ll_rz(-1e30f)", std::numeric_limits<long long>::min()},
        {"__double2int_rn(CUDART_NAN)", -0x80000000ll},
        {"__double2ll_rn(1e300)", std::numeric_limits<long long>::max()},
        {"__double2uint_rz(4294967295.9)", 0xffffffffll},
        {"ullmin(3ull, 2ull)", 2},
        {"umax(3u, 2u)", 3},
        {"isnan(0.0f / 0.0f)", 1},
        {"(long long)pow(2.0f, 10)", 1024},
        {"(long long)sizeof(float4) * 100 + alignof(float4)", 1616},
        {"(long long)sizeof(double2) * 100 + alignof(double2)", 1616},
        {"(long long)sizeof(uchar4) * 100 + alignof(uchar4)", 404},
        {"(long long)sizeof(int3) * 100 + alignof(int3)", 1204},
        {"make_int4(1, 2, 3, 4).w", 4},
    };
    std::string text = prelude::all_host() + prelude::export_macro;
    text += "KGEN_EXPORT long long call(int n) { switch (n) {\n";
    for (std::size_t n = 0; n < std::size(cases); ++n) {
        text += "case " + std::to_string(n) + ": return " + cases[n].expression + ";\n";
    }
    text += "} return 0; }\n";
    for (const std::string& compiler : prelude::host_compilers()) {
        const prelude::HostProgram program(compiler, text);
        REQUIRE(program.refusal() == "");
        auto* const call = program.function<long long(int)>("call");
        for (std::size_t n = 0; n < std::size(cases); ++n) {
            INFO(compiler << " " << cases[n].expression);
            CHECK(call(static_cast<int>(n)) == cases[n].expected);
        }
    }
}

// The reference is long double. In it, sums, products and quotients of floats are exact, or they round far
// below a float's last place.
TEST_CASE("operations with a rounding mode round that way and are never fused", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        std::string text = prelude::all_host() + prelude::export_macro +
                           "KGEN_EXPORT float call(int n, float a, float b) { switch (n) {\n";
        int number = 0;
        for (const char* operation : {"add", "sub", "mul", "div"}) {
            for (const char* mode : {"rn", "rz", "ru", "rd"}) {
                text += "case " + std::to_string(number++) + ": return __f" + operation + "_" +
                        mode + "(a, b);\n";
            }
        }
        for (const char* mode : {"rn", "rz", "ru", "rd"}) {
            text += "case " + std::to_string(number++) + ": return __fsqrt_" + mode + "(a);\n";
        }
        text +=
            "} return 0; }\nKGEN_EXPORT float unfused(float a, float b, float c) { return "
            "__fadd_rn(__fmul_rn(a, b), c); }\n";
        const prelude::HostProgram program(compiler, text);
        REQUIRE(program.refusal() == "");
        auto* const call = program.function<float(int, float, float)>("call");
        const float values[] = {
            1.0f, 3.0f, -7.0f, 0.1f, 1e-3f, 16777216.0f, -1.00000012f, 1e10f, 2.5f, -1e-8f};
        for (const float a : values) {
            for (const float b : values) {
                const long double x = a, y = b;
                const long double exact[] = {x + y, x - y, x * y, x / y, std::sqrt(x)};
                for (int n = 0; n < 20; ++n) {
                    if (n >= 16 && a < 0) continue;
                    const long double value = exact[n / 4];
                    const auto near = static_cast<float>(value);
                    const long double wide = near;
                    float expected = near;
                    if (n % 4 == 1 && std::fabs(wide) > std::fabs(value))
                        expected = std::nextafterf(near, 0.0f);
                    if (n % 4 == 2 && wide < value) expected = std::nextafterf(near, 1e38f);
                    if (n % 4 == 3 && wide > value) expected = std::nextafterf(near, -1e38f);
                    INFO(n << ": " << a << " " << b);
                    CHECK(call(n, a, b) == expected);
                }
            }
        }
        // Numbers 0 to 3 are add, 8 to 11 mul, 12 to 15 div, 16 to 19 sqrt, each in the order rn, rz, ru, rd.
        constexpr float most = std::numeric_limits<float>::max();
        constexpr float least = std::numeric_limits<float>::denorm_min();
        constexpr float huge = std::numeric_limits<float>::infinity();
        CHECK(call(0, most, most) == huge);
        CHECK(call(1, most, most) == most);
        CHECK(call(2, -most, -most) == -most);
        CHECK(call(3, most, most) == most);
        CHECK(call(1, huge, 1.0f) == huge);
        CHECK(call(8, least, 0.25f) == 0.0f);
        CHECK(call(10, least, 0.25f) == least);
        CHECK(call(11, least, -0.25f) == -least);
        CHECK(call(9, least, -0.25f) == 0.0f);
        CHECK(call(9, 1e30f, 1e30f) == most);
        CHECK(call(14, least, 3.0f) == least);
        CHECK(call(13, 1e30f, -1e-30f) == -most);
        CHECK(call(15, 1.0f, 0.0f) == huge);
        CHECK(call(18, 3 * least, 0) > call(19, 3 * least, 0));
        const float a = 1.0f + 0x1p-12f;
        CHECK(program.function<float(float, float, float)>("unfused")(a, a, -(1.0f + 0x1p-11f)) ==
              0.0f);
    }
}
