// SPDX-License-Identifier: MIT
//
// The texts of reductions in the host's loops: empty folds, accumulators, compensated sums, names.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "support/host_reduction_cases.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("where nothing is folded an output is its identity", "[host_reduction]") {
    const Definition definition = reduction("T x", "T y", "x", "a + b", "y = a + 1", "41");
    for (const AxisSet axes : {AxisSet{1}, AxisSet{2}, AxisSet{3}}) {
        Dims loop{5, 30};
        for (int axis = 0; axis < 2; ++axis) {
            if ((axes >> axis & 1) == 0) continue;
            loop[axis] = 0;
            std::vector<float> values(1);
            const Dims kept = kept_shape(loop, axes);
            const std::vector<float> results =
                float_results(definition, values, loop, axes, cuts[0]);
            CHECK(results == std::vector<float>(static_cast<std::size_t>(product(kept)), 42.0F));
            CHECK(float_results(definition, values, loop, axes, {3, 7, 2}) == results);
            loop[axis] = axis == 0 ? 5 : 30;
        }
    }
}

TEST_CASE("where nothing is reduced the map and the post-map apply", "[host_reduction]") {
    const std::vector<float> values = {1, 2, 3, 4, 5, 6};
    const Definition definition = reduction("T x", "T y", "x * 10", "a + b", "y = a + 1", "");
    CHECK(float_results(definition, values, {2, 3}, 0, cuts[0]) ==
          std::vector<float>{11, 21, 31, 41, 51, 61});
    CHECK(float_results(definition, {4}, {}, 0, cuts[0]) == std::vector<float>{41});
    CHECK(float_results(sum_of("x"), {4}, {}, 0, cuts[0]) == std::vector<float>{4});
    CHECK(float_results(sum_of("x"), {4}, {1}, 1, cuts[0]) == std::vector<float>{4});
}

TEST_CASE("a post-map may keep what the output was", "[host_reduction]") {
    for (const AxisSet axes : {AxisSet{1}, AxisSet{2}}) {
        std::vector<float> values(40 * 40, 1.0F);
        const Dims kept = kept_shape({40, 40}, axes);
        std::vector<float> results(40, 2.0F);
        PlannedReduction planned(reduction("T x", "T y", "x", "a + b", "if (a > 0) y += a", "0"),
                                 {dense_operand(values, {40, 40}), dense_operand(results, kept)},
                                 {40, 40},
                                 axes);
        planned.run({2, 64, 3});
        CHECK(results == std::vector<float>(40, 42.0F));
    }
}

TEST_CASE("numbers and raw parameters are seen by all texts", "[host_reduction]") {
    Definition definition = reduction("float32 x, raw float32 t, float64 s",
                                      "float32 y",
                                      "x * t[1]",
                                      "a + t[0] * b",
                                      "y = a * s + t.size()",
                                      "t[2]");
    definition.reduction->reduce_type = "float";
    std::vector<float> values(70, 2.0F);
    std::vector<float> table = {1, 3, 0};
    std::vector<float> results(1);
    PlannedReduction planned(definition,
                             {dense_operand(values, {70}),
                              {float32, table.data(), {3}, {4}, OperandKind::raw},
                              {float64, nullptr, {}, {}, OperandKind::scalar, 0.5},
                              dense_operand(results, {1})},
                             {70},
                             1);
    planned.run();
    CHECK(results[0] == 70 * 2 * 3 * 0.5F + 3);
}

TEST_CASE("a struct without a default constructor is folded with its place", "[host_reduction]") {
    Definition definition =
        reduction("float32 x",
                  "float32 v, int64 k",
                  "best(x, i)",
                  "a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b",
                  "v = a.value; k = a.at",
                  "");
    definition.preamble =
        "struct best { float value; long long at; best(float v, long long k) : value(v), at(k) {} "
        "};";
    definition.reduction->reduce_type = "best";
    for (const FoldGeometry& geometry : few_geometries()) {
        INFO(geometry.name);
        std::vector<float> values = fractions(product(geometry.loop));
        const Dims kept = kept_shape(geometry.loop, geometry.axes);
        const auto count = static_cast<std::size_t>(product(kept));
        std::vector<float> found(count);
        std::vector<std::int64_t> at(count, -1);
        PlannedReduction planned(definition,
                                 {dense_operand(values, geometry.loop),
                                  dense_operand(found, kept),
                                  dense_operand(at, kept)},
                                 geometry.loop,
                                 geometry.axes);
        planned.run({3, 5000, 777});
        std::vector<std::int64_t> expected(count, -1);
        const std::vector<std::int64_t> outputs = outputs_of(geometry.loop, geometry.axes);
        for (std::size_t k = 0; k < values.size(); ++k) {
            std::int64_t& best = expected[static_cast<std::size_t>(outputs[k])];
            if (best < 0 || values[k] > values[static_cast<std::size_t>(best)])
                best = static_cast<std::int64_t>(k);
        }
        CHECK(at == expected);
    }
}

TEST_CASE("an accumulator may have one byte or thousands", "[host_reduction]") {
    struct Kind {
        std::string preamble;
        std::size_t size;
    };
    const std::vector<Kind> kinds = {
        {"struct acc { unsigned char v; acc(int x) : v((unsigned char)x) {} };", 1},
        {"struct acc { long long v, pad[127]; acc(long long x) : v(x) { pad[126] = x; } };", 1024},
        {"struct alignas(128) acc { long long v, pad[15]; acc(long long x) : v(x) { pad[14] = x; } "
         "};",
         128},
        {"struct acc { long long v, pad[2500]; acc(long long x) : v(x) { pad[2499] = x; } };",
         20008}};
    for (const Kind& kind : kinds) {
        Definition definition = reduction(
            "uint8 x", "uint8 y", "acc(x)", "acc(a.v + b.v)", "y = (unsigned char)a.v", "acc(0)");
        definition.preamble = kind.preamble;
        definition.reduction->reduce_type = "acc";
        for (const FoldGeometry& geometry : few_geometries()) {
            INFO(kind.size << " bytes, " << geometry.name);
            std::vector<std::uint8_t> values(static_cast<std::size_t>(product(geometry.loop)));
            for (std::size_t k = 0; k < values.size(); ++k)
                values[k] = static_cast<std::uint8_t>(k * 7 + k / 300);
            const Dims kept = kept_shape(geometry.loop, geometry.axes);
            std::vector<std::uint8_t> results(static_cast<std::size_t>(product(kept)));
            PlannedReduction planned(
                definition,
                {dense_operand(values, geometry.loop), dense_operand(results, kept)},
                geometry.loop,
                geometry.axes);
            CHECK(planned.accumulator_size() == kind.size);
            planned.run({2, 3001, 5});
            std::vector<std::uint8_t> expected(results.size());
            const std::vector<std::int64_t> outputs = outputs_of(geometry.loop, geometry.axes);
            for (std::size_t k = 0; k < values.size(); ++k) {
                std::uint8_t& sum = expected[static_cast<std::size_t>(outputs[k])];
                sum = static_cast<std::uint8_t>(sum + values[k]);
            }
            CHECK(results == expected);
        }
    }
}

TEST_CASE("a compensated sum keeps what plain ones lose", "[host_reduction]") {
    Definition definition = sum_of("x");
    definition.reduction->accuracy = Accuracy::compensated;
    // Large numbers that cancel, with small numbers between them.
    const auto cancelling = [](std::int64_t count) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (std::size_t k = 0; k < values.size(); ++k)
            values[k] = k % 3 == 0 ? 1e8F + static_cast<float>(k % 1000) * 8
                                   : (k % 3 == 1 ? -values[k - 1] : 0.125F);
        return values;
    };
    for (const AxisSet axes : {AxisSet{1}, AxisSet{2}}) {
        const Dims loop = axes == 1 ? Dims{60000, 6} : Dims{5, 90000};
        std::vector<float> values = cancelling(product(loop));
        if (axes == 1) {
            // All columns hold the same values.
            const std::vector<float> column = cancelling(60000);
            for (std::size_t k = 0; k < values.size(); ++k) values[k] = column[k / 6];
        }
        const std::vector<float> results = float_results(definition, values, loop, axes, cuts[0]);
        for (const float result : results) CHECK(result == (axes == 1 ? 20000 : 30000) * 0.125F);
        CHECK(float_results(definition, values, loop, axes, cuts[4]) == results);
        if (has_clang())
            CHECK(float_results(definition, values, loop, axes, cuts[0], HostCxx::clang) ==
                  results);
    }
}

TEST_CASE("the products of a map are rounded before a compensated sum", "[host_reduction]") {
    Definition definition = sum_of("x * x");
    definition.reduction->accuracy = Accuracy::compensated;
    const std::vector<float> values = fractions(200003);
    double exact = 0;
    for (const float value : values) exact += static_cast<double>(value * value);
    const std::vector<float> results = float_results(definition, values, {200003}, 1, cuts[0]);
    CHECK(results[0] == static_cast<float>(exact));
    CHECK(float_results(definition, values, {200003}, 1, cuts[2]) == results);
    if (has_clang())
        CHECK(float_results(definition, values, {200003}, 1, cuts[2], HostCxx::clang) == results);
}

TEST_CASE("a compensated sum of infinities is infinite", "[host_reduction]") {
    Definition definition = sum_of("x");
    definition.reduction->accuracy = Accuracy::compensated;
    const float infinity = std::numeric_limits<float>::infinity();
    std::vector<float> values(100, 1.0F);
    values[50] = -infinity;
    CHECK(float_results(definition, values, {100}, 1, cuts[0])[0] == -infinity);
    values[20] = infinity;
    CHECK(std::isnan(float_results(definition, values, {100}, 1, cuts[0])[0]));
}

TEST_CASE("a compensated sum of complex numbers keeps both parts", "[host_reduction]") {
    Definition definition = sum_of("x");
    definition.reduction->accuracy = Accuracy::compensated;
    using Complex = std::complex<float>;
    std::vector<Complex> values(300, Complex(0.25F, -0.5F));
    for (std::size_t k = 0; k < 300; k += 3) {
        values[k] = {1e9F, -1e9F};
        values[k + 1] = {-1e9F, 1e9F};
    }
    std::vector<Complex> results(1);
    PlannedReduction planned(
        definition, {dense_operand(values, {300}), dense_operand(results, {1})}, {300}, 1);
    planned.run();
    CHECK(results[0] == Complex(25, -50));
}

TEST_CASE("an integer division by zero in a map leaves the kernel", "[host_reduction]") {
    std::vector<std::int64_t> values(300000, 1);
    values[299990] = 0;
    std::vector<std::int64_t> results(1);
    PlannedReduction planned(reduction("int64 x", "int64 y", "12 / x", "a + b", "y = a", "0"),
                             {dense_operand(values, {300000}), dense_operand(results, {1})},
                             {300000},
                             1);
    try {
        planned.run();
        FAIL("nothing was thrown");
    } catch (const DivisionThrown& thrown) {
        CHECK(thrown.left == 12);
    }
}

TEST_CASE("the texts of a reduction may define any short name", "[host_reduction]") {
    std::string defines;
    const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const auto define = [&](const std::string& name) {
        static const std::vector<std::string> used = {
            "a", "b", "x", "y", "i", "T", "if", "do", "or"};
        if (std::find(used.begin(), used.end(), name) == used.end())
            defines += "#define " + name + " (not for you)\n";
    };
    for (const char first : letters) {
        define({first});
        for (const char second : letters) define({first, second});
    }
    for (const char* name : {"size", "index", "min", "max", "count", "value", "part"}) define(name);
    for (const std::string identity : {"0", ""}) {
        Definition definition =
            reduction("T x", "T y", "x + (float)(i % 2)", "a + b", "y = a", identity);
        definition.preamble = defines;
        for (const FoldGeometry& geometry : few_geometries()) {
            INFO(geometry.name);
            const std::vector<float> values(static_cast<std::size_t>(product(geometry.loop)), 0.0F);
            const std::vector<float> results =
                float_results(definition, values, geometry.loop, geometry.axes, cuts[0]);
            CHECK(std::abs(std::accumulate(results.begin(), results.end(), 0.0) -
                           static_cast<double>(product(geometry.loop) / 2)) < 1);
        }
    }
}
