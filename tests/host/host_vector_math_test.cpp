// SPDX-License-Identifier: MIT
//
// Functions on the host in contiguous loops: those that call vector functions, and those that kgen computes itself.
// Tests their errors against the next wider type, and edge values.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "host/compile/host_compiler.hpp"
#include "host/compile/vector_math.hpp"
#include "host/host_backend.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

constexpr double largest_error = 4;  // units in the last place

struct Function {
    std::string body;
    double (*of)(double, double);
    long double (*wide)(long double, long double);
};

#define KGEN_TEST_FUNCTION(call, of)                                         \
    {                                                                        \
        "z = " call, [](double x, [[maybe_unused]] double y) { return of; }, \
            [](long double x, [[maybe_unused]] long double y) { return of; } \
    }

// Functions that kgen computes itself, without libm.
const std::vector<Function>& own_functions() {
    static const std::vector<Function> all = {
        KGEN_TEST_FUNCTION("acos(x)", std::acos(x)),
        KGEN_TEST_FUNCTION("acosh(x)", std::acosh(x)),
        KGEN_TEST_FUNCTION("asin(x)", std::asin(x)),
        KGEN_TEST_FUNCTION("asinh(x)", std::asinh(x)),
        KGEN_TEST_FUNCTION("atan(x)", std::atan(x)),
        KGEN_TEST_FUNCTION("atan2(x, y)", std::atan2(x, y)),
        KGEN_TEST_FUNCTION("atanh(x)", std::atanh(x)),
        KGEN_TEST_FUNCTION("cbrt(x)", std::cbrt(x)),
        KGEN_TEST_FUNCTION("cosh(x)", std::cosh(x)),
        KGEN_TEST_FUNCTION("exp(x)", std::exp(x)),
        KGEN_TEST_FUNCTION("exp10(x)", std::pow(decltype(x)(10), x)),
        KGEN_TEST_FUNCTION("exp2(x)", std::exp2(x)),
        KGEN_TEST_FUNCTION("expm1(x)", std::expm1(x)),
        KGEN_TEST_FUNCTION("log(x)", std::log(x)),
        KGEN_TEST_FUNCTION("log10(x)", std::log10(x)),
        KGEN_TEST_FUNCTION("log1p(x)", std::log1p(x)),
        KGEN_TEST_FUNCTION("log2(x)", std::log2(x)),
        KGEN_TEST_FUNCTION("sinh(x)", std::sinh(x)),
        KGEN_TEST_FUNCTION("tanh(x)", std::tanh(x)),
    };
    return all;
}

// Other functions, which are kgen's own in float32 or call vector functions.
const std::vector<Function>& functions() {
    static const std::vector<Function> all = {
        KGEN_TEST_FUNCTION("cos(x)", std::cos(x)),
        KGEN_TEST_FUNCTION("erf(x)", std::erf(x)),
        KGEN_TEST_FUNCTION("hypot(x, y)", std::hypot(x, y)),
        KGEN_TEST_FUNCTION("pow(x, y)", std::pow(x, y)),
        KGEN_TEST_FUNCTION("sin(x)", std::sin(x)),
        KGEN_TEST_FUNCTION("tan(x)", std::tan(x)),
    };
    return all;
}

// Returns infinity if only one of the two is a NaN, if only one is infinite and the other is not close to the
// largest number, or if `exact` is 0 and `got` differs from it in value or sign.
template <typename T, typename Wide>
double error_in_ulps(T got, Wide exact) {
    const T rounded = static_cast<T>(exact);
    if (std::isnan(rounded) || std::isnan(got))
        return std::isnan(rounded) && std::isnan(got) ? 0 : HUGE_VAL;
    if (std::isinf(rounded) || std::isinf(got)) {
        const T largest = std::numeric_limits<T>::max();
        if (rounded == got) return 0;
        return std::abs(std::isinf(got) ? rounded : got) >= largest * T(0.999999) ? 1 : HUGE_VAL;
    }
    if (exact == 0 && (got != 0 || std::signbit(got) != std::signbit(rounded))) return HUGE_VAL;
    int exponent = 0;
    std::frexp(exact, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    const Wide ulp = std::ldexp(Wide(1), exponent - std::numeric_limits<T>::digits);
    return static_cast<double>(std::abs(static_cast<Wide>(got) - exact) / ulp);
}

template <typename T>
std::vector<T> edges() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {T(0),
                             T(0.5),
                             T(1),
                             T(1.5),
                             T(2),
                             T(3),
                             T(127),
                             T(128),
                             T(1024),
                             T(1e4),
                             T(1e10),
                             T(1e22),
                             T(88.7),
                             T(88.8),
                             T(103.9),
                             T(104.1),
                             T(709.7),
                             T(709.8),
                             T(745.1),
                             T(745.2),
                             T(3.14159265358979),
                             T(1.57079632679489),
                             T(16777217),
                             T(9007199254740993),
                             std::nextafter(T(1), T(0)),
                             std::nextafter(T(1), T(2)),
                             Limits::denorm_min(),
                             Limits::min(),
                             Limits::min() / 3,
                             Limits::max(),
                             Limits::infinity(),
                             Limits::quiet_NaN()};
    for (std::size_t k = 0, count = values.size(); k < count; ++k) values.push_back(-values[k]);
    return values;
}

// Fills x and y with every pair of edge values, then random bits, random numbers of moderate size, and numbers near 1
// with whole exponents.
template <typename T, typename Bits>
void fill(std::vector<T>& x, std::vector<T>& y) {
    const std::vector<T> special = edges<T>();
    std::mt19937_64 random(5);
    std::uniform_real_distribution<T> moderate(-100, 100);
    std::uniform_real_distribution<T> positive(0, 4);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const std::size_t count = special.size();
        if (k < count * count) {
            x[k] = special[k / count];
            y[k] = special[k % count];
        } else if (k % 4 == 0) {
            const auto a = static_cast<Bits>(random());
            const auto b = static_cast<Bits>(random());
            std::memcpy(&x[k], &a, sizeof(T));
            std::memcpy(&y[k], &b, sizeof(T));
        } else if (k % 4 == 1) {
            x[k] = moderate(random);
            y[k] = moderate(random);
        } else if (k % 4 == 2) {
            x[k] = positive(random);
            y[k] = moderate(random);
        } else {
            x[k] = std::ldexp(moderate(random), -static_cast<int>(random() % 40)) + T(k % 8 == 3);
            y[k] = std::round(moderate(random));
        }
    }
}

template <typename T, typename Wide, typename Bits, typename Exact>
void check_errors(const std::vector<Function>& checked, Exact exact) {
    std::vector<T> x(std::size_t{1} << 18);
    std::vector<T> y(x.size());
    fill<T, Bits>(x, y);
    const Array on_x = from_vector(x, {Device::host()});
    const Array on_y = from_vector(y, {Device::host()});
    for (const Function& function : checked) {
        INFO(function.body << " of " << to_text(dtype_of<T>()));
        const ElementwiseKernel kernel("T x, T y", "T z", function.body, "vector_math");
        const std::vector<T> z = kernel(on_x, on_y).template to_vector<T>();
        double worst = 0;
        std::size_t at = 0;
        for (std::size_t k = 0; k < z.size(); ++k) {
            const double error = error_in_ulps(
                z[k], exact(function, static_cast<Wide>(x[k]), static_cast<Wide>(y[k])));
            if (error <= worst) continue;
            worst = error;
            at = k;
        }
        INFO("at x = " << x[at] << ", y = " << y[at] << ": " << z[at]);
        CHECK(worst <= largest_error);
    }
}

bool names_vector_functions(const Image& image) {
    const std::vector<std::byte>& bytes = image.sections.front().bytes;
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.find("_ZGV") != std::string::npos;
}

}  // namespace

TEST_CASE("functions of float32 are right to 4 units in the last place") {
    for (const auto* checked : {&functions(), &own_functions()}) {
        check_errors<float, double, std::uint32_t>(
            *checked, [](const Function& f, double x, double y) { return f.of(x, y); });
    }
}

TEST_CASE("functions of float64 are right to 4 units in the last place") {
    if (std::numeric_limits<long double>::digits < 64) return;
    for (const auto* checked : {&functions(), &own_functions()}) {
        check_errors<double, long double, std::uint64_t>(
            *checked, [](const Function& f, long double x, long double y) { return f.wide(x, y); });
    }
}

TEST_CASE("an infinite result less infinity is NaN, as a function's last product is rounded") {
    const auto check = []<typename T>(T) {
        for (const auto* list : {&functions(), &own_functions()}) {
            for (const Function& function : *list) {
                std::vector<T> x, infinite;
                for (const T edge : edges<T>()) {
                    for (const T value : {edge, -edge}) {
                        const auto result = static_cast<T>(function.of(value, 2));
                        if (!std::isinf(result)) continue;
                        x.push_back(value);
                        infinite.push_back(result);
                    }
                }
                const ElementwiseKernel kernel(
                    "T x, T y, T w", "T z", function.body + " - w", "less_infinity");
                const Device host = Device::host();
                const Array z = kernel(from_vector(x, {.device = host}),
                                       T(2),
                                       from_vector(infinite, {.device = host}));
                const std::vector<T> values = z.to_vector<T>();
                INFO(function.body);
                CHECK(std::all_of(
                    values.begin(), values.end(), [](T value) { return std::isnan(value); }));
            }
        }
    };
    check(float());
    check(double());
}

TEST_CASE("a kernel of functions that kgen computes calls none of libm") {
    std::string body = "z = x";
    for (const Function& function : own_functions())
        body += " + " + function.body.substr(std::string("z = ").size());
    const DType dtype = GENERATE(float32, float64);
    const ElementwiseKernel kernel("T x, T y", "T z", body, "own_functions");
    const std::vector<Argument> arguments = {zeros({100}, dtype, {Device::host()}),
                                             zeros({100}, dtype, {Device::host()})};
    const Explanation explained = kernel.explain(arguments, {}, {.device = Device::host()});
    const CompileJob job{
        "own_functions", explained.source, explained.symbol, {}, host_backend().target()};
    const Image image = HostCompiler().compile(job);
    const std::vector<std::byte>& bytes = image.sections.front().bytes;
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const char* name : {"tanh", "exp", "atan", "cbrt", "log1p"})
        CHECK(text.find(name) == std::string::npos);
}

TEST_CASE("loops around sin call vectors' functions where libmvec is there") {
    const ElementwiseKernel kernel("float32 x", "float32 z", "z = sin(x)", "vectorised");
    const std::vector<Argument> arguments = {zeros({100}, float32, {Device::host()})};
    const Explanation explained = kernel.explain(arguments, {}, {.device = Device::host()});
    const CompileJob job{
        "vectorised", explained.source, explained.symbol, {}, host_backend().target()};
    const std::vector<std::string> options = HostCompiler().resolve_options(job);
    const bool is_there = find_vector_math() != VectorMath::none;
    CHECK(std::count(options.begin(), options.end(), "-DKGEN_VECTOR_MATH") == (is_there ? 1 : 0));
    CHECK(std::count(options.begin(), options.end(), "-DKGEN_VECTOR_TAN") == 0);
    CHECK(names_vector_functions(HostCompiler().compile(job)) == is_there);
}

TEST_CASE("a source without such functions has the same options everywhere") {
    CHECK(vector_math_options("z = x + y").empty());
    const auto tan = [](const char* body) {
        const ElementwiseKernel kernel("float32 x", "float32 z", body, "tan_or_not");
        const std::vector<Argument> arguments = {zeros({100}, float32, {Device::host()})};
        const Explanation explained = kernel.explain(arguments, {}, {.device = Device::host()});
        const std::vector<std::string> options = vector_math_options(explained.source);
        return std::count(options.begin(), options.end(), "-DKGEN_VECTOR_TAN");
    };
    CHECK(tan("z = tan(x)") == (find_vector_math() == VectorMath::with_tan ? 1 : 0));
    CHECK(tan("z = tanh(x) + sin(x)") == 0);
}

TEST_CASE("clang++ is asked for libmvec where all that it calls has one width") {
    const auto takes = [](CompilerFamily family,
                          const std::string& name,
                          VectorMath found = VectorMath::with_tan) {
        HostToolchain toolchain;
        toolchain.family = family;
        toolchain.name = name;
        return takes_veclib(toolchain, found);
    };
    CHECK(takes(CompilerFamily::clang, "clang++ 12"));
    CHECK(takes(CompilerFamily::clang, "clang++ 14.0.6"));
    CHECK(takes(CompilerFamily::clang, "clang++ 18.1", VectorMath::without_tan));
    CHECK(takes(CompilerFamily::clang, "clang++ 22.1"));
    CHECK_FALSE(takes(CompilerFamily::clang, "clang++ 19.1", VectorMath::without_tan));
    CHECK_FALSE(takes(CompilerFamily::clang, "clang++ 23.1"));
    CHECK_FALSE(takes(CompilerFamily::clang, "clang++ 11.1"));
    CHECK_FALSE(takes(CompilerFamily::clang, "clang++"));
    CHECK_FALSE(takes(CompilerFamily::gnu, "g++ 12"));
}
