// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <kgen/array_creation.hpp>
#include <kgen/array_equality.hpp>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

using Reals = std::vector<double>;

Reals reals(const Array& array) {
    return array.astype(float64).to_vector<double>();
}

const ArrayOptions on_host{.device = Device::host()};

}  // namespace

TEST_CASE("ones are ones in every dtype") {
    for (const Device device : present_devices()) {
        for (int k = 0; k < dtype_count; ++k) {
            const auto dtype = static_cast<DType>(k);
            INFO(to_text(dtype) << " on " << to_text(device));
            const Array x = ones({2, 3}, dtype, {.device = device});
            CHECK((x.dtype() == dtype && x.device() == device));
            CHECK(reals(x) == Reals(6, 1));
        }
        CHECK(ones({0, 2}, int8, {.device = device}).size() == 0);
    }
}

TEST_CASE("eye has ones on one diagonal") {
    for (const Device device : present_devices()) {
        for (std::int64_t rows = 0; rows < 4; ++rows) {
            for (std::int64_t columns = 0; columns < 4; ++columns) {
                for (std::int64_t diagonal = -5; diagonal <= 5; ++diagonal) {
                    const Array x =
                        eye(rows,
                            float32,
                            {.columns = columns, .diagonal = diagonal, .device = device});
                    INFO(rows << " x " << columns << ", " << diagonal << " on " << to_text(device));
                    REQUIRE(x.shape() == Dims{rows, columns});
                    Reals expected;
                    for (std::int64_t row = 0; row < rows; ++row) {
                        for (std::int64_t column = 0; column < columns; ++column) {
                            expected.push_back(column - row == diagonal);
                        }
                    }
                    REQUIRE(reals(x) == expected);
                }
            }
        }
        CHECK(reals(identity(2, int8, {.device = device})) == Reals{1, 0, 0, 1});
        CHECK(reals(eye(2, bool_, {.device = device})) == Reals{1, 0, 0, 1});
    }
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    CHECK(reals(eye(2, int8, {.diagonal = most, .device = Device::host()})) == Reals(4, 0));
    CHECK(reals(eye(2, int8, {.diagonal = -most - 1, .device = Device::host()})) == Reals(4, 0));
    CHECK(KGEN_MESSAGE_OF(ShapeError, eye(-1, int8)) ==
          "shape (-1, -1): the extent of axis 0 is negative: -1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, identity(-2, int8)) ==
          "shape (-2, -2): the extent of axis 0 is negative: -2");
}

TEST_CASE("linspace is spaced evenly and ends where it should") {
    for (const Device device : present_devices()) {
        const LinspaceOptions there{.device = device};
        const LinspaceOptions open{.endpoint = false, .device = device};
        CHECK(reals(linspace(0, 1, 5, float64, there)) == Reals{0, 0.25, 0.5, 0.75, 1});
        CHECK(reals(linspace(0, 1, 4, float32, open)) == Reals{0, 0.25, 0.5, 0.75});
        CHECK(reals(linspace(3, 3, 2, float64, there)) == Reals{3, 3});
        CHECK(reals(linspace(2, 5, 1, float64, there)) == Reals{2});
        CHECK(reals(linspace(2, 5, 1, float64, open)) == Reals{2});
        CHECK(linspace(2, 5, 0, float64, there).shape() == Dims{0});
        CHECK(reals(linspace(1, -1, 3, complex64, there)) == Reals{1, 0, -1});
        CHECK(reals(linspace(-1, 1, 5, bool_, there)) == Reals{1, 1, 0, 1, 1});
        // Conversion to integers rounds down, as in NumPy.
        CHECK(reals(linspace(-1, 1, 4, int32, there)) == Reals{-1, -1, 0, 1});
        CHECK(reals(linspace(0, 255, 4, uint8, there)) == Reals{0, 85, 170, 255});
        // float64 cannot represent this step.
        CHECK(reals(linspace(0, 5e-324, 3, float64, there)) == Reals{0, 0, 5e-324});
        for (const std::int64_t count : {2, 3, 7, 50, 1000}) {
            const double start = -0.1;
            const double stop = 1.3;
            const double step = (stop - start) / static_cast<double>(count - 1);
            Reals expected;
            for (std::int64_t k = 0; k < count; ++k) {
                volatile double distance = static_cast<double>(k) * step;  // no fused operation
                expected.push_back(k == count - 1 ? stop : distance + start);
            }
            INFO(count << " on " << to_text(device));
            CHECK(linspace(start, stop, count, float64, there).to_vector<double>() == expected);
            std::vector<float> rounded;
            for (const double value : expected) rounded.push_back(static_cast<float>(value));
            CHECK(linspace(start, stop, count, float32, there).to_vector<float>() == rounded);
        }
    }
}

TEST_CASE("linspace refuses what its dtype cannot hold") {
    CHECK(KGEN_MESSAGE_OF(ShapeError, linspace(0, 1, -1, float32)) ==
          "linspace: the count is negative: -1");
    CHECK(KGEN_MESSAGE_OF(TypeError, linspace(0, 300, 3, int8)) ==
          "linspace: 300.0 does not fit int8 (-128 to 127)");
    CHECK(KGEN_MESSAGE_OF(TypeError, linspace(-0.5, 1, 3, uint8)) ==
          "linspace: -1.0 does not fit uint8 (0 to 255)");
    CHECK(KGEN_MESSAGE_OF(TypeError, linspace(0, 1e6, 3, float16)) ==
          "linspace: 1000000.0 does not fit float16 (largest 65504)");
}

TEST_CASE("arrays are written out as nested lists") {
    for (const Device device : present_devices()) {
        const ArrayOptions there{.device = device};
        const Array x = array({{1.5, 2.5, 3.5}, {4.5, 5.5, 6.5}}, there);
        CHECK((x.shape() == Dims{2, 3} && x.dtype() == float64 && x.device() == device));
        CHECK(reals(x) == Reals{1.5, 2.5, 3.5, 4.5, 5.5, 6.5});
        CHECK(array({1, 2, 3}, int32, there).to_vector<int>() == std::vector<int>{1, 2, 3});
        CHECK(array({{{1}, {2}}, {{3}, {4}}}, int8, there).shape() == Dims{2, 2, 1});
        CHECK(array({{1, 2}}, there).shape() == Dims{1, 2});
        CHECK(array({true, false}, there).dtype() == bool_);
        CHECK(reals(array({0.1, 1e-10}, float32, there)) == Reals{0.1f, 1e-10f});
        CHECK(array({std::complex<float>(1, 2)}, there).imag().item<float>() == 2);
    }
}

TEST_CASE("ragged lists and numbers that do not fit are refused") {
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{1, 2}, {3}}, on_host)) ==
          "array: the nested lists differ in length: the list at [1] has 1 elements, but the list "
          "at [0] has 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{{1}, {2}}, {{3}, {4, 5}}}, on_host)) ==
          "array: the nested lists differ in length: the list at [1][1] has 2 elements, but the "
          "list at [0][0] has 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, array({{{1}, {2}}, {{3}}}, on_host)) ==
          "array: the nested lists differ in length: the list at [1] has 1 elements, but the list "
          "at [0] has 2");
    CHECK(KGEN_MESSAGE_OF(TypeError, array({1, 300}, int8, on_host)) ==
          "array: 300 does not fit int8 (-128 to 127)");
}

TEST_CASE("grids are views of their vectors") {
    for (const Device device : present_devices()) {
        const Array x = array({1, 2, 3}, {.device = device});
        const Array y = array({10, 20}, {.device = device});
        const std::vector<Array> xy = meshgrid({x, y});
        CHECK(array_equal(xy[0], array({{1, 2, 3}, {1, 2, 3}})));
        CHECK(array_equal(xy[1], array({{10, 10, 10}, {20, 20, 20}})));
        CHECK((xy[0].storage() == x.storage() && xy[0].is_read_only()));
        const std::vector<Array> ij = meshgrid({x, y}, {.indexing = MeshgridIndexing::ij});
        CHECK(array_equal(ij[0], xy[0].transpose()));
        CHECK(array_equal(ij[1], xy[1].transpose()));
        const std::vector<Array> thin = meshgrid({x, y, y}, {.sparse = true});
        CHECK(thin[0].shape() == Dims{1, 3, 1});
        CHECK(thin[1].shape() == Dims{2, 1, 1});
        CHECK(thin[2].shape() == Dims{1, 1, 2});
        CHECK_FALSE(thin[0].is_read_only());

        const auto [rows, columns] = open_grid(y, x);
        CHECK((rows.shape() == Dims{2, 1} && columns.shape() == Dims{1, 3}));
        CHECK((rows.storage() == y.storage() && columns.storage() == x.storage()));
        CHECK(array_equal(columns, x.reshape({1, 3})));
    }
    const Array number = full({}, 7, int32, on_host);
    CHECK(meshgrid({number, array({1, 2}, on_host)})[0].to_vector<int>() == std::vector<int>{7, 7});
    CHECK(meshgrid({array({1, 2}, on_host)})[0].shape() == Dims{2});
    CHECK(meshgrid(std::vector<Array>{}).empty());
    CHECK(KGEN_MESSAGE_OF(ShapeError, meshgrid({number, zeros({2, 2}, int8, on_host)})) ==
          "meshgrid: array 1 has shape (2, 2), but vectors are expected");
    CHECK(KGEN_MESSAGE_OF(ShapeError, meshgrid({Array()})) ==
          "meshgrid: the array has no memory, because it was default-constructed");
}
