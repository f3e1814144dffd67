// SPDX-License-Identifier: MIT
//
// Calls that are written as in NumPy: without a dtype, with extents one by one, with shapes in vectors.
#include <array>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

const ArrayOptions on_host{.device = Device::host()};

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

template <typename... Extents>
concept Reshapes = requires(const Array& array, Extents... extents) {
    array.reshape(extents...);
    array.transpose(extents...);
};
static_assert(Reshapes<int, std::size_t, long> && Reshapes<Dims> && Reshapes<std::vector<int>>);
static_assert(!Reshapes<bool> && !Reshapes<int, bool> && !Reshapes<double> && !Reshapes<char>);
static_assert(!std::convertible_to<std::string, Dims> &&
              !std::convertible_to<std::array<bool, 2>, Dims>);

}  // namespace

TEST_CASE("new arrays are float64 if no dtype is given", "[array]") {
    CHECK(zeros({2}, on_host).to_vector<double>() == Reals{0, 0});
    CHECK(ones({2}, on_host).to_vector<double>() == Reals{1, 1});
    CHECK(empty({2, 3}, on_host).dtype() == float64);
    CHECK(eye(2, {.diagonal = 1, .device = Device::host()}).to_vector<double>() ==
          Reals{0, 1, 0, 0});
    CHECK(identity(1, on_host).to_vector<double>() == Reals{1});
    CHECK(linspace(0, 1, 2, {.endpoint = false, .device = Device::host()}).to_vector<double>() ==
          Reals{0, 0.5});
    const DeviceScope scope(Device::host());
    for (const Array& x :
         {zeros({5}), ones({5}), empty({5}), linspace(0, 1, 5), eye(5), identity(5)}) {
        CHECK((x.dtype() == float64 && x.shape()[0] == 5));
    }
}

TEST_CASE("full without a dtype has that of its number", "[array]") {
    CHECK(full({3}, 2, on_host).to_vector<std::int64_t>() == Integers{2, 2, 2});
    CHECK(full({1}, true, on_host).dtype() == bool_);
    CHECK(full({1}, 2.5, on_host).dtype() == float64);
    CHECK(full({1}, std::complex<double>(1, 2), on_host).dtype() == complex128);
    CHECK(full({1}, 2.5f, on_host).dtype() == float32);
    CHECK(full({1}, std::uint8_t{2}, on_host).dtype() == uint8);
    const DeviceScope scope(Device::host());
    CHECK(full({3}, 2).dtype() == int64);
}

TEST_CASE("arange without a dtype has int64 for integers and float64 otherwise", "[array]") {
    const DeviceScope scope(Device::host());
    CHECK(arange(5).to_vector<std::int64_t>() == Integers{0, 1, 2, 3, 4});
    CHECK(arange(2, 5).to_vector<std::int64_t>() == Integers{2, 3, 4});
    CHECK(arange(8, 2, -3, on_host).to_vector<std::int64_t>() == Integers{8, 5});
    CHECK(arange(std::size_t{2}, on_host).to_vector<std::int64_t>() == Integers{0, 1});
    CHECK(arange(0, 1, 0.25).to_vector<double>() == Reals{0, 0.25, 0.5, 0.75});
    CHECK(arange(2.5).to_vector<double>() == Reals{0, 1, 2});
    CHECK(arange(0.5, 3, on_host).to_vector<double>() == Reals{0.5, 1.5, 2.5});
    CHECK(arange(2, 4, float32).to_vector<float>() == std::vector<float>{2, 3});
    CHECK(arange(2, 4, float32, on_host).dtype() == float32);
    CHECK(arange(2.5, float32).size() == 3);
    CHECK(arange(3, 1).size() == 0);
}

TEST_CASE("arange counts integers exactly", "[array]") {
    constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    CHECK(arange(large, large + 2, on_host).to_vector<std::int64_t>() ==
          Integers{large, large + 1});
    CHECK(arange(large, large + 2, 1, int64, on_host).to_vector<std::int64_t>() ==
          Integers{large, large + 1});
    CHECK(arange(5, 1, least, on_host).to_vector<std::int64_t>() == Integers{5});
    CHECK(KGEN_MESSAGE_OF(ShapeError, arange(least, 0, on_host)) ==
          "arange: -9.223372036854776e+18 to 0 by 1 has more elements than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(TypeError, arange(0, ~std::uint64_t{0}, on_host)) ==
          "arange: stop is 18446744073709551615, but int64 needs 64-bit integers");
    CHECK(KGEN_MESSAGE_OF(TypeError, arange(std::complex<double>(1, 2), on_host)) ==
          "arange: stop is (1+2j), but a real number is expected");
}

TEST_CASE("extents and axes are given one by one or in a vector", "[array]") {
    const Array x = arange(10, on_host);
    CHECK(x.reshape(2, 5).shape() == Dims{2, 5});
    CHECK(x.reshape(std::size_t{5}, -1).shape() == Dims{5, 2});
    CHECK(x.reshape(2, 5).reshape(-1).shape() == Dims{10});
    CHECK(x.reshape(1, 2, 5).transpose(2, 0, 1).shape() == Dims{5, 1, 2});
    CHECK(x.reshape(std::vector<int>{5, 2}).shape() == Dims{5, 2});
    CHECK(zeros(std::vector<std::int64_t>{2, 3}, float32, on_host).shape() == Dims{2, 3});
    CHECK(zeros(std::vector<std::size_t>{}, on_host).rank() == 0);
    CHECK(zeros(std::array<short, 1>{4}, on_host).shape() == Dims{4});
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape(std::vector<int>(17, 1))) ==
          "an array has at most 16 axes, but 17 were given");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape(3, -1)) ==
          "reshape: no extent for -1 in (3, -1) fits the 10 elements of shape (10,)");
}

TEST_CASE("as converts the only element if nothing but rounding is lost", "[array]") {
    CHECK(array({half_t(2.5f)}, on_host).as<float>() == 2.5f);
    CHECK(array({{7}}, on_host).as<int>() == 7);
    CHECK(array({3.0}, on_host).as<std::uint8_t>() == 3);
    CHECK(array({0.1}, on_host).as<float>() == 0.1f);
    CHECK(array({2}, on_host).as<std::complex<float>>() == 2.0f);
    CHECK(full({}, true, on_host).as<int>() == 1);
    CHECK(arange(4, on_host)[-1].as<double>() == 3);
    CHECK(KGEN_MESSAGE_OF(TypeError, array({3000000000}, on_host).as<int>()) ==
          "as: 3000000000 does not fit int32 (-2147483648 to 2147483647)");
    CHECK(KGEN_MESSAGE_OF(TypeError, array({2.5}, on_host).as<int>()) ==
          "as: 2.5 does not fit int32 (it is not an integer)");
    CHECK(KGEN_MESSAGE_OF(TypeError, array({std::complex<double>(1, 2)}, on_host).as<double>()) ==
          "as: (1+2j) does not fit float64 (it is complex)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({1, 2}, on_host).as<int>()) ==
          "as: shape (2,) has 2 elements, expected 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array().as<int>()) ==
          "as: the array has no memory, because it was default-constructed");
}

TEST_CASE("ogrid and mgrid have the numbers of their ranges", "[array]") {
    const DeviceScope scope(Device::host());
    const auto [y, x] = ogrid(s(0, 3), s(2, 9, 3));
    CHECK((y.shape() == Dims{3, 1} && x.shape() == Dims{1, 3} && x.dtype() == int64));
    CHECK(x.to_vector<std::int64_t>() == Integers{2, 5, 8});
    const auto [rows, columns] = mgrid(s({}, 2), s(2, 0, -1));
    CHECK(array_equal(rows, array({{0, 0}, {1, 1}})));
    CHECK(array_equal(columns, array({{2, 1}, {2, 1}})));
    CHECK(ogrid(s(2, 0))[0].size() == 0);
    CHECK(KGEN_MESSAGE_OF(ShapeError, ogrid(s(0, 3), all)) == "ogrid: range 1 has no stop");
    CHECK(KGEN_MESSAGE_OF(ShapeError, mgrid(s(3, {}))) == "mgrid: range 0 has no stop");
    CHECK(KGEN_MESSAGE_OF(ShapeError, mgrid(s(0, 3, 0))) == "arange: the step is 0");
}
