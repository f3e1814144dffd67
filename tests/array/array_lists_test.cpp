// SPDX-License-Identifier: MIT
//
// Arrays of the numbers in braces, in vectors and in other ranges.
#include <array>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <list>
#include <span>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

const ArrayOptions on_host{.device = Device::host()};

// Returns "(2, 3) float64".
std::string type_of(const Array& array) {
    return fmt::format("{} {}", array.shape(), array.dtype());
}

template <typename T>
concept MakesArray = requires(const T& values) {
    array(values);
};
static_assert(MakesArray<std::vector<std::vector<float>>> && !MakesArray<std::vector<Array>>);
static_assert(!MakesArray<std::string> && !MakesArray<char[4]>);

}  // namespace

TEST_CASE("lists in braces may be nested to any depth", "[array]") {
    CHECK(type_of(array({}, on_host)) == "(0,) float64");
    CHECK(type_of(array({{}, {}}, on_host)) == "(2, 0) float64");
    CHECK(type_of(array({1.5, 2.5}, on_host)) == "(2,) float64");
    CHECK(type_of(array({{1, 2}, {3, 4}}, on_host)) == "(2, 2) int64");
    CHECK(type_of(array({{{1}}}, on_host)) == "(1, 1, 1) int64");
    CHECK(type_of(array(7, on_host)) == "() int64");
    const Array deep = array({{{{1, 2, 3}}, {{4, 5, 6}}}}, on_host);
    CHECK(type_of(deep) == "(1, 2, 1, 3) int64");
    CHECK(deep.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6});
    CHECK(array({{{{{{{{{{{{{{{{5}}}}}}}}}}}}}}}}, on_host).rank() == max_rank);
}

TEST_CASE("the numbers of a list have the dtype that NumPy gives them", "[array]") {
    using Complex = std::complex<float>;
    CHECK(array({1, 2}, on_host).dtype() == int64);
    CHECK(array({1, 2.5}, on_host).to_vector<double>() == std::vector<double>{1, 2.5});
    CHECK(array({true, false}, on_host).dtype() == bool_);
    CHECK(array({true, 2}, on_host).to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 2});
    CHECK(array({1, Complex(2, 3)}, on_host).dtype() == complex128);
    // Numbers that all have one C++ type other than int keep it.
    CHECK(array({1.5f, 2.5f}, on_host).dtype() == float32);
    CHECK(array({1.5f, 2.5}, on_host).dtype() == float64);
    CHECK(array({Complex(2, 3)}, on_host).dtype() == complex64);
    CHECK(array({std::uint8_t{1}, std::uint8_t{2}}, on_host).dtype() == uint8);
    CHECK(array({half_t(1.0f)}, on_host).dtype() == float16);
    CHECK(array({std::uint8_t{1}, std::int8_t{2}}, on_host).dtype() == int64);
    CHECK(array({1, 2}, float32, on_host).dtype() == float32);
    CHECK(array({}, int8, on_host).dtype() == int8);
    CHECK(array<float>({{1, 2}}, on_host).dtype() == float32);
}

TEST_CASE("lists that are not nested evenly are refused", "[array]") {
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{1, 2}, 3}, on_host)) ==
          "array: the nested lists differ in depth: [0] is a list, but [1] is a number");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{{1}, {2}}, {{3}, 4}}, on_host)) ==
          "array: the nested lists differ in depth: [0][0] is a list, but [1][1] is a number");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({1, {2}}, on_host)) ==
          "array: the nested lists differ in depth: [0] is a number, but [1] is a list");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{}, {1}}, on_host)) ==
          "array: the nested lists differ in length: the list at [1] has 1 elements, but the list "
          "at [0] has 0");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{{{{{{{{{{{{{{{{5}}}}}}}}}}}}}}}}}, on_host)) ==
          "an array has at most 16 axes, but 17 were given");
    CHECK(KGEN_MESSAGE_OF(TypeError, array({1, ~std::uint64_t{0}}, on_host)) ==
          "array: 18446744073709551615 does not fit int64 (-9223372036854775808 to "
          "9223372036854775807)");
}

TEST_CASE("vectors and other ranges keep their type", "[array]") {
    const std::vector<float> floats = {1, 2, 3};
    const std::array<std::int16_t, 2> shorts = {4, 5};
    const double rows[2][2] = {{1, 2}, {3, 4}};
    const std::vector<std::vector<int>> nested = {{1, 2}, {3, 4}, {5, 6}};
    CHECK(type_of(array(floats, on_host)) == "(3,) float32");
    CHECK(array(floats, on_host).to_vector<float>() == floats);
    CHECK(type_of(array(std::span(floats), on_host)) == "(3,) float32");
    CHECK(type_of(array(shorts, on_host)) == "(2,) int16");
    CHECK(type_of(array(rows, on_host)) == "(2, 2) float64");
    CHECK(array(rows, on_host)[{1, 0}].item<double>() == 3);
    CHECK(type_of(array(nested, on_host)) == "(3, 2) int32");
    CHECK(array(nested, on_host).to_vector<int>() == std::vector<int>{1, 2, 3, 4, 5, 6});
    CHECK(type_of(array(std::list<std::complex<double>>{1.0}, on_host)) == "(1,) complex128");
    CHECK(type_of(array(std::vector<double>{}, on_host)) == "(0,) float64");
    const Array flags = array(std::vector<bool>{true, false}, on_host);
    CHECK(type_of(flags) == "(2,) bool");
    CHECK(flags.to_vector<std::uint8_t>() == std::vector<std::uint8_t>{1, 0});
    CHECK(array(std::vector<double>{1.5, -2.5}, int8, on_host).to_vector<std::int8_t>() ==
          std::vector<std::int8_t>{1, -2});
    const std::vector<std::vector<int>> ragged = {{1, 2}, {3}};
    CHECK(KGEN_MESSAGE_OF(ShapeError, array(ragged, on_host)) ==
          "array: the nested lists differ in length: the list at [1] has 1 elements, but the list "
          "at [0] has 2");
}
