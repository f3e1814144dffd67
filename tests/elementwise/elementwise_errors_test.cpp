// SPDX-License-Identifier: MIT
//
// Invalid calls: the exception's type, the exact message, and that nothing was written.
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("arguments must be as many as parameters") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    const ElementwiseKernel split("T x", "T lo, T hi", "lo = hi = x", "split");
    const ElementwiseKernel none("", "raw T z", "z[i] = 0", "none");
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2}, {2}, device);
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x)) ==
              "kernel 'two': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but got 1");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, x, x, x)) ==
              "kernel 'two': expected 2 arguments (x, y) or, with outputs, 3 (x, y, z), but got 4");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, out(x))) ==
              "kernel 'two': expected 2 arguments (x, y), but got 1");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, x, x, out(x))) ==
              "kernel 'two': expected 2 arguments (x, y), but got 3");
        CHECK(KGEN_MESSAGE_OF(TypeError, split.call<2>(x, out(x))) ==
              "kernel 'split': expected 2 outputs (lo, hi), but 1 was given");
        CHECK(KGEN_MESSAGE_OF(TypeError, split(x)) ==
              "kernel 'split': it has 2 outputs; use call<2>(...)");
        CHECK(KGEN_MESSAGE_OF(TypeError, split.call<3>(x)) ==
              "kernel 'split': call<3> was called, but it has 2 outputs");
        CHECK(KGEN_MESSAGE_OF(TypeError, two.call<2>(x, x)) ==
              "kernel 'two': call<2> was called, but it has 1 output");
        CHECK(KGEN_MESSAGE_OF(TypeError, none(x, x)) ==
              "kernel 'none': expected 0 arguments or, with outputs, 1 (z), but got 2");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, Array())) ==
              "kernel 'two': argument 2 ('y') is an empty Array; pass one that has memory");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, x, out(Array()))) ==
              "kernel 'two': output 1 ('z') is an empty Array; pass one that has memory");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, ArraySpec{float32, {2}})) ==
              "kernel 'two': argument 2 ('y') is an ArraySpec, which has no memory; pass an Array");
    }
}

TEST_CASE("dtypes must fit the parameters and each other") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    const ElementwiseKernel fixed("float32 x", "int32 z", "z = x", "fixed");
    const ElementwiseKernel open("T x", "U z", "z = x", "open");
    const ElementwiseKernel lone("int32 x", "U z", "z = x", "lone");
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2}, {2}, device);
        const Array y = from_vector<std::int64_t>({1, 2}, {device});
        const Array z = floats({7, 7}, {2}, device);
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, y)) ==
              "kernel 'two': T is float32 from argument 1 ('x') but int64 from argument 2 ('y'); "
              "convert one of them with astype");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(y, y, out(z))) ==
              "kernel 'two': T is float32 from output 1 ('z') but int64 from argument 1 ('x'); "
              "convert one of them with astype");
        CHECK(KGEN_MESSAGE_OF(TypeError, fixed(y)) ==
              "kernel 'fixed': argument 1 ('x') is int64, but the parameter is float32; convert it "
              "with astype(float32)");
        CHECK(KGEN_MESSAGE_OF(TypeError, fixed(x, out(z))) ==
              "kernel 'fixed': output 1 ('z') is float32, but the parameter is int32; pass an "
              "array of int32");
        CHECK(KGEN_MESSAGE_OF(TypeError, open(x)) ==
              "kernel 'open': cannot determine U: it appears only in outputs; pass output 1 ('z') "
              "or write a dtype in place of U");
        CHECK(KGEN_MESSAGE_OF(TypeError, lone(5, size(3))) ==
              "kernel 'lone': cannot determine U: it appears only in outputs; pass output 1 ('z') "
              "or write a dtype in place of U");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(1, 2.5, size(2))) ==
              "kernel 'two': T is int32 from argument 1 ('x') but float64 from argument 2 ('y'); "
              "write both numbers with one type");
        CHECK(
            KGEN_MESSAGE_OF(TypeError, two(x, x, 5)) ==
            "kernel 'two': output 1 ('z') is an output and needs an array, but a number was given");
        CHECK(KGEN_MESSAGE_OF(
                  TypeError,
                  ElementwiseKernel("T x, _non_const T y", "T z", "z = x", "writer")(x, 5)) ==
              "kernel 'writer': argument 2 ('y') is _non_const and needs an array, but a number "
              "was given");
        CHECK(elements<float>(z) == std::vector<float>{7, 7});
    }
}

TEST_CASE("a scalar that does not fit its parameter is refused") {
    const ElementwiseKernel kernel("T x, T a", "T z", "z = x + a", "add");
    struct Row {
        DType dtype;
        Scalar scalar;
        std::string reason;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    const Row rows[] = {
        {int8, 300, "300 does not fit int8 (-128 to 127)"},
        {int8, -129, "-129 does not fit int8 (-128 to 127)"},
        {uint8, -1, "-1 does not fit uint8 (0 to 255)"},
        {uint64, -1, "-1 does not fit uint64 (0 to 18446744073709551615)"},
        {int64,
         std::numeric_limits<std::uint64_t>::max(),
         "18446744073709551615 does not fit int64 (-9223372036854775808 to 9223372036854775807)"},
        {int64,
         0x1p63,
         "9.223372036854776e+18 does not fit int64 (-9223372036854775808 to 9223372036854775807)"},
        {int32, 2.5, "2.5 does not fit int32 (it is not an integer)"},
        {int32, std::nan(""), "nan does not fit int32 (it is not finite)"},
        {int32, infinity, "inf does not fit int32 (it is not finite)"},
        {float32, 1e300, "1e+300 does not fit float32 (largest 3.40282e+38)"},
        {float16, 65520, "65520 does not fit float16 (largest 65504)"},
        {float16, -1e6, "-1000000.0 does not fit float16 (largest 65504)"},
        {bfloat16, 3.4e38, "3.4e+38 does not fit bfloat16 (largest 3.38953e+38)"},
        {float32, std::complex<double>(1, 2), "(1+2j) does not fit float32 (it is complex)"},
        {int32, std::complex<float>(1, 0), "(1+0j) does not fit int32 (it is complex)"},
        {complex64, 1e300, "1e+300 does not fit complex64 (largest 3.40282e+38)"},
        {bool_, 2, "2 does not fit bool (0 or 1)"},
        {bool_, 0.5, "0.5 does not fit bool (it is not an integer)"},
    };
    for (const Device device : present_devices()) {
        for (const Row& row : rows) {
            const Array x = zeros({3}, row.dtype, {device});
            INFO(to_text(device) << ", " << row.reason);
            CHECK(KGEN_MESSAGE_OF(TypeError, kernel(x, row.scalar)) ==
                  "kernel 'add': argument 2 ('a'): " + row.reason);
        }
        // Rounding is not an error. Infinities and NaN are passed unchanged.
        CHECK(std::isinf(elements<float>(kernel(zeros({1}, float32, {device}), infinity)).front()));
        CHECK(std::isnan(
            elements<float>(kernel(zeros({1}, float32, {device}), std::nan(""))).front()));
        CHECK(elements<float>(kernel(zeros({1}, float32, {device}), 0.1)).front() == 0.1f);
        CHECK(elements<std::int8_t>(kernel(zeros({1}, int8, {device}), -128.0)).front() == -128);
    }
}

TEST_CASE("shapes must broadcast, and given outputs have the common shape") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    const ElementwiseKernel split("T x", "T lo, T hi", "lo = hi = x", "split");
    for (const Device device : present_devices()) {
        const auto of = [&](const Dims& shape) { return zeros(shape, float32, {device}); };
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, two(of({2, 3}), of({4}))) ==
            "kernel 'two': shapes do not broadcast: x is (2, 3), y is (4,); axis 1 is 3 against 4");
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({2, 1, 3}), of({5, 1, 3}))) ==
              "kernel 'two': shapes do not broadcast: x is (2, 1, 3), y is (5, 1, 3); axis 0 is 2 "
              "against 5");
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({0}), of({2}))) ==
              "kernel 'two': shapes do not broadcast: x is (0,), y is (2,); axis 0 is 0 against 2");
        const Array z = full({2, 3}, 7, float32, {device});
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({2, 3}), of({3}), out(of({3})))) ==
              "kernel 'two': output 1 ('z') has shape (3,), but the inputs broadcast to (2, 3)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({2, 3}), of({3}), out(of({2, 1})))) ==
              "kernel 'two': output 1 ('z') has shape (2, 1), but the inputs broadcast to (2, 3)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, split.call<2>(1.0f, out(z), out(of({3})))) ==
              "kernel 'split': output 2 ('hi') has shape (3,), but the outputs need (2, 3)");
        CHECK(elements<float>(z) == std::vector<float>(6, 7));
    }
}

TEST_CASE("inputs stretch to a given output that is wider, as in NumPy") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<float>{1, 2, 3}, {3}, {device});
        const Array z = full({2, 3}, 7, float32, {device});
        two(x, full({1}, 10, float32, {device}), out(z));
        CHECK(elements<float>(z) == std::vector<float>{11, 12, 13, 11, 12, 13});
        const Array longer = full({1, 2, 3}, 7, float32, {device});
        two(x, z, out(longer));
        CHECK(elements<float>(longer) == std::vector<float>{12, 14, 16, 12, 14, 16});
    }
}

TEST_CASE("outputs must be writable and overlap neither themselves nor each other") {
    const ElementwiseKernel copy("T x", "T z", "z = x", "copy");
    const ElementwiseKernel split("T x", "T lo, T hi", "lo = x; hi = -x", "split");
    const ElementwiseKernel bump("_non_const T x, T y", "", "x += y", "bump");
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2, 3, 4}, {4}, device);
        const Array z = floats({7, 7, 7, 7, 7, 7, 7, 7}, {8}, device);
        const std::vector<float> sevens(8, 7);
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(x, out(z.slice({{0, 4}}).as_read_only()))) ==
              "kernel 'copy': output 1 ('z') is read-only; pass a writable array");
        CHECK(KGEN_MESSAGE_OF(ShapeError, bump(x.as_read_only(), x)) ==
              "kernel 'bump': argument 1 ('x') is written (_non_const) but is read-only; pass a "
              "writable array");
        const Array stretched =
            Array::view(z.data(), float32, {4}, {.device = device, .strides = Dims{0}});
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(x, out(stretched))) ==
              "kernel 'copy': output 1 ('z') overlaps itself: shape (4,), strides (0,); pass an "
              "array whose elements do not overlap");
        const Array windows =
            Array::view(z.data(), float32, {3, 2}, {.device = device, .strides = Dims{4, 4}});
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(1.0f, out(windows))) ==
              "kernel 'copy': output 1 ('z') overlaps itself: shape (3, 2), strides (4, 4); pass "
              "an array whose elements do not overlap");
        CHECK(KGEN_MESSAGE_OF(ShapeError,
                              split.call<2>(x, out(z.slice({{0, 4}})), out(z.slice({{2, 6}})))) ==
              "kernel 'split': output 1 ('lo') and output 2 ('hi') overlap; pass arrays that share "
              "no memory");
        CHECK(KGEN_MESSAGE_OF(ShapeError,
                              split.call<2>(x, out(z.slice({{0, 4}})), out(z.slice({{0, 4}})))) ==
              "kernel 'split': output 1 ('lo') and output 2 ('hi') overlap; pass arrays that share "
              "no memory");
        CHECK(KGEN_MESSAGE_OF(ShapeError, bump(z.slice({{0, 1}}), x)) ==
              "kernel 'bump': argument 1 ('x') is written (_non_const) but overlaps itself: shape "
              "(4,), strides (0,); pass an array whose elements do not overlap");
        CHECK(elements<float>(z) == sevens);
        // Interleaved, nested and adjacent layouts do not overlap.
        CHECK_NOTHROW(split.call<2>(x, out(z.slice({{0, 8, 2}})), out(z.slice({{1, 8, 2}}))));
        CHECK(elements<float>(z) == std::vector<float>{1, -1, 2, -2, 3, -3, 4, -4});
    }
}

TEST_CASE("a size is for calls in which every array is raw, and needed there") {
    const ElementwiseKernel copy("T x", "T z", "z = x", "copy");
    const ElementwiseKernel raw("raw T x", "T z", "z = x[i]", "raw_only");
    const ElementwiseKernel raw_out("T x", "raw T z", "z[i] = x", "raw_out");
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array x = floats({1, 2, 3}, {3}, device);
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(x, size(3))) ==
              "kernel 'copy': size is only for calls in which every array is raw, but argument 1 "
              "('x') is not");
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(1, out(x.astype(int32)), size(3))) ==
              "kernel 'copy': size is only for calls in which every array is raw, but output 1 "
              "('z') is not");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw(x)) ==
              "kernel 'raw_only': all array arguments are raw, so the loop size is unknown; pass "
              "size(n)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(1)) ==
              "kernel 'copy': no argument is an array, so the loop size is unknown; pass size(n)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw(x, size(-1))) ==
              "kernel 'raw_only': size is -1, expected 0 or more");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw_out(x)) ==
              "kernel 'raw_out': output 1 ('z') is raw, so its shape is unknown; pass the array");
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(x, block_size(0))) ==
              "kernel 'copy': block_size is 0, expected 1 to 1024");
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(x, block_size(1025))) ==
              "kernel 'copy': block_size is 1025, expected 1 to 1024");
    }
}

TEST_CASE("shapes and sizes that overflow are refused before anything is allocated") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    const ElementwiseKernel raw("raw T x", "T z", "z = x[0]", "raw_only");
    for (const Device device : present_devices()) {
        const Array one = floats({1}, {1}, device);
        const std::int64_t wide = std::int64_t{1} << 40;
        CHECK(KGEN_MESSAGE_OF(ShapeError,
                              two(one.broadcast_to({wide, 1}), one.broadcast_to({1, wide}))) ==
              "kernel 'two': the loop: shape (1099511627776, 1099511627776) has more elements than "
              "fit in 64 bits");
        CHECK(KGEN_MESSAGE_OF(ShapeError, raw(one, size(std::int64_t{1} << 62))) ==
              "kernel 'raw_only': output 1 ('z'): shape (4611686018427387904,) of float32 has more "
              "bytes than fit in 64 bits");
        CHECK(KGEN_MESSAGE_OF(ShapeError, Dims::filled(17, 1)) ==
              "an array has at most 16 axes, but 17 were given");
        CHECK(
            KGEN_MESSAGE_OF(ShapeError,
                            one.reshape(Dims{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})) ==
            "an array has at most 16 axes, but 17 were given");
    }
}

TEST_CASE("arrays of two devices do not meet in one call") {
    const ElementwiseKernel two("T x, T y", "T z", "z = x + y", "two");
    const Array here = from_vector<float>({1}, {Device::host()});
    CHECK(
        KGEN_MESSAGE_OF(ShapeError,
                        two.call(std::vector<Argument>{here, here}, {.device = Device::cuda(0)})) ==
        "kernel 'two': argument 1 ('x') is on host, but the call is for cuda:0");
    if (!has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const Array there = from_vector<float>({1}, {Device::cuda(0)});
    CHECK(KGEN_MESSAGE_OF(ShapeError, two(here, there)) ==
          "kernel 'two': argument 1 ('x') is on host but argument 2 ('y') is on cuda:0; move one "
          "of them with to()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, two(there, 5, out(here))) ==
          "kernel 'two': argument 1 ('x') is on cuda:0 but output 1 ('z') is on host; move one of "
          "them with to()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, two(here, 1, on(Stream::create(Device::cuda(0))))) ==
          "kernel 'two': argument 1 ('x') is on host, but the call is for cuda:0");
}
