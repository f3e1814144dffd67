// SPDX-License-Identifier: MIT
#include <kgen/kgen.hpp>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/npy_files.hpp"
#include "support/rounds.hpp"
#include "support/sharded_arrays.hpp"
#include "support/sharded_trials.hpp"

using namespace kgen;
using test::ranks_on;

TEST_CASE("random work on sharded arrays gives what one array gives", "[shard][random]") {
    const test::WorkFolder folder;
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const Device device : test::present_devices()) {
        for (const int ranks : {1, 2, 4, 8}) {
            CAPTURE(to_text(device), ranks);
            test::ShardedTrials trials(ranks_on(device, ranks),
                                       seed + static_cast<unsigned>(ranks));
            CHECK(trials.run(is_sanitized || ranks == 8 ? 6 : 12, "trials.npy") == "good");
        }
    }
}

TEST_CASE("reductions over ranks give the same bits in every run", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Array values = sin(arange(100'003, float32) * 12.9898F) * 43758.5453F;
        const ShardedArray x = shard(values, Sharding::split(0), ranks_on(device, 4));
        const float first = gather(sum(x)).item<float>();
        for (int run = 0; run < 100; ++run) CHECK(gather(sum(x)).item<float>() == first);
    }
}

TEST_CASE("the text of an expression may have sharded arrays", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Array a = arange(12, float64).reshape(4, 3);
        const std::vector<ShardedVariable> variables = {
            {.name = "k", .number = 2},
            {.name = "x", .array = shard(a, Sharding::split(0), ranks_on(device, 3))}};
        const ShardedArray z = parse_expression("(x - x.max(axis=0)) * k + x", variables);
        CHECK(to_text(z.sharding()) == "split along axis 0 into (2, 1, 1)");
        CHECK(array_equal(gather(z), (a - max(a, axis(0))) * 2 + a));
    }
}

TEST_CASE("large results of reductions over ranks are folded by slices", "[shard]") {
    const ReductionKernel places("T x",
                                 "int64 y",
                                 "(long long)x + _J",
                                 "a + b",
                                 "y = a * 3 + _i + _out_ind.get()[1] * 1000 + _in_ind.size()",
                                 "0",
                                 "sliced_places",
                                 {.reduce_type = "long long"});
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Array values = arange(6 * 301 * 701, int32).reshape(6, 301, 701) % 1013;
        for (const int ranks : {2, 4}) {
            const ShardedArray x = shard(values, Sharding::split(0), ranks_on(device, ranks));
            CHECK(array_equal(gather(places(x, axis(0))), places(values, axis(0))));
            CHECK(array_equal(gather(places(x, axis(0), keepdims)),
                              places(values, axis(0), keepdims)));
        }
    }
}

TEST_CASE("a sharded array is assigned to another one, and converted", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 3);
        const ShardedArray x = shard(arange(7, float64), Sharding::split(0), ranks);
        const ShardedArray y = empty_sharded({7}, int16, Sharding::split(0), ranks);
        y.assign(x);
        CHECK(array_equal(gather(y), arange(7, int16)));
    }
}

TEST_CASE("captured work on sharded arrays is replayed, and a call on one rank can be bound",
          "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 2);
        const Sharding rows = Sharding::split(0);
        const ShardedArray x = shard(arange(10, float64), rows, ranks);
        const ShardedArray z = empty_sharded({10}, float64, rows, ranks);
        x += 1;  // compiles, which a capture may not
        z.assign(x * 2);
        ShardedArray total = sum(z);
        const Graph graph = capture(Stream::create(), [&] {
            x += 1;
            z.assign(x * 2);
            total = sum(z);
        });
        graph.launch();
        graph.launch();
        CHECK(array_equal(gather(z), (arange(10, float64) + 3) * 2));
        CHECK(gather(total).item<double>() == 150);

        const ElementwiseKernel add_index("T x", "T z", "z = x + i", "add_index");
        const ShardedArray y = shard(arange(4, float64), rows, ranks_on(device, 1));
        const BoundLaunch launch = add_index.bind(y, out(y));
        launch();
        launch();
        CHECK(array_equal(gather(y), arange(4, float64) * 3));
        CHECK(KGEN_MESSAGE_OF(ShapeError, add_index.bind(x, out(z))) ==
              "kernel 'add_index': bind: this process has 2 ranks, but a bound launch runs on one "
              "device; bind the kernel once for each rank, with its local() arrays");
        const ReductionKernel sum_all("T x", "T z", "x", "a + b", "z = a", "0", "sum_all");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum_all.bind(y)) ==
              "kernel 'sum_all': bind: the reduction along the split axis exchanges data between "
              "ranks, "
              "but a bound launch is one kernel; record the call in a Graph with capture()");
    }
}

TEST_CASE("texts of reductions over ranks see every type and number of the definition", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const Communicator ranks = ranks_on(device, 3);
        const Array a = arange(35, float32).reshape(7, 5);
        const ShardedArray x = shard(a, Sharding::split(0), ranks);
        const auto compare = [&](const ReductionKernel& kernel) {
            const ShardedArray y = empty_sharded({5}, float64, Sharding::replicated(), ranks);
            const Array expected = empty({5}, float64);
            kernel(x, axis(0), out(y));
            kernel(a, axis(0), out(expected));
            CHECK(array_equal(gather(y), expected));
        };
        compare({"T x", "U y", "U(x)", "a + b", "y = a", "U(0)", "type_of_output"});
        compare({"T x", "U y", "x", "a + b", "y = a", "0", "type_of_fold", {.reduce_type = "U"}});
        compare({"T x",
                 "U y",
                 "if (x > 3) return x; return T(0);",
                 "return a > b ? a : b;",
                 "y = a",
                 "0",
                 "of_statements"});
        const ReductionKernel more(
            "T x, T p, raw T q", "T y", "x * p", "a + b", "y = a + p + q[_i]", "0", "more");
        const Array q = arange(5, float32);
        CHECK(
            array_equal(gather(more(x, 2, replicate(q, ranks), axis(0))), more(a, 2, q, axis(0))));
    }
}

TEST_CASE("there may be more ranks than rows", "[shard]") {
    for (const Device device : test::present_devices()) {
        const DeviceScope scope(device);
        const ShardedArray x = shard(arange(2, float32), Sharding::split(0), ranks_on(device, 4));
        CHECK(x.local(3).shape() == Dims{0});
        CHECK(array_equal(gather(x * 2), array({0, 2}, float32)));
        CHECK(gather(max(x)).item<float>() == 1);
        CHECK(gather(argmax(x)).item<std::int64_t>() == 1);
    }
}

TEST_CASE("errors of calls with sharded arrays name the call that helps", "[shard]") {
    const Device host = Device::host();
    const DeviceScope scope(host);
    const Communicator ranks = ranks_on(host, 3);
    const Array a = arange(12, float32).reshape(4, 3);
    const ShardedArray rows = shard(a, Sharding::split(0), ranks);
    const ShardedArray columns = shard(a, Sharding::split(1), ranks);
    const ShardedArray all = replicate(a, ranks);
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const ElementwiseKernel pick("raw T x, T y", "T z", "z = x[i] + y", "pick");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "total");

    CHECK(
        KGEN_MESSAGE_OF(ShapeError, add(rows, columns)) ==
        "kernel 'add': argument 2 ('y') is split along axis 1 into (1, 1, 1), but argument 1 ('x') "
        "is split along axis 0 into (2, 1, 1); call reshard(y, Sharding::split(0)) first");
    const ShardedArray uneven = reshard(rows, Sharding::split(0, {0, 3, 1}));
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, add(uneven, rows)) ==
        "kernel 'add': argument 2 ('y') is split along axis 0 into (2, 1, 1), but argument 1 ('x') "
        "is split along axis 0 into (0, 3, 1); call reshard(y, Sharding::split(0, {0, 3, 1})) "
        "first");
    const ShardedArray row = shard(arange(3, float32), Sharding::split(0), ranks);
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, add(rows, row)) ==
        "kernel 'add': argument 2 ('y') is split along axis 0 into (1, 1, 1), but argument 1 ('x') "
        "is split along axis 0 into (2, 1, 1); call reshard(y, Sharding::replicated()) first");
    const ShardedArray one = shard(arange(3, float32).reshape(1, 3), Sharding::split(0), ranks);
    CHECK(KGEN_MESSAGE_OF(ShapeError, add(rows, one)) ==
          "kernel 'add': argument 2 ('y') of shape (1, 3) is split along axis 0 into (1, 0, 0), "
          "along "
          "which it is broadcast; call reshard(y, Sharding::replicated()) first");
    CHECK(KGEN_MESSAGE_OF(TypeError, pick(rows, rows)) ==
          "kernel 'pick': argument 1 ('x') is raw, so each element may read all of it, but it is "
          "split along axis 0 into (2, 1, 1); pass a replicated array, or call the kernel with the "
          "local() arrays");
    const ElementwiseKernel shift("T x", "T z", "z = _raw_x[(i + 1) % n]", "shift");
    const ReductionKernel all_of("T x", "T z", "_raw_x[i]", "a + b", "z = a", "0", "all_of");
    CHECK(
        KGEN_MESSAGE_OF(TypeError, shift(rows)) ==
        "kernel 'shift': its text reads any element of argument 1 ('x') as '_raw_x', but each rank "
        "has only a block; declare it raw and pass a replicated array, or call the kernel with the "
        "local() arrays");
    CHECK_THROWS_AS(all_of(columns, axis(0)), TypeError);
    CHECK(array_equal(gather(shift(all)), shift(a)));
    const ReductionKernel named("T _i, T _J", "T y", "_i + _J", "a + b", "y = a", "0", "named");
    CHECK(array_equal(gather(named(rows, 1, axis(1))), named(a, 1, axis(1))));
    CHECK(
        KGEN_MESSAGE_OF(TypeError, named(rows, 1)) ==
        "kernel 'named': a parameter is called '_i', which a reduction along the split axis needs "
        "for an index; give it another name");
    const ElementwiseKernel count("int32 x", "raw int32 z", "atomicAdd(&z[x], 1)", "count");
    const ShardedArray bins = replicate(zeros({9}, int32), ranks);
    CHECK(KGEN_MESSAGE_OF(TypeError,
                          count(shard(arange(9, int32), Sharding::split(0), ranks), out(bins))) ==
          "kernel 'count': output 1 ('z') is raw and written, so each rank would change its own "
          "copy; "
          "call the kernel with the local() arrays");
    CHECK(KGEN_MESSAGE_OF(TypeError, add(rows, a)) ==
          "kernel 'add': argument 2 ('y') is an Array, which one rank has, beside arrays that all "
          "ranks share; make it a ShardedArray with shard() or replicate()");
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, add(rows, rows, out(all))) ==
        "kernel 'add': output 1 ('z') is replicated, but what is written to it is split along axis "
        "0 into (2, 1, 1); give an array that is divided so, made with empty_sharded(shape, dtype, "
        "Sharding::split(0), communicator)");
    CHECK(KGEN_MESSAGE_OF(TypeError, add(rows, rows, on(Stream::legacy(Device::cuda(1))))) ==
          "kernel 'add': the stream is on cuda:1, but rank 0 is on host; without on(stream) a call "
          "with sharded arrays runs on the current stream of each rank's device, which StreamScope "
          "chooses");
    CHECK(array_equal(gather(add(rows, rows, on(Stream::legacy(host)))), a * 2));
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, add(rows, shard(a, Sharding::split(0), ranks_on(host, 3)))) ==
        "kernel 'add': its sharded arrays belong to different communicators; gather() one of them, "
        "and shard() it in the other's communicator");
    CHECK(KGEN_MESSAGE_OF(ShapeError, sum(rows, axis(2))) ==
          "kernel 'total': axis 2 is out of range: the inputs have shape (4, 3), expected -2 to 1");
    CHECK(
        KGEN_MESSAGE_OF(TypeError, Array(rows + 1)) ==
        "the arrays of the expression are sharded, so its result is a ShardedArray: declare it as "
        "one, call compute_sharded(), or pass the expression to gather()");
    CHECK(
        KGEN_MESSAGE_OF(TypeError, ShardedArray(rows + a)) ==
        "the expression has an Array, which one rank has, beside arrays that all ranks share; make "
        "it a ShardedArray with shard() or replicate()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, rows.local(3)) ==
          "rank 3 does not exist; the communicator has the ranks 0 to 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, all.block_start(0)) ==
          "a replicated array is not split, so it has no split axis");
    CHECK(KGEN_MESSAGE_OF(ShapeError, shard(a, Sharding::split(2), ranks)) ==
          "axis 2 does not exist, so an array of shape (4, 3) is not split along it");
    CHECK(KGEN_MESSAGE_OF(ShapeError, shard(a, Sharding::split(0, {1, 2}), ranks)) ==
          "a split into 2 blocks is given for 3 ranks; give one block for each rank");
    CHECK(KGEN_MESSAGE_OF(ShapeError, shard(a, Sharding::split(0, {1, 2, 2}), ranks)) ==
          "the blocks (1, 2, 2) do not add up to 4, the extent of axis 0 of shape (4, 3)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, exchange_halo(rows)) ==
          "exchange_halo: the array has no halo; make it with empty_sharded(..., halo)");
    const ShardedArray halo = empty_sharded({4, 3}, float32, Sharding::split(0), ranks, 2);
    CHECK(KGEN_MESSAGE_OF(ShapeError, exchange_halo(halo)) ==
          "exchange_halo: the halo has 2 elements, but the array is split along axis 0 into "
          "(2, 1, 1); each block needs at least as many elements as the halo");
    CHECK(KGEN_MESSAGE_OF(ShapeError, gather(rows, 3)) ==
          "gather: rank 3 does not exist; the communicator has the ranks 0 to 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, gather(ShardedArray())) ==
          "a ShardedArray that has no array was used");
    const std::vector<Array> blocks = {
        arange(3, float32), arange(3, float32).reshape(1, 3), arange(2, float32)};
    CHECK(KGEN_MESSAGE_OF(ShapeError, join_blocks(blocks, 0, ranks)) ==
          "join_blocks: the block of rank 1 is float32 of shape (1, 3), and that of rank 0 is "
          "float32 "
          "of shape (3,); blocks that are joined along axis 0 may differ only there");
}
