// SPDX-License-Identifier: MIT
//
// Bad input to kernels: the kind and the exact message of each error, and that nothing was written.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "text/compiler_log.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct Definition {
    std::string inputs;
    std::string outputs;
    std::string operation;
    std::string message;
    std::string name = "f";
    ElementwiseOptions options = {};
};

void check_definitions(const std::vector<Definition>& rows) {
    for (const Definition& row : rows) {
        INFO("inputs '" << row.inputs << "', outputs '" << row.outputs << "', operation '"
                        << row.operation << "'");
        CHECK(KGEN_MESSAGE_OF(SignatureError,
                              ElementwiseKernel(
                                  row.inputs, row.outputs, row.operation, row.name, row.options)) ==
              row.message);
    }
}

std::string with_nul(const std::string& before, const std::string& after) {
    return before + std::string(1, '\0') + after;
}

Array floats(const std::vector<float>& values, const Dims& shape, Device device) {
    return from_vector(values, shape, {device});
}

}  // namespace

TEST_CASE("a parameter list that does not read is refused with its place") {
    check_definitions({
        {"float3 x",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'float3' in input 1\n  float3 x\n  ^~~~~~\ndid you mean "
         "'float32'?"},
        {"T x, flaot32 y",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'flaot32' in input 2\n  T x, flaot32 y\n       ^~~~~~~\ndid you "
         "mean 'float32'?"},
        {"T x",
         "complex65 z",
         "z = x",
         "kernel 'f': unknown type 'complex65' in output 1\n  complex65 z\n  ^~~~~~~~~\ndid you "
         "mean 'complex64'?"},
        {"Tensor x",
         "T z",
         "z = x",
         "kernel 'f': unknown type 'Tensor' in input 1\n  Tensor x\n  ^~~~~~\nexpected one letter "
         "or one of bool, int8, int16, int32, int64, "
         "uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64, "
         "complex128"},
        {"T", "T z", "z = 1", "kernel 'f': input 1 has no name: expected 'TYPE NAME'\n  T\n  ^"},
        {"T x, float32",
         "T z",
         "z = x",
         "kernel 'f': input 2 has no name: expected 'TYPE NAME'\n  T x, float32\n       ^~~~~~~"},
        {"raw x",
         "T z",
         "z = 1",
         "kernel 'f': input 1 has no type: expected 'TYPE NAME'\n  raw x\n      ^"},
        {"T x,, T y", "T z", "z = x", "kernel 'f': input 2 is empty\n  T x,, T y\n      ^"},
        {"T x,", "T z", "z = x", "kernel 'f': input 2 is empty\n  T x,\n      ^"},
        {"T x, T x",
         "T z",
         "z = x",
         "kernel 'f': parameter 'x' is defined twice: input 1 and input 2"},
        {"T x, T y",
         "T y",
         "y = x",
         "kernel 'f': parameter 'y' is defined twice: input 2 and output 1"},
        {"T i",
         "T z",
         "z = i",
         "kernel 'f': parameter name 'i' is reserved for the element index\n  T i\n    ^"},
        {"T _x",
         "T z",
         "z = 1",
         "kernel 'f': parameter name '_x' is reserved: names that begin with '_' are kgen's\n  T "
         "_x\n    ^~"},
        {"T _ind",
         "T z",
         "z = 1",
         "kernel 'f': parameter name '_ind' is reserved: names that begin with '_' are kgen's\n  T "
         "_ind\n    ^~~~"},
        {"T kgen_x",
         "T z",
         "z = 1",
         "kernel 'f': parameter name 'kgen_x' is reserved: names that begin with 'kgen_' are "
         "kgen's\n  T kgen_x\n    ^~~~~~"},
        {"T for",
         "T z",
         "z = 1",
         "kernel 'f': parameter name 'for' is a word of C++\n  T for\n    ^~~"},
        {"T float32",
         "T z",
         "z = 1",
         "kernel 'f': parameter name 'float32' is a dtype\n  T float32\n    ^~~~~~~"},
        {"T 2x", "T z", "z = 1", "kernel 'f': '2x' in input 1 is no identifier\n  T 2x\n    ^~"},
        {"T x-y",
         "T z",
         "z = 1",
         "kernel 'f': 'x-y' in input 1 is no identifier\n  T x-y\n    ^~~"},
        {"T *x", "T z", "z = 1", "kernel 'f': '*x' in input 1 is no identifier\n  T *x\n    ^~"},
        {"T x; T y",
         "T z",
         "z = 1",
         "kernel 'f': there is a ';' in input 1\n  T x; T y\n     ^\nparameters are separated by "
         "','"},
        {"rwa float32 x",
         "T z",
         "z = 1",
         "kernel 'f': unknown qualifier 'rwa' in input 1\n  rwa float32 x\n  ^~~\ndid you mean "
         "'raw'?"},
        {"volatile T x",
         "T z",
         "z = 1",
         "kernel 'f': unknown qualifier 'volatile' in input 1\n  volatile T x\n  "
         "^~~~~~~~\nexpected raw, const or _non_const"},
        {"raw raw T x",
         "T z",
         "z = 1",
         "kernel 'f': 'raw' stands twice in input 1\n  raw raw T x\n      ^~~"},
        {"const _non_const T x",
         "T z",
         "z = 1",
         "kernel 'f': input 1 is both const and _non_const\n  const _non_const T x\n        "
         "^~~~~~~~~~"},
        {"T x",
         "const T z",
         "z = 1",
         "kernel 'f': output 1 is const, but outputs are written\n  const T z\n  ^~~~~\nremove "
         "'const', or make it an input"},
        {"T x", "x z", "z = 1", "kernel 'f': 'x' is both a parameter name and a placeholder"},
        {"", "", "", "kernel 'f': there is no parameter"},
    });
}

TEST_CASE("a kernel's name must be an identifier") {
    const std::string rule =
        " is no identifier: expected letters, digits and '_', not beginning with a digit";
    check_definitions({
        {"T x", "T z", "z = x", "kernel name ''" + rule, ""},
        {"T x", "T z", "z = x", "kernel name 'a b'" + rule, "a b"},
        {"T x", "T z", "z = x", "kernel name 'a\\n'" + rule, "a\n"},
        {"T x", "T z", "z = x", "kernel name '\\na'" + rule, "\na"},
        {"T x", "T z", "z = x", "kernel name '1st'" + rule, "1st"},
        {"T x", "T z", "z = x", "kernel name 'a\\0b'" + rule, with_nul("a", "b")},
        {"T x", "T z", "z = x", "kernel name 'caf\xc3\xa9'" + rule, "caf\xc3\xa9"},
        {"T x", "T z", "z = x", "kernel name 'f(int)'" + rule, "f(int)"},
        {"T x", "T z", "z = x", "kernel name 'while' is a word of C++", "while"},
    });
}

TEST_CASE("a body must close what it opens, and close nothing else") {
    const std::string at = "kernel 'f': the operation is not balanced at line 1, column ";
    check_definitions({
        {"T x", "T z", "z = x }", at + "7: this '}' closes nothing\n  z = x }\n        ^"},
        {"T x", "T z", "} z = x; {", at + "1: this '}' closes nothing\n  } z = x; {\n  ^"},
        {"T x",
         "T z",
         "if (x) { z = x",
         at + "8: this '{' is not closed\n  if (x) { z = x\n         ^"},
        {"T x", "T z", "z = (x", at + "5: this '(' is not closed\n  z = (x\n      ^"},
        {"T x", "T z", "z = (x]", at + "7: this ']' closes nothing\n  z = (x]\n        ^"},
        {"T x", "T z", "z = x %>", at + "7: this '%>' closes nothing\n  z = x %>\n        ^~"},
        {"T x",
         "T z",
         "z = x /* }",
         at + "7: this comment is not closed\n  z = x /* }\n        ^~"},
        {"T x",
         "T z",
         "const char* s = \"}; z = x",
         at + "17: this string is not closed\n  const char* s = \"}; z = x\n                  "
              "^~~~~~~~~"},
        {"T x",
         "T z",
         "char c = '}; z = x",
         at + "10: this character is not closed\n  char c = '}; z = x\n           ^~~~~~~~~"},
        {"T x",
         "T z",
         "\nz = x;\n#endif",
         "kernel 'f': the operation is not balanced at line 3, column 1: this #endif has no #if\n  "
         "#endif\n  ^"},
        {"T x",
         "T z",
         "\n#if 1\nz = x;",
         "kernel 'f': the operation is not balanced at line 2, column 1: this #if has no #endif\n  "
         "#if 1\n  ^"},
        {"T x",
         "T z",
         "z = x;\n#line 5\n",
         "kernel 'f': the operation is not balanced at line 2, column 1: a #line would move the "
         "positions of errors\n  #line 5\n  ^"},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the preamble is not balanced at line 2, column 13: this '}' closes nothing\n "
         " int g() { } }\n              ^",
         "f",
         {.preamble = "int f();\nint g() { } }"}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the loop_prep is not balanced at line 1, column 1: this '}' closes nothing\n "
         " }\n  ^",
         "f",
         {.loop_prep = "}"}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the after_loop is not balanced at line 1, column 1: this '{' is not closed\n "
         " {\n  ^",
         "f",
         {.after_loop = "{"}},
    });
    // What only looks like a bracket is none.
    for (const char* operation : {"const char* s = \"}\"; z = x",
                                  "char c = '}'; z = x",
                                  "z = x; // }",
                                  "z = x; /* } */",
                                  "const char* s = R\"(})\"; z = x",
                                  "<% z = x; %>",
                                  "char c = '\\''; z = x; // }",
                                  "int k = 1'000'000; z = x",
                                  "const char* s = \"\\\"}\"; z = x"}) {
        INFO(operation);
        CHECK_NOTHROW(ElementwiseKernel("T x", "T z", operation, "f"));
    }
}

TEST_CASE("a NUL byte is refused in every string") {
    check_definitions({
        {with_nul("T x", ""),
         "T z",
         "z = x",
         "kernel 'f': the input list has a NUL byte at line 1, column 4"},
        {"T x",
         with_nul("T ", "z"),
         "z = x",
         "kernel 'f': the output list has a NUL byte at line 1, column 3"},
        {"T x",
         "T z",
         with_nul("z = x;\n  ", ""),
         "kernel 'f': the operation has a NUL byte at line 2, column 3"},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the preamble has a NUL byte at line 1, column 1",
         "f",
         {.preamble = with_nul("", "")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the loop_prep has a NUL byte at line 1, column 2",
         "f",
         {.loop_prep = with_nul(";", ";")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the after_loop has a NUL byte at line 1, column 2",
         "f",
         {.after_loop = with_nul(";", ";")}},
        {"T x",
         "T z",
         "z = x",
         "kernel 'f': the option list has a NUL byte at line 1, column 4",
         "f",
         {.options = {"-DA", with_nul("-DB", "")}}},
    });
}

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
        CHECK(KGEN_MESSAGE_OF(TypeError, split.outputs<2>(x, out(x))) ==
              "kernel 'split': expected 2 outputs (lo, hi), but 1 was given");
        CHECK(KGEN_MESSAGE_OF(TypeError, split(x)) ==
              "kernel 'split': it has 2 outputs; call outputs<2>(...)");
        CHECK(KGEN_MESSAGE_OF(TypeError, split.outputs<3>(x)) ==
              "kernel 'split': outputs<3> was called, but it has 2 outputs");
        CHECK(KGEN_MESSAGE_OF(TypeError, two.outputs<2>(x, x)) ==
              "kernel 'two': outputs<2> was called, but it has 1 output");
        CHECK(KGEN_MESSAGE_OF(TypeError, none(x, x)) ==
              "kernel 'none': expected 0 arguments or, with outputs, 1 (z), but got 2");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, Array())) ==
              "kernel 'two': argument 2 ('y') is an empty Array; pass one that holds memory");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, x, out(Array()))) ==
              "kernel 'two': output 1 ('z') is an empty Array; pass one that holds memory");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(x, ArraySpec{float32, {2}})) ==
              "kernel 'two': argument 2 ('y') is only the description of an array; pass an Array "
              "to run the kernel");
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
              "kernel 'open': cannot tell U: it appears only in outputs; pass output 1 ('z') or "
              "write a dtype in place of U");
        CHECK(KGEN_MESSAGE_OF(TypeError, lone(5, size(3))) ==
              "kernel 'lone': cannot tell U: it appears only in outputs; pass output 1 ('z') or "
              "write a dtype in place of U");
        CHECK(KGEN_MESSAGE_OF(TypeError, two(1, 2.5, size(2))) ==
              "kernel 'two': T is int32 from argument 1 ('x') but float64 from argument 2 ('y'); "
              "write both numbers with one type");
        CHECK(
            KGEN_MESSAGE_OF(TypeError, two(x, x, 5)) ==
            "kernel 'two': output 1 ('z') is an output and needs an array, but a number was given");
        CHECK(KGEN_MESSAGE_OF(TypeError,
                              ElementwiseKernel("T x, raw T y", "T z", "z = x", "rawer")(x, 5)) ==
              "kernel 'rawer': argument 2 ('y') is raw and needs an array, but a number was given");
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
        {int32, std::nan(""), "nan does not fit int32 (no integer stands for it)"},
        {int32, infinity, "inf does not fit int32 (no integer stands for it)"},
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
        // Rounding is no loss, and infinities and NaN stay what they are.
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
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({3}), of({3}), out(z))) ==
              "kernel 'two': output 1 ('z') has shape (2, 3), but the inputs broadcast to (3,)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, two(of({2, 3}), of({3}), out(of({3})))) ==
              "kernel 'two': output 1 ('z') has shape (3,), but the inputs broadcast to (2, 3)");
        CHECK(
            KGEN_MESSAGE_OF(ShapeError, two(of({2, 3}), of({3}), out(of({1, 2, 3})))) ==
            "kernel 'two': output 1 ('z') has shape (1, 2, 3), but the inputs broadcast to (2, 3)");
        CHECK(KGEN_MESSAGE_OF(ShapeError, split.outputs<2>(1.0f, out(z), out(of({3})))) ==
              "kernel 'split': output 2 ('hi') has shape (3,), but the outputs need (2, 3)");
        CHECK(elements<float>(z) == std::vector<float>(6, 7));
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
              "array whose elements lie apart");
        const Array windows =
            Array::view(z.data(), float32, {3, 2}, {.device = device, .strides = Dims{4, 4}});
        CHECK(KGEN_MESSAGE_OF(ShapeError, copy(1.0f, out(windows))) ==
              "kernel 'copy': output 1 ('z') overlaps itself: shape (3, 2), strides (4, 4); pass "
              "an array whose elements lie apart");
        CHECK(
            KGEN_MESSAGE_OF(ShapeError,
                            split.outputs<2>(x, out(z.slice({{0, 4}})), out(z.slice({{2, 6}})))) ==
            "kernel 'split': output 1 ('lo') and output 2 ('hi') overlap; pass arrays that share "
            "no memory");
        CHECK(
            KGEN_MESSAGE_OF(ShapeError,
                            split.outputs<2>(x, out(z.slice({{0, 4}})), out(z.slice({{0, 4}})))) ==
            "kernel 'split': output 1 ('lo') and output 2 ('hi') overlap; pass arrays that share "
            "no memory");
        CHECK(KGEN_MESSAGE_OF(ShapeError, bump(z.slice({{0, 1}}), x)) ==
              "kernel 'bump': argument 1 ('x') is written (_non_const) but overlaps itself: shape "
              "(4,), strides (0,); pass an array whose "
              "elements lie apart");
        CHECK(elements<float>(z) == sevens);
        // Interleaved, nested and touching layouts share nothing.
        CHECK_NOTHROW(split.outputs<2>(x, out(z.slice({{0, 8, 2}})), out(z.slice({{1, 8, 2}}))));
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
              "kernel 'raw_out': output 1 ('z') is raw, so its shape is unknown; pass it");
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

TEST_CASE("integer division by zero on the host is an error at its place") {
    const Array zero = zeros({70000}, int32, {Device::host()});
    const Array least =
        full({5}, std::numeric_limits<std::int32_t>::min(), int32, {Device::host()});
    const ElementwiseKernel divide("T x, T y", "T z", "T w = x;\n  z = w / y", "divide");
    const ElementwiseKernel modulo("T x, T y", "T z", "z = x % y", "modulo");
    CHECK(KGEN_MESSAGE_OF(Error, divide(zero, zero)) ==
          "kernel 'divide': integer division by zero: 0 / 0 at divide (operation)(2:9)");
    CHECK(KGEN_MESSAGE_OF(Error, modulo(full({3}, 7, uint8, {Device::host()}), 0)) ==
          "kernel 'modulo': integer division by zero: 7 / 0 at modulo (operation)(1:7)");
    CHECK(KGEN_MESSAGE_OF(Error, divide(full({3}, -7, int64, {Device::host()}), 0)) ==
          "kernel 'divide': integer division by zero: -7 / 0 at divide (operation)(2:9)");
    CHECK(
        KGEN_MESSAGE_OF(Error, divide(least, -1)) ==
        "kernel 'divide': integer division overflows: -2147483648 / -1 at divide (operation)(2:9)");
    CHECK(KGEN_MESSAGE_OF(
              Error,
              ElementwiseKernel(
                  "T x",
                  "T z",
                  "z = part(x)",
                  "in_preamble",
                  {.preamble = "__device__ int part(int x) {\n    return 1 / x;\n}"})(zero)) ==
          "kernel 'in_preamble': integer division by zero: 1 / 0 at in_preamble (preamble)(2:14)");
    // The kernel and the device work on.
    CHECK(elements<std::int32_t>(divide(least, 2)) ==
          std::vector<std::int32_t>(5, std::numeric_limits<std::int32_t>::min() / 2));
    CHECK(elements<std::int32_t>(divide(full({1}, -7, int32, {Device::host()}), 2)) ==
          std::vector<std::int32_t>{-3});
    CHECK(std::isinf(elements<float>(divide(full({1}, 1, float32, {Device::host()}), 0)).front()));
}

namespace {

struct Mistake {
    std::string operation;
    ElementwiseOptions options;
    std::string place;    // "(operation)(1:5)"
    std::string excerpt;  // the line and the caret
    std::string host;     // what g++ says
    std::string cuda;     // what NVRTC says
};

// One error each, in each of the user's strings.
const std::vector<Mistake>& mistakes() {
    static const std::vector<Mistake> list = {
        {"z = w * x",
         {},
         "(operation)(1:5)",
         "z = w * x\n      ^",
         "'w' was not declared in this scope",
         "identifier \"w\" is undefined"},
        {"T a = x;\n\tT b = a;\n   z = b + bb;",
         {},
         "(operation)(3:12)",
         "   z = b + bb;\n             ^",
         "'bb' was not declared in this scope; did you mean 'b'?",
         "identifier \"bb\" is undefined"},
        {"x = 1; z = x",
         {},
         "(operation)(1:",
         "x = 1; z = x\n  ",
         "assignment of read-only parameter 'x'",
         "expression must be a modifiable lvalue"},
        {"z = f(x)",
         {.preamble = "// a comment\n__device__ float f(float a) {\n    return a * missing;\n}"},
         "(preamble)(3:16)",
         "    return a * missing;\n                 ^",
         "'missing' was not declared in this scope",
         "identifier \"missing\" is undefined"},
        {"z = x",
         {.loop_prep = "int k = 0; T q = missing"},
         "(loop_prep)(1:18)",
         "int k = 0; T q = missing\n                   ^",
         "'missing' was not declared in this scope",
         "identifier \"missing\" is undefined"},
        {"z = x",
         {.after_loop = "missing = 1"},
         "(after_loop)(1:1)",
         "missing = 1\n  ^",
         "'missing' was not declared in this scope",
         "identifier \"missing\" is undefined"},
    };
    return list;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

bool starts_with(const std::string& text, const std::string& start) {
    return text.compare(0, start.size(), start) == 0;
}

}  // namespace

TEST_CASE("a body that does not compile is shown once, at its place in the user's own string") {
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2, 3}, {3}, device);
        const Array z = floats({7, 7, 7, 7, 7, 7}, {6}, device);
        for (const Mistake& mistake : mistakes()) {
            INFO(to_text(device) << ": " << mistake.operation);
            const ElementwiseKernel kernel(
                "T x", "T z", mistake.operation, "broken", mistake.options);
            // Contiguous and strided loops alike.
            for (const std::int64_t step : {1, 2}) {
                const std::string message =
                    KGEN_MESSAGE_OF(CompileError, kernel(x, out(z.slice({{0, 3 * step, step}}))));
                INFO(message);
                CHECK(starts_with(message, "kernel 'broken': "));
                CHECK(occurrences(message, "broken " + mistake.place) == 1);
                CHECK(occurrences(message, mistake.excerpt) == 1);
                CHECK(occurrences(message, "error: ") == 1);
                CHECK(occurrences(message,
                                  device == Device::host() ? mistake.host : mistake.cuda) == 1);
            }
            CHECK(elements<float>(z) == std::vector<float>(6, 7));
            try {
                kernel(x);
                FAIL("it compiled");
            } catch (const CompileError& error) {
                CHECK(occurrences(error.source(), mistake.operation) == 1);
                CHECK(error.log().find("error: ") != std::string::npos);
            }
        }
    }
}

TEST_CASE("the message of a body that g++ refuses is exactly this") {
    const Array x = from_vector<float>({1}, {Device::host()});
    const std::string message =
        KGEN_MESSAGE_OF(CompileError, ElementwiseKernel("T x", "T z", "z = w * x", "broken")(x));
    const std::string rest = message.substr(std::min(message.find('\n'), message.size()));
    if (message.find("g++") == std::string::npos) {
        WARN("SKIPPED: the host's compiler is not g++");
        return;
    }
    CHECK(rest ==
          "\nbroken (operation)(1:5): error: 'w' was not declared in this scope\n  z = w * x\n     "
          " ^");
    CHECK(message.find(" refused the source for ") != std::string::npos);
    const std::string several = KGEN_MESSAGE_OF(
        CompileError,
        ElementwiseKernel("T x", "T z", "T a = u;\nT b = v;\nz = a + b", "broken")(x));
    CHECK(several.substr(several.find('\n')) ==
          "\nbroken (operation)(1:7): error: 'u' was not declared in this scope\n  T a = u;\n      "
          "  ^"
          "\nand 1 more error, see CompileError::log()");
}

TEST_CASE("an error outside the user's strings is named too") {
    const ElementwiseKernel kernel(
        "T x", "T z", "z = LATER", "broken", {.options = {"-DLATER=missing_name"}});
    for (const Device device : present_devices()) {
        const std::string message = KGEN_MESSAGE_OF(CompileError, kernel(floats({1}, {1}, device)));
        INFO(message);
        CHECK(starts_with(message, "kernel 'broken': "));
        CHECK(occurrences(message, "missing_name") >= 1);
        CHECK(occurrences(message, "error: ") == 1);
    }
}

TEST_CASE("NVRTC's errors are found at their place in the user's own string") {
    if (!has_nvrtc()) return;
    for (const Mistake& mistake : mistakes()) {
        INFO(mistake.operation);
        const ElementwiseKernel kernel("T x", "T z", mistake.operation, "broken", mistake.options);
        for (const std::int64_t stride : {4, 8}) {
            const std::string log = cuda_refusal(
                kernel,
                {ArraySpec{float32, {4}, Dims{stride}}, ArraySpec{float32, {4}, Dims{stride}}});
            INFO(log);
            const LabelledText texts[] = {{"broken (operation)", mistake.operation},
                                          {"broken (preamble)", mistake.options.preamble},
                                          {"broken (loop_prep)", mistake.options.loop_prep},
                                          {"broken (after_loop)", mistake.options.after_loop}};
            const std::string message = describe_errors(log, texts);
            INFO(message);
            CHECK(starts_with(message, "broken " + mistake.place));
            CHECK(occurrences(message, mistake.excerpt) == 1);
            CHECK(occurrences(message, mistake.cuda) == 1);
            CHECK(message.find("more error") == std::string::npos);
            CHECK(occurrences(log, mistake.cuda) == 1);
        }
    }
}
