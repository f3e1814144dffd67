// SPDX-License-Identifier: MIT
//
// The elementwise templates whose parameters are of different kinds: shifts, integer division, casts, where,
// lerp, and complex numbers.
#include <complex>
#include <limits>
#include <random>

#include "support/devices.hpp"
#include "support/template_cases.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

template <typename T>
std::vector<T> called(const char* name, std::initializer_list<Argument> arguments) {
    const std::vector<Argument> list(arguments);
    return kernel_template(name).call(list)[0].to_vector<T>();
}

struct OnDevice {
    explicit OnDevice(Device device) { set_current_device(device); }
    ~OnDevice() { set_current_device(Device::host()); }
};

constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
constexpr float quiet = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("integers are divided as Python does and by 0 to 0", "[template][library]") {
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = array<std::int32_t>({7, -7, 7, -7, 6, 0, 5, least, least});
        const Array y = array<std::int32_t>({2, 2, -2, -2, -3, 4, 0, -1, 1});
        using Ints = std::vector<std::int32_t>;
        CHECK(called<std::int32_t>("floor_divide", {x, y}) ==
              Ints({3, -4, -4, 3, -2, 0, 0, least, least}));
        CHECK(called<std::int32_t>("remainder", {x, y}) == Ints({1, 1, -1, -1, 0, 0, 0, 0, 0}));
        CHECK(called<std::int32_t>("fmod", {x, y}) == Ints({1, -1, 1, -1, 0, 0, 0, 0, 0}));
        const Array u = array<std::uint8_t>({7, 255, 200, 3});
        const Array w = array<std::uint8_t>({2, 255, 0, 255});
        CHECK(called<std::uint8_t>("floor_divide", {u, w}) ==
              std::vector<std::uint8_t>({3, 1, 0, 0}));
        CHECK(called<std::uint8_t>("remainder", {u, w}) == std::vector<std::uint8_t>({1, 0, 0, 3}));
    }
}

TEST_CASE("powers of integers are whole and wrap", "[template][library]") {
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = array<std::int32_t>({2, -3, 0, 5, 1, -1, -1, 2, 3});
        const Array y = array<std::int32_t>({10, 3, 0, 0, -5, -3, -4, -1, 40});
        std::uint32_t wrapped = 1;
        for (int k = 0; k < 40; ++k) wrapped *= 3;
        CHECK(called<std::int32_t>("power", {x, y}) ==
              std::vector<std::int32_t>(
                  {1024, -27, 1, 1, 1, -1, 1, 0, static_cast<std::int32_t>(wrapped)}));
    }
}

TEMPLATE_TEST_CASE("integers wrap around, whatever a compiler could conclude if they did not",
                   "[template][library]",
                   std::int32_t,
                   std::int64_t,
                   std::uint16_t) {
    using T = TestType;
    constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    std::vector<T> values = {
        low, high, T(low + 1), T(high - 1), 0, 1, T(-1), T(high / 2 + 1), T(46341), T(65535)};
    std::mt19937_64 random(std::random_device{}());
    while (values.size() < 240) values.push_back(static_cast<T>(random()));
    const auto truths = [](const Array& array) {
        return array.astype(uint8).to_vector<std::uint8_t>();
    };
    const auto wide = [](T x) { return static_cast<std::uint64_t>(x); };
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = from_vector(values);
        const std::vector<std::uint8_t> grows = truths(compute(greater(x + T(1), x)));
        const std::vector<std::uint8_t> shrinks = truths(compute(less(x - T(1), x)));
        const std::vector<std::uint8_t> square_is_positive =
            truths(compute(greater_equal(square(x), T(0))));
        const std::vector<std::uint8_t> product_is_positive =
            truths(compute(greater_equal(x * x, T(0))));
        const std::vector<std::uint8_t> negative_is_least = truths(compute(equal(-x, x)));
        const std::vector<T> combined =
            called<T>("axpby", {Scalar(T(3)), x, Scalar(T(high - 2)), x});
        // Products of three factors that are known to be odd and positive.
        const Array odd = compute(where(greater(x, T(0)), T(high - 2), T(3)));
        const std::vector<std::uint8_t> folds_are_positive =
            truths(compute(greater(prod(odd.reshape({-1, 3}), axis(1)), T(0))));
        for (std::size_t k = 0; k < values.size(); ++k) {
            const T v = values[k];
            INFO("element " << k << ", " << v);
            CHECK(grows[k] == (v != high));
            CHECK(shrinks[k] == (v != low));
            CHECK(square_is_positive[k] == (static_cast<T>(wide(v) * wide(v)) >= T(0)));
            CHECK(product_is_positive[k] == square_is_positive[k]);
            CHECK(negative_is_least[k] == (static_cast<T>(0 - wide(v)) == v));
            CHECK(combined[k] == static_cast<T>(3 * wide(v) + wide(T(high - 2)) * wide(v)));
            if (k % 3 != 0) continue;
            std::uint64_t product = 1;
            for (std::size_t each = k; each < k + 3; ++each)
                product *= wide(values[each] > 0 ? T(high - 2) : T(3));
            CHECK(folds_are_positive[k / 3] == (static_cast<std::int64_t>(product) > 0));
        }
    }
}

TEST_CASE("shifts by more than there are bits leave the sign", "[template][library]") {
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = array<std::int32_t>({1, -8, -8, 5, -5, 5, 1});
        const Array y = array<std::int32_t>({4, 1, 31, 32, 40, -1, 31});
        CHECK(called<std::int32_t>("left_shift", {x, y}) ==
              std::vector<std::int32_t>({16, -16, 0, 0, 0, 0, least}));
        CHECK(called<std::int32_t>("right_shift", {x, y}) ==
              std::vector<std::int32_t>({0, -4, -1, 0, -1, 0, 0}));
        CHECK(called<std::int32_t>("invert", {x})[1] == 7);
        CHECK(to_text(kernel_template("invert")(full({2}, true, bool_))) == "[False False]");
    }
}

TEST_CASE("where and lerp and isclose take each operand at its place", "[template][library]") {
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array condition = array<std::int32_t>({1, 0, 1}).astype(bool_);
        CHECK(called<float>("where", {condition, array<float>({1, 2, 3}), -1}) ==
              std::vector<float>({1, -1, 3}));
        const Array third = full({3}, 1.0 / 3, float32);
        CHECK(called<float>("lerp", {third, full({3}, 7, float32), array<float>({0, 1, 0.5F})}) ==
              std::vector<float>({1.0F / 3, 7, 7 - 0.5F * (7 - 1.0F / 3)}));
        const Array x = array<float>({1, 1, inf, inf, quiet, 0, 100});
        const Array y = array<float>({1.0001F, 1.1F, inf, -inf, quiet, 1e-9F, 101});
        CHECK(to_text(kernel_template("isclose")(x, y, 1e-3, 1e-6)) ==
              "[ True False  True False False  True False]");
        CHECK(called<float>("nan_to_num", {array<float>({quiet, inf, -inf})}) ==
              std::vector<float>(
                  {0, std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()}));
    }
}

TEST_CASE("casts convert as C++ does and to bool what is not 0", "[template][library]") {
    const Values values = {0, 1, 2.5L, 3, 100, 77.75L};
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = array_of(values, float32, {6}, device);
        for (const DType dtype : {bool_,
                                  int8,
                                  int16,
                                  int32,
                                  int64,
                                  uint8,
                                  uint16,
                                  uint32,
                                  uint64,
                                  float16,
                                  bfloat16,
                                  float32,
                                  float64}) {
            INFO(to_text(dtype));
            const Array y = kernel_template(fmt::format("to_{}", to_text(dtype)))(x);
            CHECK(y.dtype() == dtype);
            CHECK(values_of(y) == kept(values, dtype));
        }
        const Array given = zeros({6}, int16);
        kernel_template("cast")(x, out(given));
        CHECK(values_of(given) == kept(values, int16));
        CHECK(called<std::complex<float>>("to_complex64", {x})[2] == std::complex<float>(2.5F, 0));
        CHECK(called<std::complex<double>>("to_complex128", {x})[1] == std::complex<double>(1, 0));
    }
}

TEST_CASE("templates of complex numbers give what std::complex does", "[template][library]") {
    using C = std::complex<float>;
    const std::vector<C> values = {{3, 4}, {-1, 0.5F}, {0.25F, -2}};
    const auto near = [](C a, C b) { return std::abs(a - b) <= 1e-5F * (1 + std::abs(b)); };
    for (const Device device : present_devices()) {
        const OnDevice scope(device);
        const Array x = from_vector(values);
        const KernelTemplate abs = kernel_template("abs");
        CHECK(abs(x).dtype() == float32);
        CHECK(abs(x.astype(complex128)).dtype() == float64);
        const std::vector<float> sizes = abs(x).to_vector<float>();
        const std::vector<C> products = called<C>("multiply", {x, x});
        const std::vector<C> roots = called<C>("sqrt", {x});
        const std::vector<C> exponentials = called<C>("exp", {x});
        for (std::size_t k = 0; k < values.size(); ++k) {
            CHECK(sizes[k] == Approx(std::abs(values[k])));
            CHECK(near(products[k], values[k] * values[k]));
            CHECK(near(roots[k], std::sqrt(values[k])));
            CHECK(near(exponentials[k], std::exp(values[k])));
        }
    }
}

TEST_CASE("arithmetic of bools is int8, as in NumPy, where it is no logic", "[template][library]") {
    struct Case {
        const char* name;
        std::vector<int> expected;  // for (0, 0), (0, 1), (1, 0), (1, 1)
    };
    const std::vector<Case> cases = {{"floor_divide", {0, 0, 0, 1}},
                                     {"remainder", {0, 0, 0, 0}},
                                     {"fmod", {0, 0, 0, 0}},
                                     {"power", {1, 0, 1, 1}},
                                     {"left_shift", {0, 0, 1, 2}},
                                     {"right_shift", {0, 0, 1, 0}}};
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<int>{0, 0, 1, 1}, {device}).astype(bool_);
        const Array y = from_vector(std::vector<int>{0, 1, 0, 1}, {device}).astype(bool_);
        for (const Case& each : cases) {
            INFO(each.name << " on " << to_text(device));
            const Array z = kernel_template(each.name)(x, y);
            CHECK(z.dtype() == int8);
            CHECK(z.astype(int32).to_vector<int>() == each.expected);
        }
        const Array squares = kernel_template("square")(x);
        CHECK(squares.dtype() == int8);
        CHECK(squares.astype(int32).to_vector<int>() == std::vector<int>{0, 0, 1, 1});
    }
}
