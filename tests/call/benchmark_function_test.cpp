// SPDX-License-Identifier: MIT
//
// benchmark() on every device that is present. benchmark_test.cpp tests the program `kgen bench`.
#include <chrono>
#include <kgen/kgen.hpp>
#include <stdexcept>
#include <thread>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using test::present_devices;

namespace {

void nap(int ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

}  // namespace

TEST_CASE("benchmark measures a kernel, and its bandwidth against that of a copy", "[benchmark]") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "benchmark_add");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array x = full({1 << 22}, 1, float32, {device});
        const Array z = empty(x.shape(), float32, {device});
        const BenchmarkResult result = benchmark(
            [&] { add(x, x, out(z)); },
            {.stream = Stream::create(device), .bytes = 2 * x.size_bytes(), .most_seconds = 0.2});
        CHECK(result.device == device);
        CHECK(result.samples >= 1);
        CHECK(result.cold_ms > 0);
        CHECK(result.hot_ms > 0);
        CHECK(result.cpu_us > 0);
        CHECK(result.noise >= 0);
        CHECK_FALSE(result.waits);
        const double copy = copy_bytes_per_second(device);
        CHECK(copy > 1e8);
        CHECK(copy_bytes_per_second(device) == copy);  // measured once
        CHECK(result.bytes_per_second ==
              Approx(2.0 * static_cast<double>(x.size_bytes()) / result.cold_ms * 1e3));
        CHECK(result.share_of_copy == Approx(result.bytes_per_second / copy));
        CHECK(z[5].item<float>() == 2);
    }
}

TEST_CASE("benchmark stops when samples are many and alike, or the time is up", "[benchmark]") {
    const StreamScope scope(Stream::create(Device::host()));
    const DeviceScope on_host(Device::host());
    int calls = 0;
    const auto work = [&] {
        ++calls;
        nap(2);
    };
    const BenchmarkResult alike =
        benchmark(work, {.least_samples = 5, .most_noise = 10, .most_seconds = 60});
    CHECK(alike.samples == 5);
    CHECK(alike.cold_ms >= 2);
    CHECK(alike.hot_ms >= 2);
    CHECK(alike.cpu_us >= 2000);
    CHECK(alike.bytes_per_second == 0);
    CHECK(alike.share_of_copy == 0);
    calls = 0;
    const BenchmarkResult timed =
        benchmark(work, {.least_samples = 1000000, .most_noise = 0, .most_seconds = 0.05});
    CHECK(timed.samples >= 1);
    CHECK(timed.samples <= 25);
    CHECK(calls < 100);
}

TEST_CASE("benchmark begins no call after most_seconds", "[benchmark]") {
    const StreamScope scope(Stream::create(Device::host()));
    const DeviceScope on_host(Device::host());
    using Clock = std::chrono::steady_clock;
    struct Row {
        int call_ms;
        int most_calls;  // the first one, those that fit into 50 ms, and one that began before
        int most_samples;
    };
    for (const Row row : {Row{60, 2, 1}, Row{30, 3, 1}, Row{20, 4, 1}, Row{5, 11, 8}}) {
        INFO(row.call_ms);
        const Clock::time_point begin = Clock::now();
        Clock::time_point last_begin = begin;
        int calls = 0;
        const BenchmarkResult result = benchmark(
            [&] {
                last_begin = Clock::now();
                ++calls;
                nap(row.call_ms);
            },
            {.most_seconds = 0.05});
        CHECK(std::chrono::duration<double>(last_begin - begin).count() < 0.15);
        CHECK(calls >= 1);
        CHECK(calls <= row.most_calls);
        CHECK(result.samples >= 1);
        CHECK(result.samples <= row.most_samples);
        CHECK(result.cold_ms >= row.call_ms);
        CHECK(result.hot_ms >= row.call_ms);
        CHECK(result.cpu_us >= row.call_ms * 1e3);
    }
    int calls = 0;
    const BenchmarkResult none = benchmark([&] { ++calls; }, {.most_seconds = 0});
    CHECK(calls == 1);
    CHECK(none.samples == 1);
}

TEST_CASE("benchmark tells work that waits for the device", "[benchmark]") {
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "benchmark_sum");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array x = full({1000}, 1, float32, {device});
        const BenchmarkResult result =
            benchmark([&] { static_cast<void>(sum(x).item<float>()); },
                      {.stream = Stream::create(device), .most_seconds = 0.05});
        CHECK(result.waits == (device.kind() == DeviceKind::cuda));
        CHECK(result.cold_ms > 0);
    }
}

TEST_CASE("benchmark measures the launch of a graph", "[benchmark][graph]") {
    const ElementwiseKernel next("T x", "T y", "y = x + 1", "benchmark_next");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream stream = Stream::create(device);
        const Array x = zeros({100}, float32, {device});
        synchronize(device);
        const Graph graph = capture(stream, [&] { x.assign(next(x)); });
        const BenchmarkResult result =
            benchmark([&] { graph.launch(); }, {.stream = stream, .most_seconds = 0.05});
        CHECK(result.cold_ms > 0);
        CHECK(current_stream(device) != stream);
    }
}

TEST_CASE("benchmark throws what the work throws, and refuses no work", "[benchmark]") {
    CHECK(KGEN_MESSAGE_OF(DeviceError, benchmark(nullptr)) ==
          "benchmark: the function to measure is empty; pass one that can be called");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Stream stream = Stream::create(device);
        int calls = 0;
        CHECK_THROWS_AS(benchmark(
                            [&] {
                                if (++calls == 4) throw std::runtime_error("enough");
                            },
                            {.stream = stream}),
                        std::runtime_error);
        stream.synchronize();
    }
}

TEST_CASE("a result of benchmark is one line of text", "[benchmark]") {
    BenchmarkResult result{.device = Device::cuda(0),
                           .cold_ms = 0.00592,
                           .hot_ms = 0.0041,
                           .cpu_us = 1.931,
                           .noise = 0.0041,
                           .samples = 31,
                           .waits = false,
                           .bytes_per_second = 2834.14e9,
                           .share_of_copy = 0.6667};
    CHECK(to_text(result) ==
          "cold 5.92 us, hot 4.10 us, call 1.93 us on cuda:0 (31 samples, noise 0.4%); "
          "2834.1 GB/s, 0.667 of a copy");
    result.cold_ms = 12.3456;
    result.hot_ms = 2345.6;
    result.samples = 1;
    result.bytes_per_second = 0;
    result.waits = true;
    CHECK(
        to_text(result) ==
        "cold 12.346 ms, hot 2.35 s, call 1.93 us on cuda:0 (1 sample, noise 0.4%, the work waits "
        "for the device)");
}
