// SPDX-License-Identifier: MIT
//
// Repeated, bound and concurrent calls of reductions do not influence each other.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/folded.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using List = std::vector<int>;

std::vector<std::int64_t> mixed(std::int64_t count) {
    std::vector<std::int64_t> values;
    for (std::int64_t k = 0; k < count; ++k) values.push_back((k * 7919 + 13) % 101 - 50);
    return values;
}

std::vector<std::int64_t> sums(const std::vector<std::int64_t>& values,
                               const Dims& shape,
                               const List& axes) {
    return folded<std::int64_t>(
        shape, axes, 0, [&](std::int64_t total, std::int64_t k, std::int64_t) {
            return total + values[static_cast<std::size_t>(k)];
        });
}

}  // namespace

TEST_CASE("a reduction like an earlier one allocates nothing", "[reduction]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const ReductionKernel sum("T x, T k", "T y", "k * x", "a + b", "y = a", "0", "sum_scaled");
        const Dims shape = {40, 5000};
        const std::vector<std::int64_t> values = mixed(count_of(shape));
        const Array x = from_vector(values, shape, {device});
        const Array rows = zeros({40}, int64, {device});
        const Array columns = zeros({5000}, int64, {device});
        const Array kept = zeros({1, 5000}, int64, {device});
        const Array total = zeros({}, int64, {device});
        const Stream stream = Stream::create(device);
        synchronize(device);
        const auto calls = [&] {
            sum(x, 1, axis(1), out(rows));
            sum(x, 1, axis({0}), out(columns));
            sum(x, 1, axis({-2}), keepdims, out(kept));
            sum(x, 1, out(total), on(stream));
        };
        calls();
        CHECK(allocations_of(calls) == 0);
        stream.synchronize();
        CHECK(elements<std::int64_t>(rows) == sums(values, shape, {1}));
        CHECK(elements<std::int64_t>(columns) == sums(values, shape, {0}));
        CHECK(elements<std::int64_t>(kept) == sums(values, shape, {0}));
        CHECK(elements<std::int64_t>(total) == sums(values, shape, {0, 1}));

        const auto create = [&] { static_cast<void>(sum(x, 1, axis(0), keepdims)); };
        create();
        create();
        CHECK(allocations_of(create) == 0);
    }
}

TEST_CASE("calls that differ in axes, form or numbers alone give their own results",
          "[reduction]") {
    for (const Device device : present_devices()) {
        const ReductionKernel sum("T x, T k", "T y", "k * x", "a + b", "y = a", "0", "sum_scaled");
        const Dims shape = {6, 6, 6};
        const std::vector<std::int64_t> values = mixed(count_of(shape));
        const Array x = from_vector(values, shape, {device});
        const std::vector<List> several = {{0}, {1}, {2}, {0, 1}, {1, 2}, {}, {0, 1, 2}};
        for (std::int64_t round = 1; round <= 3; ++round) {
            std::vector<std::int64_t> scaled = values;
            for (std::int64_t& value : scaled) value *= round;
            for (const List& axes : several) {
                INFO(to_text(device) << ", " << axes.size() << " axes, round " << round);
                const Array plain = sum(x, round, axis(axes));
                const Array kept = sum(x, round, axis(axes), keepdims);
                CHECK(plain.rank() == 3 - static_cast<int>(axes.size()));
                CHECK(kept.rank() == 3);
                CHECK(elements<std::int64_t>(plain) == sums(scaled, shape, axes));
                CHECK(elements<std::int64_t>(kept) == sums(scaled, shape, axes));
            }
            CHECK(elements<std::int64_t>(sum(x, round)) == sums(scaled, shape, {0, 1, 2}));
        }
        CHECK_THROWS_AS(sum(x, 1.5), TypeError);
    }
}

TEST_CASE("a bound reduction reads and writes its arrays as they are at each launch",
          "[reduction]") {
    for (const Device device : present_devices()) {
        std::optional<BoundLaunch> bound;
        const Dims shape = {3, 70000};
        const std::vector<std::int64_t> values = mixed(count_of(shape));
        const Array x = from_vector(values, shape, {device});
        {
            const ReductionKernel sum("T x", "T y", "x", "a + b", "y += a", "0", "sum_onto");
            bound = sum.bind(x, axis(1), out(zeros({3}, int64, {device})));
            CHECK(elements<std::int64_t>(bound->outputs()[0]) == std::vector<std::int64_t>(3, 0));
        }
        const std::vector<std::int64_t> expected = sums(values, shape, {1});
        for (std::int64_t round = 1; round <= 3; ++round) {
            (*bound)();
            std::vector<std::int64_t> so_far = expected;
            for (std::int64_t& value : so_far) value *= round;
            CHECK(elements<std::int64_t>(bound->outputs()[0]) == so_far);
        }
        CHECK(allocations_of([&] { (*bound)(); }) == 0);

        const ReductionKernel top("T x", "T y", "x", "max(a, b)", "y = a", "", "top");
        const BoundLaunch none = top.bind(empty({0, 3}, float32, {device}), axis(1), keepdims);
        none();
        CHECK(none.outputs()[0].shape() == Dims{0, 1});
        const std::vector<Argument> arguments = {x};
        const BoundLaunch same =
            top.bind_arguments(arguments, {.axes = List{0, 1}, .keepdims = true});
        same();
        CHECK(elements<std::int64_t>(same.outputs()[0]) == std::vector<std::int64_t>{50});
    }
}

TEST_CASE("threads and streams reduce at once", "[reduction]") {
    for (const Device device : present_devices()) {
        const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "sum_at_once");
        const Dims shape = {2, 300000};
        const std::vector<std::int64_t> values = mixed(count_of(shape));
        const Array x = from_vector(values, shape, {device});
        const std::vector<std::int64_t> total = sums(values, shape, {0, 1});
        const std::vector<std::int64_t> rows = sums(values, shape, {1});
        synchronize(device);
        std::vector<int> wrong(4, 0);
        std::vector<std::thread> threads;
        for (std::size_t number = 0; number < wrong.size(); ++number) {
            threads.emplace_back([&, number] {
                const Stream stream = Stream::create(device);
                const StreamScope scope(stream);
                const BoundLaunch own = sum.bind(x);
                for (int round = 0; round < 30; ++round) {
                    const Array all = sum(x);
                    const Array each = sum(x, axis(1));
                    own();
                    stream.synchronize();
                    if (elements<std::int64_t>(all) != total) ++wrong[number];
                    if (elements<std::int64_t>(each) != rows) ++wrong[number];
                    if (elements<std::int64_t>(own.outputs()[0]) != total) ++wrong[number];
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
        CHECK(wrong == std::vector<int>(4, 0));
    }
}
