// SPDX-License-Identifier: MIT
//
// The host's loops for reductions, with the work divided into ranges for threads in different ways.
#include <algorithm>
#include <cmath>

#include "kernel/loaded_kernel.hpp"
#include "support/choice.hpp"
#include "support/host_reduction_cases.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a fold of float32 is as good as one of float64 on every loop", "[host_reduction]") {
    for (const FoldGeometry& geometry : geometries) {
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
        CHECK(test::is_wide(planned.plan().baked) == geometry.wide);
        CHECK(is_split(planned.plan().baked) == geometry.split);
        // Threads share the elements of the input, even if there are few outputs.
        CHECK(launch_shape(planned.plan().runtime).count == product(geometry.loop));
        planned.run();
        std::vector<double> expected(results.size(), 0.0);
        const std::vector<std::int64_t> outputs = outputs_of(geometry.loop, geometry.axes);
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
    for (const FoldGeometry& geometry : geometries) {
        INFO(geometry.name);
        const std::vector<float> values = fractions(product(geometry.loop));
        const auto results = [&](const char* map, const Cut& cut, HostCxx cxx) {
            return float_results(sum_of(map), values, geometry.loop, geometry.axes, cut, cxx);
        };
        // The second map contains a product that may be fused with the sum.
        for (const char* map : {"x", "x * x"}) {
            const std::vector<float> whole = results(map, cuts[0], HostCxx::gnu);
            for (const Cut& cut : cuts) CHECK(results(map, cut, HostCxx::gnu) == whole);
        }
        const std::vector<float> whole = results("x", cuts[0], HostCxx::gnu);
        if (has_clang()) CHECK(results("x", cuts[0], HostCxx::clang) == whole);
        if (has_clang()) CHECK(results("x", cuts[4], HostCxx::clang) == whole);
    }
}

TEST_CASE("without an identity the first elements start the fold", "[host_reduction]") {
    const Definition largest = reduction("T x", "T y", "x", "b > a ? b : a", "y = a", "");
    for (const FoldGeometry& geometry : geometries) {
        INFO(geometry.name);
        std::vector<float> values = fractions(product(geometry.loop));
        for (float& value : values) value -= 3;  // all negative: detects a fold that starts from 0
        const Dims kept = kept_shape(geometry.loop, geometry.axes);
        std::vector<float> expected(static_cast<std::size_t>(product(kept)), -100.0F);
        const std::vector<std::int64_t> outputs = outputs_of(geometry.loop, geometry.axes);
        for (std::size_t k = 0; k < values.size(); ++k) {
            float& value = expected[static_cast<std::size_t>(outputs[k])];
            value = std::max(value, values[k]);
        }
        CHECK(float_results(largest, values, geometry.loop, geometry.axes, cuts[0]) == expected);
        CHECK(float_results(largest, values, geometry.loop, geometry.axes, cuts[3]) == expected);
    }
}

namespace {

// A call with random geometry and integer elements, and its expected results.
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
    // Half of the calls have one axis that is long enough for whole bands and chunks.
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

// Returns the offsets into an operand that is broadcast to the loop.
std::vector<std::int64_t> offsets(const RandomCall& call, std::size_t operand) {
    Dims strides = call.strides[operand];
    for (int axis = 0; axis < call.loop.rank(); ++axis) {
        if (call.shapes[operand][axis] == 1) strides[axis] = 0;
    }
    return naive_offsets(call.loop, strides);
}

// Returns C-order strides over the axes in the set and 0 for the others.
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
    for (int trial = 0; trial < 24; ++trial) {
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
        // The second output is laid out backwards along every axis.
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
        "order: chunks have a fixed size and are folded in a fixed order, so the bits of a result "
        "do "
        "not depend on the number of threads";
    const std::string rows =
        "because: the inputs are closest in memory along a reduced axis: each row is folded into "
        "many accumulators at once";
    const std::string columns =
        "because: the inputs are closest in memory along a kept axis, or rows are many and short: "
        "neighbouring outputs are folded at once";
    const std::string output = "y: stored after the post-map";
    CHECK(lines({700, 300}, 2) ==
          std::vector<std::string>{
              "loop: 700 outputs from inputs of shape (700, 300); output by output, 1 of 2 axes "
              "reduced",
              axes,
              rows,
              "loops that can run it: reduced_rows, reduced_columns",
              order,
              "x: contiguous along the inner axis",
              output});
    CHECK(lines({2, 200000}, 2)[5] ==
          "pieces: each output is cut into up to 13, because there are few outputs");
    CHECK(lines({4000, 5}, 2)[0] ==
          "loop: 4000 outputs from inputs of shape (4000, 5); neighbouring outputs side by side, 5 "
          "elements at once, 1 of 2 axes reduced");
    CHECK(lines({300, 20, 6}, 2)[0] ==
          "loop: 1800 outputs from inputs of shape (300, 20, 6); short rows of outputs, the inner "
          "2 of 2 kept axes as one, 1 of 3 axes reduced");
    CHECK(lines({3000, 17}, 2) ==
          std::vector<std::string>{
              "loop: 3000 outputs from inputs of shape (3000, 17); neighbouring outputs side by "
              "side, 1 of 2 axes reduced",
              axes,
              columns,
              order,
              "x: strided from output to output",
              output});
    CHECK(lines({60000, 5}, 1)[0] ==
          "loop: 5 outputs from inputs of shape (60000, 5); neighbouring outputs side by side, "
          "several short rows as one, in pieces that threads share, 1 of 2 axes reduced");
    CHECK(lines({60000, 5}, 1)[2] == columns);
}
