// SPDX-License-Identifier: MIT
//
// Streams on every device that is present.
#include <atomic>
#include <chrono>
#include <kgen/kgen.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using test::present_devices;

TEST_CASE("a stream has the priority that it was made with, within the device's range",
          "[stream]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        CHECK(Stream::create(device).priority() == 0);
        CHECK(Stream::legacy(device).priority() == 0);
        const Stream lowest = Stream::create({.priority = 1000}, device);
        const Stream highest = Stream::create({.priority = -1000}, device);
        CHECK(lowest.priority() == 0);
        CHECK(highest.priority() <= 0);
        CHECK(highest.priority() > -1000);
        if (device.kind() == DeviceKind::cuda) CHECK(highest.priority() < 0);
        const Stream same = Stream::create({.priority = highest.priority()}, device);
        CHECK(same.priority() == highest.priority());
    }
}

TEST_CASE("work in a stream waits for another stream that it was told to wait for", "[stream]") {
    const ElementwiseKernel slow(
        "T x", "T y", "T a = x; for (int k = 0; k < 20000; ++k) a = a * T(0.5) + T(1); y = a");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream first = Stream::create(device);
        const Stream second = Stream::create({.priority = -1}, device);
        const Array x = zeros({1000}, float32, {device});
        const Array y = zeros({1000}, float32, {device});
        synchronize(device);
        slow(x, out(y), on(first));
        second.wait(first);
        const Array z = [&] {
            const StreamScope scope(second);
            return y.copy();
        }();
        second.synchronize();
        CHECK(z.to_vector<float>() == std::vector<float>(1000, 2));
        second.wait(second);  // there is nothing to wait for
    }
}

TEST_CASE("a host function is called in the order of its stream, once, and then destroyed",
          "[stream]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream stream = Stream::create(device);
        auto calls = std::make_shared<std::vector<int>>();
        for (int k = 0; k < 100; ++k) stream.call_on_host([calls, k] { calls->push_back(k); });
        stream.synchronize();
        REQUIRE(calls->size() == 100);
        for (int k = 0; k < 100; ++k) CHECK((*calls)[static_cast<std::size_t>(k)] == k);
        stream.synchronize();
        CHECK(calls.use_count() == 1);
    }
}

TEST_CASE("a host function may own arrays", "[stream]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream stream = Stream::create(device);
        for (int k = 0; k < 20; ++k) {
            const StreamScope scope(stream);
            const Array x = full({100000}, k, float32, {device});
            // The function owns the last handle, so the array is freed when the function is destroyed.
            stream.call_on_host([x] {});
        }
        stream.synchronize();
        CHECK(full({100000}, 3, float32, {device})[99999].item<float>() == 3);
    }
}
