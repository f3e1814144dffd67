// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <limits>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

using Wide = std::complex<long double>;

// Exports call(function, z, w, result), which calls each function in both types.
const char* const snippet = R"(
#define ONE(n, name) case n: *r = name(*z); break;
template <class T> void call(int function, const complex<T>* z, const complex<T>* w, complex<T>* r) {
    switch (function) {
        ONE(0, exp) ONE(1, log) ONE(2, sqrt) ONE(3, sin) ONE(4, cos) ONE(5, tan) ONE(6, sinh)
        ONE(7, cosh) ONE(8, tanh) ONE(9, asin) ONE(10, acos) ONE(11, atan) ONE(12, asinh)
        ONE(13, acosh) ONE(14, atanh) ONE(15, abs) ONE(16, log10) ONE(17, log1p) ONE(18, expm1)
        ONE(19, proj) ONE(20, log2) ONE(21, arg) ONE(22, conj) ONE(23, norm)
        case 24: *r = *z / *w; break;
        case 25: *r = *z * *w; break;
        case 26: *r = pow(*z, *w); break;
        case 27: *r = pow(*z, 3); break;
        case 28: *r = pow(*z, T(0.75)); break;
        case 29: *r = pow(T(2.5), *z); break;
        case 30: *r = pow(*z, -2); break;
        case 31: *r = T(1) / *z; break;
    }
}
KGEN_EXPORT void call_float(int f, const complex<float>* z, const complex<float>* w, complex<float>* r) { call(f, z, w, r); }
KGEN_EXPORT void call_double(int f, const complex<double>* z, const complex<double>* w, complex<double>* r) { call(f, z, w, r); }
)";

template <typename T>
using Call = void(int, const std::complex<T>*, const std::complex<T>*, std::complex<T>*);

template <typename T>
const char* call_name() {
    return sizeof(T) == 4 ? "call_float" : "call_double";
}

prelude::HostProgram compiled(const std::string& compiler) {
    return prelude::HostProgram(compiler,
                                prelude::sections({"base_host",
                                                   "standard_names_host",
                                                   "math_host",
                                                   "float16",
                                                   "narrow_float",
                                                   "complex",
                                                   "complex_functions"}) +
                                    prelude::export_macro + snippet);
}

// log1p and expm1, which std::complex lacks. They use a series if the direct formula cancels.
Wide wide_log1p(Wide z) {
    if (z.imag() == 0 && z.real() > -1) return Wide(std::log1p(z.real()), z.imag());
    if (std::abs(z) > 1e-3L) return std::log(1.0L + z);
    Wide sum = 0;
    for (int n = 12; n > 0; --n)
        sum = z * ((n % 2 ? 1.0L : -1.0L) / static_cast<long double>(n) + sum);
    return sum;
}
Wide wide_expm1(Wide z) {
    if (z.imag() == 0) return Wide(std::expm1(z.real()), z.imag());
    if (std::abs(z) > 1e-2L) return std::exp(z) - 1.0L;
    Wide sum = 0;
    for (int n = 14; n > 0; --n) sum = z / static_cast<long double>(n) * (1.0L + sum);
    return sum;
}
Wide wide_inverse(Wide z) {
    constexpr auto infinity = std::numeric_limits<long double>::infinity();
    if (z == Wide(0)) return Wide(std::copysign(infinity, z.real()), std::nanl(""));
    return Wide(z.real() / std::norm(z), -z.imag() / std::norm(z));
}

struct Function {
    int number;
    const char* name;
    Wide (*reference)(Wide, Wide);
};

const Function functions[] = {
    {0, "exp", [](Wide z, Wide) { return std::exp(z); }},
    {1, "log", [](Wide z, Wide) { return std::log(z); }},
    {2, "sqrt", [](Wide z, Wide) { return std::sqrt(z); }},
    {3, "sin", [](Wide z, Wide) { return std::sin(z); }},
    {4, "cos", [](Wide z, Wide) { return std::cos(z); }},
    {5, "tan", [](Wide z, Wide) { return std::tan(z); }},
    {6, "sinh", [](Wide z, Wide) { return std::sinh(z); }},
    {7, "cosh", [](Wide z, Wide) { return std::cosh(z); }},
    {8, "tanh", [](Wide z, Wide) { return std::tanh(z); }},
    {9, "asin", [](Wide z, Wide) { return std::asin(z); }},
    {10, "acos", [](Wide z, Wide) { return std::acos(z); }},
    {11, "atan", [](Wide z, Wide) { return std::atan(z); }},
    {12, "asinh", [](Wide z, Wide) { return std::asinh(z); }},
    {13, "acosh", [](Wide z, Wide) { return std::acosh(z); }},
    {14, "atanh", [](Wide z, Wide) { return std::atanh(z); }},
    {15, "abs", [](Wide z, Wide) { return Wide(std::abs(z)); }},
    {16, "log10", [](Wide z, Wide) { return std::log(z) / std::log(10.0L); }},
    {17, "log1p", [](Wide z, Wide) { return wide_log1p(z); }},
    {18, "expm1", [](Wide z, Wide) { return wide_expm1(z); }},
    {20, "log2", [](Wide z, Wide) { return std::log(z) / std::log(2.0L); }},
    {21, "arg", [](Wide z, Wide) { return Wide(std::arg(z)); }},
    {31, "1 / z", [](Wide z, Wide) { return wide_inverse(z); }},
};

template <typename T>
std::vector<T> magnitudes() {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    constexpr T least = std::numeric_limits<T>::min();
    constexpr T most = std::numeric_limits<T>::max();
    return {T(0),      least,    least * 16, std::sqrt(least), eps * eps,  eps,
            T(1e-4),   T(1e-2),  T(0.3),     T(0.5),           T(0.7),     T(0.70711),
            1 - eps,   T(1),     1 + eps,    T(1.5),           T(2),       T(3.14159),
            T(11),     T(60),    T(88.5),    T(89.1),          T(400),     T(709.5),
            T(710.2),  T(9000),  T(1e5),     T(3e8),           T(1) / eps, std::sqrt(most) / 2,
            most / 64, most / 4, most};
}

// Returns the largest error over a grid relative to |reference| in units of epsilon. `where` names its place.
template <typename T>
double worst_error(Call<T>* call, const Function& function, std::string& where) {
    constexpr T eps = std::numeric_limits<T>::epsilon();
    constexpr long double least = std::numeric_limits<T>::min();
    double worst = 0;
    for (const T x : magnitudes<T>()) {
        for (const T y : magnitudes<T>()) {
            for (int signs = 0; signs < 4; ++signs) {
                const std::complex<T> z(signs & 1 ? -x : x, signs & 2 ? -y : y), w(0);
                std::complex<T> got;
                call(function.number, &z, &w, &got);
                const Wide wide = function.reference(Wide(z), Wide(w));
                const std::complex<T> expected(wide);
                double error = 0;
                if (!std::isfinite(expected.real()) || !std::isfinite(expected.imag())) {
                    // A part that overflows must have the right sign. A finite part within 8 epsilon of the
                    // largest number is accepted too.
                    const auto agrees = [&](T a, T b) {
                        return std::isfinite(b) || a == b || (std::isnan(a) && std::isnan(b)) ||
                               (std::isinf(b) &&
                                std::fabs(a) > std::numeric_limits<T>::max() * (1 - 8 * eps));
                    };
                    if (!agrees(got.real(), expected.real()) ||
                        !agrees(got.imag(), expected.imag())) {
                        error = 1e30;
                    }
                } else {
                    const Wide difference = Wide(got) - wide;
                    const long double size = std::max(std::abs(wide), least);
                    error = static_cast<double>(std::abs(difference) / size /
                                                static_cast<long double>(eps));
                    if (std::isnan(error)) error = 1e30;
                    // The signs of zeros tell the side of a branch cut. A quotient has no branch cut.
                    const bool has_cut = function.number != 31;
                    if (has_cut && wide.real() == 0 &&
                        std::signbit(got.real()) != std::signbit(wide.real()))
                        error = 1e20;
                    if (has_cut && wide.imag() == 0 &&
                        std::signbit(got.imag()) != std::signbit(wide.imag()))
                        error = 1e21;
                }
                if (error > worst) {
                    worst = error;
                    std::stringstream text;
                    text.precision(17);
                    text << "at " << z << ": got " << got << ", expected " << expected;
                    where = text.str();
                }
            }
        }
    }
    return worst;
}

template <typename T>
void check_all(const prelude::HostProgram& program) {
    auto* const call = program.function<Call<T>>(call_name<T>());
    for (const Function& function : functions) {
        std::string where;
        const double worst = worst_error<T>(call, function, where);
        INFO(function.name << " of " << sizeof(T) * 8 << " bits " << where);
        CHECK(worst <= 2.5);
    }
}

}  // namespace

TEST_CASE("complex functions are accurate from the smallest to the largest numbers", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        check_all<float>(program);
        check_all<double>(program);
    }
}

// Tests division, multiplication and powers. The error of a power grows with the logarithm of the result.
TEST_CASE("complex division neither overflows nor vanishes where the quotient does not",
          "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        auto* const call = program.function<Call<double>>("call_double");
        constexpr double eps = std::numeric_limits<double>::epsilon();
        constexpr double least = std::numeric_limits<double>::min();
        constexpr double most = std::numeric_limits<double>::max();
        const double parts[] = {
            0, least / 1024, least, 1e-200, 1e-20, 0.75, -1, 3, -1e20, 1e200, most};
        double worst = 0;
        for (const double a : parts) {
            for (const double b : parts) {
                for (const double c : parts) {
                    for (const double d : parts) {
                        if (c == 0 && d == 0) continue;
                        const std::complex<double> z(a, b), w(c, d);
                        std::complex<double> got;
                        call(24, &z, &w, &got);
                        const Wide scaled = Wide(z) * std::conj(Wide(w));
                        const Wide wide = scaled / std::norm(Wide(w));
                        const std::complex<double> expected(wide);
                        if (std::isinf(expected.real()) || std::isinf(expected.imag())) continue;
                        const long double size = std::max<long double>(std::abs(wide), least);
                        const auto error =
                            static_cast<double>(std::abs(Wide(got) - wide) / size / eps);
                        if (!(error <= worst)) worst = std::isnan(error) ? 1e30 : error;
                    }
                }
            }
        }
        CHECK(worst <= 4);
    }
}

TEST_CASE("complex powers take every mix of exponents", "[prelude]") {
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        auto* const call = program.function<Call<double>>("call_double");
        for (int i = 0; i < 400; ++i) {
            const std::complex<double> z(0.07 * (i % 20) - 0.65, 0.11 * (i / 20) - 1.03);
            const std::complex<double> w(1.7 - 0.3 * (i % 7), 0.4 * (i % 5) - 0.8);
            const auto power = [&](int number) {
                std::complex<double> got;
                call(number, &z, &w, &got);
                return got;
            };
            const auto near = [](std::complex<double> got, std::complex<double> expected) {
                return std::abs(got - expected) <= 4e-15 * std::abs(expected);
            };
            INFO(z << " " << w);
            CHECK(near(power(26), std::pow(z, w)));
            CHECK(near(power(27), z * z * z));
            CHECK(near(power(28), std::pow(z, 0.75)));
            CHECK(near(power(29), std::pow(2.5, z)));
            CHECK(near(power(30), 1.0 / (z * z)));
            CHECK(near(power(25), z * w));
            CHECK(power(23).real() == Approx(std::norm(z)).epsilon(1e-15));
            CHECK(power(22) == std::conj(z));
        }
    }
}

// For infinities, NaN and zeros glibc follows Annex G. If Annex G leaves the sign of a part open, the part is
// compared without its sign.
TEST_CASE("complex functions have the limits of Annex G", "[prelude]") {
    using Double = std::complex<double>;
    struct Limit {
        int number;
        const char* name;
        Double (*reference)(const Double&);
    };
    const Limit limits[] = {
        {0, "exp", [](const Double& z) { return std::exp(z); }},
        {1, "log", [](const Double& z) { return std::log(z); }},
        {2, "sqrt", [](const Double& z) { return std::sqrt(z); }},
        {3, "sin", [](const Double& z) { return std::sin(z); }},
        {4, "cos", [](const Double& z) { return std::cos(z); }},
        {5, "tan", [](const Double& z) { return std::tan(z); }},
        {6, "sinh", [](const Double& z) { return std::sinh(z); }},
        {7, "cosh", [](const Double& z) { return std::cosh(z); }},
        {8, "tanh", [](const Double& z) { return std::tanh(z); }},
        {9, "asin", [](const Double& z) { return std::asin(z); }},
        {10, "acos", [](const Double& z) { return std::acos(z); }},
        {11, "atan", [](const Double& z) { return std::atan(z); }},
        {12, "asinh", [](const Double& z) { return std::asinh(z); }},
        {13, "acosh", [](const Double& z) { return std::acosh(z); }},
        {14, "atanh", [](const Double& z) { return std::atanh(z); }},
        {19, "proj", [](const Double& z) { return std::proj(z); }},
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double parts[] = {infinity, -infinity, std::nan(""), 0.0, -0.0, 1.0, -1.0, 2.0};
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program = compiled(compiler);
        REQUIRE(program.refusal() == "");
        auto* const call = program.function<Call<double>>("call_double");
        for (const Limit& limit : limits) {
            for (const double x : parts) {
                for (const double y : parts) {
                    const Double z(x, y), w(0);
                    Double got;
                    call(limit.number, &z, &w, &got);
                    const Double expected = limit.reference(z);
                    const bool open = std::isnan(x) || std::isnan(y) ||
                                      std::isnan(expected.real()) || std::isnan(expected.imag());
                    const auto agrees = [&](double a, double b) {
                        if (std::isnan(b)) return std::isnan(a);
                        if (open) return std::fabs(a) == Approx(std::fabs(b));
                        return std::signbit(a) == std::signbit(b) && (a == b || a == Approx(b));
                    };
                    INFO(limit.name << z << ": got " << got << ", expected " << expected);
                    CHECK(agrees(got.real(), expected.real()));
                    CHECK(agrees(got.imag(), expected.imag()));
                }
            }
        }
        // The smallest part next to an infinite or a singular part is kept.
        constexpr double least = std::numeric_limits<double>::denorm_min();
        const auto result = [&](int number, const Double& z) {
            Double got;
            call(number, &z, &z, &got);
            return got;
        };
        for (const double sign : {1.0, -1.0}) {
            const double small = sign * least;
            CHECK(result(6, {infinity, small}) == Double(infinity, sign * infinity));
            CHECK(result(7, {infinity, small}) == Double(infinity, sign * infinity));
            CHECK(result(3, {small, infinity}) == Double(sign * infinity, infinity));
            CHECK(result(4, {small, infinity}) == Double(infinity, -sign * infinity));
            const double size = (std::log(2.0) - std::log(least)) / 2;
            CHECK(result(14, {sign, least}).real() == Approx(sign * size).epsilon(1e-15));
            CHECK(result(11, {least, sign}).imag() == Approx(sign * size).epsilon(1e-15));
        }
    }
}
