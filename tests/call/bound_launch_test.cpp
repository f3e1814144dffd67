// SPDX-License-Identifier: MIT
//
// Bound launches: a call that is checked and compiled once and then launched repeatedly.
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<float> line(std::int64_t count, float slope, float start) {
    std::vector<float> values;
    for (std::int64_t k = 0; k < count; ++k)
        values.push_back(slope * static_cast<float>(k) + start);
    return values;
}

}  // namespace

TEST_CASE("a bound launch reads and writes its arrays as they are at each launch") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
        const Array x = from_vector(line(10, 1, 0), {device});
        const Array y = from_vector(line(10, 0, 1), {device});
        const BoundLaunch step = axpy.bind(2.0, x, y, out(y));
        CHECK(elements<float>(y) == line(10, 0, 1));  // not launched yet
        step();
        CHECK(elements<float>(y) == line(10, 2, 1));
        const BoundLaunch copy = step;
        copy.launch();
        CHECK(elements<float>(y) == line(10, 4, 1));
        x.assign(from_vector(line(10, 0, 1), {device}));
        step();
        CHECK(elements<float>(y) == line(10, 4, 3));
        REQUIRE(step.outputs().size() == 1);
        CHECK(step.outputs()[0].data() == y.data());
        CHECK(allocations_of([&] { step(); }) == 0);
    }
}

TEST_CASE("a bound launch allocates its outputs once and keeps all it needs alive") {
    for (const Device device : present_devices()) {
        std::optional<BoundLaunch> launch;
        {
            const ElementwiseKernel split("T x", "T lo, T hi", "lo = x - 1; hi = x + 1", "split");
            launch = split.bind(from_vector(line(6, 1, 0), {2, 3}, {device}).transpose());
        }
        (*launch)();
        (*launch)();
        REQUIRE(launch->outputs().size() == 2);
        const Array lo = launch->outputs()[0];
        const Array hi = launch->outputs()[1];
        CHECK(lo.shape() == Dims{3, 2});
        CHECK(lo.strides() == Dims{4, 12});
        CHECK(elements<float>(lo.transpose()) == line(6, 1, -1));
        CHECK(elements<float>(hi.transpose()) == line(6, 1, 1));
        launch.reset();
        CHECK(elements<float>(hi.transpose()) == line(6, 1, 1));
    }
}

TEST_CASE("every launch that one call can be may be bound") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel gather(
            "raw T x, int32 k", "T y", "y = x[(i + k) % x.size()] + n", "gather");
        const Array x = from_vector(line(5, 1, 0), {device});
        const BoundLaunch turn =
            gather.bind(x, 2, out(empty({5}, float32, {device})), on(Stream::legacy(device)));
        turn();
        CHECK(elements<float>(turn.outputs()[0]) == std::vector<float>{7, 8, 9, 5, 6});
        const std::vector<Argument> arguments = {x, 1};
        const CallOptions options{.outputs = {empty({3}, float32, {device})}, .block_size = 64};
        const BoundLaunch same = gather.bind_arguments(arguments, options);
        same();
        CHECK(elements<float>(same.outputs()[0]) == std::vector<float>{4, 5, 6});

        const ElementwiseKernel none("T x", "", "", "no_outputs");
        const BoundLaunch nothing = none.bind(x);
        nothing();
        CHECK(nothing.outputs().empty());
    }
}

TEST_CASE("a million launches leave memory and descriptors as they were") {
    const auto resident_bytes = [] {
        std::int64_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages >> pages;
        return pages * ::sysconf(_SC_PAGESIZE);
    };
    const auto descriptors = [] {
        const std::filesystem::directory_iterator files("/proc/self/fd");
        return std::distance(begin(files), end(files));
    };
    const ElementwiseKernel count("int32 x", "int32 y", "y = x + 1", "count");
    const Array y = zeros({5}, int32, {Device::host()});
    const BoundLaunch bound = count.bind(y, out(y));
    const auto launch = [&](int times) {
        for (int k = 0; k < times; ++k) {
            bound();
            count(y, out(y));
        }
    };
    launch(1000);
    const std::int64_t resident = resident_bytes();
    const std::int64_t allocations = live_allocation_count();
    const auto open = descriptors();
    const int times = is_sanitized ? 5'000 : 500'000;
    launch(times);
    CHECK(live_allocation_count() == allocations);
    CHECK(descriptors() == open);
    // A sanitizer's allocator keeps freed memory.
    if (!is_sanitized) CHECK(resident_bytes() - resident < 1 << 20);
    CHECK(elements<std::int32_t>(y) == std::vector<std::int32_t>(5, 2'000 + 2 * times));
}

TEST_CASE("a bound launch of no elements does nothing") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
        const Array x = empty({0, 3}, float32, {device});
        const BoundLaunch launch = add.bind(x, 1);
        launch();
        CHECK(launch.outputs()[0].shape() == Dims{0, 3});
    }
}

TEST_CASE("the current stream when a call is bound is the one of its launches") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
        const Stream stream = Stream::create(device);
        const Array x = from_vector(line(4, 1, 0), {device});
        synchronize(device);
        std::optional<BoundLaunch> inner;
        {
            const StreamScope scope(stream);
            inner = add.bind(x);
        }
        CHECK(inner->stream() == stream);
        CHECK(add.bind(x).stream() == Stream::legacy(device));
        CHECK(add.bind(x, on(stream)).stream() == stream);
        (*inner)();
        stream.synchronize();
        CHECK(elements<float>(inner->outputs()[0]) == line(4, 1, 1));
    }
}

TEST_CASE("a launch that would need temporary copies is not bound") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
        const Array block = from_vector(line(10, 1, 0), {device});
        const Array front = block.slice({{0, 8}});
        const Array back = block.slice({{2, 10}});
        CHECK(KGEN_MESSAGE_OF(ShapeError, add.bind(front, 1, out(back))) ==
              "kernel 'add': argument 1 ('x') overlaps an output and is not exactly in place, so "
              "each launch would need a new copy of it; bind a copy(), or call the kernel");
        CHECK(elements<float>(block) == line(10, 1, 0));
        const BoundLaunch copied = add.bind(front.copy(), 1, out(back));
        copied();
        CHECK(elements<float>(back) == line(8, 1, 1));

        using Complex = std::complex<float>;
        const std::vector<Complex> values(3, Complex(1, 2));
        const Placed x = place<Complex>(device, values, {3}, {8}, 4);
        const Placed z = place<Complex>(device, values, {3}, {8});
        CHECK(KGEN_MESSAGE_OF(ShapeError, add.bind(x.array, z.array, out(z.array))) ==
              "kernel 'add': argument 1 ('x') is complex64, but its address or a stride is not a "
              "multiple of 8 bytes, so each launch would need a new copy of it; bind a copy(), or "
              "call the kernel");
        CHECK(KGEN_MESSAGE_OF(ShapeError, add.bind(z.array, z.array, out(x.array))) ==
              "kernel 'add': output 1 ('z') is complex64, but its address or a stride is not a "
              "multiple of 8 bytes, so each launch would need a new copy of it; bind a copy(), or "
              "call the kernel");
    }
}

TEST_CASE("binding refuses what calling refuses") {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const Array x = from_vector(line(4, 1, 0), {Device::host()});
    CHECK(KGEN_MESSAGE_OF(TypeError, add.bind(x)) ==
          "kernel 'add': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but got 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, add.bind(x, x, out(x.as_read_only()))) ==
          "kernel 'add': output 1 ('z') is read-only; pass a writable array");
    const ElementwiseKernel wrong("T x", "T z", "z = nowhere", "wrong");
    CHECK_THROWS_AS(wrong.bind(x), CompileError);
}

TEST_CASE("a launch on the host has no native form") {
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add");
    const BoundLaunch launch = add.bind(from_vector(line(4, 1, 0), {Device::host()}));
    CHECK(KGEN_MESSAGE_OF(DeviceError, launch.native()) ==
          "kernel 'add': it is bound to the host, which has no native launch; call launch()");
}

TEST_CASE("threads launch one bound launch, and their own") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
        const Array x = from_vector(line(1000, 1, 0), {device});
        const BoundLaunch shared = add.bind(x, 5);
        std::vector<Array> results(4);
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; ++number) {
            threads.emplace_back([&, number] {
                const BoundLaunch own = add.bind(x, number);
                for (int round = 0; round < 50; ++round) {
                    shared();
                    own();
                }
                synchronize(device);
                results[static_cast<std::size_t>(number)] = own.outputs()[0];
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(elements<float>(shared.outputs()[0]) == line(1000, 1, 5));
        for (int number = 0; number < 4; ++number) {
            CHECK(elements<float>(results[static_cast<std::size_t>(number)]) ==
                  line(1000, 1, static_cast<float>(number)));
        }
    }
}
