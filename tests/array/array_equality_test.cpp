// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <kgen/array_creation.hpp>
#include <kgen/array_equality.hpp>
#include <kgen/array_views.hpp>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

constexpr double quiet = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
const ArrayOptions on_host{.device = Device::host()};

}  // namespace

TEST_CASE("arrays are equal if shapes and elements are") {
    for (const Device device : present_devices()) {
        const ArrayOptions there{.device = device};
        const Array x = array({{1.0, 2.0}, {3.0, 4.0}}, there);
        CHECK(array_equal(x, x.copy()));
        CHECK(array_equal(x, x.copy(Order::f)));
        CHECK(array_equal(x, x.to(Device::host())));
        CHECK(array_equal(x.transpose(), array({{1, 3}, {2, 4}}, there)));
        CHECK_FALSE(array_equal(x, x.transpose()));
        CHECK_FALSE(array_equal(x, ravel(x)));
        CHECK_FALSE(array_equal(x[0], x[0].broadcast_to({2, 2})));
        CHECK(array_equal(zeros({0, 3}, int8, there), zeros({0, 3}, float64, there)));
        CHECK_FALSE(array_equal(zeros({0, 3}, int8, there), zeros({3, 0}, int8, there)));
    }
}

TEST_CASE("arrays of all dtypes are equal where their numbers are") {
    for (int a = 0; a < dtype_count; ++a) {
        const Array x = array({0, 1, 1}, on_host).astype(static_cast<DType>(a));
        for (int b = 0; b < dtype_count; ++b) {
            INFO(to_text(static_cast<DType>(a)) << " and " << to_text(static_cast<DType>(b)));
            const Array y = x.astype(static_cast<DType>(b));
            CHECK(array_equal(x, y));
            y.set(1, 0);
            CHECK_FALSE(array_equal(x, y));
        }
    }
    CHECK_FALSE(array_equal(array({most}, on_host), array({most - 1}, on_host)));
    const Array large = array({std::uint64_t{1} << 63}, on_host);
    CHECK_FALSE(array_equal(large, array({-most - 1}, on_host)));
    CHECK_FALSE(array_equal(array({-1}, on_host), array({~std::uint64_t{0}}, on_host)));
    CHECK_FALSE(array_equal(array({(std::int64_t{1} << 62) + 1}, on_host),
                            array({std::uint64_t{1} << 62}, on_host)));
    CHECK(array_equal(array({most}, on_host), array({static_cast<std::uint64_t>(most)}, on_host)));
    CHECK(array_equal(array({0.0}, on_host), array({-0.0}, on_host)));
}

TEST_CASE("NaN equals NaN only where that is asked for") {
    using Complex = std::complex<double>;
    for (const DType dtype : {float16, bfloat16, float32, float64}) {
        const Array x = array({1.0, quiet, inf}, dtype, on_host);
        CHECK_FALSE(array_equal(x, x.copy()));
        CHECK(array_equal(x, x.copy(), {.equal_nan = true}));
        CHECK_FALSE(array_equal(x, array({1.0, 2.0, inf}, dtype, on_host), {.equal_nan = true}));
    }
    const Array z = array({Complex(quiet, 1), Complex(2, 3)}, on_host);
    CHECK_FALSE(array_equal(z, z.copy()));
    CHECK(array_equal(z, z.copy(), {.equal_nan = true}));
    CHECK(array_equal(z, array({Complex(5, quiet), Complex(2, 3)}, on_host), {.equal_nan = true}));
}

TEST_CASE("allclose is NumPy's formula") {
    const auto close = [](double a, double b, const CloseOptions& options = {}) {
        return allclose(array({a}, on_host), array({b}, on_host), options);
    };
    CHECK(close(1e10, 1.00001e10));
    CHECK_FALSE(close(1e10, 1.0001e10));
    CHECK(close(1e-8, 0));
    CHECK_FALSE(close(1e-7, 0));
    CHECK(close(0.1, 0.2, {.rtol = 0.5}));
    CHECK_FALSE(close(0.2, 0.1, {.rtol = 0.5}));  // the tolerance is relative to the second array
    CHECK(close(0.1, 0.3, {.rtol = 0, .atol = 0.25}));
    CHECK(close(inf, inf));
    CHECK_FALSE(close(inf, -inf));
    CHECK_FALSE(close(1, inf));
    CHECK_FALSE(close(inf, 1));
    CHECK_FALSE(close(quiet, quiet));
    CHECK(close(quiet, quiet, {.equal_nan = true}));
    CHECK_FALSE(close(quiet, 1, {.equal_nan = true}));
    std::mt19937 random(3);
    std::uniform_real_distribution<double> near(-1e-5, 1e-5);
    for (int round = 0; round < 300; ++round) {
        const double b = near(random) * std::pow(10.0, round % 12);
        const double a = b + near(random) * b + near(random) * 1e-3;
        REQUIRE(close(a, b) == (std::abs(a - b) <= 1e-8 + 1e-5 * std::abs(b)));
    }
}

TEST_CASE("allclose broadcasts and takes any dtypes on any devices") {
    for (const Device device : present_devices()) {
        const ArrayOptions there{.device = device};
        const Array x = array({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}}, float32, there);
        CHECK(allclose(x, array({1, 2, 3}, there)));
        CHECK(allclose(array({1, 2, 3}, on_host), x));
        CHECK_FALSE(allclose(flip(x, 1), array({1, 2, 3}, there)));
        CHECK(allclose(x, x.astype(complex64)));
        CHECK_FALSE(allclose(x, array({std::complex<float>(1, 0.5f)}, there)));
        CHECK(allclose(zeros({0, 3}, float16, there), array({1, 2, 3}, there)));
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, allclose(x, array({1, 2}, there))) ==
            "allclose: shapes (2, 3) and (2,) do not broadcast: axis 1 of the result is 3 against "
            "2");
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, allclose(array({1, 2}, there), x)) ==
            "allclose: shapes (2,) and (2, 3) do not broadcast: axis 1 of the result is 2 against "
            "3");
    }
    CHECK(KGEN_MESSAGE_OF(ShapeError, allclose(Array(), Array())) ==
          "allclose: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array_equal(Array(), Array())) ==
          "array_equal: the array has no memory, because it was default-constructed");
}
