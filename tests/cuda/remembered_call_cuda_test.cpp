// SPDX-License-Identifier: MIT
//
// The driver calls that repeated and bound calls make, recorded by the fake driver (support/fake_cuda.hpp).
// Each hidden test case runs in a process of its own, which has its own fake driver.
#include <cuda.h>

#include <cstring>
#include <kgen/kgen.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "memory/storage.hpp"
#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using kgen::test::allocations_of;

TEST_CASE("a repeated call passes the addresses and numbers of now", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
    std::vector<Array> arrays;
    for (int k = 0; k < 6; ++k) arrays.push_back(empty({300}, float64));
    for (std::size_t k = 0; k + 2 < arrays.size(); ++k) {
        const double a = 0.5 + static_cast<double>(k);
        std::int64_t allocations =
            allocations_of([&] { axpy(a, arrays[k], arrays[k + 1], out(arrays[k + 2])); });
        if (k > 0) CHECK(allocations == 0);
        for (std::size_t j = 0; j < arrays.size(); ++j)
            CHECK(driver.was_given(arrays[j].data()) == (j >= k && j <= k + 2));
        void* number = nullptr;
        std::memcpy(&number, &a, sizeof number);
        CHECK(driver.was_given(number));
    }
    // An input that is walked backward, so the address passed may be that of either end, and a raw parameter.
    const ElementwiseKernel pick("T x, raw T y", "T z", "z = x + y[0]", "pick");
    for (int round = 0; round < 3; ++round) {
        const auto k = static_cast<std::size_t>(round);
        auto* last = static_cast<double*>(arrays[k].data()) + 299;
        const Array backward =
            Array::view(last, float64, {300}, {.device = Device::cuda(0), .strides = Dims{-8}});
        pick(backward, arrays[k + 1], out(arrays[k + 2]));
        CHECK((driver.was_given(last) || driver.was_given(arrays[k].data())));
        CHECK(driver.was_given(arrays[k + 1].data()));
        CHECK(driver.was_given(arrays[k + 2].data()));
    }
    report("ok");
}

TEST_CASE("an address of another alignment is another call", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
    const Array block = empty({1000}, float32);
    const Array z = empty({512}, float32);
    const auto shape_of_launch = [&](std::int64_t begin) {
        const std::vector<Argument> arguments = {block.slice({{begin, begin + 512}})};
        add.call(arguments, {.outputs = {z}});
        const NativeLaunch first = add.bind_arguments(arguments, {.outputs = {z}}).native();
        CHECK(driver.fake.record().grid == first.grid);
        CHECK(driver.was_given(arguments[0].array()->data()));
        return std::make_pair(first.function, first.grid);
    };
    // A repeated call chooses the same function and grid as the first call of a new kernel object.
    for (const std::int64_t begin : {0, 1, 4, 3, 0, 1, 2, 8}) {
        const ElementwiseKernel other("T x", "T z", "z = x + 1", "add_one");
        const NativeLaunch expected =
            other.bind(block.slice({{begin, begin + 512}}), out(z)).native();
        CHECK(shape_of_launch(begin) == std::make_pair(expected.function, expected.grid));
    }
    CHECK(shape_of_launch(0).first != shape_of_launch(1).first);
    CHECK(shape_of_launch(0).first == shape_of_launch(4).first);
    report("ok");
}

TEST_CASE("a repeated call goes to the stream and device and has the block of now", "[cuda]") {
    if (!in_new_process("2")) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
    const Stream stream = Stream::create(Device::cuda(0));
    const Array x = empty({100}, float32);
    const Array z = empty({100}, float32);
    const Array far = empty({100}, float32, {Device::cuda(1)});
    const Array far_z = empty({100}, float32, {Device::cuda(1)});
    const ElementwiseKernel fill("T a", "T z", "z = a", "fill");
    const auto context = [&] { return driver.fake.record().context; };
    for (int round = 0; round < 3; ++round) {
        add(x, out(z));
        CHECK(driver.fake.record().stream == nullptr);
        const void* const near = context();
        add(x, out(z), on(stream));
        CHECK(driver.fake.record().stream == stream.handle());
        add(x, out(z));
        const unsigned own_choice = driver.fake.record().block;
        for (const unsigned threads : {96u, 160u}) {
            add(x, out(z), block_size(static_cast<int>(threads)));
            CHECK(driver.fake.record().block == threads);
        }
        add(x, out(z));
        CHECK(driver.fake.record().block == own_choice);
        CHECK(driver.fake.record().stream == nullptr);
        {
            const StreamScope scope(stream);
            add(x, out(z));
            CHECK(driver.fake.record().stream == stream.handle());
            add(far, out(far_z));
            CHECK(driver.fake.record().stream == nullptr);
            CHECK(context() != near);
            CHECK(driver.was_given(far.data()));
        }
        add(far, out(far_z));
        add(x, out(z));
        CHECK(driver.fake.record().stream == nullptr);
        CHECK(context() == near);
        // If no argument is an array, the current device decides.
        for (const Device device : {Device::cuda(0), Device::cuda(1)}) {
            const DeviceScope scope(device);
            CHECK(fill(round, size(8)).device() == device);
        }
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, add(x, out(far_z))) ==
            "kernel 'add_one': argument 1 ('x') is on cuda:0 but output 1 ('z') is on cuda:1; move "
            "one of them with to()");
    }
    report("ok");
}

TEST_CASE("memory waits for the streams of repeated and bound calls", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
    const Stream stream = Stream::create();
    const Array z = empty({100}, float32);
    const auto waits = [&] { return driver.fake.calls("cuStreamWaitEvent"); };
    add(empty({100}, float32), out(z), on(stream));
    for (int round = 0; round < 3; ++round) {
        std::optional<Array> x = empty({100}, float32);
        const int before = waits();
        add(*x, out(z), on(stream));
        CHECK(waits() == before);
        x.reset();  // its home stream waits for the last use, on the other stream
        CHECK(waits() == before + 1);
        x = empty({100}, float32);
        add(*x, out(z));
        x.reset();
        CHECK(waits() == before + 1);
        x = empty({100}, float32);
        std::optional<BoundLaunch> launch = add.bind(*x, out(z), on(stream));
        x.reset();
        (*launch)();
        CHECK(waits() == before + 1);
        launch.reset();
        CHECK(waits() == before + 2);
        launch = add.bind(empty({100}, float32), out(z), on(stream));
        launch.reset();  // it was never launched
        CHECK(waits() == before + 2);
    }
    report("ok");
}

TEST_CASE("what a repeated call allocates under capture stays the graph's", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
    const StreamScope scope(Stream::create());
    const Array x = empty({100}, float32);
    const void* before = add(x).data();
    CHECK(add(x).data() == before);  // the freed block is reused
    driver.fake.record().is_capturing = true;
    std::set<const void*> captured;
    for (int round = 0; round < 3; ++round) captured.insert(add(x).data());
    CHECK(captured.size() == 3);
    CHECK(captured.count(before) == 0);
    driver.fake.record().is_capturing = false;
    const Array first = add(x);
    const Array second = add(x);
    CHECK(captured.count(first.data()) == 0);
    CHECK(captured.count(second.data()) == 0);
    CHECK(first.data() == before);
    report("ok");
}

TEST_CASE("failures of the driver are told by repeated calls as by first ones", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x", "T z", "z = x + 1", "add_one");
    const Array x = empty({100}, float32);
    const Array z = empty({100}, float32);
    add(x, out(z));
    const BoundLaunch bound = add.bind(x, out(z));
    {
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:1");
        const ElementwiseKernel fresh("T x", "T z", "z = x + 1", "add_one");
        const std::string message = KGEN_MESSAGE_OF(DeviceError, fresh(x, out(z)));
        CHECK(message.find("kernel 'add_one' on cuda:0, grid 1, ") == 0);
        CHECK(KGEN_MESSAGE_OF(DeviceError, add(x, out(z))) == message);
        CHECK(KGEN_MESSAGE_OF(DeviceError, bound()) == message);
    }
    static_cast<void>(add(x));
    {
        // `held` takes the block that the call above freed, so the next call must allocate a new one.
        const ScopedVariable fail("FAKE_CUDA_FAIL", "cuMemAllocFromPoolAsync:2");
        const Array held = add(x);
        const std::string message = KGEN_MESSAGE_OF(DeviceError, add(x));
        CHECK(
            message ==
            "cuda:0: out of memory: cannot allocate 400 bytes (0.0 GiB); 2.0 of 80.0 GiB are free");
    }
    add(x, out(z));
    const ScopedVariable fail("FAKE_CUDA_FAIL", "cuLaunchKernel:700");
    const std::string lost = KGEN_MESSAGE_OF(DeviceError, add(x, out(z)));
    CHECK(lost.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos);
    CHECK(KGEN_MESSAGE_OF(DeviceError, add(x, out(z))) == lost);
    CHECK(KGEN_MESSAGE_OF(DeviceError, bound()) == lost);
    report("ok");
}

TEST_CASE("a bound launch shows what it gives to the driver", "[cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const Stream stream = Stream::create();
    const Array x = empty({100000}, float32);
    const Array z = empty({100000}, float32);
    const BoundLaunch bound = add.bind(x, 2, out(z), on(stream), block_size(128));
    const int launches = driver.fake.calls("cuLaunchKernel");
    bound();
    CHECK(driver.fake.calls("cuLaunchKernel") == launches + 1);
    const NativeLaunch native = bound.native();
    const FakeCudaRecord& record = driver.fake.record();
    CHECK(native.function != nullptr);
    CHECK(native.grid == record.grid);
    CHECK(native.block == 128);
    CHECK(record.block == 128);
    CHECK(native.shared_bytes == record.shared_bytes);
    CHECK(native.stream == stream.handle());
    CHECK(record.stream == stream.handle());
    REQUIRE(native.parameter_bytes == record.parameters_bytes);
    CHECK(std::memcmp(native.parameters, record.parameters, native.parameter_bytes) == 0);
    CHECK(driver.was_given(x.data()));
    CHECK(allocations_of([&] { bound(); }) == 0);

    const BoundLaunch nothing = add.bind(empty({0}, float32), 2);
    nothing();
    CHECK(driver.fake.calls("cuLaunchKernel") == launches + 2);
    CHECK(nothing.native().function == nullptr);
    CHECK(nothing.native().grid == 0);
    report("ok");
}
