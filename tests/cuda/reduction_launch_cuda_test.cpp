// SPDX-License-Identifier: MIT
//
// The scratch memory that launches of reductions get, with a fake driver that counts the calls. Each hidden
// test case runs in its own process, which has its own driver.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <optional>
#include <string>

#include "device/registry.hpp"
#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/fresh_driver.hpp"

using namespace kgen;
using kgen::test::allocations_of;

namespace {

// Returns an array that is so large that many blocks fold it.
Array many(std::int64_t count = std::int64_t{1} << 22) {
    return empty({count}, float32);
}

ReductionKernel sum_kernel(const ReductionOptions& options = {}) {
    return {"T x", "T y", "x", "a + b", "y = a", "0", "sum", options};
}

}  // namespace

TEST_CASE("each launch of a reduction gets the scratch memory of its stream", "[cuda][reduction]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Backend& device = backend(Device::cuda(0));
    const ReductionKernel sum = sum_kernel();
    const Array x = many();
    const Array y = empty({}, float32);
    const Stream stream = Stream::create();
    const auto gets_memory_of = [&](const Stream& which) {
        const Scratch scratch = device.scratch(1, 16, which.handle());
        return driver.was_given(scratch.counters);
    };
    for (int round = 0; round < 3; ++round) {
        const std::int64_t allocations = allocations_of([&] { sum(x, out(y)); });
        if (round > 0) CHECK(allocations == 0);
        CHECK(gets_memory_of(Stream::legacy(Device::cuda(0))));
        CHECK_FALSE(gets_memory_of(stream));
        sum(x, out(y), on(stream));
        CHECK(gets_memory_of(stream));
        CHECK_FALSE(gets_memory_of(Stream::legacy(Device::cuda(0))));
    }
    report("ok");
}

TEST_CASE("a bound reduction owns its scratch memory", "[cuda][reduction]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel sum = sum_kernel();
    const Array x = many();
    const Array y = empty({}, float32);
    sum(x, out(y));
    const int fills = driver.fake.calls("cuMemsetD8Async");
    std::optional<BoundLaunch> bound = sum.bind(x, out(y));
    CHECK(driver.fake.calls("cuMemsetD8Async") == fills + 1);
    CHECK(driver.fake.record().last_fill >= sizeof(std::uint32_t));
    (*bound)();
    const Scratch shared = backend(Device::cuda(0)).scratch(1, 16, nullptr);
    CHECK_FALSE(driver.was_given(shared.counters));
    CHECK_FALSE(driver.was_given(shared.partials));
    const BoundLaunch other = sum.bind(x, out(y));
    const NativeLaunch first = bound->native();
    const NativeLaunch second = other.native();
    REQUIRE(first.parameter_bytes == second.parameter_bytes);
    CHECK(std::memcmp(first.parameters, second.parameters, first.parameter_bytes) != 0);
    CHECK(driver.fake.calls("cuMemsetD8Async") == fills + 2);
    CHECK(allocations_of([&] { (*bound)(); }) == 0);
    CHECK(driver.fake.calls("cuMemsetD8Async") == fills + 2);
    // Rows that a team folds need no scratch memory.
    static_cast<void>(sum.bind(empty({100, 100}, float32), axis(1)));
    CHECK(driver.fake.calls("cuMemsetD8Async") == fills + 2);
    report("ok");
}

TEST_CASE("scratch memory is as large as the user's accumulators", "[cuda][reduction]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const Array x = many();
    const auto bytes_of = [&](const ReductionOptions& options) {
        const ReductionKernel sum = sum_kernel(options);
        const BoundLaunch bound = sum.bind(x);
        // All of it is zeroed. An accumulator takes a multiple of 8 bytes, and the memory a multiple of 256.
        return driver.fake.record().last_fill;
    };
    const std::size_t plain = bytes_of({});
    REQUIRE(plain >= 1024);
    CHECK(bytes_of({.accuracy = Accuracy::compensated}) + 256 > 2 * plain);
    CHECK(bytes_of({.reduce_type = "double"}) + 256 > 2 * plain);
    report("ok");
}

TEST_CASE("a reduction without memory for its scratch is refused and can be repeated",
          "[cuda][reduction]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    const ReductionKernel sum("T x",
                              "T y",
                              "wide{x}",
                              "a",
                              "y = a.at[0]",
                              "",
                              "sum",
                              {.reduce_type = "wide", .preamble = "struct wide { T at[64]; };"});
    const Array x = many();
    const Array y = empty({}, float32);
    FakeCudaRecord& record = driver.fake.record();
    record.memory_bytes = record.live_bytes + 1000;
    const std::string message = KGEN_MESSAGE_OF(DeviceError, sum(x, out(y)));
    INFO(message);
    CHECK(message.find("cuda:0: out of memory: cannot allocate ") == 0);
    CHECK(message.find(" of scratch memory for a reduction") != std::string::npos);
    const int launches = driver.fake.calls("cuLaunchKernel");
    CHECK(KGEN_MESSAGE_OF(DeviceError, sum(x, out(y))) == message);
    CHECK(KGEN_MESSAGE_OF(DeviceError, sum.bind(x, out(y))).find("out of memory") !=
          std::string::npos);
    CHECK(driver.fake.calls("cuLaunchKernel") == launches);
    record.memory_bytes = SIZE_MAX;
    sum(x, out(y));
    CHECK(driver.fake.calls("cuLaunchKernel") == launches + 1);
    report("ok");
}
