// SPDX-License-Identifier: MIT
//
// How a kernel uses its outputs. An output that no text names is rejected when the kernel is defined. An
// output that is read before it is written is rejected if a call would have to create it.
#include "signature/output_uses.hpp"

#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/rounds.hpp"
#include "template/template_reader.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

Definition of_operation(const std::string& operation, const std::string& preamble = "") {
    return {.name = "k",
            .inputs = "T x, T w",
            .outputs = "T y",
            .operation = operation,
            .preamble = preamble};
}

Definition of_post_map(const std::string& post_map, const std::string& preamble = "") {
    return {.name = "k",
            .inputs = "T x",
            .outputs = "T y",
            .operation = "x",
            .preamble = preamble,
            .reduction = ReductionTexts{.reduce = "a + b", .post_map = post_map, .identity = "0"}};
}

std::string refusal_of(const Definition& definition) {
    try {
        check_outputs_named(parse_signature(definition));
        return "";
    } catch (const SignatureError& error) {
        return error.what();
    }
}

bool is_read_first(const Definition& definition, std::size_t output = 0) {
    const Signature signature = parse_signature(definition);
    return signature.parameters[static_cast<std::size_t>(signature.input_count) + output]
        .read_first;
}

const std::string never_written =
    "kernel 'k': output 1 ('y') is never written: the operation does not name it; write 'y = ...'";

}  // namespace

TEST_CASE("an output that no text names is refused at definition", "[signature][outputs]") {
    const std::vector<std::pair<std::string, std::string>> bodies = {
        {"x + 1", ""},
        {"", ""},
        {"x = w", ""},
        {"x + 1  // y = x", ""},
        {"/* y = x */ x", ""},
        {"const char* t = \"y\"; (void)t", ""},
        {"char t = 'y'; (void)t", ""},
        {"const char* t = R\"(y = x)\"; (void)t", ""},
        {"p.y = x", "struct q { float y; }; q p;"},
        {"q::y = x", "struct q { static float y; };"},
        {"Y = x", ""},
        {"yy = x", ""},
        {"\n#if 0\ny = x;\n#endif\n", ""},
        {"\n#ifdef NEVER\ny = x;\n#endif\n", ""},
        {"\n#if N > 2\ny = x;\n#endif\n", "#define N 2\n"},
        {"\n#if 1\nfloat t = x;\n#else\ny = x;\n#endif\n", ""},
        {"\n#define y t\nfloat t; y = x;\n", ""},
        {"float y = x", ""},
        {"T y = x; y += w", ""},
        {"const auto& y = x; (void)y", ""},
        {"float* y = 0; (void)y", ""},
        {"auto f = [](T y) { return y + 1; }; x + f(w)", ""},
        {"twice(x)", "#define twice(y) (2 * (y))\n"},
        {"other(x)", "#define set(v) y = v\n#define other(v) (v)\n"},
        {"x + 1", "#define set y = \n"},
        {"f(x)", "__device__ float f(float v) { float y = v; return y; }"},
        {"x + sqrt(w)", "#include <cmath>\n"},
    };
    for (const auto& [body, preamble] : bodies) {
        INFO(preamble << body);
        CHECK(refusal_of(of_operation(body, preamble)) == never_written);
    }
}

TEST_CASE("an output that may be written is accepted, however it is named",
          "[signature][outputs]") {
    const std::vector<std::pair<std::string, std::string>> bodies = {
        {"y = x", ""},
        {"if (x > 0) y = x", ""},
        {"x > 0 ? y = x : y = w", ""},
        {"(y) = x", ""},
        {"set(y, x)", "__device__ void set(float& to, float v) { to = v; }"},
        {"float y2 = x; { float y = y2; x + y; } y = y2", ""},
        {"for (int y = 0; y < 3; ++y) x; y = x", ""},
        {"auto f = [&](T v) { y = v; }; f(x)", ""},
        {"SET(x)", "#define SET(v) y = v\n"},
        {"SET(x)", "#define OUT y\n#define SET(v) OUT = v\n"},
        {"SET(y, x)", "#define SET(to, v) to = v\n"},
        {"OUT = x", "#define OUT y\n"},
        {"PASTE(, y) = x", "#define PASTE(a, b) a##b\n"},
        {"NAME(x)", "#define NAME(v) JOIN(v)\n#define JOIN(v) v##v = 1\n"},
        {"MAYBE y = x", "#define MAYBE\n"},
        {"\n#define OUT y\nOUT = x;\n", ""},
        {"\n#if __CUDA_ARCH__ >= 800\ny = x;\n#endif\n", ""},
        {"\n#ifdef SET\ny = x;\n#endif\n", "#define SET\n"},
        {"\n#if 0\n#else\ny = x;\n#endif\n", ""},
        {"\n#define y (*&y)\ny = x;\n", ""},
        {"SET(x)", "#include \"mine.h\"\n"},
        {"_raw_y[i] = x", ""},
        {"y = x", "#define y own\n"},
        {"y = x", "// a comment that goes on \\"},
        {"\n#if 1\ny = x;\n#endif", "int f(); \\"},
    };
    for (const auto& [body, preamble] : bodies) {
        INFO(preamble << body);
        CHECK(refusal_of(of_operation(body, preamble)) == "");
    }
    // Macros that are defined in options.
    Definition definition = of_operation("OUT = x");
    definition.options = {"-DOUT=y"};
    CHECK(refusal_of(definition) == "");
    definition.options = {"-D", "OUT=y"};
    CHECK(refusal_of(definition) == "");
    definition.options = {"-DOTHER=y"};
    CHECK(refusal_of(definition) == never_written);
    definition.options = {};
    definition.loop_prep = "\n#define OUT y\n";
    CHECK(refusal_of(definition) == "");
}

TEST_CASE("each of several outputs is written, and each post_map's", "[signature][outputs]") {
    Definition several = of_operation("y = x");
    several.outputs = "T y, raw T z";
    CHECK(refusal_of(several) ==
          "kernel 'k': output 2 ('z') is never written: the operation does not name it; write "
          "'z[i] = ...'");
    several.operation = "y = x; z[i] = x";
    CHECK(refusal_of(several) == "");
    several.operation = "y = x";
    several.after_loop = "z[0] = 1";
    CHECK(refusal_of(several) == "");
    // An output that is not raw is not visible after the loop.
    several.after_loop = "y = 1";
    CHECK(refusal_of(several) != "");

    const std::string refused =
        "kernel 'k': output 1 ('y') is never written: the post_map does not name it; write 'y = "
        "...'";
    CHECK(refusal_of(of_post_map("a")) == refused);
    CHECK(refusal_of(of_post_map("a /* y */")) == refused);
    CHECK(refusal_of(of_post_map("\n#if 0\ny = a;\n#endif\na;")) == refused);
    CHECK(refusal_of(of_post_map("y = a")) == "");
    CHECK(refusal_of(of_post_map("PUT", "#define PUT y = a\n")) == "");
    Definition two = of_post_map("y = a");
    two.outputs = "T y, T z";
    CHECK(refusal_of(two) ==
          "kernel 'k': output 2 ('z') is never written: the post_map does not name it; write 'z = "
          "...'");
    two.outputs = "T y, raw T z";
    two.operation = "z[i] = x, x";
    CHECK(refusal_of(two) == "");
    // An output that is not raw is not visible in the map.
    two.outputs = "T y, T z";
    two.operation = "z + x";
    CHECK(refusal_of(two) != "");
    Definition none = of_operation("x[i] = 1");
    none.inputs = "raw T x";
    none.outputs = "";
    CHECK(refusal_of(none) == "");
}

TEST_CASE("kernels and templates of which an output is never written are refused",
          "[template][outputs]") {
    CHECK(KGEN_MESSAGE_OF(SignatureError, ElementwiseKernel("T x", "T z", "x + 1", "lost")) ==
          "kernel 'lost': output 1 ('z') is never written: the operation does not name it; write "
          "'z = ...'");
    CHECK(KGEN_MESSAGE_OF(SignatureError,
                          ReductionKernel("T x", "T z", "x", "a + b", "a", "0", "lost")) ==
          "kernel 'lost': output 1 ('z') is never written: the post_map does not name it; write 'z "
          "= ...'");
    const std::string json = R"({"kind": "elementwise", "name": "lost", "description": "d",)"
                             R"( "inputs": "T x", "outputs": "T z", "operation": "x"})";
    CHECK(KGEN_MESSAGE_OF(SignatureError, read_templates(json, "t.json")) ==
          "t.json:1:1: kernel 'lost': output 1 ('z') is never written: the operation does not name "
          "it; write 'z = ...'");
}

TEST_CASE("an output that is only read, or read first, is found", "[signature][outputs]") {
    for (const std::string body : {
             "y += x",
             "y -= x",
             "y *= x",
             "y /= x",
             "y %= x",
             "y ^= x",
             "y |= x",
             "y &= x",
             "y <<= x",
             "y >>= 1",
             "y++",
             "--y",
             "(y)++",
             "(y) += x",
             "y = y + x",
             "y = x + y",
             "y = y * 2",
             "y = (x + (y))",
             "y = max(y, x)",
             "y = max(x, fabs(y))",
             "y = T(y) * 2",
             "y = (float)y + x",
             "y = static_cast<float>(y) + x",
             "y = -y",
             "T t = y; y = t + x",
             "T t = x; y = t + y * y",
             "T t = x * w; y += t; y = y * 2",
             "if (y > 0) y = x",
             "while (y < x) y = y + 1; y = 3",
             "if (x > 0) y += x",
             "for (int k = 0; k < 3; ++k) y += x",
             "for (int k = 0; k < 3; ++k) { if (k) y -= x; else y += x; }",
             "if (x > 0) y += x; else y -= x",
             "if (x > 0) return; y += x",
             "auto add = [&] { y += x; }; add()",
             "x + y",
             "int t = 3 & y; y = t",
             "\n#ifdef __CUDACC__\ny += x;\n#else\ny -= x;\n#endif\n",
         }) {
        INFO(body);
        CHECK(is_read_first(of_operation(body)));
    }
    CHECK(is_read_first(of_operation("y += SQUARE(x)", "#define SQUARE(v) ((v) * (v))\n")));
    CHECK(is_read_first(of_operation("\n#if 0\ny = 0;\n#endif\ny += x;")));
    for (const std::string post_map :
         {"y += a", "y = y + a", "if (a > 0) y += a", "y = max(y, a)"}) {
        INFO(post_map);
        CHECK(is_read_first(of_post_map(post_map)));
        CHECK_FALSE(is_read_first(of_post_map("y = a; " + post_map)));
    }
    Definition several = of_operation("y = x; z += y");
    several.outputs = "T y, T z";
    CHECK_FALSE(is_read_first(several, 0));
    CHECK(is_read_first(several, 1));
}

TEST_CASE("an output that may be written before it is read is not taken for one that is not",
          "[signature][outputs]") {
    for (const std::string body : {
             "y = x; y += x",
             "y = x, y += x",
             "y = 0; for (int k = 0; k < 3; ++k) y += x",
             "if (x > 0) y = x",
             "if (x > 0) y = x; else y = w",
             "if (x > 0) { y = x; return; } y = y + 1; y += w",
             "for (int k = 0; k < 3; ++k) { if (k) y += x; else y = x; }",
             "switch (int(x)) { case 0: y = 1; break; default: y += x; }",
             "x > 0 ? y = x : y += w",
             "y = x > 0 ? x : y",
             "x > 0 && (y = x)",
             "auto set = [&] { y = x; }; set(); y += x",
             "set(y, x); y += x",
             "set(y); y += x",
             "T* p = &y; *p = x; y += x",
             "auto& other = y; other = x; y += x",
             "auto& other = x > 0 ? y : y; other = x",
             "(x > 0 ? y : y) = x",
             "auto&& other(y); other = x; y += x",
             "(void)y; y = x",
             "y; y = x",
             "decltype(y) t = x; y = t",
             "T t = sizeof(y); y = t",
             "T t = sizeof y; y = t",
             "T t = (y = x) + 1; y += t",
             "(y) = x; y += x",
             "w > 0 ? (y) = x : T(0); y += x",
             "{ y = x; } y += x",
             "do { y = x; } while (y > 3); y += x",
             "goto first; again: y += x; goto last; first: y = x; goto again; last:;",
             "p.y += x; y = x",
             "T t = x; { T y = t; y += x; } y = t",
             "asm(\"\" : \"=f\"(y) : \"f\"(x)); y += x",
             "y.real(x); y += x",
             "y = y = x",
             "std::swap(y, x)",
             "\n#if __CUDA_ARCH__ > 1\ny += x;\n#else\ny = x;\n#endif\n",
         }) {
        INFO(body);
        CHECK_FALSE(is_read_first(of_operation(body)));
    }
    const std::vector<std::pair<std::string, std::string>> with_macros = {
        {"INIT; y += x", "#define INIT y = 0\n"},
        {"INIT(y); y += x", "#define INIT(v) v = 0\n"},
        {"__INIT(y); y += x", "#define __INIT(v) v = 0\n"},
        {"BOTH(y + 1)", "#define BOTH(v) v, y = 1\n"},
        {"INIT(y) + 1; y += x", "#include \"mine.h\"\n"},
        {"INIT; y += x", "#include \"mine.h\"\n"},
        {"\n#ifdef __CUDACC__\ny = 0;\n#endif\ny += x;", ""},
        {"\n#if __CUDA_ARCH__ > 1\ny = 0;\n#endif\ny += x;", ""},
        {"OUT += x", "#define OUT y\n"},
        {"norm(y); y += x", "__device__ void norm(float& v) { v = 0; }"},
        {"auto F = [](T& v) { v = 0; }; F(y); y += x", ""},
        {"_raw_y[i] = x; y += x", ""},
    };
    for (const auto& [body, preamble] : with_macros) {
        INFO(preamble << body);
        CHECK_FALSE(is_read_first(of_operation(body, preamble)));
    }
}

TEST_CASE("an output whose old value has no use is found", "[signature][outputs]") {
    const auto is_overwritten = [](const Definition& definition) {
        return parse_signature(definition).parameters.back().overwritten;
    };
    for (const char* const body : {"y = x",
                                   "T t = x * w; y = t; if (t > 0) y += 1",
                                   "if (x > 0) { x + w; } y = x; continue",
                                   "(y) = x + w"}) {
        INFO(body);
        CHECK(is_overwritten(of_operation(body)));
    }
    for (const char* const body : {"y += x",
                                   "y = y + x",
                                   "if (x > 0) y = x",
                                   "if (x > 0) continue; y = x",
                                   "if (x > 0) { y = x; }",
                                   "x > 0 && (y = x)",
                                   "for (int k = 0; k < x; ++k) y = x",
                                   "f(y); y = x",
                                   "T& t = y; y = x",
                                   "MAYBE y = x",
                                   "MAYBE; y = x",
                                   "\n#if A\ny = x;\n#endif\n"}) {
        INFO(body);
        CHECK_FALSE(is_overwritten(of_operation(body, "#define MAYBE if (x > 0) continue")));
    }
}

TEST_CASE("outputs of bodies of a megabyte are found in moments", "[signature][outputs]") {
    const auto repeated = [](const std::string& text, int count) {
        std::string all;
        for (int k = 0; k < count; ++k) all += text;
        return all;
    };
    const std::string last = "M" + std::to_string(rounds(20000) - 1);
    std::string chain = "#define M0 x\n";
    for (int k = 1; k < rounds(20000); ++k)
        chain += "#define M" + std::to_string(k) + " M" + std::to_string(k - 1) + " + M0\n";
    const Definition definitions[] = {
        of_operation(repeated("y += x; ", rounds(120000))),
        of_operation(repeated("y = ", rounds(250000)) + "x"),
        of_operation("y = " + repeated("(", rounds(400000)) + "x" + repeated(")", rounds(400000))),
        of_operation("y += " + repeated("(y + ", rounds(100000)) + "x" +
                     repeated(")", rounds(100000))),
        of_operation(repeated("{ T y = x; } ", rounds(70000)) + "y = x"),
        of_operation("y = " + repeated(last + " + ", rounds(80000)) + "x", chain),
        of_operation("\n" + repeated("#define y z\n", rounds(80000)) +
                     repeated("y = x;", rounds(10000))),
    };
    // A quadratic reader would take minutes and exceed the time limit of the test.
    for (const Definition& definition : definitions) refusal_of(definition);
}

TEST_CASE("a call that would make an output that is read first names the way out", "[outputs]") {
    for (const Device device : present_devices()) {
        const ElementwiseKernel step("T f, float32 dt", "T v", "v += dt * f", "step");
        const Array f = from_vector(std::vector<float>{1, 2}, {.device = device});
        const Array v = from_vector(std::vector<float>{10, 20}, {.device = device});
        const std::string wanted =
            "kernel 'step': output 1 ('v') is read before it is written, but no array is given for "
            "it; pass out(v)";
        CHECK(KGEN_MESSAGE_OF(TypeError, step(f, 0.5)) == wanted);
        CHECK(KGEN_MESSAGE_OF(TypeError, step.bind(f, 0.5)) == wanted);
        CHECK(KGEN_MESSAGE_OF(TypeError, step.explain(std::vector<Argument>{f, 0.5})) == wanted);
        for (int round = 0; round < 2; ++round) step(f, 0.5, out(v));
        CHECK(v.to_vector<float>() == std::vector<float>{11, 22});
        CHECK(KGEN_MESSAGE_OF(TypeError, step(f, 0.5)) == wanted);
        step(f, 0.5, v);
        CHECK(v.to_vector<float>() == std::vector<float>{11.5, 23});

        const ElementwiseKernel both("T x", "T y, T z", "y = x; z += x", "both");
        CHECK(KGEN_MESSAGE_OF(TypeError, both.call<2>(f)) ==
              "kernel 'both': output 2 ('z') is read before it is written, but no array is given "
              "for it; pass out(y, z)");

        const ReductionKernel add("T x", "T y", "x", "a + b", "y += a", "0", "add");
        CHECK(KGEN_MESSAGE_OF(TypeError, add(f)) ==
              "kernel 'add': output 1 ('y') is read before it is written, but no array is given "
              "for it; pass out(y)");
        const Array y = from_vector(std::vector<float>{5}, {.device = device}).reshape({});
        add(f, out(y));
        CHECK(y.item<float>() == 8);
    }
}
