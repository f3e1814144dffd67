// SPDX-License-Identifier: MIT
#include <complex>
#include <kgen/array_views.hpp>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("squeeze drops axes of extent 1 and expand_dims puts them back") {
    const Array x = range({1, 3, 1, 2});
    CHECK(squeeze(x).shape() == Dims{3, 2});
    CHECK(squeeze(x, 0).shape() == Dims{3, 1, 2});
    CHECK(squeeze(x, {0, -2}).shape() == Dims{3, 2});
    CHECK(squeeze(x, {}).shape() == x.shape());
    CHECK(squeeze(range({1, 1})).shape() == Dims{});
    CHECK(expand_dims(squeeze(x), {0, 2}).shape() == x.shape());
    CHECK(expand_dims(squeeze(x), {-2, 0}).shape() == x.shape());
    CHECK(expand_dims(range({}), 0).shape() == Dims{1});
    CHECK(expand_dims(range({2, 3}), -1).shape() == Dims{2, 3, 1});
    CHECK(list_of(squeeze(x)) == list_of(x));
    CHECK(squeeze(x).storage() == x.storage());
    CHECK(squeeze(x.as_read_only()).is_read_only());
    CHECK(expand_dims(range({0, 2}), 1).shape() == Dims{0, 1, 2});
}

TEST_CASE("moveaxis and swapaxes put axes elsewhere and keep the order of the others") {
    const Array x = range({2, 3, 4, 5});
    CHECK(moveaxis(x, 0, -1).shape() == Dims{3, 4, 5, 2});
    CHECK(moveaxis(x, -1, 0).shape() == Dims{5, 2, 3, 4});
    CHECK(moveaxis(x, {0, 1}, {-1, -2}).shape() == Dims{4, 5, 3, 2});
    CHECK(moveaxis(x, {3, 0}, {1, 2}).shape() == Dims{3, 5, 2, 4});
    CHECK(moveaxis(x, {}, {}).shape() == x.shape());
    CHECK(swapaxes(x, 0, -2).shape() == Dims{4, 3, 2, 5});
    CHECK(swapaxes(x, 1, 1).shape() == x.shape());
    const Array y = moveaxis(x, 0, 2);
    bool all_equal = true;
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 3; ++b) {
            for (int c = 0; c < 4; ++c) {
                all_equal &= list_of(y[{b, c, a}]) == list_of(x[{a, b, c}]);
            }
        }
    }
    CHECK(all_equal);
    CHECK(y.storage() == x.storage());
}

TEST_CASE("flip reverses without copying") {
    for (const Device device : present_devices()) {
        const Array x = range({2, 3}, device);
        CHECK(list_of(flip(x)) == List{5, 4, 3, 2, 1, 0});
        CHECK(list_of(flip(x, 0)) == List{3, 4, 5, 0, 1, 2});
        CHECK(list_of(flip(x, -1)) == List{2, 1, 0, 5, 4, 3});
        CHECK(list_of(flip(x, {0, 1})) == list_of(flip(x)));
        CHECK(list_of(flip(x, {})) == list_of(x));
        CHECK(flip(x, 0).strides() == Dims{-12, 4});
        CHECK(flip(flip(x)).data() == x.data());
        CHECK(flip(x).storage() == x.storage());
        flip(x, 1).assign(range({3}, device));
        CHECK(list_of(x) == List{2, 1, 0, 2, 1, 0});
        CHECK(flip(range({0, 3}, device)).size() == 0);
        CHECK(flip(range({}, device)).item<int>() == 0);
    }
}

TEST_CASE("ravel is a view where one can be and flatten never is") {
    for (const Device device : present_devices()) {
        const Array x = range({2, 3}, device);
        CHECK(ravel(x).storage() == x.storage());
        CHECK(list_of(ravel(x.transpose())) == List{0, 3, 1, 4, 2, 5});
        CHECK(flatten(x).storage() != x.storage());
        CHECK(list_of(flatten(x)) == list_of(x));
        CHECK(ravel(range({}, device)).shape() == Dims{1});
        CHECK(flatten(range({0, 2}, device)).shape() == Dims{0});
    }
}

TEST_CASE("real and imag are the parts of complex numbers in place") {
    for (const Device device : present_devices()) {
        const std::vector<std::complex<float>> values = {{1, 2}, {3, 4}, {5, 6}};
        const Array z = from_vector(values, {.device = device});
        CHECK(z.real().to_vector<float>() == std::vector<float>{1, 3, 5});
        CHECK(z.imag().to_vector<float>() == std::vector<float>{2, 4, 6});
        CHECK(z.imag().storage() == z.storage());
        z.imag().assign(0.5);
        z.real().assign(flip(z.real()).copy());
        CHECK(z.to_vector<std::complex<float>>() ==
              std::vector<std::complex<float>>{{5, 0.5}, {3, 0.5}, {1, 0.5}});
        CHECK(flip(z.astype(complex128)).imag().dtype() == float64);
        CHECK(flip(z.astype(complex128)).real().to_vector<double>() ==
              std::vector<double>{1, 3, 5});
        CHECK(z.as_read_only().imag().is_read_only());
        CHECK(zeros({0}, complex64, {.device = device}).imag().shape() == Dims{0});

        const Array x = range({2, 2}, device);
        CHECK(x.real().data() == x.data());
        CHECK(list_of(x.imag()) == List{0, 0, 0, 0});
        CHECK((x.imag().is_read_only() && x.imag().dtype() == int32));
        CHECK(x.imag().device() == device);
    }
}

TEST_CASE("axes that do not exist or do not fit are refused") {
    const Array x = range({2, 3});
    CHECK(KGEN_MESSAGE_OF(ShapeError, squeeze(x, 1)) ==
          "squeeze: axis 1 of shape (2, 3) has 3 elements, not 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, squeeze(x, 2)) ==
          "squeeze: axis 2 does not exist: shape (2, 3) has axes 0 to 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, squeeze(range({1}), {0, -1})) ==
          "squeeze: axis 0 is given twice in (0, -1)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, expand_dims(x, 3)) ==
          "expand_dims: axis 3 does not exist: the result has axes 0 to 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, expand_dims(range({}), 1)) ==
          "expand_dims: axis 1 does not exist: the result has only axis 0");
    CHECK(KGEN_MESSAGE_OF(ShapeError, moveaxis(x, {0, 1}, 1)) ==
          "moveaxis: axes (0, 1) cannot be moved to (1,): got 2 axes and 1 positions");
    CHECK(KGEN_MESSAGE_OF(ShapeError, moveaxis(x, 0, 2)) ==
          "moveaxis: axis 2 does not exist: shape (2, 3) has axes 0 to 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, moveaxis(x, {0, -2}, {0, 1})) ==
          "moveaxis: axis 0 is given twice in (0, -2)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, swapaxes(x, 0, -3)) ==
          "swapaxes: axis -3 does not exist: shape (2, 3) has axes 0 to 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, flip(range({}), 0)) ==
          "flip: axis 0 does not exist: shape () has no axes");
    CHECK(KGEN_MESSAGE_OF(ShapeError, flip(Array())) ==
          "flip: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array().imag()) ==
          "imag: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, expand_dims(x, Dims::filled(15, 0))) ==
          "an array has at most 16 axes, but 17 were given");
}
