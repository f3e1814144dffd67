// SPDX-License-Identifier: MIT
//
// The host's loops of reductions, whatever way their work is cut into ranges for threads.
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <random>

#include "support/host_reductions.hpp"
#include "support/layouts.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Definition reduction(std::string inputs,
                     std::string outputs,
                     std::string map,
                     std::string reduce,
                     std::string post_map,
                     std::string identity) {
    Definition definition{.name = "folded",
                          .inputs = std::move(inputs),
                          .outputs = std::move(outputs),
                          .operation = std::move(map)};
    definition.reduction = ReductionTexts{.reduce = std::move(reduce),
                                          .post_map = std::move(post_map),
                                          .identity = std::move(identity)};
    return definition;
}

Definition sum_of(std::string map) {
    return reduction("T x", "T y", std::move(map), "a + b", "y = a", "0");
}

Dims kept_shape(const Dims& loop, AxisSet axes) {
    Dims shape = loop;
    for (int axis = 0; axis < loop.rank(); ++axis) {
        if ((axes >> axis & 1) != 0) shape[axis] = 1;
    }
    return shape;
}

std::int64_t product(const Dims& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

// In [-1, 1), different in all digits.
std::vector<float> fractions(std::int64_t count) {
    std::mt19937 random(5);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random()) * 0x1p-31F - 1;
    return values;
}

const std::vector<Cut> cuts = {
    {1, 0, 0}, {1, 1009, 17}, {2, 4096, 0}, {3, 333, 1}, {7, 70001, 12345}};

// A reduction of one C-ordered float32 array to float32, and the bits of its results.
std::vector<float> float_results(const Definition& definition,
                                 std::vector<float> values,
                                 const Dims& loop,
                                 AxisSet axes,
                                 const Cut& cut,
                                 HostCxx cxx = HostCxx::gnu) {
    const Dims kept = kept_shape(loop, axes);
    std::vector<float> results(static_cast<std::size_t>(product(kept)), -7.0F);
    PlannedReduction planned(
        definition, {dense_operand(values, loop), dense_operand(results, kept)}, loop, axes, cxx);
    planned.run(cut);
    CHECK(planned.counters_are_zero());
    return results;
}

struct Geometry {
    const char* name;
    Dims loop;
    AxisSet axes;
    LoopKind kind;
    bool wide;
    bool split;
};

// One of each way through the loops, with what is left over in all of them.
const std::vector<Geometry> geometries = {
    {"one long row", {300001}, 1, LoopKind::reduced_rows, false, true},
    {"one short row", {37}, 1, LoopKind::reduced_rows, false, false},
    {"few long rows", {3, 70001}, 2, LoopKind::reduced_rows, false, true},
    {"many long rows", {600, 17000}, 2, LoopKind::reduced_rows, false, false},
    {"rows of a few bands", {701, 203}, 2, LoopKind::reduced_rows, false, false},
    {"rows of 5", {1111, 5}, 2, LoopKind::reduced_columns, false, false},
    {"rows of 3 that are few", {7, 3}, 2, LoopKind::reduced_rows, false, false},
    {"columns", {333, 1001}, 1, LoopKind::reduced_columns, false, true},
    {"many columns", {3, 140000}, 1, LoopKind::reduced_columns, false, false},
    {"narrow columns", {50001, 7}, 1, LoopKind::reduced_columns, true, true},
    {"few narrow columns", {9, 7}, 1, LoopKind::reduced_columns, true, false},
    {"a middle axis", {5, 601, 130}, 2, LoopKind::reduced_columns, false, true},
    {"outer and inner axes", {40, 11, 301}, 5, LoopKind::reduced_rows, false, false},
    {"columns under an outer axis", {31, 9, 35, 12}, 5, LoopKind::reduced_columns, true, false},
};

}  // namespace

TEST_CASE("a fold of float32 is as good as one of float64 on every loop", "[host_reduction]") {
    for (const Geometry& geometry : geometries) {
        INFO(geometry.name);
        std::vector<float> values = fractions(product(geometry.loop));
        const Dims kept = kept_shape(geometry.loop, geometry.axes);
        std::vector<float> results(static_cast<std::size_t>(product(kept)));
        PlannedReduction planned(
            sum_of("x * x"),
            {dense_operand(values, geometry.loop), dense_operand(results, kept)},
            geometry.loop,
            geometry.axes);
        CHECK(planned.plan().baked.loop == geometry.kind);
        CHECK(planned.plan().baked.wide == geometry.wide);
        CHECK(planned.plan().baked.split == geometry.split);
        planned.run();
        std::vector<double> expected(results.size(), 0.0);
        const std::vector<std::int64_t> outputs = naive_offsets(geometry.loop, [&] {
            Dims strides = c_strides(kept, 1);
            for (int axis = 0; axis < kept.rank(); ++axis) {
                if ((geometry.axes >> axis & 1) != 0) strides[axis] = 0;
            }
            return strides;
        }());
        for (std::size_t k = 0; k < values.size(); ++k)
            expected[static_cast<std::size_t>(outputs[k])] +=
                static_cast<double>(values[k]) * static_cast<double>(values[k]);
        double worst = 0;
        for (std::size_t k = 0; k < results.size(); ++k)
            worst = std::max(worst, std::abs(static_cast<double>(results[k]) / expected[k] - 1));
        CHECK(worst < 1e-6);
    }
}

TEST_CASE("the bits of a fold do not depend on threads, on ranges, nor on the compiler",
          "[host_reduction]") {
    for (const Geometry& geometry : geometries) {
        INFO(geometry.name);
        const std::vector<float> values = fractions(product(geometry.loop));
        const auto results = [&](const char* map, const Cut& cut, HostCxx cxx) {
            return float_results(sum_of(map), values, geometry.loop, geometry.axes, cut, cxx);
        };
        // The second map has a product that is fused with the sum.
        for (const char* map : {"x", "x * x"}) {
            const std::vector<float> whole = results(map, cuts[0], HostCxx::gnu);
            for (const Cut& cut : cuts) CHECK(results(map, cut, HostCxx::gnu) == whole);
        }
        const std::vector<float> whole = results("x", cuts[0], HostCxx::gnu);
        CHECK(results("x", cuts[0], HostCxx::clang) == whole);
        CHECK(results("x", cuts[4], HostCxx::clang) == whole);
    }
}

TEST_CASE("without an identity the first elements start the fold", "[host_reduction]") {
    const Definition largest = reduction("T x", "T y", "x", "b > a ? b : a", "y = a", "");
    for (const Geometry& geometry : geometries) {
        INFO(geometry.name);
        std::vector<float> values = fractions(product(geometry.loop));
        for (float& value : values) value -= 3;  // all negative: a fold that starts from 0 shows
        const Dims kept = kept_shape(geometry.loop, geometry.axes);
        std::vector<float> expected(static_cast<std::size_t>(product(kept)), -100.0F);
        Dims strides = c_strides(kept, 1);
        for (int axis = 0; axis < kept.rank(); ++axis) {
            if ((geometry.axes >> axis & 1) != 0) strides[axis] = 0;
        }
        const std::vector<std::int64_t> outputs = naive_offsets(geometry.loop, strides);
        for (std::size_t k = 0; k < values.size(); ++k) {
            float& value = expected[static_cast<std::size_t>(outputs[k])];
            value = std::max(value, values[k]);
        }
        CHECK(float_results(largest, values, geometry.loop, geometry.axes, cuts[0]) == expected);
        CHECK(float_results(largest, values, geometry.loop, geometry.axes, cuts[3]) == expected);
    }
}

namespace {

// A call of random geometry in integers, and what it has to give.
struct RandomCall {
    Dims loop;
    AxisSet axes = 0;
    std::vector<Dims> shapes;
    std::vector<Dims> strides;
    std::vector<std::int64_t> begins;
    std::vector<std::vector<std::int32_t>> memory;
};

RandomCall random_call(Random& random) {
    RandomCall call;
    call.loop = random_shape(random, 5, 9);
    // Now and then an axis that is long enough for whole bands and chunks.
    if (call.loop.rank() > 0 && pick(random, 0, 1) == 0) {
        const int axis = static_cast<int>(pick(random, 0, call.loop.rank() - 1));
        call.loop[axis] = pick(random, 17, call.loop.rank() < 3 ? 40000 : 700);
    }
    for (int axis = 0; axis < call.loop.rank(); ++axis) {
        if (pick(random, 0, 1) == 0) call.axes |= AxisSet{1} << axis;
    }
    for (int operand = 0; operand < 2; ++operand) {
        Dims shape = call.loop;
        for (std::int64_t& extent : shape) {
            if (operand == 1 && pick(random, 0, 4) == 0) extent = 1;
        }
        Dims strides = random_strides(random, shape, 4);
        std::int64_t low = 0;
        std::int64_t high = 4;
        for (int axis = 0; axis < shape.rank(); ++axis) {
            const std::int64_t reach = (shape[axis] - 1) * strides[axis];
            (reach < 0 ? low : high) += reach;
        }
        std::vector<std::int32_t> values(static_cast<std::size_t>((high - low) / 4));
        for (std::int32_t& value : values)
            value = static_cast<std::int32_t>(pick(random, -1000, 1000));
        call.shapes.push_back(shape);
        call.strides.push_back(strides);
        call.begins.push_back(-low);
        call.memory.push_back(std::move(values));
    }
    return call;
}

// Offsets into an operand that broadcasts to the loop.
std::vector<std::int64_t> offsets(const RandomCall& call, std::size_t operand) {
    Dims strides = call.strides[operand];
    for (int axis = 0; axis < call.loop.rank(); ++axis) {
        if (call.shapes[operand][axis] == 1) strides[axis] = 0;
    }
    return naive_offsets(call.loop, strides);
}

// C-order strides over the axes of the set, 0 along the others.
Dims index_strides(const Dims& loop, AxisSet axes) {
    Dims strides = Dims::filled(loop.rank(), 0);
    std::int64_t stride = 1;
    for (int axis = loop.rank() - 1; axis >= 0; --axis) {
        if ((axes >> axis & 1) == 0) continue;
        strides[axis] = stride;
        stride *= loop[axis];
    }
    return strides;
}

}  // namespace

TEST_CASE("reductions over random axes of random layouts are exact in integers",
          "[host_reduction]") {
    Random random(11);
    for (int trial = 0; trial < 70; ++trial) {
        RandomCall call = random_call(random);
        const bool counts = trial % 3 == 0;
        Definition definition =
            reduction("int32 x, int32 w",
                      "int64 s, int64 m",
                      counts ? "x * (w + i % 7) + 3 * _J + 5 * _out_ind.size() + _in_ind.get()[0]"
                             : "x * (int64_t)w",
                      "a + b",
                      counts ? "s = a + i; m = a - 2 * (_in_ind.size() / _out_ind.size())"
                             : "s = a; m = 2 * a",
                      "0");
        if (call.loop.rank() == 0 && counts) definition.operation = "x * w";
        const Dims kept = kept_shape(call.loop, call.axes);
        const auto count = static_cast<std::size_t>(product(kept));
        std::vector<std::int64_t> sums(count, -1);
        std::vector<std::int64_t> others(count, -1);
        std::vector<HostOperand> operands;
        for (std::size_t k = 0; k < 2; ++k)
            operands.push_back({int32,
                                reinterpret_cast<char*>(call.memory[k].data()) + call.begins[k],
                                call.shapes[k],
                                call.strides[k]});
        operands.push_back(dense_operand(sums, kept));
        // The second output lies in memory the other way round.
        HostOperand reversed = dense_operand(others, kept);
        std::int64_t back = 0;
        for (int axis = 0; axis < kept.rank(); ++axis) {
            back += (kept[axis] - 1) * reversed.strides[axis];
            reversed.strides[axis] = -reversed.strides[axis];
        }
        reversed.data = static_cast<char*>(reversed.data) + back;
        operands.push_back(reversed);

        const AxisSet all = (AxisSet{1} << call.loop.rank()) - 1;
        const auto x = offsets(call, 0);
        const auto w = offsets(call, 1);
        const auto J = naive_offsets(call.loop, index_strides(call.loop, call.axes));
        const auto o = naive_offsets(call.loop, index_strides(call.loop, all & ~call.axes));
        const auto element = [&](std::size_t k, std::int64_t offset) {
            return static_cast<std::int64_t>(
                call.memory[k][static_cast<std::size_t>((offset + call.begins[k]) / 4)]);
        };
        std::vector<std::int64_t> expected(count, 0);
        const std::int64_t inner = call.loop.rank() > 0 ? product(call.loop) / call.loop[0] : 1;
        const bool places = counts && call.loop.rank() > 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            const auto i = static_cast<std::int64_t>(k);
            std::int64_t value = element(0, x[k]) * element(1, w[k]);
            if (places)
                value = element(0, x[k]) * (element(1, w[k]) + i % 7) + 3 * J[k] +
                        5 * static_cast<std::int64_t>(count) + i / inner;
            expected[static_cast<std::size_t>(o[k])] += value;
        }
        const std::int64_t mean = product(call.loop) / static_cast<std::int64_t>(count);

        PlannedReduction planned(definition, operands, call.loop, call.axes);
        INFO("trial " << trial << ": " << to_text(call.loop) << " axes " << call.axes << ", "
                      << to_key(planned.plan().baked));
        for (const Cut& cut : {cuts[0], cuts[3]}) {
            std::fill(sums.begin(), sums.end(), -1);
            planned.run(cut);
            int wrong = 0;
            for (std::size_t k = 0; k < count; ++k) {
                const auto i = static_cast<std::int64_t>(k);
                const std::int64_t sum = counts ? expected[k] + i : expected[k];
                const std::int64_t other = counts ? expected[k] - 2 * mean : 2 * expected[k];
                if (sums[k] != sum || others[count - 1 - k] != other) ++wrong;
            }
            CHECK(wrong == 0);
        }
    }
}

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
    for (const Geometry& geometry : geometries) {
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
        Dims strides = c_strides(kept, 1);
        for (int axis = 0; axis < kept.rank(); ++axis) {
            if ((geometry.axes >> axis & 1) != 0) strides[axis] = 0;
        }
        std::vector<std::int64_t> expected(count, -1);
        const std::vector<std::int64_t> outputs = naive_offsets(geometry.loop, strides);
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
        for (const Geometry& geometry : geometries) {
            if (kind.size > 64 && product(geometry.loop) > 500000) continue;  // seconds
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
            Dims strides = c_strides(kept, 1);
            for (int axis = 0; axis < kept.rank(); ++axis) {
                if ((geometry.axes >> axis & 1) != 0) strides[axis] = 0;
            }
            std::vector<std::uint8_t> expected(results.size());
            const std::vector<std::int64_t> outputs = naive_offsets(geometry.loop, strides);
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
    // Large numbers that cancel, with small ones between them.
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
            // The same in each column.
            const std::vector<float> column = cancelling(60000);
            for (std::size_t k = 0; k < values.size(); ++k) values[k] = column[k / 6];
        }
        const std::vector<float> results = float_results(definition, values, loop, axes, cuts[0]);
        for (const float result : results) CHECK(result == (axes == 1 ? 20000 : 30000) * 0.125F);
        CHECK(float_results(definition, values, loop, axes, cuts[4]) == results);
        CHECK(float_results(definition, values, loop, axes, cuts[0], HostCxx::clang) == results);
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
        for (const Geometry& geometry : geometries) {
            INFO(geometry.name);
            const std::vector<float> values(static_cast<std::size_t>(product(geometry.loop)), 0.0F);
            const std::vector<float> results =
                float_results(definition, values, geometry.loop, geometry.axes, cuts[0]);
            CHECK(std::abs(std::accumulate(results.begin(), results.end(), 0.0) -
                           static_cast<double>(product(geometry.loop) / 2)) < 1);
        }
    }
}

TEST_CASE("explain says how the host folds", "[host_reduction]") {
    const auto lines = [](const Dims& loop, AxisSet axes) {
        std::vector<float> values(static_cast<std::size_t>(product(loop)));
        const Dims kept = kept_shape(loop, axes);
        std::vector<float> results(static_cast<std::size_t>(product(kept)));
        return PlannedReduction(sum_of("x"),
                                {dense_operand(values, loop), dense_operand(results, kept)},
                                loop,
                                axes)
            .lines();
    };
    const std::string axes =
        "axes: kept ones, then reduced ones, sorted by the strides of the inputs; merged where all "
        "agree";
    const std::string order =
        "order: fixed chunks and a fixed tree, so that bits do not depend on the threads";
    const std::string output = "y: loaded before and stored after the post-map";
    CHECK(lines({700, 300}, 2) ==
          std::vector<std::string>{
              "loop: 700 outputs from inputs of shape (700, 300); output by output, 1 of 2 axes "
              "reduced",
              axes,
              "rows: memory runs along what is reduced, so that a row goes to many accumulators at "
              "once",
              order,
              "x: contiguous along the inner axis",
              output});
    CHECK(lines({2, 200000}, 2)[4] == "pieces: up to 13 an output, because there are few outputs");
    CHECK(lines({3000, 5}, 2) ==
          std::vector<std::string>{
              "loop: 3000 outputs from inputs of shape (3000, 5); neighbouring outputs side by "
              "side, 1 of 2 axes reduced",
              axes,
              "columns: rows of few elements, so that neighbouring rows are folded at once",
              order,
              "x: strided from output to output",
              output});
    CHECK(lines({60000, 5}, 1)[0] ==
          "loop: 5 outputs from inputs of shape (60000, 5); neighbouring outputs side by side, "
          "several short rows as one, in pieces that threads share, 1 of 2 axes reduced");
    CHECK(lines({60000, 5}, 1)[2] ==
          "columns: memory runs along what is kept, so that neighbouring outputs are folded at "
          "once");
}
