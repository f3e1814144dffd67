// SPDX-License-Identifier: MIT
//
// Quotients, powers, reciprocals and absolute values of complex numbers. They equal NumPy's for infinities,
// NaN and zeros, and are correct over the whole range of exponents.
#include <cmath>
#include <complex>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/devices.hpp"
#include "support/numpy_complex_limits.hpp"
#include "support/prelude_program.hpp"

using namespace kgen;

namespace {

int class_of(double part) {
    if (std::isnan(part)) return 0;
    if (std::isinf(part)) return part > 0 ? 1 : 2;
    return 3;
}

template <typename T>
std::vector<std::complex<T>> all_pairs() {
    std::vector<std::complex<T>> pairs;
    for (const double re : test::numpy_parts) {
        for (const double im : test::numpy_parts)
            pairs.emplace_back(static_cast<T>(re), static_cast<T>(im));
    }
    return pairs;
}

template <typename T>
std::string classes(const Array& results) {
    std::string letters;
    for (const std::complex<T>& z : results.copy().to_vector<std::complex<T>>())
        letters += static_cast<char>('a' + 4 * class_of(z.real()) + class_of(z.imag()));
    return letters;
}

template <typename T>
void check_limits(Device device) {
    INFO(to_text(device) << ", " << sizeof(T) * 16 << " bits");
    const Array z = from_vector(all_pairs<T>(), {device});
    const std::int64_t count = z.size();
    const Array first = z.reshape({count, 1});
    CHECK(classes<T>(kernel_template("divide")(first, z)) == test::numpy_quotients);
    CHECK(classes<T>(kernel_template("power")(first, z)) == test::numpy_powers);
    CHECK(classes<T>(kernel_template("reciprocal")(z)) == test::numpy_reciprocals);
}

// Returns numbers with all exponents of T. Some have parts of similar size, some have a part that is zero.
template <typename T>
std::vector<std::complex<T>> wide_numbers(std::uint64_t seed, std::size_t count) {
    using Limits = std::numeric_limits<T>;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> mantissa(1, 2);
    const auto part = [&](int least, int most) {
        const int exponent =
            least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
        const T size = static_cast<T>(std::ldexp(mantissa(random), exponent));
        return random() % 2 == 0 ? size : -size;
    };
    std::vector<std::complex<T>> numbers;
    while (numbers.size() < count) {
        const T x = part(Limits::min_exponent + 1, Limits::max_exponent - 2);
        const int near = std::ilogb(x);
        const int least = std::max(near - 4, Limits::min_exponent + 1);
        const int most = std::min(near + 4, Limits::max_exponent - 2);
        T y = part(least, most);
        if (random() % 4 == 0) y = part(Limits::min_exponent + 1, Limits::max_exponent - 2);
        if (random() % 16 == 0) y = 0;
        numbers.push_back(random() % 2 == 0 ? std::complex<T>(x, y) : std::complex<T>(y, x));
    }
    return numbers;
}

// Returns the error relative to the size of the exact result, in units of epsilon.
template <typename T>
double error_of(std::complex<T> got, std::complex<long double> exact) {
    using Limits = std::numeric_limits<T>;
    const long double size = std::hypot(exact.real(), exact.imag());
    if (size >= Limits::max() / 2 || size <= Limits::min() * 2) return 0;
    const long double off = std::hypot(got.real() - exact.real(), got.imag() - exact.imag());
    const double error = static_cast<double>(off / size / Limits::epsilon());
    return std::isnan(error) ? 1e30 : error;
}

template <typename T>
void check_quotients(Device device) {
    INFO(to_text(device) << ", " << sizeof(T) * 16 << " bits");
    const std::vector<std::complex<T>> z = wide_numbers<T>(1, 20000);
    const std::vector<std::complex<T>> w = wide_numbers<T>(2, 20000);
    const Array on_z = from_vector(z, {device});
    const Array on_w = from_vector(w, {device});
    const auto quotients = kernel_template("divide")(on_z, on_w).to_vector<std::complex<T>>();
    const auto inverses = kernel_template("reciprocal")(on_w).to_vector<std::complex<T>>();
    const auto sizes = kernel_template("abs")(on_z).to_vector<T>();
    double worst_quotient = 0;
    double worst_inverse = 0;
    double worst_size = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
        // The divisor is scaled to about 1, so that its square neither overflows nor underflows.
        const int scale = std::ilogb(std::max(std::abs(w[k].real()), std::abs(w[k].imag())));
        const long double c = std::ldexp(static_cast<long double>(w[k].real()), -scale);
        const long double d = std::ldexp(static_cast<long double>(w[k].imag()), -scale);
        const long double square = c * c + d * d;
        const auto quotient = [&](long double a, long double b) {
            return std::complex<long double>(std::ldexp((a * c + b * d) / square, -scale),
                                             std::ldexp((b * c - a * d) / square, -scale));
        };
        worst_quotient =
            std::max(worst_quotient, error_of(quotients[k], quotient(z[k].real(), z[k].imag())));
        worst_inverse = std::max(worst_inverse, error_of(inverses[k], quotient(1, 0)));
        const std::complex<long double> size(std::hypot(static_cast<long double>(z[k].real()),
                                                        static_cast<long double>(z[k].imag())));
        worst_size = std::max(worst_size, error_of(std::complex<T>(sizes[k]), size));
    }
    CHECK(worst_quotient <= 2.5);
    CHECK(worst_inverse <= 2.5);
    CHECK(worst_size <= 1);
}

}  // namespace

TEST_CASE("complex quotients, powers and reciprocals have NumPy's limits", "[template][library]") {
    for (const Device device : test::present_devices()) {
        check_limits<float>(device);
        check_limits<double>(device);
    }
}

TEST_CASE("complex quotients, reciprocals and sizes are right for every exponent",
          "[template][library]") {
    if (std::numeric_limits<long double>::digits < 64) return;
    for (const Device device : test::present_devices()) {
        check_quotients<float>(device);
        check_quotients<double>(device);
    }
}

TEST_CASE("a complex quotient keeps the smaller of its parts", "[template][library]") {
    for (const Device device : test::present_devices()) {
        const auto quotient = [&](auto z, decltype(z) w) {
            return kernel_template("divide")(from_vector(std::vector{z}, {device}),
                                             from_vector(std::vector{w}, {device}))
                .template to_vector<decltype(z)>()
                .front();
        };
        using Float = std::complex<float>;
        using Double = std::complex<double>;
        INFO(to_text(device));
        CHECK(quotient(Float(1e-18F, 1e18F), Float(0, 1e-18F)).imag() == -1);
        CHECK(quotient(Float(1e-18F, 1e30F), Float(0, 1e-5F)).imag() == -1e-18F / 1e-5F);
        CHECK(quotient(Double(1e-18, 1e30), Double(0, 1e-18)) == Double(1e30 / 1e-18, -1));
        CHECK(quotient(Double(1e300, 1e-300), Double(1e-5, 0)) ==
              Double(1e300 / 1e-5, 1e-300 / 1e-5));
        CHECK(quotient(Double(49, 0), Double(49, 0)) == Double(1, 0));
        CHECK(quotient(Double(3, 1), Double(3, 1)) == Double(1, 0));
    }
}

TEST_CASE("the size that a GPU computes is right to 0.6 units in the last place", "[prelude]") {
    using Sizes = void(const double*, double*, const float*, float*, int);
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        const prelude::HostProgram program(
            compiler,
            prelude::sections({"base_host", "standard_names_host", "math_host", "complex"}) +
                prelude::export_macro + R"(
KGEN_EXPORT void sizes(const double* x, double* r, const float* y, float* s, int n) {
    for (int k = 0; k < n; ++k) r[k] = kgen_hypot(x[2 * k], x[2 * k + 1]), s[k] = kgen_hypot(y[2 * k], y[2 * k + 1]);
})");
        REQUIRE(program.refusal() == "");
        std::vector<std::complex<double>> x = wide_numbers<double>(3, 20000);
        std::vector<std::complex<float>> y = wide_numbers<float>(4, 20000);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const double parts[] = {0, -1, infinity, -infinity, std::nan(""), 5e-324, 1.7e308};
        for (const double a : parts) {
            for (const double b : parts) {
                x.emplace_back(a, b);
                y.emplace_back(static_cast<float>(a), static_cast<float>(b));
            }
        }
        std::vector<double> r(x.size());
        std::vector<float> s(y.size());
        program.function<Sizes>("sizes")(reinterpret_cast<const double*>(x.data()),
                                         r.data(),
                                         reinterpret_cast<const float*>(y.data()),
                                         s.data(),
                                         static_cast<int>(x.size()));
        double worst = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const auto check = [&](auto z, auto got) {
                using T = decltype(got);
                const long double exact = std::hypot(static_cast<long double>(z.real()),
                                                     static_cast<long double>(z.imag()));
                if (!std::isfinite(static_cast<T>(exact)) || exact == 0) {
                    CHECK((got == static_cast<T>(exact) || (std::isnan(got) && std::isnan(exact))));
                    return;
                }
                const long double unit = std::max<long double>(
                    std::ldexp(1.0L, std::ilogb(exact) + 1 - std::numeric_limits<T>::digits),
                    std::numeric_limits<T>::denorm_min());
                worst = std::max(worst, static_cast<double>(std::abs(got - exact) / unit));
            };
            check(x[k], r[k]);
            check(y[k], s[k]);
        }
        CHECK(worst <= 0.65);
    }
}
