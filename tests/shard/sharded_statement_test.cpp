// SPDX-License-Identifier: MIT
//
// Statements of sharded arrays with outputs, streams and several results, and without a compiler.
#include <kgen/kgen.hpp>
#include <vector>

#include "image/compile_settings.hpp"
#include "support/catch.hpp"
#include "support/compile_count.hpp"
#include "support/devices.hpp"
#include "support/sharded_arrays.hpp"

using namespace kgen;
using test::ranks_on;

TEST_CASE("compute() writes statements of sharded arrays to outputs, on a stream", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 3);
        const Sharding rows = Sharding::split(0);
        const Array a = arange(20, float32).reshape(5, 4);
        const ShardedArray x = shard(a, rows, ranks);
        const ShardedArray y = shard(a * 2, rows, ranks);
        const ShardedArray z = empty_sharded({5, 4}, float32, rows, ranks);
        const ShardedArray w = empty_sharded({5, 4}, float64, rows, ranks);
        const ShardedArray total = empty_sharded({4}, float32, Sharding::replicated(), ranks);
        const Stream stream = Stream::create(device);
        synchronize();

        const ShardedArray given = compute(x * y, out(z));
        CHECK(given.local().data() == z.local().data());
        CHECK(array_equal(gather(z), a * a * 2));
        synchronize();
        compute(z + x, x - y, out(z), out(w), on(stream));  // one kernel, which reads an output
        stream.synchronize();
        CHECK(array_equal(gather(z), a * a * 2 + a));
        CHECK(array_equal(gather(w), a.astype(float64) * -1));
        compute(sum(x * y, axis(0)), y - x, out(total), out(z));  // several kernels
        CHECK(array_equal(gather(total), sum(a * a * 2, axis(0))));
        CHECK(array_equal(gather(z), a));
        compute(z - max(z), out(z));
        CHECK(array_equal(gather(z), a - 19));
    }
}

TEST_CASE("compute_sharded() returns several results", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 3);
        const Array a = arange(7, int32);
        const ShardedArray x = shard(a, Sharding::split(0), ranks);
        const auto [low, high] = compute_sharded(minimum(x, 3), maximum(x, 3));
        CHECK(array_equal(gather(low), minimum(a, 3)));
        CHECK(array_equal(gather(high), maximum(a, 3)));
        const auto [twice, total] = compute_sharded(x * 2, sum(x), on(Stream::legacy(device)));
        CHECK(array_equal(gather(twice), a * 2));
        CHECK(gather(total).item<std::int64_t>() == 21);
        CHECK(array_equal(gather(compute_sharded(x + 1)), a + 1));
    }
}

TEST_CASE(
    "where nothing can be compiled, statements of sharded arrays run by the library's kernels",
    "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 2);
        const Array a = linspace(-1, 1, 24, float32).reshape(4, 6);
        const ShardedArray x = shard(a, Sharding::split(0), ranks);
        const auto library = [](const char* name, auto&&... arguments) {
            return kernel_template(name)(arguments...);
        };
        // These calls put the library's kernels into the cache, those of blocks among them.
        const auto expected = [&](const auto& each) {
            return library("max",
                           library("tanh", library("add", library("multiply", each, each), 0.375)),
                           axis(1));
        };
        const Array whole = expected(a);
        const ShardedArray blocks = expected(x);
        CHECK(array_equal(gather(blocks), whole));
        const Array ones = ones_like(whole);
        const ShardedArray z = shard(ones, Sharding::split(0), ranks);
        {
            const CompileModeScope never(CompileMode::never);
            z.assign(max(tanh(x * x + 0.375), axis(1)));
            // A reduction over ranks has kernels of its own, which no pack has.
            CHECK(KGEN_MESSAGE_OF(CompileError, compute_sharded(prod(x)))
                      .find("KGEN_COMPILE=never") != std::string::npos);
        }
        CHECK(array_equal(gather(z), whole));
    }
}

TEST_CASE("errors of compute() with sharded arrays say what to give", "[shard]") {
    const DeviceScope scope(Device::host());
    const Communicator ranks = ranks_on(Device::host(), 3);
    const ShardedArray x = shard(arange(6, float32), Sharding::split(0), ranks);
    const ShardedArray all = replicate(arange(6, float32), ranks);
    CHECK(KGEN_MESSAGE_OF(TypeError, compute(x + 1, x + 2, out(x))) ==
          "compute: 1 outputs are given for 2 expressions; give one for each, or none");
    CHECK(KGEN_MESSAGE_OF(TypeError, compute_sharded(x + 1, on(Stream::legacy(Device::cuda(0))))) ==
          "compute_sharded: the stream is on cuda:0, but rank 0 is on host; without on(stream) a "
          "call with sharded arrays runs on the current stream of each rank's device, which "
          "StreamScope chooses");
    CHECK(KGEN_MESSAGE_OF(ShapeError, compute(x + 1, out(all)))
              .find("'z') is replicated, but what is written to it is split along axis 0 into "
                    "(2, 2, 2); give an array that is divided so") != std::string::npos);
    CHECK(
        KGEN_MESSAGE_OF(TypeError, compute_sharded(arange(3, float32) + 1)) ==
        "the expression has an Array, which one rank has, beside arrays that all ranks share; make "
        "it a ShardedArray with shard() or replicate()");
}
