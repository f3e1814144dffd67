// SPDX-License-Identifier: MIT
//
// Bodies that are more than one assignment: control flow, references, macros, comments, unusual
// names. Each runs on every device, and its CUDA source is compiled if NVRTC is installed.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// Returns 0 to 999.
std::vector<std::int32_t> numbers() {
    std::vector<std::int32_t> values;
    for (std::int32_t k = 0; k < 1000; ++k) values.push_back(k);
    return values;
}

struct Body {
    std::string title;
    std::string operation;
    std::int32_t (*expected)(std::int32_t x);
    ElementwiseOptions options = {};
};

// Runs kernels from "int32 x" to "int32 z". The given output holds 7s at first. It is
// contiguous, then every other element of a block.
void check_bodies(const std::vector<Body>& bodies) {
    const bool nvrtc = has_nvrtc();
    const std::vector<Device> devices = present_devices();
    const auto x_values = numbers();
    const std::vector<std::int32_t> sevens(x_values.size(), 7);
    for (const Body& body : bodies) {
        INFO(body.title);
        const ElementwiseKernel kernel(
            "int32 x", "int32 z", body.operation, "bodies", body.options);
        std::vector<std::int32_t> expected;
        for (const std::int32_t x : x_values) expected.push_back(body.expected(x));
        for (const Device device : devices) {
            INFO(to_text(device));
            const Array x = from_vector(x_values, {device});
            const Placed z = place<std::int32_t>(device, sevens, {1000}, {4});
            const Placed sliced = place<std::int32_t>(device, sevens, {1000}, {8});
            try {
                kernel(x, out(z.array));
                kernel(x, out(sliced.array));
            } catch (const CompileError& error) {
                FAIL_CHECK(error.what() << "\n" << error.log());
                continue;
            }
            CHECK(z.values<std::int32_t>() == expected);
            CHECK(sliced.values<std::int32_t>() == expected);
            CHECK(z.is_clean_around());
            CHECK(sliced.is_clean_around());
        }
        if (!nvrtc) continue;
        for (const std::int64_t stride : {4, 8}) {
            const ArraySpec spec{int32, {1000}, Dims{stride}};
            CHECK(cuda_refusal(kernel, {spec, spec}, body.options.options) == "");
        }
    }
}

}  // namespace

TEST_CASE("continue, break and return end the element, and what is not written stays") {
    check_bodies({
        {"continue",
         "if (x % 3 == 0) continue; z = x",
         [](std::int32_t x) { return x % 3 == 0 ? 7 : x; }},
        {"break",
         "if (x % 3 == 0) break; z = x",
         [](std::int32_t x) { return x % 3 == 0 ? 7 : x; }},
        {"return",
         "if (x % 3 == 0) return; z = x;",
         [](std::int32_t x) { return x % 3 == 0 ? 7 : x; }},
        {"a conditional write",
         "if (x > 500) z = x",
         [](std::int32_t x) { return x > 500 ? x : 7; }},
        {"written, then continue",
         "z = 1; if (x == 2) continue; z = 2",
         [](std::int32_t x) { return x == 2 ? 1 : 2; }},
        {"never written", "(void)z", [](std::int32_t) { return 7; }},
        {"written for no element", "if (x < 0) z = x", [](std::int32_t) { return 7; }},
        {"read and written", "z += x; z *= 2", [](std::int32_t x) { return (7 + x) * 2; }},
        {"loops of its own",
         "int sum = 0; for (int k = 0; ; ++k) { if (k == 3) continue; if (k > x % 9) break; sum += "
         "k; } z = sum",
         [](std::int32_t x) {
             int sum = 0;
             for (int k = 0; k <= x % 9; ++k) sum += k == 3 ? 0 : k;
             return sum;
         }},
        {"a switch",
         "switch (x % 3) { case 0: z = 5; break; case 1: z = 6; default: z += 1; }",
         [](std::int32_t x) { return x % 3 == 0   ? 5
                                     : x % 3 == 1 ? 7
                                                  : 8; }},
        {"goto",
         "if (x == 1) goto done; z = 3; done: ;",
         [](std::int32_t x) { return x == 1 ? 7 : 3; }},
    });
}

TEST_CASE("the address of a parameter leads into memory") {
    check_bodies({
        {"an output's address", "int* p = &z; *p = x + *p", [](std::int32_t x) { return x + 7; }},
        {"an input's address",
         "const int* p = &x; z = *p + 1",
         [](std::int32_t x) { return x + 1; }},
        {"in brackets", "int* p = &(z); *p = x", [](std::int32_t x) { return x; }},
        {"a cast address",
         "float bits = *(const float*)&x; z = __float_as_int(bits) + 2",
         [](std::int32_t x) { return x + 2; }},
        {"an atomic", "atomicAdd(&z, x)", [](std::int32_t x) { return 7 + x; }},
        {"a reference captured",
         "auto add = [&z](int k) { z += k; }; add(x); add(1)",
         [](std::int32_t x) { return 8 + x; }},
        {"everything captured",
         "auto add = [&](int k) { z += k + x; }; add(1)",
         [](std::int32_t x) { return 8 + x; }},
        {"a macro of the preamble",
         "*POINTER(z) = x",
         [](std::int32_t x) { return x; },
         {.preamble = "#define POINTER(a) (&a)"}},
        {"a macro of loop_prep",
         "*POINTER(z) = x",
         [](std::int32_t x) { return x; },
         {.loop_prep = "\n#define POINTER(a) (&a)\n"}},
        {"a macro by an option",
         "*POINTER = x",
         [](std::int32_t x) { return x; },
         {.options = {"-DPOINTER=(&z)"}}},
        {"a function that takes a pointer",
         "put(&z, x + 3)",
         [](std::int32_t x) { return x + 3; },
         {.preamble = "__device__ void put(int* place, int value) { *place = value; }"}},
        {"a function that takes a reference",
         "put(z, x + 4)",
         [](std::int32_t x) { return x + 4; },
         {.preamble = "__device__ void put(int& place, int value) { place = value; }"}},
        {"bits, no address",
         "z = x & 12; z = (z) & x; z &= 8",
         [](std::int32_t x) { return x & 8; }},
    });
}

TEST_CASE("a pointer to an output reaches the elements beside it") {
    const ElementwiseKernel kernel(
        "int32 x",
        "int32 z",
        "int* p = POINTER(z); if (x == 2) p[-1] = 40; if (x != 1) *p = x",
        "beside",
        {.loop_prep = "\n#define POINTER(a) &a\n"});
    for (const Device device : present_devices()) {
        const Array z = zeros({4}, int32, {device});
        kernel(from_vector<std::int32_t>({0, 1, 2, 3}, {device}), out(z));
        CHECK(elements<std::int32_t>(z) == std::vector<std::int32_t>{0, 40, 2, 3});
    }
}

TEST_CASE("an atomic on a broadcast _non_const input sums over all elements") {
    const ElementwiseKernel sum("T x, _non_const T total", "", "atomicAdd(&total, x)", "sum_into");
    for (const Device device : present_devices()) {
        const Array total = zeros({1}, int32, {device});
        sum(from_vector(numbers(), {device}), total);
        CHECK(elements<std::int32_t>(total) == std::vector<std::int32_t>{499500});
    }
}

TEST_CASE("macros see the element's index and its parameters") {
    check_bodies({
        {"i in the preamble",
         "z = PLACE",
         [](std::int32_t x) { return x; },
         {.preamble = "#define PLACE ((int)i)"}},
        {"n in the preamble",
         "z = LEFT(x)",
         [](std::int32_t x) { return 1000 - x; },
         {.preamble = "#define LEFT(k) ((int)n - k)"}},
        {"_ind in a macro",
         "z = AT",
         [](std::int32_t x) { return x; },
         {.preamble = "#define AT (int)_ind.get()[0]"}},
        {"_raw_ in a macro",
         "z = FIRST + x",
         [](std::int32_t x) { return x; },
         {.preamble = "#define FIRST _raw_x[0]"}},
        {"_raw_ pasted",
         "z = RAW(x)[x]",
         [](std::int32_t x) { return x; },
         {.preamble = "#define RAW(a) _raw_##a"}},
        {"over two lines",
         "z = TWICE(x)",
         [](std::int32_t x) { return 2 * x; },
         {.preamble = "#define TWICE(a) \\\n    ((a) + (a))"}},
        {"in the body",
         "\n#define SHIFT 5\nz = x + SHIFT\n#undef SHIFT\n",
         [](std::int32_t x) { return x + 5; }},
        {"conditions in the body",
         "\n#if 1\nz = x;\n#else\nz = nothing;\n#endif\n",
         [](std::int32_t x) { return x; }},
        {"branches that share a bracket",
         "\n#ifdef STRICT\nif (x > 1) {\n#elif 0\nif (x > 3) {\n#else\nif (x > 2) {\n#endif\nz = "
         "x; }\n",
         [](std::int32_t x) { return x > 2 ? x : 7; }},
        {"a condition around each end of a block",
         "\n#ifdef STRICT\nif (x > 1) {\n#endif\nz = x;\n#ifdef STRICT\n}\n#endif\n",
         [](std::int32_t x) { return x; }},
        {"a branch that is not C++",
         "\n#if 0\nz = (;\n#else\nz = x;\n#endif\n",
         [](std::int32_t x) { return x; }},
        {"a parameter's name as argument",
         "z = ADD(x, z)",
         [](std::int32_t x) { return x + 7; },
         {.preamble = "#define ADD(z, x) ((z) + (x))"}},
    });
}

TEST_CASE("how the text ends does not matter") {
    const auto same = [](std::int32_t x) { return x; };
    check_bodies({
        {"a comment", "z = x; // done", same},
        {"a comment without semicolon", "z = x // done", same},
        {"a comment in C", "z = x /* done */", same},
        {"a backslash", "z = x; \\", same},
        {"a backslash in a comment", "z = x; // done \\", same},
        {"empty lines", "\n\n  z = x;\n\n", same},
        {"carriage returns", "z = 1;\r\nz = x;\r\n", same},
        {"semicolons", ";;z = x;;", same},
        {"a block", "{ z = x; }", same},
        {"a macro", "z = x;\n#define LAST", same},
        {"preamble and loop texts end in comments",
         "z = x",
         same,
         {.preamble = "// preamble",
          .loop_prep = "int k = 1 // prep",
          .after_loop = "k = 2 // after"}},
        {"preamble and loop texts end in backslashes",
         "z = x",
         same,
         {.preamble = "int f();\\", .loop_prep = "int k = 1 \\", .after_loop = "k = 2; \\"}},
    });
}

TEST_CASE("names of the body's own hide nothing that is needed") {
    check_bodies({
        {"i and n are loops' variables",
         "int sum = 0; for (int i = 0; i < 3; ++i) { int n = i; sum += n; } z = x + sum",
         [](std::int32_t x) { return x + 3; }},
        {"i is declared anew", "int i = 5; z = x + i", [](std::int32_t x) { return x + 5; }},
        {"a lambda with i and n",
         "auto f = [](int i, int n) { return i * n; }; z = f(x, 3)",
         [](std::int32_t x) { return 3 * x; }},
        {"a struct of its own",
         "struct Pair { int i, n; }; Pair pair = {x, 1}; z = pair.i + pair.n",
         [](std::int32_t x) { return x + 1; }},
        {"strings with slots and braces",
         "const char* text = \"${x} {} ${body} }{\"; z = x + (text[0] == '$' ? 1 : 0) + (text[2] "
         "== '}')",
         [](std::int32_t x) { return x + 1; }},
        {"raw strings",
         "const char* text = R\"(})\" \"{\" ; z = x + (text[0] == '}')",
         [](std::int32_t x) { return x + 1; }},
        {"digraphs",
         "int list<:2:> = <%1, 2%>; z = x + list<:1:>",
         [](std::int32_t x) { return x + 2; }},
        {"min and max",
         "z = min(x, 5) + max(x, 3)",
         [](std::int32_t x) { return std::min(x, 5) + std::max(x, 3); }},
        {"unicode in comments",
         "z = x; /* gr\xc3\xb6\xc3\x9f"
         "er \xe2\x88\x91 */",
         [](std::int32_t x) { return x; }},
    });
}
