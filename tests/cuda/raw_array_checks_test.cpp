// SPDX-License-Identifier: MIT
//
// Raw kernels reject arrays that do not fit their parameters. The types come from the compiled code, a
// mangled name, or the source of an extern "C" kernel.
#include <fstream>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr const char* text =
    "#include <kgen/array.cuh>\n"
    "#include <cstdint>\n"
    "template <class T> __global__ void pass(const T* x, T* y) { y[0] = x[0]; }\n"
    "template <class T, int rank> __global__ void view(kgen::array<const T, rank> x) {}\n"
    "typedef float real;\n"
    "typedef const float* input;\n"
    "#define RO const\n"
    "extern \"C\" {\n"
    "__global__ void plain(const float* __restrict__ x, double y[], uint8_t c, int n = 3) {}\n"
    "__global__ void pairs(const float2* x, float4 *y) {}\n"
    "__global__ void aliases(real* x, input y, RO float* z) {}\n"
    "__global__ void words(std::int16_t* x, unsigned *y, size_t n) {}\n"
    "#if 0\n"
    "__global__ void twice(double* x) {}\n"
    "#else\n"
    "__global__ void twice(float* x) {}\n"
    "#endif\n"
    "}\n";

const std::vector<std::string> cpp_types = {"bool",
                                            "signed char",
                                            "unsigned char",
                                            "short",
                                            "unsigned short",
                                            "int",
                                            "unsigned int",
                                            "long long",
                                            "unsigned long long",
                                            "float",
                                            "double"};

std::vector<std::string> template_names() {
    std::vector<std::string> names = {"view<float, 2>"};
    for (const std::string& type : cpp_types) names.push_back("pass<" + type + ">");
    return names;
}

// Returns the part of the message after the argument's place; empty if the launch succeeds.
template <typename... Arguments>
std::string refusal(const RawKernel& kernel, const Arguments&... arguments) {
    try {
        kernel.launch({}, arguments...);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void check_arrays(Device device) {
    const RawModule module(text, {.names = template_names()});
    for (const std::string& type : cpp_types) {
        const DType wanted = *parse_dtype(type);
        const std::string name = "pass<" + type + ">";
        const RawKernel pass = module.kernel(name);
        const Array right = zeros({4}, wanted, {device});
        for (int k = 0; k < dtype_count; ++k) {
            const auto dtype = static_cast<DType>(k);
            INFO(name << " given " << to_text(dtype));
            const Array x = zeros({4}, dtype, {device});
            const std::string expected =
                dtype == wanted
                    ? ""
                    : fmt::format(
                          "is an array of {}, the kernel expects {} ({}{}*)\npass x.astype({}), or "
                          "x.data() for the memory as it is",
                          to_text(dtype),
                          to_text(wanted),
                          "{}",
                          type,
                          to_text(wanted));
            const auto told = [&](int place, const char* prefix) {
                if (expected.empty()) return std::string();
                return fmt::format("kernel '{}': argument {} of 2 ", name, place) +
                       fmt::format(fmt::runtime(expected), prefix);
            };
            CHECK(refusal(pass, x, right) == told(1, "const "));
            CHECK(refusal(pass, right, x) == told(2, ""));
        }
        CHECK(refusal(pass, right.as_read_only(), right) == "");
        CHECK(refusal(pass, right, right.as_read_only()) ==
              fmt::format(
                  "kernel '{}': argument 2 of 2 is read-only, the kernel may write to it ({}*)\n"
                  "pass a copy(), or declare the parameter as a pointer to const",
                  name,
                  type));
    }
    const RawKernel view = module.kernel("view<float, 2>");
    const Array square = zeros({2, 3}, float32, {device});
    const Array line = zeros({3}, float32, {device});
    const Array other = zeros({2, 3}, int32, {device});
    const Array fixed = square.as_read_only();
    CHECK(refusal(view, raw(square)) == "");
    CHECK(refusal(view, raw(fixed)) == "");
    const std::string start = "kernel 'view<float, 2>': argument 1 of 1 is ";
    CHECK(refusal(view, raw(line)) == start +
                                          "raw() of an array of 1 axis, the kernel expects 2 "
                                          "(kgen::array<const float, 2>)");
    CHECK(refusal(view, raw(other)) ==
          start +
              "raw() of an array of int32, the kernel expects float32 (kgen::array<const float, "
              "2>)\npass x.astype(float32), and raw() of that");
    CHECK(refusal(view, square) ==
          start + "an array, the kernel expects kgen::array<const float, 2>\npass raw(x)");
}

// Checks extern "C" kernels.
void check_plain(Device device) {
    const RawModule module(text);
    const Array floats = zeros({8}, float32, {device});
    const Array doubles = zeros({8}, float64, {device});
    const Array odd = floats.slice({Range{1, 7}});

    const RawKernel plain = module.kernel("plain");
    CHECK(refusal(plain, floats.as_read_only(), doubles, 255, 5) == "");
    CHECK(refusal(plain, doubles, doubles, 1, 5) ==
          "kernel 'plain': argument 1 of 4 is an array of float64, the kernel expects float32 "
          "(const float*)\npass x.astype(float32), or x.data() for the memory as it is");
    CHECK(refusal(plain, floats, doubles.as_read_only(), 1, 5) ==
          "kernel 'plain': argument 2 of 4 is read-only, the kernel may write to it (double*)\n"
          "pass a copy(), or declare the parameter as a pointer to const");
    CHECK(refusal(plain, floats, doubles, -1, 5).find("argument 3 of 4: -1 does not fit ") !=
          std::string::npos);
    CHECK(
        refusal(plain, floats, doubles, 1, 3000000000) ==
        "kernel 'plain': argument 4 of 4: 3000000000 does not fit int (-2147483648 to 2147483647)");

    const RawKernel pairs = module.kernel("pairs");
    CHECK(refusal(pairs, floats, floats) == "");
    CHECK(refusal(pairs, zeros({4}, complex64, {device}), floats) == "");
    CHECK(
        refusal(pairs, odd, floats) ==
        "kernel 'pairs': argument 1 of 2 is not aligned: its address is a multiple of 4 bytes, the "
        "kernel expects 8 (const float2*)\npass a copy()");
    CHECK(
        refusal(pairs, floats, floats.slice({Range{2, 6}})) ==
        "kernel 'pairs': argument 2 of 2 is not aligned: its address is a multiple of 8 bytes, the "
        "kernel expects 16 (float4*)\npass a copy()");
    CHECK(refusal(pairs, odd.copy(), floats) == "");
    CHECK(refusal(pairs, zeros({4}, int32, {device}), floats) ==
          "kernel 'pairs': argument 1 of 2 is an array of int32, the kernel expects float32 or "
          "complex64 (const float2*)\npass x.astype(float32), or x.data() for the memory as it is");

    const RawKernel words = module.kernel("words");
    const Array shorts = zeros({8}, int16, {device});
    const Array unsigned_ints = zeros({8}, uint32, {device});
    CHECK(refusal(words, shorts, unsigned_ints, 5) == "");
    CHECK(refusal(words, unsigned_ints, unsigned_ints, 5) != "");
    CHECK(refusal(words, shorts, zeros({8}, int32, {device}), 5) != "");
    CHECK(refusal(words, shorts, unsigned_ints, -5) != "");

    const RawKernel twice = module.kernel("twice");
    CHECK(refusal(twice, floats) == "");
    CHECK(refusal(twice, doubles) != "");

    // Only the compiler knows the meaning of a word that the source defines. If the compiled code does not
    // tell it, arrays of any dtype are accepted, but read-only arrays are rejected.
    const RawKernel aliases = module.kernel("aliases");
    CHECK(refusal(aliases, floats, floats, floats) == "");
    const bool is_known = device.kind() == DeviceKind::host;
    CHECK(refusal(aliases, doubles, floats, floats).empty() == !is_known);
    CHECK(refusal(aliases, floats, floats.as_read_only(), floats).empty() == is_known);
    CHECK(refusal(aliases, floats, floats, floats.as_read_only()).empty() == is_known);
    CHECK(refusal(aliases, floats.as_read_only(), floats, floats) ==
          (is_known ? "kernel 'aliases': argument 1 of 3 is read-only, the kernel may write to it "
                      "(float*)\n"
                      "pass a copy(), or declare the parameter as a pointer to const"
                    : "kernel 'aliases': argument 1 of 3 is read-only, and kgen cannot tell "
                      "whether the kernel writes to it (real*)\n"
                      "pass a copy(), or x.data() if it only reads"));
}

// The parameters in order, each as its name, type, and whether it may be written and is a view.
using Described = std::vector<std::vector<std::string>>;
Described described(const RawKernel& kernel, Device device) {
    Described list;
    for (const RawParameter& each : kernel.parameters(device)) {
        list.push_back({each.name,
                        each.type,
                        each.may_be_written ? "written" : "",
                        each.is_view ? "view" : ""});
    }
    return list;
}

void check_descriptions(Device device) {
    const RawModule module(
        "#include <kgen/array.cuh>\n"
        "template <class T> __global__ void axpby(T a, const T* x, T* y, kgen::array<T, 1> v) {}\n"
        "namespace ns { __global__ void over(int first) {} }\n"
        "__global__ void over(int second) {}\n"
        "__global__ void over(float second, float third) {}\n"
        "#define MAKE(name) __global__ void name(float* x)\n"
        "MAKE(made) {}\n"
        "__global__ void anonymous(float*, int n, const float (*table)[4]) {}\n",
        {.names = {"axpby<double>", "ns::over"}});
    CHECK(described(module.kernel("axpby<double>"), device) ==
          Described{{"a", "double", "", ""},
                    {"x", "const double*", "", ""},
                    {"y", "double*", "written", ""},
                    {"v", "kgen::array<double, 1>", "written", "view"}});
    CHECK(described(module.kernel("ns::over"), device) == Described{{"first", "int", "", ""}});
    const bool is_host = device.kind() == DeviceKind::host;
    CHECK(described(module.kernel(is_host ? "over(int second)" : "over(int)"), device) ==
          Described{{"second", "int", "", ""}});
    CHECK(described(module.kernel("anonymous"), device)[0] ==
          std::vector<std::string>{"", "float*", "written", ""});
    CHECK(described(module.kernel("anonymous"), device)[1][0] == "n");
    CHECK(described(module.kernel("anonymous"), device)[2][0] == "table");
    if (!is_host) {  // on the host an expression names the kernel
        CHECK(described(module.kernel("made"), device) == Described{{"", "float*", "written", ""}});
    }
}

}  // namespace

TEST_CASE("arrays of another dtype, rank or constness are refused by each instance", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        check_arrays(device);
    }
}

TEST_CASE("an extern \"C\" kernel's types are those of its source", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        check_plain(device);
    }
}

TEST_CASE("a kernel's parameters are described by code and source", "[raw]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        check_descriptions(device);
    }
}

TEST_CASE("what CUDA's symbols and sources tell of arrays is checked", "[cuda][raw]") {
    if (!in_new_process()) return;
    const Driver driver;
    if (!finds_nvrtc()) return;
    check_arrays(Device::cuda(0));
    check_plain(Device::cuda(0));
    check_descriptions(Device::cuda(0));
    report("ok");
}

TEST_CASE("a mapped file is read by kernels that take const, and written by none", "[raw]") {
    const TempDir folder;
    const std::string file = folder / "x.npy";
    save_npy(file, arange(5, float32, {.device = Device::host()}));
    const Array mapped = load_npy(file, {.device = Device::host(), .access = NpyAccess::mapped});
    REQUIRE(mapped.is_read_only());
    const RawModule module(
        "extern \"C\" __global__ void fill(float* x) { x[threadIdx.x] = 7; }\n"
        "__global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }\n"
        "template <class T> __global__ void any(T x) { x[threadIdx.x] = 7; }\n",
        {.names = {"any<float*>"}});
    for (const char* name : {"fill", "any<float*>"}) {
        CHECK(KGEN_MESSAGE_OF(ShapeError, module.kernel(name).launch({.block = {5}}, mapped)) ==
              fmt::format(
                  "kernel '{}': argument 1 of 1 is read-only, the kernel may write to it (float*)\n"
                  "pass a copy(), or declare the parameter as a pointer to const",
                  name));
    }
    const Array y = zeros({5}, float32, {.device = Device::host()});
    module.kernel("copy").launch({.block = {5}}, mapped, y);
    CHECK(y.to_vector<float>() == std::vector<float>{0, 1, 2, 3, 4});
    CHECK(KGEN_MESSAGE_OF(ShapeError, module.kernel("copy").bind({.block = {5}}, y, mapped)) ==
          "kernel 'copy': argument 2 of 2 is read-only, the kernel may write to it (float*)\n"
          "pass a copy(), or declare the parameter as a pointer to const");
}
