// SPDX-License-Identifier: MIT
//
// Deeply nested sources must not overflow the stack, because NVRTC runs in this process.
#include <kgen/error.hpp>
#include <string>

#include "cuda/nvrtc/nvrtc_compiler.hpp"
#include "support/catch.hpp"
#include "support/nvrtc.hpp"
#include "text/nesting.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string repeated(std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += part;
    return text;
}

std::string nested(std::string_view open,
                   std::string_view middle,
                   std::string_view close,
                   int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return repeated(open, count) + std::string(middle) + repeated(close, count);
}

std::string kernel_with(const std::string& expression) {
    return "extern \"C\" __global__ void k(int* o) {\n  *o = " + expression + ";\n}\n";
}

}  // namespace

TEST_CASE("the nesting of brackets, prefixes, casts and choices is found", "[text]") {
    struct Row {
        const char* open;
        const char* middle;
        const char* close;
    };
    const Row rows[] = {{"(", "1", ")"},
                        {"{", "", "}"},
                        {"[", "0", "]"},
                        {"([{", "", "}])"},
                        {"- ", "1", ""},
                        {"!", "1", ""},
                        {"(int)", "1", ""},
                        {"a = ", "1", ""},
                        {"a ? b : ", "1", ""},
                        {"-(", "1", ")"},
                        {"f(", "1", ")"},
                        {"/* ) */ (", "\")\" ')'", "// (\n)"}};
    for (const Row& row : rows) {
        INFO(row.open);
        const auto text = [&](int depth) { return nested(row.open, row.middle, row.close, depth); };
        CHECK_FALSE(find_deep_nesting(text(20), 100));
        const auto place = find_deep_nesting(text(120), 100);
        REQUIRE(place);
        CHECK(*place < text(120).size());
    }
}

TEST_CASE("long texts that do not nest are taken, however long", "[text]") {
    for (const char* part : {"a + ",
                             "f(-1) + ",
                             "(-a)-(b)-",
                             "a == 1 || ",
                             "(c ? 1 : 0) + ",
                             "x += 1;\n",
                             "{1, -2},\n",
                             "if (a) { b = -c; } else ",
                             "void f() { int a = 1; }\n",
                             "// ((((\n",
                             "/* (( */ ",
                             "\"((\" ",
                             "'(', ",
                             "1'000'000, ",
                             "m[1][2] = a[0](1)(2);"}) {
        INFO(part);
        CHECK_FALSE(find_deep_nesting(repeated(part, 5000), 100));
    }
}

TEST_CASE("a source that nests deeper than NVRTC's stack is refused", "[cuda][nvrtc]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    const auto refusal = [&](const CompileJob& job) -> std::string {
        try {
            static_cast<void>(compiler->compile(job));
            return "compiled";
        } catch (const CompileError& error) {
            return error.what();
        }
    };
    const std::string deep = kernel_with(nested("(", "1", ")", 40'000));
    const std::string what = " nests more than 4000 brackets and operators\n  ..." +
                             repeated("(", 100) + "...\n  " + repeated(" ", 53) + "^";
    CHECK(refusal(raw_job("k", deep)) == "kernel 'k': the source" + what);
    CompileJob job = raw_job("k", "#include <h.h>\n");
    job.headers = {{"h.h", deep}};
    CHECK(refusal(job) == "kernel 'k': the header 'h.h'" + what);
}

TEST_CASE("NVRTC takes what is as deep as it may be, and what macros make deeper",
          "[cuda][nvrtc]") {
    const NvrtcCompiler* compiler = real_nvrtc_compiler();
    if (compiler == nullptr) return;
    CHECK_NOTHROW(compiler->compile(raw_job("k", kernel_with(nested("(", "1", ")", 3900)))));
    // This has 20,000 brackets.
    std::string macros = "#define A0(x) " + nested("(", "x", ")", 200) + "\n";
    for (int k = 1; k <= 2; ++k) {
        const std::string inner = "A" + std::to_string(k - 1) + "(";
        macros += "#define A" + std::to_string(k) + "(x) " + nested(inner, "x", ")", 10) + "\n";
    }
    // A macro is not expanded within itself, but it is expanded within its arguments.
    CHECK_NOTHROW(compiler->compile(raw_job("k", macros + kernel_with("A2(1)"))));
}
