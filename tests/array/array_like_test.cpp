// SPDX-License-Identifier: MIT
#include <kgen/array_creation.hpp>
#include <kgen/array_views.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("an array like another has its shape and dtype and device and memory order") {
    for (const Device device : present_devices()) {
        const Array x = range({2, 3, 4}, device);
        CHECK(empty_like(x).strides() == x.strides());
        CHECK(empty_like(x.transpose()).strides() == x.transpose().strides());
        CHECK(empty_like(x.transpose({1, 2, 0})).strides() == x.transpose({1, 2, 0}).strides());
        CHECK(empty_like(flip(x)).strides() == x.strides());
        CHECK(empty_like(x.slice({{}, {.step = 2}})).strides() == Dims{32, 16, 4});
        CHECK(empty_like(x[0].broadcast_to({2, 3, 4})).is_contiguous());
        CHECK(empty_like(x).device() == device);
        CHECK(empty_like(x.as_read_only()).is_read_only() == false);
        CHECK(empty_like(x, {.device = Device::host()}).device() == Device::host());
        const Array wide = empty_like(x.transpose(), {.dtype = float64});
        CHECK((wide.dtype() == float64 && wide.strides() == Dims{8, 32, 96}));
        CHECK(empty_like(x.transpose(), {.order = Order::c}).is_contiguous());
        CHECK(empty_like(x, {.order = Order::f}).is_contiguous(Order::f));
        CHECK(empty_like(x.transpose(), {.order = Order::a}).is_contiguous(Order::f));
        CHECK(empty_like(x.transpose({1, 2, 0}), {.order = Order::a}).is_contiguous());
        CHECK(empty_like(range({0, 3}, device)).shape() == Dims{0, 3});
    }
}

TEST_CASE("the elements of an array like another are as its name says") {
    for (const Device device : present_devices()) {
        const Array f = range({2, 2}, device).transpose();
        CHECK(zeros_like(f).to_vector<int>() == std::vector<int>(4, 0));
        CHECK(zeros_like(f).is_contiguous(Order::f));
        CHECK(ones_like(f).to_vector<int>() == std::vector<int>(4, 1));
        CHECK(full_like(f, 7).to_vector<int>() == std::vector<int>(4, 7));
        CHECK(full_like(f, 0.5, {.dtype = float32}).to_vector<float>() ==
              std::vector<float>(4, 0.5f));
        CHECK(full_like(f, 7).is_contiguous(Order::f));
    }
    const Array x = range({2});
    CHECK(KGEN_MESSAGE_OF(TypeError, full_like(x, 0.5)) ==
          "full_like: 0.5 does not fit int32 (it is not an integer)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, empty_like(Array())) ==
          "empty_like: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, zeros_like(Array())) ==
          "zeros_like: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, ones_like(Array())) ==
          "ones_like: the array has no memory, because it was default-constructed");
}

TEST_CASE("copies lie in memory in the order that is asked for") {
    for (const Device device : present_devices()) {
        const Array x = range({2, 3, 4}, device);
        const std::vector<Array> views = {x,
                                          x.transpose(),
                                          x.transpose({1, 2, 0}),
                                          flip(x, 2),
                                          x.slice({{}, {.step = 2}}),
                                          x[0].broadcast_to({2, 3, 4}),
                                          x.slice({{.start = 0, .stop = 1}}).transpose()};
        for (const Array& view : views) {
            INFO(to_text(view.shape()) << to_text(view.strides()) << " on " << to_text(device));
            for (const Order order : {Order::c, Order::f, Order::a, Order::k}) {
                const Array copied = view.copy(order);
                CHECK(copied.to_vector<int>() == view.to_vector<int>());
                CHECK(copied.strides() == empty_like(view, {.order = order}).strides());
                CHECK(copied.storage() != view.storage());
                CHECK_FALSE(copied.is_read_only());
            }
            CHECK(view.copy().is_contiguous());
            CHECK(view.copy(Order::f).is_contiguous(Order::f));
            CHECK(view.copy(Order::k).is_contiguous(Order::k));
        }
        CHECK(x.transpose().copy(Order::k).strides() == x.transpose().strides());
        CHECK(x.transpose({1, 2, 0}).copy(Order::k).strides() == Dims{16, 4, 48});
    }
}

TEST_CASE("contiguity is asked for in any order") {
    const Array x = range({2, 3, 4});
    CHECK((x.is_contiguous(Order::a) && x.is_contiguous(Order::k)));
    CHECK((x.transpose().is_contiguous(Order::a) && x.transpose().is_contiguous(Order::k)));
    const Array mixed = x.transpose({1, 2, 0});
    CHECK((!mixed.is_contiguous(Order::a) && mixed.is_contiguous(Order::k)));
    CHECK_FALSE(flip(x).is_contiguous(Order::k));
    CHECK_FALSE(x.slice({{}, {.step = 2}}).is_contiguous(Order::k));
}
