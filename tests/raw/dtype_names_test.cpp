// SPDX-License-Identifier: MIT
//
// The NumPy names of the dtypes are types in bodies and in raw kernels, unless the user's text declares
// something with that name.
#include <filesystem>
#include <fstream>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "dtype/dtype_table.hpp"
#include "image/included_files.hpp"
#include "program/raw_source.hpp"
#include "source/declared_names.hpp"
#include "source/dtype_names_used.hpp"
#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns all names except bool, which is a keyword of C++.
std::vector<std::string> names() {
    std::vector<std::string> list;
    for (int k = 1; k < dtype_count; ++k) list.emplace_back(to_text(static_cast<DType>(k)));
    return list;
}

std::string replaced(std::string text, const std::string& name) {
    for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, name);
    return text;
}

// Returns whether the text, in which '@' stands for a dtype's name, declares that name.
bool declares(const std::string& pattern, const std::string& name, std::string other = "") {
    const std::string text = replaced(pattern, name);
    return !find_declared_names({text, other}, {}, {name}).empty();
}

// Returns NVRTC's error for a program of the user's own; "" if it compiles.
std::string nvrtc_refusal(const std::string& text, const RawOptions& build) {
    const IncludedFiles included =
        find_included_files({.texts = {{"own.cu", text}},
                             .headers = build.headers,
                             .include_directories = build.include_directories,
                             .options = build.options});
    const RawSource source = make_raw_source({.program = "own",
                                              .texts = {{"own.cu", text}},
                                              .names = {},
                                              .device = DeviceKind::cuda,
                                              .options = build.options,
                                              .headers = included.headers,
                                              .own_headers = user_headers(included)});
    const CompileJob job{.kernel = "own",
                         .source = source.text,
                         .symbol = {},
                         .options = build.options,
                         .target = {DeviceKind::cuda, "sm_90"},
                         .kind = SourceKind::raw,
                         .headers = included.headers};
    try {
        static_cast<void>(nvrtc_image(job));
        return {};
    } catch (const CompileError& error) {
        return error.log().empty() ? error.what() : error.log();
    }
}

std::string host_refusal(const std::string& text, const std::string& kernel, RawOptions build) {
    try {
        RawKernel(text, kernel, std::move(build)).prepare(Device::host());
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

void check_both(const std::string& text, const std::string& kernel, const RawOptions& build) {
    CHECK(host_refusal(text, kernel, build) == "");
    if (has_nvrtc()) CHECK(nvrtc_refusal(text, build) == "");
}

// Checks each dtype's size and kind by static_assert.
const char* const all_sizes =
    "static_assert(sizeof(int8) == 1 && (int8)-1 < 0 && sizeof(uint8) == 1 && (uint8)-1 > 0, "
    "\"\");\n"
    "static_assert(sizeof(int16) == 2 && (int16)-1 < 0 && sizeof(uint16) == 2 && (uint16)-1 > 0, "
    "\"\");\n"
    "static_assert(sizeof(int32) == 4 && (int32)-1 < 0 && sizeof(uint32) == 4 && (uint32)-1 > 0, "
    "\"\");\n"
    "static_assert(sizeof(int64) == 8 && (int64)-1 < 0 && sizeof(uint64) == 8 && (uint64)-1 > 0, "
    "\"\");\n"
    "static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2 && sizeof(float32) == 4, \"\");\n"
    "static_assert(sizeof(float64) == 8 && sizeof(complex64) == 8 && sizeof(complex128) == 16, "
    "\"\");\n";

}  // namespace

TEST_CASE("declarations of a name are found wherever all of a program sees them", "[source]") {
    const char* const declaring[] = {
        "typedef float @;",
        "typedef unsigned char u, @;",
        "typedef float @[4];",
        "typedef struct { int x; } @;",
        "typedef struct __align__(4) { int x; } @;",
        "typedef struct @ { int x; } other;",
        "using @ = float;",
        "using numpy::@;",
        "template <class T> using @ = T;",
        "struct @;",
        "struct @ { int x; };",
        "struct alignas(4) @ { int x; };",
        "struct __align__(4) @ { int x; };",
        "class @ : other { int x; };",
        "template <int n> struct @ { int x[n]; };",
        "union @ { int x; };",
        "enum class @ { one };",
        "enum @ { one };",
        "enum { one, @, two };",
        "enum Kind : int { @ = 3 };",
        "namespace @ { int x; }",
        "__device__ float @(float x) { return x; }",
        "template <class T> __device__ T @(T x);",
        "__constant__ float @[3];",
        "static const int @ = 3;",
        "const int other = 2, @ = 3;",
        "__device__ int* @;",
        "struct S { int x; } @;",
        "#define @ float",
        "#define @(x) x",
        "#ifdef SOMETHING\ntypedef float @;\n#endif",
        "extern \"C\" { typedef float @; }",
        "extern \"C\" typedef float @;",
        "namespace { typedef float @; }",
        "__global__ void k(int n) { int x; } typedef float @;",
        "struct S { int f() { return 1; } }; typedef float @;",
        "int a[] = {1, 2}; typedef float @;",
        "template <> struct S<int> {}; typedef float @;",
        "inline namespace v1 { typedef float @; }",
    };
    const char* const using_alone[] = {
        "",
        "// typedef float @;",
        "const char* text = \"typedef float @;\";",
        "@ x;",
        "const @ x = 1;",
        "static __device__ @ f(@ x) { @ y = x; return y; }",
        "__global__ void k(@* x, const @* y, int n) { x[0] = (@)y[0]; }",
        "__global__ void k(float @, int n) {}",
        "__global__ void k() { float @ = 3; }",
        "__global__ void k() { struct @ { int x; }; }",
        "template <class @> __device__ @ f(@ x);",
        "template <typename T = @> struct S { T x; };",
        "struct S { float @; void f(int @); };",
        "struct S { struct @ { int x; }; };",
        "enum class Kind { one, @, two };",
        "typedef @ real;",
        "typedef @* pointer;",
        "typedef Pair<@, int> pair;",
        "using real = @;",
        "using list = List<@>;",
        "template <class T> constexpr bool is = sizeof(T) == sizeof(@);",
        "static_assert(sizeof(@) == 4, \"\");",
        "#if 0\ntypedef float @;\n#endif",
        "namespace mine { typedef float @; }",
        "namespace mine { struct @ {}; @ x; }",
        "@ f();",
        "const @* p, **q;",
        "__constant__ @ table[4] = {1, 2};",
        "Pair<float, @> x;",
        "template struct List<@>;",
    };
    for (const std::string& name : names()) {
        for (const char* pattern : declaring) {
            INFO(replaced(pattern, name));
            CHECK(declares(pattern, name));
            // The declaration of another name does not count.
            const std::string other = replaced(pattern, "other_" + name);
            CHECK(find_declared_names({other}, {}, {name}).empty());
        }
        for (const char* pattern : using_alone) {
            INFO(replaced(pattern, name));
            CHECK_FALSE(declares(pattern, name));
        }
    }
    // The names in a namespace count if any of the texts opens it.
    CHECK(declares("namespace mine { typedef float @; }", "float32", "using namespace mine;"));
    CHECK(declares("namespace mine { typedef float @; } using  namespace mine;", "float32"));
    CHECK(find_declared_names(
              {}, {"-Dint8=short", "-D", "uint8", "-Uint16"}, {"int8", "uint8", "int16"}) ==
          std::set<std::string_view>{"int8", "uint8"});
    // Reading malformed texts ends too.
    for (const char* text : {"{",
                             "}",
                             "typedef",
                             "typedef @",
                             "struct",
                             "enum {",
                             "template <",
                             "namespace",
                             "using",
                             "@",
                             "( @",
                             "#define",
                             "extern \"C\" {"}) {
        static_cast<void>(declares(text, "float32"));
    }
}

TEST_CASE("only the dtypes that a program names and does not declare are kgen's", "[source]") {
    CHECK(find_dtype_names({"float32 x; // int8\n"}, {}, {"-DT=uint8"}) ==
          DTypeSet{float32, uint8});
    CHECK(find_dtype_names({"float32 x; int8 y; bool z;"}, {"typedef float float32;"}, {}) ==
          DTypeSet{int8});
    CHECK(find_dtype_names({"float32 x;"}, {}, {"-Dfloat32=double"}).empty());
    const auto own = [](DType dtype) { return std::string(cpp_name(dtype)); };
    const auto prefixed = [&](DType dtype) {
        return (is_narrow_float(dtype) || kind_of(dtype) == DTypeKind::complex ? "kgen_" : "") +
               own(dtype);
    };
    CHECK(dtype_aliases({uint8, float16, complex64}, prefixed) ==
          "typedef unsigned char uint8;\ntypedef kgen_float16 float16;\ntypedef "
          "kgen_complex<float> complex64;\n");
    CHECK(dtype_aliases({int64, bfloat16, complex128}, own) ==
          "typedef long long int64;\ntypedef complex<double> complex128;\n");
}

TEST_CASE("the dtypes' names are types in every text of a kernel", "[kernel]") {
    const ElementwiseKernel elementwise(
        "float32 x",
        "float64 y",
        "{ int8 a = x; uint8 b = x; int16 c = x; uint16 d = x; int32 e = x; uint32 f = x; int64 g "
        "= x;\n"
        "  uint64 h = x; float16 k = x; bfloat16 l = x; float32 m = x; float64 o = x;\n"
        "  complex64 p = x; complex128 q = x;\n"
        "  y = a + b + c + d + e + f + g + h + (float)k + (float)l + m + o + p.real() + q.real(); "
        "}",
        "elementwise",
        {.preamble = all_sizes, .loop_prep = "uint8 zero = 0", .after_loop = "int16 last = zero"});
    const ReductionKernel reduction("T x",
                                    "T y",
                                    "uint8 low = (uint8)x; return (float64)low",
                                    "(float64)(a + b)",
                                    "y = (float32)a",
                                    "float64(0)",
                                    "reduction",
                                    {.reduce_type = "float64"});
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<float>{1, 3}, {device});
        CHECK(elementwise(x).to_vector<double>() == std::vector<double>{14, 42});
        CHECK(reduction(x).item<float>() == 4);
    }
    if (!has_nvrtc()) return;
    const Array x = from_vector(std::vector<float>{1, 3}, {Device::host()});
    CHECK(cuda_refusal(elementwise, {x}) == "");
    CHECK(cuda_refusal(reduction, {x}) == "");
}

TEST_CASE("the dtypes' names are types in raw kernels, with their functions", "[raw]") {
    const std::string text =
        std::string(all_sizes) +
        "template <class T> __global__ void scale(T* x, const float32* y, int64 n) {\n"
        "    const uint32 i = threadIdx.x;\n"
        "    if (i < n) x[i] = x[i] * T(y[i]) + T(float16(0.5f) * float16(4)) + T(abs(complex64(3, "
        "4)));\n"
        "}\n"
        "__global__ void narrow(float16* x, bfloat16* y, complex64* z) {\n"
        "    *x = sqrt(*x); *y = max(*y, bfloat16(3)); *z = conj(*z) * exp(complex64(0));\n"
        "}\n";
    for (const Device device : present_devices()) {
        RawModuleOptions options{.options = {"-Dn=n"}, .names = {"scale<float32>", "scale<uint8>"}};
        // NVRTC's own header does not compile with these macros.
        if (device.kind() == DeviceKind::host)
            options.options.insert(options.options.end(), {"-DT=double", "-Dcomplex=7"});
        const RawModule module("#undef T\n#undef complex\n#undef n\n" + text, options);
        const Array x = from_vector(std::vector<float>{1, 2}, {device});
        const Array y = from_vector(std::vector<float>{10, 20}, {device});
        module.kernel("scale<float32>").launch({.block = {2}}, x, y, 2);
        CHECK(x.to_vector<float>() == std::vector<float>{17, 47});
        const Array half = from_vector(std::vector<half_t>{half_t(9.0F)}, {device});
        const Array brain = from_vector(std::vector<bfloat16_t>{bfloat16_t(2.0F)}, {device});
        const Array z = from_vector(std::vector<std::complex<float>>{{1, 2}}, {device});
        const RawKernel narrow = module.kernel("narrow");
        narrow.launch({}, half, brain, z);
        CHECK(static_cast<float>(half.item<half_t>()) == 3);
        CHECK(static_cast<float>(brain.item<bfloat16_t>()) == 3);
        CHECK(z.item<std::complex<float>>() == std::complex<float>(1, -2));
        CHECK(
            KGEN_MESSAGE_OF(TypeError, narrow.launch({}, brain, brain, z)) ==
            "kernel 'narrow': argument 1 of 3 is an array of bfloat16, the kernel expects float16 "
            "(float16*)\npass x.astype(float16), or x.data() for the memory as it is");
        CHECK(
            KGEN_MESSAGE_OF(TypeError, narrow.launch({}, half, brain, x)) ==
            "kernel 'narrow': argument 3 of 3 is an array of float32, the kernel expects complex64 "
            "(complex64*)\npass x.astype(complex64), or x.data() for the memory as it is");
    }
    // NVRTC's own header does not compile with -DT=double.
    if (has_nvrtc()) {
        CHECK(nvrtc_refusal(
                  "static_assert(complex == 7 && bits(1) == 4, \"\");\n#undef bits\n" + text,
                  {.options = {"-Dcomplex=7", "-Dbits(a)=3+a"}}) == "");
    }
}

TEST_CASE("what the user calls by a dtype's name is the user's in raw kernels", "[raw]") {
    const TempDir folder;
    std::filesystem::create_directories(folder / "own");
    std::ofstream(folder / "own/disk.h") << "using int16 = long long; enum Kind { other, int32 };\n"
                                            "typedef char int8;\n";
    const RawOptions build{
        .options = {"-Duint16=double"},
        .headers = {{"memory.h",
                     "#pragma once\ntypedef double float32; struct uint8 { char c[3]; };\n"
                     "inline __device__ float64 half_of(float64 x) { return x / 2; }\n"}},
        .include_directories = {folder / "own"}};
    const std::string text =
        "#include \"memory.h\"\n"
        "#include <disk.h>\n"
        "#define uint32 float\n"
        "typedef struct { float v[5]; } float16;\n"
        "namespace own { struct complex128 { char c[7]; }; }\n"
        "struct complex { int own; };\n"
        "namespace thrust { struct complex { int own; }; }\n"
        "template <class bfloat16> struct Sized { bfloat16 x; char int64[11]; };\n"
        "static_assert(sizeof(float32) == 8 && sizeof(uint8) == 3 && sizeof(int16) == 8, \"\");\n"
        "static_assert(int32 == 1 && sizeof(uint16) == 8 && sizeof(uint32) == 4, \"\");\n"
        "static_assert((uint32)0.5 != 0 && sizeof(float16) == 20, \"\");\n"
        "static_assert(sizeof(own::complex128) == 7 && sizeof(complex128) == 16, \"\");\n"
        "static_assert(sizeof(Sized<char>) == 12 && sizeof(int64) == 8 && sizeof(bfloat16) == 2, "
        "\"\");\n"
        "static_assert(sizeof(float64) == 8 && sizeof(complex64) == 8 && sizeof(complex) == 4, "
        "\"\");\n"
        "__global__ void own_names(float float64, int* uint64) {\n"
        "    int complex64 = *uint64 + (int)float64;\n"
        "    *uint64 = complex64 + (int)half_of(4);\n"
        "}\n";
    check_both(text, "own_names", build);
}

TEST_CASE("what the user calls by a dtype's name is the user's in bodies", "[kernel]") {
    const TempDir folder;
    std::ofstream(folder / "disk.h") << "typedef double float32; struct uint8 { char c[3]; };\n";
    const ElementwiseKernel kernel(
        "int32 x",
        "int32 y",
        "int uint64 = x; static_assert(sizeof(float32) == 8 && sizeof(uint8) == 3, \"\");\n"
        "static_assert(sizeof(int16) == 8 && int8 == 1 && sizeof(uint16) == 8, \"\");\n"
        "static_assert(sizeof(float16) == 20 && sizeof(uint32) == 4 && sizeof(float64) == 8, "
        "\"\");\n"
        "y = uint64 + 1",
        "own",
        {.preamble = "#include \"disk.h\"\n"
                     "using int16 = long long; enum { other, int8 };\n"
                     "#define uint32 float\n"
                     "struct float16 { float v[5]; };\n",
         .options = {"-Duint16=double", "-I" + folder.path()}});
    for (const Device device : present_devices()) {
        const Array x = from_vector(std::vector<std::int32_t>{1, 2}, {device});
        CHECK(kernel(x).to_vector<std::int32_t>() == std::vector<std::int32_t>{2, 3});
    }
    if (!has_nvrtc()) return;
    const Array x = from_vector(std::vector<std::int32_t>{1, 2}, {Device::host()});
    CHECK(cuda_refusal(kernel, {x}, {"-Duint16=double", "-I" + folder.path()}) == "");
}

TEST_CASE("a program that names no dtype is compiled as it is", "[source]") {
    const std::string text = "__global__ void k(float* x) { /* float32 */ *x = 1; }\n";
    const RawSource source = make_raw_source(
        {.program = "k", .texts = {{"k.cu", text}}, .names = {}, .device = DeviceKind::cuda});
    CHECK(source.text == "#line 1 \"k.cu\"\n" + text + "\n");
}

TEST_CASE("the shape of an array is spelled the same in bodies and in kgen::array", "[raw]") {
    const char* const checks =
        "x.shape[0] * 1000 + x.shape()[1] * 100 + x.strides[0] * 10 + x.strides()[1] + x.ndim + "
        "x.size()";
    const RawKernel whole(std::string("#include <kgen/array.cuh>\n"
                                      "__device__ ptrdiff_t sum(const ptrdiff_t* values, int n) {\n"
                                      "    ptrdiff_t total = 0;\n"
                                      "    for (int k = 0; k < n; ++k) total += values[k];\n"
                                      "    return total;\n"
                                      "}\n"
                                      "__global__ void whole(kgen::array<const int, 2> x, "
                                      "kgen::array<float, 0> none, long long* y) {\n"
                                      "    const auto& fixed = x;\n"
                                      "    const ptrdiff_t* extents = x.shape;\n"
                                      "    const ptrdiff_t* steps = fixed.strides;\n"
                                      "    y[0] = ") +
                              checks +
                              ";\n"
                              "    y[1] = sum(x.shape, x.ndim) + sum(fixed.shape(), 2);\n"
                              "    y[2] = extents[1] * steps[1];\n"
                              "    auto changed = x; changed.shape[0] = 9;\n"
                              "    y[3] = changed.shape[0u] + fixed.shape[0LL];\n"
                              "    y[4] = 0; for (ptrdiff_t extent : x.shape) y[4] += extent;\n"
                              "    none() = 5; y[5] = sizeof(x.shape) / sizeof(x.shape[0]);\n"
                              "}\n",
                          "whole");
    const ElementwiseKernel element("raw int32 x",
                                    "int64 y",
                                    std::string("const ptrdiff_t* extents = x.shape;\n"
                                                "const ptrdiff_t* steps = x.strides();\n"
                                                "y = i == 0 ? ") +
                                        checks + " : extents[1] * steps[1]",
                                    "element");
    for (const Device device : present_devices()) {
        const Array x = zeros({3, 2}, int32, {device});
        const Array y = zeros({6}, int64, {device});
        const Array none = zeros({}, float32, {device});
        whole.launch({}, raw(x), raw(none), y);
        CHECK(y.to_vector<std::int64_t>() == std::vector<std::int64_t>{3292, 10, 8, 12, 5, 2});
        CHECK(none.item<float>() == 5);
        const Array told = element.call(std::vector<Argument>{x}, {.size = 2}).front();
        CHECK(told.to_vector<std::int64_t>() == std::vector<std::int64_t>{3292, 8});
    }
    if (!has_nvrtc()) return;
    CHECK(nvrtc_refusal(whole.code(), {}) == "");
    const Array x = zeros({3, 2}, int32, {Device::host()});
    CHECK(cuda_refusal(element, {x}, {}, {.size = 2}) == "");
}
