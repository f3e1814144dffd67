// SPDX-License-Identifier: MIT
//
// Random numbers in row kernels. Separate kernels draw the same numbers, bit for bit. Reductions of small integers are exact,
// so results that depend on them can be compared exactly.
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "dtype/strides.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::indexing;
using kgen::test::present_devices;

namespace {

// An array of small integers whose axes lie in memory in an order of that number, as a part of a larger one.
Array laid_out(const Dims& shape, DType dtype, Device device, int order, std::mt19937_64& random) {
    std::vector<float> values;
    for (std::int64_t k = 0; k < extent_product(shape); ++k)
        values.push_back(static_cast<float>(static_cast<int>(random() % 19) - 9));
    const Array x = from_host(values.data(), float32, shape, {.device = device}).astype(dtype);
    if (order == 0) return x;
    if (order == 1) return x.transpose().copy().transpose();
    Dims larger = shape;
    larger[shape.rank() - 1] += 3;
    const Array room = zeros(larger, dtype, {.device = device});
    const std::int64_t first = order - 1;
    const Array part = room[{ellipsis, s(first, first + shape[shape.rank() - 1])}];
    part.assign(x);
    return part;
}

}  // namespace

TEST_CASE("row kernels draw the numbers of separate kernels", "[rows][random]") {
    std::mt19937_64 random(std::random_device{}());
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        for (int trial = 0; trial < rounds(3); ++trial) {
            const auto pick = [&](std::int64_t low, std::int64_t high) {
                return low + static_cast<std::int64_t>(random() %
                                                       static_cast<std::uint64_t>(high - low + 1));
            };
            const int rank = static_cast<int>(pick(1, 3));
            Dims shape;
            for (int k = 0; k < rank; ++k) shape.push_back(pick(1, 40));
            shape[static_cast<int>(pick(0, rank - 1))] = pick(1, 700);
            const int along = static_cast<int>(pick(0, rank - 1));
            const DType dtype = trial % 3 == 0 ? float64 : float32;
            const int order = static_cast<int>(pick(0, 3));
            const Array x = laid_out(shape, dtype, device, order, random);
            const std::uint64_t seed = random();
            INFO(to_text(device) << ", " << to_text(shape) << " along " << along << ", "
                                 << to_text(dtype) << ", order " << order << ", seed " << seed);
            const Array total = sum(x, axis(along), keepdims);
            {
                // What is drawn is added to what is exact.
                Generator rng(seed), separate(seed);
                const Array noise = separate.normal(like(x));
                const Array found = rng.normal(like(x)) - sum(x, axis(along), keepdims);
                CHECK(array_equal(found, Array(noise - total)));
            }
            {
                Generator rng(seed), separate(seed);
                const Array noise = separate.uniform(like(x));
                const auto statement = [&](Generator& from) {
                    return max(x + from.uniform(like(x)), axis(along), keepdims) - x;
                };
                const Array largest = max(Array(x + noise), axis(along), keepdims);
                CHECK(array_equal(Array(statement(rng)), Array(largest - x)));
            }
            {
                // Several draws, which three passes use.
                Generator rng(seed, 5), separate(seed, 5);
                const Array kept = separate.bernoulli(0.7, like(x));
                const Array steps = separate.integers(-4, 5, like(x));
                const Array expected = softmax(Array(where(kept, x, 0) + steps), axis(along));
                Expression mask = rng.bernoulli(0.7, like(x));
                const Array found = softmax(
                    where(std::move(mask), x, 0) + rng.integers(-4, 5, like(x)), axis(along));
                CHECK(max(abs(found - expected)).item<double>() <= 1e-6);
            }
        }
    }
}

TEST_CASE("statements of rows that draw random numbers are one kernel", "[rows][random]") {
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array x = ones({30, 70}, float32), row = ones({70}, float32);
        Generator rng(7);
        const auto count = [](std::vector<Explanation> kernels) { return kernels.size(); };
        CHECK(count(explain(softmax(x + 0.1 * rng.normal(like(x))))) == 1);
        CHECK(count(explain(layer_norm(where(rng.bernoulli(0.9, like(x)), x, 0)))) == 1);
        CHECK(count(explain(where(rng.bernoulli(0.9, like(x)), layer_norm(x), 0) * row)) == 1);
        CHECK(count(explain(softmax(x + rng.uniform(Dims{30, 70}, float32), axis(0)))) == 1);
        CHECK(count(explain(softmax(rng.normal(Dims{30, 70}, float32)))) == 1);
        const Array drawn = Generator(3).normal(Dims{30, 70}, float32);
        const Array found = Generator(3).normal(Dims{30, 70}, float32) -
                            max(Generator(3).normal(Dims{30, 70}, float32), axis(1), keepdims);
        CHECK(array_equal(found, Array(drawn - Array(max(drawn, axis(1), keepdims)))));
        // Numbers of another shape than the rows are drawn by a kernel of their own.
        const std::vector<Explanation> several = explain(softmax(x + rng.normal(like(row))));
        CHECK(several.size() == 4);
        const Array noise = Generator(9).normal(like(row));
        const Array apart = x + Generator(9).normal(like(row)) - sum(x, axis(1), keepdims);
        CHECK(array_equal(apart, Array(x + noise - 70.0f)));
    }
}

TEST_CASE("explain says how a row kernel draws", "[rows][random]") {
    const TargetOptions gpu = {.device = Device::cuda(0), .arch = "sm_90"};
    const auto line = [&](const Dims& shape, int along) {
        const Array x = Array::view(reinterpret_cast<void*>(std::uintptr_t{1} << 40),
                                    float32,
                                    shape,
                                    {.device = Device::host()});
        Generator rng(7);
        const std::vector<Explanation> kernels =
            explain(softmax(x + rng.normal(like(x)), axis(along)), gpu);
        REQUIRE(kernels.size() == 1);
        const std::size_t at = kernels[0].plan.find("random numbers: ");
        REQUIRE(at != std::string::npos);
        return kernels[0].plan.substr(at, kernels[0].plan.find('\n', at) - at);
    };
    CHECK(line({1000, 4096}, 1) == "random numbers: neighbours of an access share a block of them");
    CHECK(line({1000, 4095}, 1) == "random numbers: neighbours of an access share a block of them");
    CHECK(line({1000, 4096}, 0) == "random numbers: each element computes its block of them");
}
