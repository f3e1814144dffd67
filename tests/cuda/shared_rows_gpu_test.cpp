// SPDX-License-Identifier: MIT
//
// Rows that thread blocks of the whole grid share, on a GPU: alone, in graphs, and on several streams at once. Without a
// GPU the test reports that it was skipped.
#include <algorithm>
#include <cmath>
#include <kgen/kgen.hpp>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;

namespace {

Array numbers(const Dims& shape) {
    Generator rng(20261126);
    return rng.normal(like(empty(shape, float32, {.device = Device::cuda(0)})));
}

// Returns the largest distance of softmax(x) from that of the host, in units of float32.
double softmax_error(const Array& x, const Array& found, int axis_of) {
    const Array exact = softmax(x.to(Device::host()).astype(float64), axis(axis_of));
    const Array given = found.to(Device::host()).astype(float64);
    return max(abs(given - exact) / exact).item<double>() / 0x1p-23;
}

}  // namespace

TEST_CASE("gpu: thread blocks of the whole grid share rows", "[cuda][gpu][rows]") {
    if (!test::has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    struct Case {
        Dims shape;
        int axis;
    };
    const Case cases[] = {
        {{1, 300'001}, 1}, {{3, 1'000'000}, 1}, {{700'000, 3}, 0}, {{1, 5'000'001}, 1}};
    for (const Case& each : cases) {
        INFO(to_text(each.shape));
        const Array x = numbers(each.shape);
        const Array found = softmax(x, axis(each.axis));
        CHECK(softmax_error(x, found, each.axis) < 64);
        for (int run = 0; run < 5; ++run)
            CHECK(array_equal(found, Array(softmax(x, axis(each.axis)))));
    }
}

TEST_CASE("gpu: launches whose blocks wait for each other run on several streams and in graphs",
          "[cuda][gpu][rows]") {
    if (!test::has_gpu()) {
        WARN("skipped: this test needs a GPU");
        return;
    }
    const Array x = numbers({1, 2'000'000}), y = numbers({600'000, 3});
    const Array expected_x = softmax(x), expected_y = layer_norm(y, axis(0));
    synchronize(Device::cuda(0));
    const Stream streams[] = {Stream::create(Device::cuda(0)), Stream::create(Device::cuda(0))};
    int wrong[2] = {};
    std::vector<std::thread> threads;
    for (int k = 0; k < 2; ++k) {
        threads.emplace_back([&, k] {
            const StreamScope scope(streams[k]);
            for (int run = 0; run < 50; ++run) {
                const Array of_x = softmax(x), of_y = layer_norm(y, axis(0));
                if (run % 10 == 0)
                    wrong[k] +=
                        array_equal(of_x, expected_x) && array_equal(of_y, expected_y) ? 0 : 1;
            }
        });
    }
    for (std::thread& each : threads) each.join();
    CHECK(wrong[0] + wrong[1] == 0);
    Array into_x = empty(x.shape(), float32, {.device = Device::cuda(0)});
    Array into_y = empty(y.shape(), float32, {.device = Device::cuda(0)});
    synchronize(Device::cuda(0));
    const Graph of_x = capture(streams[0], [&] { into_x.assign(softmax(x)); });
    const Graph of_y = capture(streams[1], [&] { into_y.assign(layer_norm(y, axis(0))); });
    for (int run = 0; run < 20; ++run) {
        of_x.launch(streams[0]);
        of_y.launch(streams[1]);
    }
    for (const Stream& each : streams) each.synchronize();
    CHECK(array_equal(into_x, expected_x));
    CHECK(array_equal(into_y, expected_y));
}
