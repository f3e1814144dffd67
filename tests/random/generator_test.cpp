// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string source_of(const ElementwiseKernel& kernel, DeviceKind kind) {
    const Argument arguments[] = {ArraySpec{.dtype = float32, .shape = {100}}};
    const Device device = kind == DeviceKind::cuda ? Device::cuda(0) : Device::host();
    return kernel.explain(arguments, {}, {.device = device}).source;
}

}  // namespace

TEST_CASE("a generator draws new numbers in each call", "[random]") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        Generator rng(42);
        const Array first = rng.uniform({100}), second = rng.uniform({100});
        CHECK(first.device() == device);
        CHECK(first.dtype() == float64);
        CHECK_FALSE(array_equal(first, second));
        CHECK(rng.draws() == 2);
        Generator copy = rng;
        CHECK(array_equal(copy.normal({100}), rng.normal({100})));
        CHECK(array_equal(Generator(42, 1).uniform({100}), second));
        CHECK(copy.seed() == 42);
        copy = Generator(43);
        CHECK_FALSE(array_equal(copy.uniform({100}), first));
        // A fork depends on the seed alone, and may be forked.
        CHECK(Generator(42).fork(3).seed() == rng.fork(3).seed());
        CHECK(rng.fork(3).draws() == 0);
        const std::set<std::uint64_t> seeds = {42,
                                               rng.fork(0).seed(),
                                               rng.fork(1).seed(),
                                               rng.fork(0).fork(0).seed(),
                                               rng.fork(0).fork(1).seed(),
                                               rng.fork(1).fork(0).seed()};
        CHECK(seeds.size() == 6);
    }
}

TEST_CASE("a draw is like an array", "[random]") {
    for (const Device device : present_devices()) {
        const auto of = [&](DType dtype) { return zeros({2, 3}, dtype, {.device = device}); };
        Generator rng(1);
        const Array half = rng.normal(like(of(float16)));
        CHECK(half.dtype() == float16);
        CHECK(half.shape() == Dims{2, 3});
        CHECK(half.device() == device);
        CHECK(rng.uniform(like(of(int32))).dtype() == float64);
        CHECK(rng.exponential(2, like(of(float32))).dtype() == float32);
        CHECK(rng.integers(0, 5, like(of(uint8))).dtype() == uint8);
        CHECK(rng.integers(0, 5, like(of(float32))).dtype() == int64);
        CHECK(rng.bernoulli(0.5, like(of(float32))).dtype() == bool_);
        CHECK(rng.integers(0, 5, {4}, int8).shape() == Dims{4});
    }
}

TEST_CASE("draws join the statement in which they stand", "[random]") {
    const DeviceScope scope(Device::host());
    Generator rng(42);
    const Array x = zeros({30, 40}, float32);
    const auto kernels = [](Expression&& expression) {
        return explain(std::move(expression)).size();
    };
    CHECK(kernels(rng.uniform({10})) == 1);
    CHECK(kernels(x + 0.1 * rng.normal(like(x))) == 1);
    CHECK(kernels(rng.uniform({5, 5}) * 2 + rng.normal({5, 5})) == 1);
    CHECK(kernels(sum(rng.uniform({10, 10}), axis(1))) == 1);
    CHECK(kernels(4.0 * mean(square(rng.uniform({1000})) + square(rng.uniform({1000})) < 1.0)) ==
          1);
    CHECK(kernels(where(rng.bernoulli(0.5, like(x)), x * 2, 0)) == 1);
    CHECK(kernels(sum(x, axis(1)) + rng.normal({30}, float32)) == 2);
    // Numbers of another shape are drawn first.
    const std::vector<Explanation> apart = explain(x + rng.normal({40}, float32));
    REQUIRE(apart.size() == 2);
    CHECK(apart[0].part ==
          "normal(shape, x1, x2, x3, x4), because 'normal' runs as a kernel of its own");
    // The seed and the number of the draw are arguments: other ones need no other kernel.
    const std::string request = explain(x + Generator(1, 5).normal(like(x)))[0].request;
    CHECK(explain(x + Generator(2, 6).normal(like(x)))[0].request == request);
}

TEST_CASE("the text of random numbers is a part of kernels that use it", "[random]") {
    const std::string marker = "kgen_philox";
    for (const DeviceKind kind : {DeviceKind::host, DeviceKind::cuda}) {
        const auto has = [&](const ElementwiseKernel& kernel) {
            return source_of(kernel, kind).find(marker) != std::string::npos;
        };
        CHECK_FALSE(has(ElementwiseKernel("T x", "T y", "y = x + i", "none")));
        CHECK(has(ElementwiseKernel("T x", "T y", "y = x + random_uniform<T>(1, i)", "body")));
        CHECK(has(ElementwiseKernel("T x",
                                    "T y",
                                    "y = noise(x, i)",
                                    "preamble",
                                    {.preamble = "__device__ float noise(float x, long long i) { "
                                                 "return x * random_normal(1, i); }"})));
    }
}

TEST_CASE("the user's own functions of these names are the user's", "[random]") {
    for (const Device device : present_devices()) {
        const Array x = full({3}, 2, float32, {.device = device});
        const ElementwiseKernel own(
            "T x",
            "T y",
            "y = random_uniform(x) + 0 * random_normal(1, i)",
            "own",
            {.preamble = "__device__ float random_uniform(float x) { return 3 * x; }"});
        CHECK(Array(own(x)).to_vector<float>() == std::vector<float>(3, 6));
        const ElementwiseKernel parameter(
            "T random_bits", "T y", "y = random_bits + 1", "parameter");
        CHECK(Array(parameter(x)).to_vector<float>() == std::vector<float>(3, 3));
        const ElementwiseKernel macro("T x",
                                      "T y",
                                      "y = random_normal(x)",
                                      "macro",
                                      {.options = {"-Drandom_normal(x)=(5*(x))"}});
        CHECK(Array(macro(x)).to_vector<float>() == std::vector<float>(3, 10));
    }
}

TEST_CASE("mistakes with random numbers are explained", "[random]") {
    const DeviceScope scope(Device::host());
    Generator rng(1);
    CHECK(KGEN_MESSAGE_OF(TypeError, rng.uniform({3}, int32)) ==
          "uniform: the dtype is int32, expected float16, bfloat16, float32 or float64");
    CHECK(KGEN_MESSAGE_OF(TypeError, rng.normal({3}, complex64)) ==
          "normal: the dtype is complex64, expected float16, bfloat16, float32 or float64");
    CHECK(KGEN_MESSAGE_OF(TypeError, rng.integers(0, 3, {3}, float32)) ==
          "integers: the dtype is float32, expected an integer dtype");
    CHECK(KGEN_MESSAGE_OF(TypeError, rng.integers(0, 300, {3}, uint8)) ==
          "integers: 299 does not fit uint8 (0 to 255)");
    CHECK(KGEN_MESSAGE_OF(Error, rng.integers(3, 3, {3})) ==
          "integers: no integer is from 3 to below 3");
    CHECK(KGEN_MESSAGE_OF(Error, rng.bernoulli(1.5, {3})) ==
          "bernoulli: the probability is 1.5, expected 0 to 1");
    CHECK(KGEN_MESSAGE_OF(Error, rng.bernoulli(std::nan(""), {3})) ==
          "bernoulli: the probability is nan, expected 0 to 1");
    CHECK(KGEN_MESSAGE_OF(Error, rng.normal(0, -1, {3})) ==
          "normal: the standard deviation is -1, expected 0 or more");
    CHECK(KGEN_MESSAGE_OF(Error, rng.exponential(-2, {3})) ==
          "exponential: the scale is -2, expected 0 or more");
    CHECK(KGEN_MESSAGE_OF(Error, rng.uniform(0, INFINITY, {3})) ==
          "uniform: high - low is inf, expected a finite number");
    CHECK(KGEN_MESSAGE_OF(ShapeError, rng.uniform({3, -1})) ==
          "shape (3, -1): the extent of axis 1 is negative: -1");
    CHECK(rng.draws() == 0);
    CHECK(KGEN_MESSAGE_OF(Error, Generator(1, (std::uint64_t{1} << 56) + 1)) ==
          "Generator: 72057594037927937 draws, expected at most 2^56");
    CHECK(KGEN_MESSAGE_OF(Error, Generator(1, std::uint64_t{1} << 56).uniform({3})) ==
          "the generator has made 2^56 draws; use fork()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, (zeros({4}) + rng.uniform({3})).compute()) ==
          "operator '+': x0 has the shape (4,) and uniform(shape, x1, x2, x3, x4) has (3,), which "
          "do not broadcast\n"
          "  x0 + uniform(shape, x1, x2, x3, x4)\n     ^");
    CHECK(KGEN_MESSAGE_OF(TypeError,
                          trace("noisy", [](Value x) { return x + Generator(1).normal({3}); })) ==
          "trace 'noisy': the function draws random numbers of a Generator, which would be the "
          "same in every call; write an "
          "ElementwiseKernel that calls random_normal(seed, i) or a function like it");
    const ElementwiseKernel wrong("T x", "T y", "y = random_uniform<T>(1, i)", "wrong");
    CHECK_THROWS_WITH(wrong(zeros({3}, int32)),
                      Catch::Matchers::Contains(
                          "random_uniform<T>: T must be float, double, float16 or bfloat16"));
}

TEST_CASE("threads that share a generator draw different numbers", "[random]") {
    Generator rng(42);
    std::vector<std::thread> threads;
    std::vector<std::vector<double>> drawn(4);
    for (std::vector<double>& each : drawn) {
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                const Array number = rng.uniform({1});
                each.push_back(number.item<double>());
            }
        });
    }
    for (std::thread& each : threads) each.join();
    std::set<double> all, expected;
    for (const auto& each : drawn) all.insert(each.begin(), each.end());
    for (std::uint64_t k = 0; k < 80; ++k)
        expected.insert(Array(Generator(42, k).uniform({1})).item<double>());
    CHECK(all == expected);
}

TEST_CASE("sharded arrays have the numbers of the whole", "[random][shard]") {
    const ElementwiseKernel noise("T x", "T y", "y = x + random_normal<T>(7, i)", "noise");
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array x = arange(101 * 6, float32).reshape(101, 6);
        const Communicator ranks = Communicator::of_devices(std::vector<Device>(3, device));
        const ShardedArray split = shard(x, Sharding::split(0), ranks);
        CHECK(array_equal(gather(noise(split)), noise(x)));
        const ShardedArray sum_of = split + Generator(5).normal(like(split));
        CHECK(array_equal(gather(sum_of), x + Generator(5).normal(like(x))));
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, ShardedArray(split + Generator(5).normal({6}, float32))) ==
            "random numbers in an expression of sharded arrays need the shape of these: write "
            "like(x)\n"
            "  x0 + normal(shape, x1, x2, x3, x4)");
    }
    CHECK(KGEN_MESSAGE_OF(TypeError, ShardedArray(Generator(5).normal({6}))) ==
          "the expression has no ShardedArray, so it is not known how to divide its result; "
          "compute an Array, and shard() it");
}

TEST_CASE("bound draws and outputs", "[random]") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        Array z = empty({50}, float32);
        const BoundLaunch step = bind(Generator(3).uniform({50}, float32), out(z));
        step();
        CHECK(array_equal(z, Generator(3).uniform({50}, float32)));
        const Stream stream = Stream::create(device);
        const Array other = compute(Generator(3).uniform({50}, float32), on(stream));
        stream.synchronize();
        CHECK(array_equal(z, other));
        auto [a, b] = compute(Generator(3).uniform({50}, float32), Generator(4).normal({50}));
        CHECK(array_equal(a, z));
        CHECK(array_equal(b, Generator(4).normal({50})));
        CHECK(Generator(3).uniform({50}, float32).shape() == Dims{50});
    }
}
