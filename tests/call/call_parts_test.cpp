// SPDX-License-Identifier: MIT
//
// Calls of generated kernels with lists that are built at run time, without a template for each number of
// arguments.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a list of parts calls any kernel as its arguments in parentheses do",
          "[call][binding]") {
    const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
    const ElementwiseKernel split("T x", "T lo, T hi", "lo = x - 1; hi = x + 1", "split");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "sum_up");
    const GeneratedKernel by_name = kernel_template("sum");
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array x = arange(6, float32, {device}).reshape({2, 3});
        const Array z = zeros({2, 3}, float32, {device});
        const std::vector<CallPart> parts = {2, x, x};
        CHECK(array_equal(axpy.call_parts(parts), axpy(2, x, x)));
        const OutputReference given = out(z);
        const std::vector<CallPart> with_output = {given, 2, x, x};
        CHECK(axpy.call_parts(with_output).data() == z.data());
        CHECK(array_equal(z, axpy(2, x, x)));

        const std::vector<CallPart> one = {x};
        std::vector<Array> results(2);
        split.call_parts(one, results);
        CHECK(array_equal(results[1], split.call<2>(x)[1]));
        results.resize(3);
        CHECK(KGEN_MESSAGE_OF(TypeError, split.call_parts(one, results)) ==
              "kernel 'split': call<3> was called, but it has 2 outputs");

        const AxesArgument axes = axis(1);
        const std::vector<CallPart> along = {x, axes, keepdims};
        CHECK(array_equal(sum.call_parts(along), sum(x, axis(1), keepdims)));
        CHECK(array_equal(by_name.call_parts(along), by_name(x, axis(1), keepdims)));

        const BoundLaunch bound = axpy.bind_parts(with_output);
        z.assign(0);
        bound.launch();
        CHECK(array_equal(z, axpy(2, x, x)));
    }
}

TEST_CASE("a call with a list of parts allocates as little as one in parentheses",
          "[call][binding]") {
    const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
    const Array x = arange(6, float32, {Device::host()});
    const Array z = zeros({6}, float32, {Device::host()});
    const OutputReference given = out(z);
    const std::vector<CallPart> parts = {2, x, x, given};
    axpy(2, x, x, out(z));
    axpy.call_parts(parts);
    const std::int64_t direct = allocations_of([&] { axpy(2, x, x, out(z)); });
    CHECK(allocations_of([&] { axpy.call_parts(parts); }) == direct);
}
