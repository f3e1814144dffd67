// SPDX-License-Identifier: MIT
//
// Launches of raw kernels on a fake device: the chosen device and stream, the cost, and bound launches.
#include "raw/raw_launch.hpp"

#include <cstring>
#include <ctime>
#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fake_raw.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns saxpy(float a, const float* x, const float* y, float* z, int n) on a device.
ReadyKernel saxpy_on(const FakeRawDevice& device) {
    std::vector<KernelParameter> parameters = {{0, 4, ParameterKind::floating},
                                               {8, 8, ParameterKind::pointer},
                                               {16, 8, ParameterKind::pointer},
                                               {24, 8, ParameterKind::pointer},
                                               {32, 4, ParameterKind::integer}};
    return {.backend = &device,
            .raw = &device.raw(),
            .module = nullptr,
            .kernel = std::make_shared<const FakeRawKernel>(parameters),
            .parameters = type_parameters(parameters, {}),
            .block_bytes = 36};
}

template <typename... Arguments>
void launch(const ReadyKernel& ready, const LaunchConfig& config, Arguments&&... arguments) {
    const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
    launch_raw("saxpy", ready, config, {list.begin(), list.size()});
}

template <typename... Arguments>
const Backend& device_of(const LaunchConfig& config, Arguments&&... arguments) {
    const std::initializer_list<RawArgument> list = {RawArgument(arguments)...};
    return device_of_launch(config, {list.begin(), list.size()});
}

Stream stream_number(std::size_t number, Device device = Device::cuda(0)) {
    return Stream::view(reinterpret_cast<StreamHandle>(number * 16), device);
}

template <typename T>
T parameter_at(const FakeRawDevice& device, std::size_t offset) {
    T value;
    std::memcpy(&value, device.fake.last.parameters.data() + offset, sizeof value);
    return value;
}

}  // namespace

TEST_CASE("a launch gives its configuration, its stream and its arguments to the device") {
    const FakeRawDevice device;
    const ReadyKernel saxpy = saxpy_on(device);
    const Array x = fake_array(device, {100});
    const Array z = fake_array(device, {100});
    const Stream stream = stream_number(3);
    launch(saxpy,
           {.grid = {4, 2}, .block = {32, 4, 2}, .shared_bytes = 64, .stream = stream},
           2.0,
           x,
           x,
           z,
           100);
    CHECK(device.fake.launches == 1);
    CHECK(device.fake.last.kernel == saxpy.kernel.get());
    CHECK(device.fake.last.stream == stream.handle());
    CHECK(device.fake.last.config.grid == LaunchDims{4, 2, 1});
    CHECK(device.fake.last.config.block == LaunchDims{32, 4, 2});
    CHECK(device.fake.last.config.shared_bytes == 64);
    CHECK(device.fake.last.parameters_bytes == 36);
    CHECK(parameter_at<float>(device, 0) == 2.0F);
    CHECK(parameter_at<void*>(device, 8) == x.data());
    CHECK(parameter_at<void*>(device, 24) == z.data());
    CHECK(parameter_at<int>(device, 32) == 100);

    launch(saxpy, {}, 2.0, x, x, z, 100);
    CHECK(device.fake.last.stream == nullptr);
    {
        const StreamScope scope(stream);
        launch(saxpy, {}, 2.0, x, x, z, 100);
        CHECK(device.fake.last.stream == stream.handle());
    }
    CHECK_THROWS_AS(launch(saxpy, {}, 2.0, x, x, z, 2.5), TypeError);
    CHECK(device.fake.launches == 3);
}

TEST_CASE(
    "the device of a launch is that of its arrays, else of its stream, else the current one") {
    const FakeRawDevice near;
    const Array x = fake_array(near, {4});
    const Array nothing;
    CHECK(&device_of({}, 1, nothing, x) == &near);
    CHECK(&device_of({}, 1, raw(x)) == &near);
    const DeviceScope scope(Device::host());
    const Stream host = Stream::legacy(Device::host());
    CHECK(device_of({}, 1, nullptr).device() == Device::host());
    CHECK(device_of({.stream = host}, 1).device() == Device::host());
    // The arrays determine the device. A stream of another device is an error.
    CHECK(&device_of({.stream = host}, x) == &near);
    CHECK(KGEN_MESSAGE_OF(ShapeError, launch(saxpy_on(near), {.stream = host}, 1, x, x, x, 4)) ==
          "kernel 'saxpy': the stream is on host, but the call is on cuda:0");
}

TEST_CASE("a launch takes nothing from the heap, and a lot of parameters once") {
    const FakeRawDevice device;
    const ReadyKernel saxpy = saxpy_on(device);
    const Array x = fake_array(device, {100});
    CHECK(allocations_of([&] {
              launch(saxpy, {.grid = {1}, .block = {128}}, 2.0F, x, x, x, 100);
              launch(saxpy, {.grid = {1}, .block = {128}}, 2, x, x, x, 100LL);
          }) == 0);

    struct Large {
        std::byte bytes[5000];
    };
    static Large large = {};
    large.bytes[4999] = std::byte{7};
    const std::vector<KernelParameter> parameters = {{0, sizeof(Large), ParameterKind::aggregate}};
    const ReadyKernel other{.backend = &device,
                            .raw = &device.raw(),
                            .module = nullptr,
                            .kernel = std::make_shared<const FakeRawKernel>(parameters),
                            .parameters = type_parameters(parameters, {}),
                            .block_bytes = sizeof(Large)};
    CHECK(allocations_of([&] { launch(other, {}, large); }) == 1);
    CHECK(device.fake.last.parameters_bytes == sizeof(Large));
}

TEST_CASE("memory of another stream is marked by each launch that uses it") {
    const FakeRawDevice device;
    const ReadyKernel saxpy = saxpy_on(device);
    const Array z = fake_array(device, {4});
    const Stream stream = stream_number(5);
    std::optional<Array> x = fake_array(device, {4});
    launch(saxpy, {.stream = stream}, 1, *x, *x, z, 4);
    x.reset();
    CHECK(device.events == 1);  // the free of x waits for that stream
    x = fake_array(device, {4});
    launch(saxpy, {}, 1, *x, *x, z, 4);
    x.reset();
    CHECK(device.events == 1);
    x = fake_array(device, {4});
    {
        const auto owner = std::make_shared<int>(0);
        const std::vector<RawArgument> arguments = {1, *x, *x, z, 4};
        const RawLaunch bound("saxpy", saxpy, owner, {.stream = stream}, arguments);
        x.reset();
        CHECK(device.events == 1);  // the bound launch keeps the memory of x
        bound.launch();
    }
    CHECK(device.events == 2);
}

TEST_CASE("a bound raw launch is checked once and gives the same to the device each time") {
    const FakeRawDevice device;
    const ReadyKernel saxpy = saxpy_on(device);
    const Array x = fake_array(device, {4});
    const Stream stream = stream_number(5);
    const auto owner = std::make_shared<int>(0);
    const auto bind = [&](const LaunchConfig& config, std::vector<RawArgument> arguments) {
        return RawLaunch("saxpy", saxpy, owner, config, arguments);
    };
    std::optional<RawLaunch> bound;
    {
        const StreamScope scope(stream);
        bound.emplace("saxpy",
                      saxpy,
                      owner,
                      LaunchConfig{.grid = {3, 2}, .block = {64, 2, 2}, .shared_bytes = 16},
                      std::vector<RawArgument>{0.5, x, x, x, 4});
    }
    CHECK(device.fake.launches == 0);
    bound->launch();  // records that another stream uses the memory
    CHECK(allocations_of([&] { bound->launch(); }) == 0);
    CHECK(device.fake.launches == 2);
    CHECK(device.fake.last.stream == stream.handle());
    CHECK(parameter_at<float>(device, 0) == 0.5F);
    CHECK(parameter_at<void*>(device, 24) == x.data());
    CHECK(bound->outputs().empty());
    CHECK(bound->stream() == stream);

    const NativeLaunch native = bound->native();
    CHECK(native.function == saxpy.kernel->native_function());
    CHECK(native.grid == 3);
    CHECK(native.grid_y == 2);
    CHECK(native.grid_z == 1);
    CHECK(native.block == 64);
    CHECK(native.block_y == 2);
    CHECK(native.block_z == 2);
    CHECK(native.shared_bytes == 16);
    CHECK(native.stream == stream.handle());
    REQUIRE(native.parameter_bytes == 36);
    CHECK(std::memcmp(native.parameters, device.fake.last.parameters.data(), 36) == 0);

    CHECK(bind({.grid = {0}}, {0.5, x, x, x, 4}).native().function == nullptr);
    CHECK(KGEN_MESSAGE_OF(DeviceError, bind({.cluster = {2}}, {0.5, x, x, x, 4}).native()) ==
          "kernel 'saxpy': it is bound with a cluster, cooperative, with a priority or "
          "programmatic_dependent, which cuLaunchKernel cannot express; call launch()");
    CHECK(KGEN_MESSAGE_OF(TypeError, bind({}, {0.5})) ==
          "kernel 'saxpy': got 1 argument, expected 5");
}

TEST_CASE("the ready kernels of a device are found without a lock") {
    const FakeRawDevice first(Device::cuda(0));
    const FakeRawDevice second(Device::cuda(1));
    const FakeRawDevice far(Device::cuda(16));  // shares a table index with cuda:0
    ReadyKernels kernels;
    CHECK(kernels.find(first) == nullptr);
    const auto add = [&](const FakeRawDevice& device) {
        return &kernels.add(std::make_shared<const ReadyKernel>(saxpy_on(device)));
    };
    const ReadyKernel* on_first = add(first);
    CHECK(kernels.find(first) == on_first);
    CHECK(kernels.find(second) == nullptr);
    CHECK(kernels.find(far) == nullptr);
    const ReadyKernel* on_second = add(second);
    CHECK(kernels.find(first) == on_first);
    CHECK(kernels.find(second) == on_second);
    const ReadyKernel* on_far = add(far);
    CHECK(kernels.find(far) == on_far);
    CHECK(on_first->backend == &first);
}

TEST_CASE("what a raw launch costs", "[.cost]") {
    const FakeRawDevice device;
    const ReadyKernel saxpy = saxpy_on(device);
    const Array x = fake_array(device, {100});
    const auto owner = std::make_shared<int>(0);
    const RawLaunch bound(
        "saxpy", saxpy, owner, {.block = {128}}, std::vector<RawArgument>{0.5F, x, x, x, 100});
    const auto cpu_ns = [] {
        timespec now = {};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
    };
    const auto time = [&](const char* what, auto run) {
        constexpr int rounds = 2000000;
        const double start = cpu_ns();
        for (int k = 0; k < rounds; ++k) run();
        WARN(what << ": " << (cpu_ns() - start) / rounds << " ns");
    };
    const LaunchConfig config{.grid = {1}, .block = {128}};
    std::byte block[36] = {};
    time("the device's own part",
         [&] { saxpy.raw->launch(*saxpy.kernel, config, block, 36, nullptr, "saxpy"); });
    time("launch()", [&] { launch(saxpy, {.grid = {1}, .block = {128}}, 2.0F, x, x, x, 100); });
    time("launch() with numbers that convert",
         [&] { launch(saxpy, {.grid = {1}, .block = {128}}, 2.0, x, x, x, 100LL); });
    time("a bound launch", [&] { bound.launch(); });
}
