// SPDX-License-Identifier: MIT
//
// Strings and calls of elementwise kernels that are right in CuPy are right here. docs/coming-from-cupy.md lists
// what differs.
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "dtype/dtype_table.hpp"
#include "signature/names.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/small_arrays.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

ArraySpec spec_of(DType dtype, Dims shape = {5}) {
    return {dtype, shape, {}};
}

// Splits a list of words at spaces.
std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(" \n", at)) != text.npos) {
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

}  // namespace

TEST_CASE("a new raw output has the shape of size(n)", "[cupy]") {
    const ElementwiseKernel add("raw T x, raw T y", "raw T z", "z[i] = x[i] + y[i]", "add_raw");
    const ElementwiseKernel both(
        "raw int32 x", "raw int32 z, float32 w", "z[n - 1 - i] = x[i]; w = 0.5f * x[i]", "both");
    const ElementwiseKernel numbers("", "raw int32 z", "z[i] = i * i", "squares");
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array x = range({5}, device);
        for (int turn = 0; turn < 2; ++turn) {
            const Array z = add(x, x, size(5));
            CHECK(z.shape() == Dims{5});
            CHECK(z.is_contiguous());
            CHECK(z.dtype() == int32);
            CHECK(list_of(z) == List{0, 2, 4, 6, 8});
            const auto [back, halves] = both.call<2>(x, size(5));
            CHECK(list_of(back) == List{4, 3, 2, 1, 0});
            CHECK(elements<float>(halves) == std::vector<float>{0, 0.5F, 1, 1.5F, 2});
        }
        CHECK(add(x, x, size(3)).shape() == Dims{3});
        CHECK(add(x, x, size(0)).shape() == Dims{0});
        CHECK(list_of(numbers(size(4))) == List{0, 1, 4, 9});
        const BoundLaunch step = numbers.bind(size(3));
        step();
        CHECK(list_of(step.outputs()[0]) == List{0, 1, 4});
        const Array given = range({2, 3}, device);
        CHECK(add(x, x, out(given), size(4)).shape() == Dims{2, 3});
        CHECK(list_of(given) == List{0, 2, 4, 6, 4, 5});
    }
    if (!has_nvrtc()) return;
    CHECK(cuda_refusal(add, {spec_of(int32), spec_of(int32)}, {}, {.size = 5}) == "");
}

TEST_CASE("a number for a raw parameter is an array of one element and its value", "[cupy]") {
    const ElementwiseKernel kernel(
        "T x, raw T w",
        "T z",
        "z = x * w[0] + w[_zero] + w * 100 + w.size() + w.shape[0] + w.shape()[0] + w.ndim",
        "weighted",
        {.loop_prep = "const int _zero = 0"});
    const ElementwiseKernel alone("raw T x", "raw T z", "z[i] = x + x[0]", "alone");
    const ElementwiseKernel fixed("raw complex64 c, raw float16 h, T x",
                                  "complex64 z",
                                  "z = c[0] * x + float(h[0])",
                                  "fixed");
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array x = floats({1, 2, 3}, {3}, device);
        for (const float w : {2.5F, -1.0F}) {
            std::vector<float> expected;
            for (const float each : {1.0F, 2.0F, 3.0F})
                expected.push_back(each * w + w + w * 100 + 4);
            CHECK(elements<float>(kernel(x, w)) == expected);
        }
        // An array in its place is still an array.
        CHECK(elements<float>(ElementwiseKernel("T x, raw T w", "T z", "z = x * w[1]", "second")(
                  x, x)) == std::vector<float>{2, 4, 6});
        CHECK(list_of(alone(21, size(2))) == List{42, 42});
        CHECK(elements<std::complex<float>>(fixed(std::complex<float>(0, 2), 1.5, x)) ==
              std::vector<std::complex<float>>{{1.5F, 2}, {1.5F, 4}, {1.5F, 6}});
        const BoundLaunch step = alone.bind(4, size(3));
        step();
        CHECK(list_of(step.outputs()[0]) == List{8, 8, 8});
        CHECK(KGEN_MESSAGE_OF(TypeError, kernel(range({3}, device), 2.5)) ==
              "kernel 'weighted': argument 2 ('w'): 2.5 does not fit int32 (it is not an integer)");
        CHECK(KGEN_MESSAGE_OF(
                  TypeError,
                  ElementwiseKernel("T x, raw _non_const T y", "T z", "z = x; y[0] = x", "writer")(
                      x, 5)) ==
              "kernel 'writer': argument 2 ('y') is _non_const and needs an array, but a number "
              "was given");
    }
    if (!has_nvrtc()) return;
    CHECK(cuda_refusal(kernel, {spec_of(float32), 2.5F}) == "");
    CHECK(cuda_refusal(fixed, {std::complex<float>(1), 2.0, spec_of(float32)}) == "");
}

TEST_CASE("_ind and raw parameters have the members of CuPy's classes", "[cupy]") {
    const ElementwiseKernel places("raw int32 x, int32 y",
                                   "int64 z",
                                   "z = 1000 * _ind.ndim + 100 * x.ndim + 10 * x.c_contiguous;"
                                   "for (ptrdiff_t at : _ind.get()) z += at;"
                                   "const ptrdiff_t* first = _ind.get(); z += 10000 * first[0];"
                                   "z += 0 * x[_ind.get()]",
                                   "places");
    for (const Device device : present_devices()) {
        for (const Dims& shape : {Dims{6}, Dims{2, 3}, Dims{1, 2, 3}}) {
            INFO(to_text(device) << ", " << to_text(shape));
            const Array x = range(shape, device);
            std::vector<std::int64_t> expected;
            for (std::int64_t i = 0; i < 6; ++i) {
                const std::int64_t row = shape.rank() == 1 ? i : i / 3;
                const std::int64_t column = shape.rank() == 1 ? 0 : i % 3;
                const std::int64_t first = shape.rank() == 3 ? 0 : row;
                expected.push_back(1100 * shape.rank() + 10 + row + column + 10000 * first);
            }
            CHECK(elements<std::int64_t>(places(x, x)) == expected);
        }
    }
    if (!has_nvrtc()) return;
    for (const Dims& shape : {Dims{6}, Dims{2, 3}, Dims{}})
        CHECK(cuda_refusal(ElementwiseKernel("T x", "int32 z", "z = _ind.ndim", "rank"),
                           {spec_of(int32, shape)}) == "");
    CHECK(cuda_refusal(places, {spec_of(int32, {2, 3}), spec_of(int32, {2, 3})}) == "");
}

TEST_CASE("parameters have all names but i, keywords and those of kgen", "[cupy]") {
    const bool nvrtc = has_nvrtc();
    // Words for dtypes, names of kgen's own and of CUDA's, and words that are keywords since C++20.
    std::vector<std::string> names = split(
        "f1 u8 b1 _x __x _ _ind _J _j _i _in_ind _out_ind _raw_ _raw_x _tid _type_reduce complex "
        "thrust "
        "std M_PI FLT_MAX DBL_EPSILON CUDART_PI CUDART_INF_F ptrdiff_t dim3 float4 threadIdx "
        "blockIdx "
        "abs sqrt max atomicAdd printf assert module import concept requires char8_t consteval "
        "constinit co_await co_return co_yield typeof output_place input_place reduced_place block "
        "count "
        "length steps teams index shape type row column rank step place values");
    for (const std::string_view name : dtype_names()) {
        if (is_identifier(name) && !is_keyword(name)) names.emplace_back(name);
    }
    constexpr std::size_t most = 24;
    for (std::size_t begin = 0; begin < names.size(); begin += most) {
        // Arrays, a raw array and a number, with i, n and an indexer in the body.
        std::string inputs, sum;
        std::int32_t expected = 0;
        std::vector<Argument> arguments;
        std::vector<Argument> specs;
        const Array x = range({5});
        const std::size_t end = std::min(begin + most, names.size());
        for (std::size_t k = begin; k < end; ++k) {
            const int form = static_cast<int>(k % 3);
            const std::string separator = inputs.empty() ? "" : ", ";
            inputs += separator + (form == 1 ? "raw int32 " : "int32 ") + names[k];
            sum += (sum.empty() ? "" : " + ") + names[k] + (form == 1 ? "[i]" : "");
            if (form == 2) {
                arguments.emplace_back(7);
                specs.emplace_back(7);
            } else {
                arguments.emplace_back(x);
                specs.emplace_back(spec_of(int32));
            }
            expected += form == 2 ? 7 : 4;
        }
        INFO(inputs);
        const ElementwiseKernel kernel(inputs, "int32 result", "result = " + sum, "named");
        try {
            CHECK(list_of(kernel.call(arguments)[0]).back() == expected);
        } catch (const CompileError& error) {
            FAIL_CHECK(error.what() << "\n" << error.log());
        }
        if (nvrtc) CHECK(cuda_refusal(kernel, specs) == "");
    }
    for (const DType dtype : {float16, bfloat16, complex64, float32}) {
        const std::string type(to_text(dtype));
        INFO(type);
        const ElementwiseKernel kernel(
            "T float16, T bfloat16, raw T complex, T float32, U ptrdiff_t, T thrust",
            "T z",
            "z = float16 + bfloat16 + complex[i] + twice(float32) + thrust",
            "classes",
            {.preamble = type + " twice(" + type + " x) { return x + x; }"});
        const Array x = range({3}).astype(dtype);
        CHECK(elements<float>(kernel(x, x, x, x, x, x).astype(float32)) ==
              std::vector<float>{0, 6, 12});
        if (nvrtc) CHECK(cuda_refusal(kernel, std::vector<Argument>(6, spec_of(dtype))) == "");
    }
}

TEST_CASE("a parameter may have the name of kgen's, which it then means", "[cupy]") {
    const ElementwiseKernel kernel(
        "T x, T _ind, T _raw_x, T n", "T z", "z = x + _ind + _raw_x + n + i", "taken");
    for (const Device device : present_devices()) {
        const Array x = range({3}, device);
        CHECK(list_of(kernel(x, x, x, x)) == List{0, 5, 10});
    }
    CHECK(
        KGEN_MESSAGE_OF(SignatureError, ElementwiseKernel("T KGEN_x", "T z", "z = 1", "f")) ==
        "kernel 'f': parameter name 'KGEN_x' is reserved: names that begin with 'KGEN_' belong to "
        "kgen\n"
        "  T KGEN_x\n"
        "    ^~~~~~");
}

TEST_CASE("types are NumPy's names and codes, in the machine's byte order", "[cupy]") {
    const ElementwiseKernel kernel("<f4 a, =i2 b, |b1 c, u1 d, single e, byte f, uint g, half h",
                                   "double z, complex w",
                                   "z = a + b + c + d + e + f + g + float(h); w = z",
                                   "codes");
    const DType expected[] = {float32, int16, bool_, uint8, float32, int8, uint64, float16};
    for (const Device device : present_devices()) {
        std::vector<Argument> arguments;
        for (const DType dtype : expected) arguments.emplace_back(ones({2}, dtype, {device}));
        const std::vector<Array> outputs = kernel.call(arguments);
        CHECK(outputs[0].dtype() == float64);
        CHECK(outputs[1].dtype() == complex128);
        CHECK(elements<double>(outputs[0]) == std::vector<double>{8, 8});
    }
    CHECK(KGEN_MESSAGE_OF(SignatureError, ElementwiseKernel("T x, >f4 y", "T z", "z = x", "f")) ==
          "kernel 'f': type '>f4' in input 2 is big-endian, and arrays have the machine's byte "
          "order\n"
          "  T x, >f4 y\n"
          "       ^~~\n"
          "write 'float32'");
    CHECK(KGEN_MESSAGE_OF(SignatureError, ElementwiseKernel("T x", ">c16 z", "z = x", "f")) ==
          "kernel 'f': type '>c16' in output 1 is big-endian, and arrays have the machine's byte "
          "order\n"
          "  >c16 z\n"
          "  ^~~~\n"
          "write 'complex128'");
}

TEST_CASE("names that the user's headers declare mean the user's things", "[cupy]") {
    const bool nvrtc = has_nvrtc();
    const TempDir folder;
    const std::string header =
        "#ifndef OWN_NAMES\n"
        "#define OWN_NAMES\n"
        "struct float16 { int whole; };\n"
        "typedef struct { short half; } bfloat16;\n"
        "using complex64 = float;\n"
        "template <class A, class B> struct complex { A first; B second; };\n"
        "typedef long int64_t;\n"
        "struct int8_t { long long wide; };\n"
        "#define uint8_t unsigned long long\n"
        "typedef unsigned short uint16_t;\n"
        "const double M_PI = 3;\n"
        "#define FLT_MAX 2\n"
        "namespace thrust { template <class T> struct complex { T only; }; }\n"
        "#endif\n";
    std::ofstream(folder / "own_names.h") << header;
    const std::string text =
        "float16 a = {1}; bfloat16 b = {2}; complex64 c = 0.5f; complex<int, short> d = {3, 4};"
        "int64_t e = 5; const long* same = &e; int8_t f = {6}; uint8_t g = 7; uint16_t h = 8;"
        "thrust::complex<int> k = {9};"
        "z = x; w = a.whole + b.half + c + d.first + d.second + *same + f.wide + sizeof(g) + h + "
        "k.only +"
        " M_PI + FLT_MAX + sizeof(complex64)";
    struct Row {
        const char* preamble;
        std::vector<std::string> options;
    };
    const Row rows[] = {{header.c_str(), {}}, {"#include \"own_names.h\"", {"-I" + folder.path()}}};
    for (const Row& row : rows) {
        INFO(row.preamble);
        for (const DType dtype : {float16, bfloat16, complex64, int64, uint8}) {
            INFO(to_text(dtype));
            const ElementwiseKernel kernel("T x",
                                           "T z, double w",
                                           text,
                                           "own",
                                           {.preamble = row.preamble, .options = row.options});
            for (const Device device : present_devices()) {
                const Array x = range({3}, device).astype(dtype);
                const auto [z, w] = kernel.call<2>(x);
                CHECK(z.dtype() == dtype);
                CHECK(elements<double>(z.astype(float64)) == std::vector<double>{0, 1, 2});
                CHECK(elements<double>(w)[0] ==
                      1 + 2 + 0.5 + 3 + 4 + 5 + 6 + 8 + 8 + 9 + 3 + 2 + 4);
            }
            if (nvrtc) CHECK(cuda_refusal(kernel, {spec_of(dtype)}, row.options) == "");
        }
    }
}

TEST_CASE("macros of options may have the names of kgen's types and macros", "[cupy]") {
    const std::vector<std::string> options = {
        "-Dfloat16=short", "-DM_PI=3", "-Dcomplex=7", "-Dint32_t=char", "-Dbfloat16=int"};
    const ElementwiseKernel kernel(
        "T x",
        "T z, int32 w",
        "z = x + T(1); w = sizeof(float16) + 10 * M_PI + 100 * complex + "
        "1000 * sizeof(int32_t) + 10000 * sizeof(bfloat16)",
        "options",
        {.options = options});
    const bool nvrtc = has_nvrtc();
    for (const DType dtype : {float16, bfloat16, complex64}) {
        INFO(to_text(dtype));
        for (const Device device : present_devices()) {
            const auto [z, w] = kernel.call<2>(range({2}, device).astype(dtype));
            CHECK(elements<float>(z.astype(float32)) == std::vector<float>{1, 2});
            CHECK(list_of(w) == List{41732, 41732});
        }
        if (nvrtc) CHECK(cuda_refusal(kernel, {spec_of(dtype)}, options) == "");
    }
}

TEST_CASE("a texture is a number for a placeholder", "[cupy]") {
    if (!has_nvrtc()) return;
    const ElementwiseKernel kernel(
        "raw T x, U texture", "T z", "z = x[i] + tex1Dfetch<float>(texture, i)", "textured");
    CHECK(cuda_refusal(kernel, {spec_of(float32), std::uint64_t{1}}, {}, {.size = 5}) == "");
    const ElementwiseKernel cast("T x, uint64 texture",
                                 "T z",
                                 "z = x + tex2D<float>((cudaTextureObject_t)texture, x, 0.5f)",
                                 "cast");
    CHECK(cuda_refusal(cast, {spec_of(float32), std::uint64_t{1}}) == "");
}

TEST_CASE("integer types that a header declares as kgen does stay kgen's", "[cupy]") {
    const char* const preamble =
        "#ifdef NEVER_DEFINED\n"
        "typedef signed long long int int64_t; typedef unsigned int uint32_t; using int8_t = "
        "signed char;\n"
        "#endif\n"
        "int64_t half_of(int64_t x) { return x / 2; }\n";
    const ElementwiseKernel kernel("int64 x",
                                   "int64 z",
                                   "uint32_t y = x; int8_t s = 1; z = half_of(y) + s",
                                   "same",
                                   {.preamble = preamble});
    for (const Device device : present_devices()) {
        CHECK(elements<std::int64_t>(kernel(range({3}, device).astype(int64))) ==
              std::vector<std::int64_t>{1, 1, 2});
    }
    if (has_nvrtc()) CHECK(cuda_refusal(kernel, {spec_of(int64)}) == "");
}
