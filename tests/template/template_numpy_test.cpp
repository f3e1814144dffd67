// SPDX-License-Identifier: MIT
//
// Templates with several outputs, those of the bits of a number, and NumPy's functions of complex numbers. Values without
// a formula beside them are NumPy's.
#include <bit>
#include <complex>
#include <limits>

#include "support/devices.hpp"
#include "support/template_cases.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using C = std::complex<float>;
using Z = std::complex<double>;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float quiet = std::numeric_limits<float>::quiet_NaN();

// array<C>({{1, 2}}) would be a matrix.
template <typename T>
Array row(const std::vector<T>& values) {
    return from_vector(values);
}

// Runs a test with each device as the current one.
template <typename Test>
void on_devices(const Test& test) {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        set_current_device(device);
        test();
        set_current_device(Device::host());
    }
}

std::vector<std::string> texts(const char* name, const std::vector<Argument>& arguments) {
    std::vector<std::string> all;
    for (const Array& result : kernel_template(name).call(arguments))
        all.push_back(to_text(result));
    return all;
}

std::string text(const char* name, const std::vector<Argument>& arguments) {
    return texts(name, arguments).at(0);
}

using Texts = std::vector<std::string>;

bool is_same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : std::fabs(a - b) <= 1e-6 * (1 + std::fabs(b)) || a == b;
}

// Compares parts, up to rounding errors.
template <typename T>
void check_complex(const char* name,
                   const std::vector<Argument>& arguments,
                   const std::vector<T>& expected) {
    const std::vector<T> found = kernel_template(name).call(arguments)[0].template to_vector<T>();
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        INFO(name << " " << k << ": got " << found[k] << ", expected " << expected[k]);
        CHECK(is_same(found[k].real(), expected[k].real()));
        CHECK(is_same(found[k].imag(), expected[k].imag()));
    }
}

}  // namespace

TEST_CASE("divmod gives what floor_divide and remainder give", "[template][library]") {
    on_devices([] {
        const Array x = array<float>({7, -7, 7, -7, 0, 1, inf, 3});
        const Array y = array<float>({2, 2, -2.5F, -2, 3, 0, 2, quiet});
        CHECK(texts("divmod", {x, y}) ==
              Texts{text("floor_divide", {x, y}), text("remainder", {x, y})});
        const Array i = array<std::int32_t>({7, -7, 5, std::numeric_limits<std::int32_t>::min()});
        const Array k = array<std::int32_t>({-2, 2, 0, -1});
        CHECK(texts("divmod", {i, k}) ==
              Texts{"[         -4          -4           0 -2147483648]", "[-1  1  0  0]"});
        const Array b = full({1}, true, bool_);
        CHECK(texts("divmod", {b, b}) == Texts{"[1]", "[0]"});
    });
}

TEST_CASE("modf, frexp and ldexp take numbers apart and put them together", "[template][library]") {
    on_devices([] {
        const Array x = array<float>({1.5F, -2.75F, 0, -0.0F, 8, inf, -inf, quiet});
        CHECK(texts("modf", {x}) == Texts{"[ 0.5  -0.75  0.   -0.    0.    0.   -0.     nan]",
                                          "[  1.  -2.   0.  -0.   8.  inf -inf  nan]"});
        CHECK(texts("frexp", {x}) ==
              Texts{"[ 0.75   -0.6875  0.     -0.      0.5        inf    -inf     nan]",
                    "[1 2 0 0 4 0 0 0]"});
        const auto parts = kernel_template("frexp").call<2>(x);
        CHECK(to_text(kernel_template("ldexp")(parts[0], parts[1])) == to_text(x));
        for (const DType dtype : {float16, bfloat16, float64, int8, uint16, int64}) {
            INFO(to_text(dtype));
            const Array whole = array<float>({5, 0, 96}).astype(dtype);
            const auto halves = kernel_template("frexp").call<2>(whole);
            CHECK(values_of(halves[0]) == Values{0.625L, 0, 0.75L});
            CHECK(values_of(halves[1]) == Values{3, 0, 7});
            CHECK(values_of(kernel_template("ldexp")(whole, halves[1])) == Values{40, 0, 12288});
            CHECK(values_of(kernel_template("modf").call<2>(whole)[1]) == Values{5, 0, 96});
        }
        const Array far = array<std::int64_t>({std::int64_t(1) << 40, -(std::int64_t(1) << 40), 2});
        CHECK(text("ldexp", {array<float>({1, 1, 1}), far}) == "[inf  0.  4.]");
    });
}

TEST_CASE("nextafter and spacing step through the bits of a number", "[template][library]") {
    on_devices([] {
        const std::vector<float> values = {
            0, 1, -1, 1.5F, 1e30F, -3, 1e-45F, std::numeric_limits<float>::max(), inf, -inf, quiet};
        const Array x = from_vector(values);
        const Values up = values_of(kernel_template("nextafter")(x, inf));
        const Values down = values_of(kernel_template("nextafter")(x, array<float>({-inf})));
        const Values steps = values_of(kernel_template("spacing")(x));
        for (std::size_t k = 0; k < values.size(); ++k) {
            INFO(values[k]);
            CHECK(is_near(up[k], std::nextafter(values[k], inf), float32, 0, Zeros::alike));
            CHECK(is_near(down[k], std::nextafter(values[k], -inf), float32, 0, Zeros::alike));
            const float away = std::nextafter(values[k], values[k] < 0 ? -inf : inf) - values[k];
            CHECK(is_near(steps[k], away, float32, 0, Zeros::alike));
        }
        const Array halves = array<float>({0, 1, -1, 1000, -2.5F, 65504, inf}).astype(float16);
        CHECK(values_of(kernel_template("spacing")(halves.slice({{0, 6}}))) ==
              Values{std::ldexp(1.0L, -24),
                     std::ldexp(1.0L, -10),
                     std::ldexp(1.0L, -11),
                     0.5L,
                     std::ldexp(1.0L, -9),
                     infinity});
        const Array bytes = array<float>({0, 1, -1, 100}).astype(int8);
        CHECK(values_of(kernel_template("spacing")(bytes)) ==
              Values{std::ldexp(1.0L, -24), std::ldexp(1.0L, -10), std::ldexp(1.0L, -11), 0.0625L});
        CHECK(values_of(kernel_template("nextafter")(bytes, array<float>({2}).astype(int8))) ==
              Values{std::ldexp(1.0L, -24),
                     1 + std::ldexp(1.0L, -10),
                     -1 + std::ldexp(1.0L, -11),
                     99.9375L});
        CHECK(values_of(kernel_template("spacing")(array<float>({1, -1}).astype(int64))) ==
              Values{std::ldexp(1.0L, -52), -std::ldexp(1.0L, -52)});
    });
}

TEST_CASE("numbers are rounded to decimals", "[template][library]") {
    on_devices([] {
        const Array x = array<double>({2.345, -0.05, 1250, 0.5, std::nan("")});
        CHECK(values_of(kernel_template("round_to")(x.slice({{0, 4}}), 1)) ==
              Values{2.3, -0.0L, 1250, 0.5});
        CHECK(values_of(kernel_template("round_to")(x.slice({{0, 4}}), -2)) ==
              Values{0, 0, 1200, 0});
        const Array i = array<std::int32_t>({14, 15, 25, -37});
        CHECK(text("round_to", {i, -1}) == "[ 10  20  20 -40]");
        CHECK(text("round_to", {i, 2}) == to_text(i));
        CHECK(text("round", {full({2}, true, bool_)}) == "[1. 1.]");
        check_complex<C>("round_to", {row<C>({{0.25F, -1.75F}}), 1}, {{0.2F, -1.8F}});
        check_complex<C>("around", {row<C>({{0.5F, -1.5F}})}, {{0, -2}});
    });
}

TEST_CASE("the bits of the size of an integer are counted", "[template][library]") {
    on_devices([] {
        for (const DType dtype : {int8, uint8, int16, int32, uint32, int64, uint64, bool_}) {
            INFO(to_text(dtype));
            const Values values = kept({0, 1, -1, 7, -128, 100, -7}, dtype);
            Values expected;
            for (const LongReal value : values)
                expected.push_back(std::popcount(static_cast<std::uint64_t>(std::fabs(value))));
            const Array x = array_of(values, dtype, {7}, current_device());
            CHECK(values_of(kernel_template("bitwise_count")(x)) == expected);
        }
    });
}

TEST_CASE("reciprocals of integers are whole, and 0 of 0", "[template][library]") {
    on_devices([] {
        for (const DType dtype : {int8, int32, int64}) {
            const Array x = array<std::int32_t>({0, 1, -1, 2, -100}).astype(dtype);
            CHECK(text("reciprocal", {x}) == "[ 0  1 -1  0  0]");
        }
        CHECK(text("reciprocal", {array<std::int32_t>({0, 1, 2, 255}).astype(uint8)}) ==
              "[0 1 0 0]");
        CHECK(text("reciprocal", {full({1}, true, bool_)}) == "[1]");
    });
}

TEST_CASE("what is not finite becomes the largest number of the dtype", "[template][library]") {
    on_devices([] {
        const Array x = array<float>({quiet, inf, -inf, 2});
        CHECK(values_of(kernel_template("nan_to_num")(x.astype(float16))) ==
              Values{0, 65504, -65504, 2});
        const LongReal most = std::ldexp(255.0L, 120);
        CHECK(values_of(kernel_template("nan_to_num")(x.astype(bfloat16))) ==
              Values{0, most, -most, 2});
        const float top = std::numeric_limits<float>::max();
        check_complex<C>("nan_to_num", {row<C>({{quiet, inf}, {-inf, 3}})}, {{0, top}, {-top, 3}});
    });
}

TEST_CASE("integers and complex numbers are close as in NumPy", "[template][library]") {
    on_devices([] {
        const Array x = array<std::int32_t>({100, 100, -5, 0});
        const Array y = array<std::int32_t>({101, 103, -5, 1});
        CHECK(text("isclose", {x, y, 0.02, 1e-8}) == "[ True False  True False]");
        CHECK(text("isclose",
                   {row<C>({{3, 4}, {3, 4}, {inf, 0}, {quiet, 0}}),
                    row<C>({{3, 4.01F}, {3, 5}, {inf, 0}, {quiet, 0}}),
                    0.01,
                    0}) == "[ True False  True False]");
        CHECK(text("isclose", {row<Z>({{3, 4}}), row<Z>({{3, 4.01}}), 0.001, 0}) == "[False]");
    });
}

TEST_CASE("complex numbers have an order, signs and parts", "[template][library]") {
    on_devices([] {
        // Ordered by the real part, then by the imaginary part. A NaN has no order.
        const Array x = row<C>({{1, 2}, {1, -3}, {2, 0}, {0, 9}, {quiet, 1}, {1, 2}});
        const Array y = row<C>({{1, 3}, {1, -4}, {1, 9}, {0, 9}, {0, 0}, {1, quiet}});
        CHECK(text("less", {x, y}) == "[ True False False False False False]");
        CHECK(text("less_equal", {x, y}) == "[ True False False  True False False]");
        CHECK(text("greater", {x, y}) == "[False  True  True False False False]");
        CHECK(text("greater_equal", {x, y}) == "[False  True  True  True False False]");
        check_complex<C>(
            "maximum", {x, y}, {{1, 3}, {1, -3}, {2, 0}, {0, 9}, {quiet, 1}, {1, quiet}});
        check_complex<C>(
            "minimum", {x, y}, {{1, 2}, {1, -4}, {1, 9}, {0, 9}, {quiet, 1}, {1, quiet}});
        check_complex<C>("fmax", {x, y}, {{1, 3}, {1, -3}, {2, 0}, {0, 9}, {0, 0}, {1, 2}});
        check_complex<C>("fmin", {x, y}, {{1, 2}, {1, -4}, {1, 9}, {0, 9}, {0, 0}, {1, 2}});
        check_complex<C>(
            "clip",
            {x.slice({{0, 4}}), full({1}, C(1, 0), complex64), full({1}, C(1, 5), complex64)},
            {{1, 2}, {1, 0}, {1, 5}, {1, 0}});
        check_complex<C>(
            "sign",
            {row<C>({{3, -4}, {0, 0}, {inf, 1}, {-inf, 1}, {2, -inf}, {inf, inf}, {quiet, 1}})},
            {{0.6F, -0.8F}, {0, 0}, {1, 0}, {-1, 0}, {0, -1}, {quiet, quiet}, {quiet, quiet}});
        check_complex<C>("conj", {x.slice({{0, 2}})}, {{1, -2}, {1, 3}});
        CHECK(text("real", {x.slice({{0, 4}})}) == "[1. 1. 2. 0.]");
        CHECK(text("imag", {x.slice({{0, 4}})}) == "[ 2. -3.  0.  9.]");
        CHECK(text("isreal", {x.slice({{0, 3}})}) == "[False False  True]");
        CHECK(text("iscomplex", {x.slice({{0, 3}})}) == "[ True  True False]");
        const std::vector<float> angles =
            kernel_template("angle")(row<C>({{0, 2}, {-3, 0}})).to_vector<float>();
        CHECK(angles[0] == Approx(std::acos(0.0)));
        CHECK(angles[1] == Approx(std::acos(-1.0)));
        CHECK(text("conjugate", {full({1}, true, bool_)}) == "[1]");
    });
}

TEST_CASE("functions of complex numbers give what std::complex does", "[template][library]") {
    const std::vector<Z> values = {
        {3, 4}, {-1, 0.5}, {0.25, -2}, {1e-9, -2e-9}, {0, 0.75}, {-2.5, 0}};
    struct Case {
        const char* name;
        Z (*reference)(Z);
    };
    const std::vector<Case> cases = {
        {"exp2", [](Z z) { return std::pow(Z(2), z); }},
        {"log2", [](Z z) { return std::log(z) / std::log(2.0); }},
        {"sinc", [](Z z) { return std::sin(std::acos(-1.0) * z) / (std::acos(-1.0) * z); }},
        {"rint", [](Z z) { return Z(std::nearbyint(z.real()), std::nearbyint(z.imag())); }},
        // Near 0 these lose the digits that log1p and expm1 keep.
        {"expm1", [](Z z) { return std::abs(z) < 1e-6 ? z + z * z / 2.0 : std::exp(z) - 1.0; }},
        {"log1p", [](Z z) { return std::abs(z) < 1e-6 ? z - z * z / 2.0 : std::log(z + 1.0); }}};
    on_devices([&] {
        for (const Case& each : cases) {
            INFO(each.name);
            const std::vector<Z> found =
                kernel_template(each.name)(from_vector(values)).to_vector<Z>();
            for (std::size_t k = 0; k < values.size(); ++k) {
                const Z expected = each.reference(values[k]);
                INFO(values[k] << ": got " << found[k] << ", expected " << expected);
                CHECK(std::abs(found[k] - expected) <= 1e-13 * std::abs(expected));
            }
        }
        check_complex<Z>("sinc", {row<Z>({{0, 0}})}, {{1, 0}});
        check_complex<Z>("float_power", {row<C>({{0, 1}}), row<C>({{2, 0}})}, {{-1, 0}});
    });
}

TEST_CASE("reductions of complex numbers give what plain loops do", "[template][library]") {
    const std::vector<C> values = {{1, 2}, {-3, 0.5F}, {-3, -4}, {2, 2}, {2, 1}, {0, 0}};
    C mean = 0;
    for (const C z : values) mean += z / 6.0F;
    float variance = 0;
    for (const C z : values) variance += std::norm(z - mean) / 6;
    std::vector<C> with_nan = values;
    with_nan.insert(with_nan.begin() + 2, {C(quiet, 1), C(0, quiet)});
    on_devices([&] {
        const Array x = from_vector(values);
        const Array y = from_vector(with_nan);
        const auto number = [](const char* name, const Array& of) {
            return kernel_template(name)(of).item<C>();
        };
        CHECK(number("min", x) == C(-3, -4));
        CHECK(number("max", x) == C(2, 2));
        CHECK(number("ptp", x) == C(5, 6));
        CHECK(number("nanmin", y) == C(-3, -4));
        CHECK(number("nanmax", y) == C(2, 2));
        CHECK(std::abs(number("nanmean", y) - mean) < 1e-6F);
        CHECK(std::isnan(std::abs(number("max", y))));
        CHECK(kernel_template("argmin")(x).item<std::int64_t>() == 2);
        CHECK(kernel_template("argmax")(x).item<std::int64_t>() == 3);
        CHECK(kernel_template("argmax")(y).item<std::int64_t>() == 2);
        CHECK(kernel_template("nanargmin")(y).item<std::int64_t>() == 4);
        CHECK(kernel_template("nanargmax")(y).item<std::int64_t>() == 5);
        CHECK(kernel_template("var")(x).item<float>() == Approx(variance));
        CHECK(kernel_template("std")(x).item<float>() == Approx(std::sqrt(variance)));
        CHECK(kernel_template("nanvar")(y).item<float>() == Approx(variance));
        CHECK(kernel_template("nanstd")(y).item<float>() == Approx(std::sqrt(variance)));
        CHECK(std::isnan(kernel_template("var")(y).item<float>()));
    });
}
