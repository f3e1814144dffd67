// SPDX-License-Identifier: MIT
//
// An option of a call that is given twice.
#include <kgen/kgen.hpp>

#include "support/catch.hpp"

using namespace kgen;

TEST_CASE("an option that is given twice is refused") {
    const DeviceScope on_host(Device::host());
    const Array x = arange(6, float32).reshape({2, 3});
    const KernelTemplate sum = kernel_template("sum");
    const KernelTemplate add = kernel_template("add");
    const ElementwiseKernel index("raw T x", "T z", "z = x[i]", "index");
    const Stream stream = Stream::create(Device::host());
    CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, axis(0), axis(0))) ==
          "kernel 'sum': axis is given twice; give all axes at once, as in axis({0, 1})");
    CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, axis(0), axis(1))) ==
          "kernel 'sum': axis is given twice; give all axes at once, as in axis({0, 1})");
    CHECK(KGEN_MESSAGE_OF(TypeError, sum(x, keepdims, axis(0), keepdims)) ==
          "kernel 'sum': keepdims is given twice");
    CHECK(KGEN_MESSAGE_OF(TypeError, index(x, size(2), size(2))) ==
          "kernel 'index': size is given twice");
    CHECK(KGEN_MESSAGE_OF(TypeError, add(x, x, block_size(32), block_size(64))) ==
          "kernel 'add': block_size is given twice");
    CHECK(KGEN_MESSAGE_OF(TypeError, add(x, x, on(stream), on(stream))) ==
          "kernel 'add': on is given twice");
    CHECK(KGEN_MESSAGE_OF(TypeError, static_cast<void>(sum.bind(x, axis(0), axis(1)))) ==
          "kernel 'sum': axis is given twice; give all axes at once, as in axis({0, 1})");
    CHECK(KGEN_MESSAGE_OF(TypeError, add.call<1>(x, x, size(1), size(1))) ==
          "kernel 'add': size is given twice");
    CHECK(to_text(sum(x, axis({0, 1}))) == "15.0");
}
