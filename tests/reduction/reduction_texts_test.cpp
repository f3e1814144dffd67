// SPDX-License-Identifier: MIT
//
// What the texts of a reduction may contain, see and be named, on every device present.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/folded.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using List = std::vector<int>;

}  // namespace

TEST_CASE("raw inputs are seen in every text", "[reduction]") {
    const ReductionKernel gather("T x, raw int64 where, raw T table",
                                 "T y",
                                 "x * table[where[i]]",
                                 "a + b + 0 * table[0]",
                                 "y = a + table[table.size() - 1]",
                                 "table[0]",
                                 "gather");
    const ReductionKernel alone("raw T x", "T y", "x[2 * i]", "a + b", "y = a", "0", "alone");
    const ReductionKernel scatter(
        "T x", "raw T y", "x", "a + b", "y[(i + 1) % 2] = a", "0", "scatter");
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<double>(6), {2, 3}, {device});
        const Array where = from_vector(std::vector<std::int64_t>{3, 2, 1, 1, 2, 3}, {device});
        const Array table = from_vector(std::vector<double>{0, 10, 100, 1000}, {device});
        CHECK(elements<double>(gather(x, where, table, axis(1))) ==
              std::vector<double>{100 + 20 + 1000, 30 + 400 + 5000 + 1000});
        CHECK(alone(x.reshape({6}), size(3)).item<double>() == 0 + 2 + 4);
        CHECK(alone(x.reshape({6}), size(0)).item<double>() == 0);
        const Array y = zeros({2}, float64, {device});
        scatter(x, axis(1), out(y));
        CHECK(elements<double>(y) == std::vector<double>{12, 3});
    }
}

TEST_CASE("map and reduce may be statements", "[reduction]") {
    const ReductionKernel sum(
        "T x",
        "T y",
        "T t = x;\nfor (int k = 0; k < 2; ++k) {\n  if (t < 0) continue;\n  t "
        "+= 1;\n}\nif (t > 5) return 0;\nreturn t * t;",
        "const auto both = a + b; return both",
        "if (a < 0) return; y = a; y += 1;",
        "0",
        "statements");
    const std::vector<float> values = {1, -2, 3, 4, 0, -1};
    for (const Device device : present_devices()) {
        const Array x = from_vector(values, {2, 3}, {device});
        CHECK(elements<float>(sum(x, axis(1))) ==
              std::vector<float>{9 + 4 + 25 + 1, 0 + 4 + 1 + 1});
    }
}

TEST_CASE("the post-map sees what its output holds", "[reduction]") {
    const ReductionKernel add("T x", "T y", "x", "a + b", "if (i > 0) y += a", "0", "add_to");
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<float>(6), {2, 3}, {device});
        const Array y = full({3}, 100, float32, {device});
        add(x, axis(0), out(y));
        CHECK(elements<float>(y) == std::vector<float>{100, 105, 107});
    }
}

TEST_CASE("accumulators may be any type that is copied by its bytes", "[reduction]") {
    const ReductionKernel argmin("T x",
                                 "int64 y, T least",
                                 "best{x, _J}",
                                 "better(a, b)",
                                 "y = a.index; least = a.value",
                                 "",
                                 "argmin",
                                 {.reduce_type = "best",
                                  .preamble = "struct best { T value; long long index; };\n"
                                              "__device__ best better(best a, best b) {\n"
                                              "    if (a.value != b.value)\n"
                                              "        return a.value < b.value ? a : b;\n"
                                              "    return a.index < b.index ? a : b;\n"
                                              "}"});
    // This accumulator has no default constructor and holds five numbers (40 bytes).
    const ReductionKernel statistics(
        "T x",
        "T mean, T variance, T lo, T hi",
        "welford(x)",
        "merge(a, b)",
        "mean = a.mean; variance = a.m2 / a.count; lo = a.lo; hi = a.hi",
        "",
        "statistics",
        {.reduce_type = "struct welford",
         .preamble =
             "struct welford {\n"
             "    double count, mean, m2, lo, hi;\n"
             "    __device__ explicit welford(T x) : count(1), mean(x), m2(0), lo(x), hi(x) {}\n"
             "};\n"
             "__device__ welford merge(const welford& a, const welford& b) {\n"
             "    welford sum = a;\n"
             "    const double delta = b.mean - a.mean;\n"
             "    sum.count = a.count + b.count;\n"
             "    sum.mean = a.mean + delta * (b.count / sum.count);\n"
             "    sum.m2 = a.m2 + b.m2 + delta * delta * (a.count * b.count / sum.count);\n"
             "    sum.lo = min(a.lo, b.lo);\n"
             "    sum.hi = max(a.hi, b.hi);\n"
             "    return sum;\n"
             "}"});
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{3, 5}, Dims{4, 1000}, Dims{2, 100003}, Dims{50000, 3}}) {
            INFO(to_text(device) << ", " << to_text(shape));
            const std::vector<float> values = mixed<float>(count_of(shape));
            const Array x = from_vector(values, shape, {device});
            for (const int along : {0, 1}) {
                using Best = std::pair<float, std::int64_t>;
                const std::vector<Best> best = folded<Best>(
                    shape,
                    {along},
                    Best(1e30f, 0),
                    [&](Best least, std::int64_t k, std::int64_t index) {
                        return std::min(least, Best(values[static_cast<std::size_t>(k)], index));
                    });
                const auto [where, least] = argmin.call<2>(x, axis(along));
                std::vector<std::int64_t> places;
                std::vector<float> numbers;
                for (const Best& each : best) {
                    numbers.push_back(each.first);
                    places.push_back(each.second);
                }
                CHECK(elements<std::int64_t>(where) == places);
                CHECK(elements<float>(least) == numbers);

                const auto results = statistics.call<4>(x, axis(along));
                const auto count = static_cast<double>(shape[along]);
                const std::vector<double> sums = folded<double>(
                    shape, {along}, 0, [&](double total, std::int64_t k, std::int64_t) {
                        return total + static_cast<double>(values[static_cast<std::size_t>(k)]);
                    });
                const std::vector<double> squares = folded<double>(
                    shape, {along}, 0, [&](double total, std::int64_t k, std::int64_t) {
                        const double value = values[static_cast<std::size_t>(k)];
                        return total + value * value;
                    });
                const std::vector<float> means = elements<float>(results[0]);
                const std::vector<float> variances = elements<float>(results[1]);
                REQUIRE(means.size() == sums.size());
                bool all_close = true;
                for (std::size_t k = 0; k < sums.size(); ++k) {
                    const double mean = sums[k] / count;
                    const double variance = squares[k] / count - mean * mean;
                    all_close = all_close && std::abs(means[k] - mean) < 1e-4 &&
                                std::abs(variances[k] - variance) < 1e-2;
                }
                CHECK(all_close);
                CHECK(elements<float>(results[2]) == numbers);
            }
        }
    }
}

TEST_CASE("texts see where their element stands", "[reduction]") {
    struct Case {
        std::string map;
        std::int64_t (*value)(std::int64_t element, std::int64_t along, std::int64_t result);
    };
    // The input has shape (2, 3, 4) and is folded along axes 0 and 2.
    const Case cases[] = {
        {"i", [](std::int64_t k, std::int64_t, std::int64_t) { return k; }},
        {"_J", [](std::int64_t, std::int64_t j, std::int64_t) { return j; }},
        {"100 * i + _J", [](std::int64_t k, std::int64_t j, std::int64_t) { return 100 * k + j; }},
        {"_in_ind.size() * _out_ind.size()",
         [](std::int64_t, std::int64_t, std::int64_t) { return std::int64_t{24 * 3}; }},
        {"_in_ind.get()[1] * 10 + _in_ind.get()[2]",
         [](std::int64_t k, std::int64_t, std::int64_t) { return k / 4 % 3 * 10 + k % 4; }},
        {"_out_ind.get()[0] + i * 0",
         [](std::int64_t, std::int64_t, std::int64_t result) { return result; }},
    };
    for (const Device device : present_devices()) {
        const Array x = zeros({2, 3, 4}, int64, {device});
        // The same elements, laid out as (4, 2, 3) and backwards along the first axis.
        const Array turned = from_vector(std::vector<std::int64_t>(24, 0), {4, 2, 3}, {device})
                                 .transpose({1, 2, 0})
                                 .slice({{1, -3, -1}, {}, {}});
        for (const Case& row : cases) {
            INFO(to_text(device) << ", map " << row.map);
            const ReductionKernel kernel(
                "T x", "T y", "x + " + row.map, "a + b", "y = a", "0", "places");
            const std::vector<std::int64_t> expected = folded<std::int64_t>(
                {2, 3, 4}, {0, 2}, 0, [&](std::int64_t total, std::int64_t k, std::int64_t along) {
                    return total + row.value(k, along, k / 4 % 3);
                });
            CHECK(elements<std::int64_t>(kernel(x, axis({0, 2}))) == expected);
            REQUIRE(turned.shape() == x.shape());
            CHECK(elements<std::int64_t>(kernel(turned, axis({0, 2}))) == expected);
        }
        const ReductionKernel post("T x",
                                   "T y",
                                   "x",
                                   "a + b",
                                   "y = 1000 * i + 100 * _out_ind.get()[0] + 10 * "
                                   "_out_ind.get()[1] + _in_ind.size() / _out_ind.size()",
                                   "0",
                                   "post_places");
        CHECK(elements<std::int64_t>(post(x, axis(2))) ==
              std::vector<std::int64_t>{4, 1014, 2024, 3104, 4114, 5124});
        CHECK(elements<std::int64_t>(post(turned, axis(2))) ==
              std::vector<std::int64_t>{4, 1014, 2024, 3104, 4114, 5124});
    }
}

TEST_CASE("names mean what they say, whatever they contain or are called", "[reduction]") {
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<double>{0, 1, 2, 3}, {device});
        const double sum_of_exp = std::exp(0.0) + std::exp(1.0) + std::exp(2.0) + std::exp(3.0);
        const auto is = [](const Array& y, double value) {
            return std::abs(y.item<double>() - value) < 1e-12 * std::abs(value);
        };
        CHECK(is(ReductionKernel("T x", "T r", "exp(x)", "a + b", "r = sqrt(a)", "0", "rms")(x),
                 std::sqrt(sum_of_exp)));
        CHECK(is(ReductionKernel("T x, T xx, T in0",
                                 "T out0",
                                 "x + xx * in0",
                                 "a + b",
                                 "out0 = a",
                                 "0",
                                 "contained")(x, x, 2.0),
                 18));
        CHECK(is(ReductionKernel("T a, T b", "T c", "a * b", "a + b", "c = a", "0", "dot")(x, x),
                 14));
        CHECK(is(ReductionKernel("T n", "T N", "n", "a + b", "N = a", "0", "size")(x), 6));
        for (const char* name : {"mean", "argmax", "argmin", "sum", "reduce", "kgen_map"}) {
            INFO(name);
            CHECK(is(ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", name)(x), 6));
        }
        // The texts are CuPy's. The name of the kernel may equal one of the names in them.
        for (const char* name : {"mean", "average"}) {
            CHECK(is(ReductionKernel("T x",
                                     "T y",
                                     "x",
                                     "a + b",
                                     "y = a / (_in_ind.size() / _out_ind.size())",
                                     "0",
                                     name)(x),
                     1.5));
        }
    }
}

TEST_CASE("a reduction's options reach the compiler whatever is folded", "[reduction]") {
    const ReductionKernel scaled("T x",
                                 "T y",
                                 "x * SCALE",
                                 "a + b",
                                 "y = a + OFFSET",
                                 "0",
                                 "scaled",
                                 {.options = {"-DSCALE=3", "-DOFFSET=1"}});
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{2, 3}, Dims{3, 2000}, Dims{2000, 3}, Dims{1, 100000}}) {
            INFO(to_text(device) << ", " << to_text(shape));
            const Array x = full(shape, 1, float32, {device});
            for (const int along : {0, 1}) {
                const auto expected = static_cast<float>(3 * shape[along] + 1);
                CHECK(elements<float>(scaled(x, axis(along))) ==
                      std::vector<float>(static_cast<std::size_t>(shape[1 - along]), expected));
            }
        }
    }
}

TEST_CASE("sums fold in a type that holds them", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    const ReductionKernel mean(
        "T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean");
    const ReductionKernel count("bool x", "int64 y", "x", "a + b", "y = a", "0", "count");
    const ReductionKernel wrapped(
        "T x", "T y", "x", "a + b", "y = a / 16", "0", "wrapped", {.reduce_type = "T"});
    for (const Device device : present_devices()) {
        const Array bytes = full({1000}, 100, int8, {device});
        CHECK(mean(bytes).item<std::int8_t>() == 100);
        // In int8, 100000 wraps to -96.
        CHECK(wrapped(bytes).item<std::int8_t>() == -6);
        // In float16, a sum of ones would stop growing at 2048.
        const Array halves = full({4096}, 1, float16, {device});
        CHECK(static_cast<float>(sum(halves).item<half_t>()) == 4096);
        CHECK(static_cast<float>(mean(full({100000}, 3, bfloat16, {device})).item<bfloat16_t>()) ==
              3);
        CHECK(count(full({70000}, true, bool_, {device})).item<std::int64_t>() == 70000);
        const Array complex = full({50}, std::complex<float>(1, -2), complex64, {device});
        CHECK(sum(complex).item<std::complex<float>>() == std::complex<float>(50, -100));
    }
}

TEST_CASE("a compensated sum keeps what additions lose", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    const ReductionKernel exact(
        "T x", "T y", "x", "a + b", "y = a", "0", "exact", {.accuracy = Accuracy::compensated});
    for (const Device device : present_devices()) {
        // In float32, adding 1 to 1e8 changes nothing. The values add and subtract 1e8 around each 1.
        std::vector<float> values;
        for (int k = 0; k < 30000; ++k)
            values.push_back(k % 3 == 0 ? 1e8f : k % 3 == 1 ? 1 : -1e8f);
        const Array x = from_vector(values, {300, 100}, {device});
        CHECK(exact(x).item<float>() == 10000);
        CHECK(sum(x).item<float>() != 10000);
        const std::vector<float> columns = elements<float>(exact(x, axis(0)));
        for (std::size_t k = 0; k < columns.size(); ++k) CHECK(columns[k] == 100);
        CHECK(exact(full({1000}, 3, int32, {device})).item<std::int32_t>() == 3000);
    }
}

TEST_CASE("narrow integers are folded as the named accumulator folds them", "[reduction]") {
    for (const Device device : present_devices()) {
        std::vector<std::uint8_t> numbers(37 * 501);
        std::uint32_t state = 7;
        for (std::uint8_t& number : numbers)
            number = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
        const Array x = from_vector(numbers).to(device).reshape({37, 501});
        for (const int axis_of : {0, 1}) {
            const ReductionKernel narrow(
                "T x", "int32 y", "x", "a + b", "y = a", "0", "narrow", {.reduce_type = "int8"});
            const ReductionKernel wide(
                "T x", "int32 y", "x", "a + b", "y = a", "0", "wide", {.reduce_type = "uint16"});
            const ReductionKernel real(
                "T x", "float64 y", "x", "a + b", "y = a", "0", "real", {.reduce_type = "float32"});
            const auto low = narrow(x, axis(axis_of)).template to_vector<std::int32_t>();
            const auto high = wide(x, axis(axis_of)).template to_vector<std::int32_t>();
            const auto sums = real(x, axis(axis_of)).template to_vector<double>();
            for (std::size_t k = 0; k < low.size(); ++k) {
                std::uint32_t sum = 0;
                for (std::size_t j = 0; j < (axis_of == 0 ? 37u : 501u); ++j)
                    sum += numbers[axis_of == 0 ? j * 501 + k : k * 501 + j];
                CHECK(low[k] == static_cast<std::int8_t>(sum));
                CHECK(high[k] == static_cast<std::uint16_t>(sum));
                CHECK(sums[k] == static_cast<double>(sum));
            }
        }
    }
}
