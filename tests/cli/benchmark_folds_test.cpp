// SPDX-License-Identifier: MIT
//
// How the benchmark checks reductions: its reference folds on the CPU, and the errors that it detects.
#include <benchmarks/prepared_case.hpp>
#include <benchmarks/reduction_kernels.hpp>
#include <benchmarks/report.hpp>
#include <benchmarks/result_error.hpp>
#include <cmath>
#include <kgen/kgen.hpp>

#include "support/catch.hpp"

using namespace kgen;
using namespace kgen::bench;

namespace {

using View = std::function<Array(const Array&)>;

Dims without(const Dims& shape, const std::vector<int>& axes) {
    Dims result;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) result.push_back(shape[axis]);
    }
    return result;
}

// Returns the sums of squares over the axes, in C order of the kept axes.
std::vector<double> sums(const Array& view, const std::vector<int>& axes) {
    const std::vector<float> values = view.to_vector<float>();
    const Dims kept = without(view.shape(), axes);
    std::int64_t count = 1;
    for (const std::int64_t extent : kept) count *= extent;
    std::vector<double> result(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < values.size(); ++k) {
        auto rest = static_cast<std::int64_t>(k);
        std::int64_t place = 0;
        std::int64_t weight = 1;
        for (int axis = view.rank() - 1; axis >= 0; --axis) {
            const std::int64_t index = rest % view.shape()[axis];
            rest /= view.shape()[axis];
            if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
            place += index * weight;
            weight *= view.shape()[axis];
        }
        result[static_cast<std::size_t>(place)] += double{values[k]} * double{values[k]};
    }
    return result;
}

// Returns the results of the reference's fold for one list of values per input.
std::vector<double> folded(const Reduction& reduction,
                           const std::vector<std::vector<double>>& inputs) {
    const std::unique_ptr<Fold> fold = reduction.reference();
    std::vector<const double*> first;
    std::vector<const double*> second;
    const std::size_t half = inputs[0].size() / 2;
    for (const std::vector<double>& input : inputs) {
        first.push_back(input.data());
        second.push_back(input.data() + half);
    }
    fold->add(first.data(), static_cast<std::int64_t>(half));
    fold->add(second.data(), static_cast<std::int64_t>(inputs[0].size() - half));
    std::vector<double> results;
    for (const Number& each : fold->outputs()) results.push_back(each.real());
    return results;
}

Case of_rows(Reduction reduction, const Dims& shape = {70, 90}) {
    return {"case", "tests", std::move(reduction), {{float32, shape}}, {}, {}, {{1}}};
}

double error_of(const Case& given) {
    const DeviceScope host(Device::host());
    return PreparedCase(given, Scale::full).largest_error();
}

}  // namespace

TEST_CASE("the benchmark folds the elements that the kernel does, whatever the view") {
    const DeviceScope host(Device::host());
    const std::vector<View> views = {
        {},
        [](const Array& x) {
            return x.transpose({2, 0, 1});
        },
        [](const Array& x) {
            return x.slice({Range{{}, {}, -1}, Range{1, {}, 2}});
        },
        [](const Array& x) { return x.transpose(); },
    };
    const std::vector<std::vector<int>> axis_lists = {
        {}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}};
    for (const Dims& shape : {Dims{6, 5, 4}, Dims{3, 9000, 2}, Dims{200, 90, 80}}) {
        for (const View& view : views) {
            std::vector<OperandMemory> inputs;
            inputs.push_back(OperandMemory::random({float32, shape, view, 3}, Scale::full, 7));
            const Array& given = inputs[0].view();
            for (const std::vector<int>& axes : axis_lists) {
                INFO(to_text(given.shape()) << " without " << axes.size() << " axes");
                const Dims kept = without(given.shape(), axes);
                std::vector<OperandMemory> outputs;
                outputs.push_back(OperandMemory::poisoned({float64, kept}, Scale::full));
                const auto error = [&] {
                    return fold_error(sum_of_squares(float64).reference, inputs, axes, outputs);
                };
                CHECK(std::isnan(error()));
                std::vector<double> expected = sums(given, axes);
                outputs[0].view().assign(from_vector(expected, kept));
                CHECK(error() < 1e-11);
                expected.back() *= 1.001;
                outputs[0].view().assign(from_vector(expected, kept));
                CHECK(error() > 1e-4);
            }
        }
    }
}

TEST_CASE("the folds of the benchmark give sums, largest values, means and variances") {
    const std::vector<double> x = {3, -1, 4, 1, -5, 9, 2, -6, 5, 3, 5, 9, 7};
    CHECK(folded(sum_of_squares(float32), {x}) == std::vector<double>{362});
    CHECK(folded(integer_sum(int8, int64), {x}) == std::vector<double>{36});
    CHECK(folded(squared_distance(), {x, std::vector<double>(13, 1)}) == std::vector<double>{303});
    CHECK(folded(largest_with_index(), {x}) == std::vector<double>{9, 5});
    const std::vector<double> moments = folded(mean_and_variance(), {x});
    REQUIRE(moments.size() == 2);
    CHECK(moments[0] == Approx(36.0 / 13));
    CHECK(moments[1] == Approx(362.0 / 13 - 36.0 / 13 * 36.0 / 13));
    const std::vector<double> large(3, 2147483647.0);
    CHECK(folded(integer_sum(int32, int32), {large}) == std::vector<double>{2147483645.0});
    CHECK(folded(integer_sum(int32, int64), {large}) == std::vector<double>{6442450941.0});
}

TEST_CASE("the benchmark finds reductions that are not their reference") {
    Reduction wrong = sum_of_squares(float32);
    CHECK(error_of(of_rows(wrong)) < 1e-5);
    wrong.map = "x * x + (i == 70 * 90 - 1)";
    CHECK(error_of(of_rows(wrong)) > 1e-3);
    wrong = largest_with_index();
    wrong.post_map = "value = a.value; index = a.index + 1";
    CHECK(error_of(of_rows(wrong)) > 0);
    wrong.post_map = "value = a.value; if (false) index = 0";
    CHECK(error_of(of_rows(wrong)) > 0);
}

TEST_CASE("the reductions of the cases are as exact as they say") {
    // Rows far from 0 with a small spread. Naive moments lose their variance.
    const DeviceScope host(Device::host());
    const Reduction moments = mean_and_variance();
    const ReductionKernel kernel(moments.inputs,
                                 moments.outputs,
                                 moments.map,
                                 moments.reduce,
                                 moments.post_map,
                                 moments.identity,
                                 "moments",
                                 moments.options);
    std::vector<float> values;
    for (int k = 0; k < 4 * 1000; ++k) {
        values.push_back(4096.0F * static_cast<float>(k / 1000) + static_cast<float>(k % 7) / 8);
    }
    const auto results = kernel.call(std::vector<Argument>{from_vector(values, {4, 1000})},
                                     {.axes = std::vector<int>{1}});
    REQUIRE(results.size() == 2);
    for (std::size_t row = 0; row < 4; ++row) {
        const std::vector<double> x(values.begin() + static_cast<std::ptrdiff_t>(row) * 1000,
                                    values.begin() + static_cast<std::ptrdiff_t>(row + 1) * 1000);
        const std::vector<double> expected = folded(moments, {x});
        CHECK(results[0].to_vector<float>()[row] == Approx(expected[0]).epsilon(1e-6));
        CHECK(results[1].to_vector<float>()[row] == Approx(expected[1]).epsilon(1e-5));
    }
}

TEST_CASE("the traffic of a reduction is one read and what it writes") {
    const DeviceScope host(Device::host());
    const PreparedCase argmax(of_rows(largest_with_index(), {50, 40}), Scale::full);
    CHECK(argmax.traffic().read_bytes == 4 * 50 * 40);
    CHECK(argmax.traffic().written_bytes == (4 + 8) * 50);
    Case two = of_rows(squared_distance(), {50, 40});
    two.inputs.push_back(two.inputs.front());
    two.axes = {};
    const PreparedCase distance(two, Scale::full);
    CHECK(distance.traffic().read_bytes == 2 * 4 * 50 * 40);
    CHECK(distance.traffic().written_bytes == 4);
    CHECK(distance.output().rank() == 0);
}

TEST_CASE("a reduction whose bits change makes the report unsound") {
    Report report;
    report.same_bits = {{.name = "a", .runs = 100, .others = 0}};
    CHECK(report.is_sound());
    CHECK(same_bits_text(report.same_bits) ==
          "\nbits, run by run               runs  different  result\n"
          "a                               100          0  same\n");
    report.same_bits.push_back({.name = "b", .runs = 100, .others = 2});
    CHECK_FALSE(report.is_sound());
    report.same_bits[1] = {.name = "c", .problem = "no memory"};
    CHECK_FALSE(report.is_sound());
    CHECK(same_bits_text(report.same_bits) ==
          "\nbits, run by run               runs  different  result\n"
          "a                               100          0  same\n"
          "c                            failed: no memory\n");
}

TEST_CASE("a first call and a host loop are held against their targets") {
    const FirstCall within{"a", {1, 2, 3}, 2.5};
    const FirstCall above{"b", {1, 3, 3}, 2.5};
    const FirstCall free{"c", {1, 3, 3}};
    CHECK(first_calls_text({within, above, free}) ==
          "\n1024 float32, new processes   median ms      lower      upper   target  result\n"
          "a                                2.0000     1.0000     3.0000     2.50  ok\n"
          "b                                3.0000     1.0000     3.0000     2.50  above\n"
          "c                                3.0000     1.0000     3.0000        -  -\n");
    HostLoopRow row{.name = "loop", .kgen_ms = 2, .reference_ms = 1, .equal = true};
    CHECK(row.result() == "right");
    row.least_speed = 0.5;
    CHECK(row.result() == "ok");
    row.kgen_ms = 2.1;
    CHECK(row.result() == "below");
    row.equal = false;
    CHECK(row.result() == "WRONG");
}
