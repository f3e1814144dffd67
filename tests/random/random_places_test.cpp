// SPDX-License-Identifier: MIT
//
// An element's random number depends on its place in C order, whatever the layout and the loop.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "random/reference_numbers.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::indexing;
using namespace kgen::test;

namespace {

std::vector<float> expected_uniform(std::int64_t count, std::uint64_t draw = 0) {
    const Reference reference{7, draw};
    std::vector<float> list;
    for (std::int64_t i = 0; i < count; ++i)
        list.push_back(static_cast<float>(reference.uniform(i, 24)));
    return list;
}

}  // namespace

TEST_CASE("random numbers are the same for every layout", "[random]") {
    const ElementwiseKernel uniform("", "float32 y", "y = random_uniform(7, i)", "uniform");
    const ElementwiseKernel plus("T x", "T y", "y = x + random_uniform<T>(7, i)", "plus");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const auto check = [&](const char* layout, const Array& y) {
            INFO(layout);
            const std::vector<float> expected = expected_uniform(y.size());
            y.assign(9);
            uniform(out(y));
            CHECK(y.to_vector<float>() == expected);
            y.assign(0);
            plus(y, out(y));
            CHECK(y.to_vector<float>() == expected);
        };
        const auto fresh = [&](const Dims& shape) {
            return empty(shape, float32, {.device = device});
        };
        check("C order", fresh({41, 67}));
        check("one element", fresh({1}));
        check("rank 0", fresh({}));
        check("F order", fresh({67, 41}).transpose());
        check("permuted", fresh({5, 17, 33}).transpose({1, 2, 0}));
        check("rows that are apart", fresh({40, 70})[{all, s(1, 68)}]);
        check("every other", fresh({40, 140})[{all, s(0, 140, 2)}]);
        check("reversed", fresh({5000})[{s({}, {}, -1)}]);
        check("short rows", fresh({4000, 5})[{all, s(0, 3)}]);
        for (const std::int64_t offset : {1, 2})
            check("misaligned", fresh({5001})[{s(offset, {})}]);
        // A body that uses `i` in other ways, too.
        const ElementwiseKernel both(
            "T x", "T y", "y = i < 0 ? x : random_uniform<T>(7, i)", "both");
        const Array dense = zeros({41, 67}, float32, {.device = device});
        CHECK(Array(both(dense)).to_vector<float>() == expected_uniform(dense.size()));
        // The other operand decides the loop.
        const Array row = zeros({67}, float32, {.device = device});
        const Array column = zeros({41, 1}, float32, {.device = device});
        const std::vector<float> expected = expected_uniform(41 * 67);
        const ElementwiseKernel outer(
            "T x, T z", "T y", "y = x + z + random_uniform<T>(7, i)", "outer");
        CHECK(Array(outer(row, column)).to_vector<float>() == expected);
        CHECK(Array(outer(zeros({67, 41}, float32, {.device = device}).transpose(), column))
                  .to_vector<float>() == expected);
        // Whole vectors of rows, and of tiles
        const Array even = zeros({64}, float32, {.device = device});
        const Array tall = zeros({600, 1}, float32, {.device = device});
        const std::vector<float> more = expected_uniform(600 * 64);
        CHECK(Array(outer(even, tall)).to_vector<float>() == more);
        const Array turned = zeros({64, 600}, float32, {.device = device}).transpose();
        CHECK(Array(outer(turned, tall)).to_vector<float>() == more);
        const Array y = empty({600, 64}, float32, {.device = device});
        outer(turned, tall, out(y));
        CHECK(y.to_vector<float>() == more);
        const Array rows = fresh({600, 68})[{all, s(0, 64)}];
        outer(even, tall, out(rows));
        CHECK(rows.to_vector<float>() == more);
        const Array columns = fresh({64, 600}).transpose();
        outer(y * 0, tall, out(columns));
        CHECK(columns.to_vector<float>() == more);
    }
}

TEST_CASE("elements of a vector share their blocks on a GPU", "[random]") {
    const auto plan_and_source =
        [](const std::string& body, const ArraySpec& x, const ArraySpec& y) {
            const ElementwiseKernel kernel("T x", "T y", body, "noise");
            const Argument arguments[] = {x, y};
            const Explanation made = kernel.explain(arguments, {}, {.device = Device::cuda(0)});
            return std::pair(made.loops, made.source);
        };
    const auto shares = [&](const char* loop, const ArraySpec& x, const ArraySpec& y) {
        const std::string shared = "y = x + random_normal<T>(7, i)";
        const auto [loops, source] = plan_and_source(shared, x, y);
        CHECK(loops.front() == loop);
        // A body that uses `i` in other ways needs its value.
        CHECK(plan_and_source(shared + " + i", x, y).second.find("kgen_drawn_index<4>(") ==
              std::string::npos);
        return source.find("kgen_drawn_index<4>(kgen_at") != std::string::npos;
    };
    const ArraySpec dense{.dtype = float32, .shape = {1000, 1000}};
    const ArraySpec row{.dtype = float32, .shape = {1000}};
    const ArraySpec turned{.dtype = float32, .shape = {1000, 1000}, .strides = Dims{4, 4000}};
    const ArraySpec half{.dtype = float16, .shape = {1000, 1000}};
    CHECK(shares("flat", dense, dense));
    CHECK(shares("flat", half, half));
    CHECK(shares("vector_rows", row, dense));
    CHECK(shares("shared_tiles", turned, dense));
    const auto reduction_shares = [](const Dims& shape, const CallOptions& options) {
        const ReductionKernel mean(
            "T x", "T y", "random_normal<T>(7, i)", "a + b", "y = a", "0", "m");
        const Argument arguments[] = {ArraySpec{.dtype = float32, .shape = shape}};
        const std::string source =
            mean.explain(arguments, options, {.device = Device::cuda(0)}).source;
        return source.find("kgen_drawn_index<4>(kgen_place_at_input") != std::string::npos;
    };
    CHECK(reduction_shares({1000, 1000}, {.axes = std::vector{1}}));
    CHECK(reduction_shares({1'000'001}, {}));
    CHECK_FALSE(reduction_shares({1000, 1001}, {.axes = std::vector{1}}));
    // Neighbours in memory are not neighbours in C order.
    CHECK_FALSE(shares("flat", turned, turned));
}

TEST_CASE("random numbers in reductions belong to the elements that are folded", "[random]") {
    const ReductionKernel largest(
        "T x", "T y", "x + random_uniform<T>(7, i)", "a > b ? a : b", "y = a", "-1", "largest");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const std::vector<float> numbers = expected_uniform(300 * 70);
        // Rows of 72 are whole vectors.
        for (const std::size_t width : {std::size_t{70}, std::size_t{72}}) {
            const auto extent = static_cast<std::int64_t>(width);
            const std::vector<float> all_numbers = expected_uniform(300 * extent);
            std::vector<float> rows(300), columns(width);
            for (std::size_t k = 0; k < all_numbers.size(); ++k) {
                rows[k / width] = std::max(rows[k / width], all_numbers[k]);
                columns[k % width] = std::max(columns[k % width], all_numbers[k]);
            }
            const Array x = zeros({300, extent}, float32, {.device = device});
            const Array f = zeros({extent, 300}, float32, {.device = device}).transpose();
            const Array number = zeros({1, 1}, float32, {.device = device});
            for (const Array& each : {x, f, number.broadcast_to({300, extent})}) {
                CHECK(Array(largest(each, axis(1))).to_vector<float>() == rows);
                CHECK(Array(largest(each, axis(0))).to_vector<float>() == columns);
                CHECK(largest(each).item<float>() == *std::max_element(rows.begin(), rows.end()));
            }
        }
        const DeviceScope scope(device);
        Generator rng(7), again(7);
        CHECK(max(rng.uniform({300, 70}, float32)).item<float>() ==
              *std::max_element(numbers.begin(), numbers.end()));
        const Array drawn = again.uniform({300, 70}, float32);
        Generator third(7);
        CHECK(Array(max(third.uniform({300, 70}, float32), axis(0))).to_vector<float>() ==
              Array(max(drawn, axis(0))).to_vector<float>());
        // Enough numbers for threads that draw four at a time
        const auto many = [] { return Generator(8).uniform({1500, 1024}, float32); };
        CHECK(array_equal(max(many(), axis(1)), max(Array(many()), axis(1))));
        CHECK(array_equal(max(many()), max(Array(many()))));
    }
}

TEST_CASE("a drawn array has its own numbers, whatever it stands in", "[random]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const DeviceScope scope(device);
        const std::vector<float> numbers = expected_uniform(12);
        const Array drawn = Array(Generator(7).uniform({3, 4}, float32));
        CHECK(drawn.to_vector<float>() == numbers);
        const Array zero = zeros({2, 3, 4}, float32);
        const auto uniform = [](const Dims& shape) { return Generator(7).uniform(shape, float32); };
        CHECK(Array(zeros({3, 4}, float32) + uniform({3, 4})).to_vector<float>() == numbers);
        CHECK(Array(zeros({4}, float32) + uniform({3, 4})).to_vector<float>() == numbers);
        CHECK(Array(zeros({1, 3, 4}, float32) + uniform({3, 4})).to_vector<float>() == numbers);
        CHECK(Array(zeros({4, 3}, float32).transpose() + uniform({3, 4})).to_vector<float>() ==
              numbers);
        CHECK(array_equal(zero + uniform({3, 4}), zero + drawn));
        CHECK(array_equal(zero + uniform({3, 1}), zero + Array(uniform({3, 1}))));
        CHECK(array_equal(sum(zero + uniform({4}), axis(0)),
                          sum(zero + Array(uniform({4})), axis(0))));
        // Several draws of different shapes.
        const Array rows = uniform({3, 1}), columns = Generator(8).uniform({4}, float32);
        CHECK(array_equal(uniform({3, 1}) + Generator(8).uniform({4}, float32), rows + columns));
        // Outputs: larger than the expression, a view, in place, another dtype.
        Array wide = empty({2, 3, 4}, float32);
        wide.assign(uniform({3, 4}));
        CHECK(array_equal(wide, zero + drawn));
        Array part = zeros({6, 8}, float32);
        part[{s(0, 6, 2), s(1, 5)}] = uniform({3, 4});
        CHECK(Array(part[{s(0, 6, 2), s(1, 5)}]).to_vector<float>() == numbers);
        Array sums = zeros({4, 3}, float32).transpose();
        sums += uniform({3, 4});
        CHECK(sums.to_vector<float>() == numbers);
        Array integers = empty({3, 4}, int32);
        integers.assign(uniform({3, 4}) * 1000);
        CHECK(integers.to_vector<std::int32_t>()[0] == static_cast<int>(numbers[0] * 1000));
        // Larger than one loop of 32-bit counters would be worth: only the shape.
        CHECK(uniform({0, 5}).shape() == Dims{0, 5});
        CHECK(Array(uniform({0, 5})).size() == 0);
    }
}
