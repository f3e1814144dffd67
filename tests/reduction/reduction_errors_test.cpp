// SPDX-License-Identifier: MIT
//
// Invalid calls of reductions: the type and exact message of each error. Outputs are not written.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/folded.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("axes must be axes of the inputs, each once", "[reduction][errors]") {
    const ReductionKernel sum = sum_kernel();
    const ReductionKernel weighted("T x, T w", "T y", "x * w", "a + b", "y = a", "0", "weighted");
    for (const Device device : present_devices()) {
        const Array x = zeros({3, 4}, float32, {device});
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis(2))) ==
              "kernel 'sum': axis 2 is out of range: the inputs have shape (3, 4), expected -2 to "
              "1");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis({0, -3}))) ==
              "kernel 'sum': axis -3 is out of range: the inputs have shape (3, 4), expected -2 to "
              "1");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis({1, 0, -1}))) ==
              "kernel 'sum': axis 1 is given twice: (1, 0, -1) of shape (3, 4)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x.reshape({12})[0], axis(0))) ==
              "kernel 'sum': axis 0 is given, but the inputs have no axes");
        // The axes refer to the shape to which the inputs broadcast.
        CHECK(
            KGEN_MESSAGE_OF(ShapeError,
                            weighted(x, zeros({5, 1, 1}, float32, {device}), axis(3))) ==
            "kernel 'weighted': axis 3 is out of range: the inputs have shape (5, 3, 4), expected "
            "-3 to 2");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis(std::vector<int>(17, 0)))) ==
              "axis: 17 axes were given, but an array has at most 16");
        const std::vector<Argument> arguments = {x};
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum.call(arguments, {.axes = std::vector<int>(17, 0)})) ==
              "kernel 'sum': axis 0 is given twice: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
              "0, 0) of shape (3, 4)");
    }
}

TEST_CASE("given outputs must have the shape, dtype and number of the results",
          "[reduction][errors]") {
    const ReductionKernel sum = sum_kernel();
    const ReductionKernel range("T x", "T lo, T hi", "x", "a + b", "lo = hi = a", "0", "range");
    for (const Device device : present_devices()) {
        const Array x = zeros({3, 4}, float32, {device});
        const auto floats = [&](const Dims& shape) { return full(shape, 7, float32, {device}); };
        const Array y = floats({4});
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis(1), out(y))) ==
              "kernel 'sum': output 1 ('y') has shape (4,), but the result has (3,)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis(1), out(floats({3, 1})))) ==
              "kernel 'sum': output 1 ('y') has shape (3, 1), but the result has (3,); pass "
              "keepdims");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis(0), keepdims, out(y))) ==
              "kernel 'sum': output 1 ('y') has shape (4,), but the result has (1, 4); remove "
              "keepdims");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, out(floats({1})))) ==
              "kernel 'sum': output 1 ('y') has shape (1,), but the result has ()");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, axis({}), out(floats({4, 3})))) ==
              "kernel 'sum': output 1 ('y') has shape (4, 3), but the result has (3, 4)");
        CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, axis(0), out(zeros({4}, int32, {device})))) ==
              "kernel 'sum': T is int32 from output 1 ('y') but float32 from argument 1 ('x'); "
              "convert one of them with astype");
        CHECK(KGEN_MESSAGE_OF(TypeError, range.call<2>(x, axis(0), out(y))) ==
              "kernel 'range': expected 2 outputs (lo, hi), but 1 was given");
        CHECK(KGEN_MESSAGE_OF(TypeError, range(x)) ==
              "kernel 'range': it has 2 outputs; use call<2>(...)");
        CHECK(KGEN_MESSAGE_OF(TypeError, sum.call<2>(x)) ==
              "kernel 'sum': call<2> was called, but it has 1 output");
        CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, y, y)) ==
              "kernel 'sum': expected 1 argument (x) or, with outputs, 2 (x, y), but got 3");
        CHECK(KGEN_MESSAGE_OF(ShapeError, range.call<2>(x, axis(0), out(y), out(y))) ==
              "kernel 'range': output 1 ('lo') and output 2 ('hi') overlap; pass arrays that share "
              "no memory");
        CHECK(KGEN_MESSAGE_OF(ShapeError,
                              sum(x, axis(0), out(y.slice({{0, 1}}).broadcast_to({4})))) ==
              "kernel 'sum': output 1 ('y') is read-only; pass a writable array");
        CHECK(elements<float>(y) == std::vector<float>(4, 7));
    }
}

TEST_CASE("without an identity there must be an element to begin with", "[reduction][errors]") {
    const ReductionKernel top("T x", "T y", "x", "max(a, b)", "y = a", "", "top");
    for (const Device device : present_devices()) {
        const Array x = empty({3, 0}, float32, {device});
        CHECK(KGEN_MESSAGE_OF(ShapeError, top(x)) ==
              "kernel 'top': cannot reduce zero elements without an identity: shape (3, 0); pass "
              "an identity to the kernel, or check size() first");
        CHECK(KGEN_MESSAGE_OF(ShapeError, top(x, axis(-1))) ==
              "kernel 'top': cannot reduce zero elements without an identity: shape (3, 0) along "
              "(-1); pass an identity to the kernel, or check size() first");
        // The result has no elements, so no identity is needed.
        CHECK(top(x, axis(0)).shape() == Dims{0});
        CHECK(top(x, axis({})).shape() == Dims{3, 0});
        CHECK(top(x, axis(0), keepdims).shape() == Dims{1, 0});
    }
}

TEST_CASE("the size of a reduction is said once", "[reduction][errors]") {
    const ReductionKernel sum = sum_kernel();
    const ReductionKernel raw("raw T x", "T y", "x[i]", "a + b", "y = a", "0", "raw_sum");
    const ReductionKernel raw_out("T x", "raw T y", "x", "a + b", "y[i] = a", "0", "raw_out");
    for (const Device device : present_devices()) {
        const Array x = zeros({4}, float32, {device});
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw(x)) ==
              "kernel 'raw_sum': all array arguments are raw, so the loop size is unknown; pass "
              "size(n)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw(x, size(-2))) ==
              "kernel 'raw_sum': size is -2, expected 0 or more");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(1.0f)) ==
              "kernel 'sum': no argument is an array, so the loop size is unknown; pass size(n)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, sum(x, size(4))) ==
              "kernel 'sum': size is only for calls in which every array is raw, but argument 1 "
              "('x') is not");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw_out(x)) ==
              "kernel 'raw_out': output 1 ('y') is raw, so its shape is unknown; pass the array");
        CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, block_size(128))) ==
              "kernel 'sum': block_size is for elementwise kernels; a reduction chooses its own "
              "block size");
    }
}

TEST_CASE("elementwise kernels have no axes", "[reduction][errors]") {
    const ElementwiseKernel copy("T x", "T z", "z = x", "copy");
    const Array x = zeros({4}, float32, {Device::host()});
    CHECK(KGEN_MESSAGE_OF(TypeError, copy(x, axis(0))) ==
          "kernel 'copy': axis is for reductions, but the kernel is elementwise");
    CHECK(KGEN_MESSAGE_OF(TypeError, copy(x, keepdims)) ==
          "kernel 'copy': keepdims is for reductions, but the kernel is elementwise");
    CHECK(elements<float>(copy(x)) == std::vector<float>(4, 0));
}

TEST_CASE("a reduction that overlaps its output is not bound", "[reduction][errors]") {
    const ReductionKernel sum = sum_kernel();
    const Array x = zeros({4, 4}, float32, {Device::host()});
    CHECK(KGEN_MESSAGE_OF(ShapeError, sum.bind(x, axis(0), out(x[0]))) ==
          "kernel 'sum': argument 1 ('x') overlaps an output and is not exactly in place, so each "
          "launch would need a new copy of it; bind a copy(), or call the kernel");
}
