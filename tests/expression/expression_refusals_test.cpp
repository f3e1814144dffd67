// SPDX-License-Identifier: MIT
//
// What must not compile, what warns, what the compiler says about it, and what every compiler must take.
#include <fstream>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace {

// Compiles the text and returns the status of the compiler and what it says.
std::pair<int, std::string> compile(const std::string& text, const std::string& options = "") {
    const TempDir folder;
    const std::string source = folder / "refused.cpp";
    std::ofstream(source) << "#include <kgen/kgen.hpp>\nusing namespace kgen;\n" << text;
    const std::string command = std::string(KGEN_TEST_COMPILER) + " -std=c++20 -fsyntax-only " +
                                options + " -I" + KGEN_SOURCE_DIR + "/include " + source + " 2> " +
                                (folder / "log");
    const int status = std::system(command.c_str());
    std::ifstream stream(folder / "log");
    return {status, std::string(std::istreambuf_iterator<char>(stream), {})};
}

bool names_line(const std::string& log, int line) {
    return log.find("refused.cpp:" + std::to_string(line) + ":") != std::string::npos;
}

}  // namespace

TEST_CASE("the compiler says how to use expressions", "[expression]") {
    const auto [status, log] = compile(R"(
void named(Array x) { auto e = x + 1; Array y = e; }
void named_operand(Array x) { auto e = x + 1; Array y = e * 2; }
void named_argument(Array x, KernelTemplate k) { auto e = x + 1; k(e); }
void truth(Array x) { if (x + 1) return; }
void both(Array x) { Array y = (x > 1) && (x < 2); }
void either(Array x) { Array y = (x > 1) || (x < 2); }
void branch() { trace([](Value v) { return v > 0 ? v * 1 : v * 2; }); }
void no_values() { trace([](int v) { return v; }); }
void number(Array x) { double d(sum(x)); }
)");
    CHECK(status != 0);
    for (const char* expected :
         {"this expression has a name and is not computed: declare it as 'Array', not as 'auto', "
          "or use it once with "
          "std::move()",
          "an expression is neither true nor false: combine conditions with & and |, choose with "
          "where(), or read one "
          "element with .item<bool>()",
          "an expression is not a number: read its only element with .item<T>(), or with .as<T>(), "
          "which converts it",
          "&& does not work on arrays: combine conditions with &, or read one element with "
          ".item<bool>()",
          "|| does not work on arrays: combine conditions with |, or read one element with "
          ".item<bool>()",
          "trace: the function must take 1 to 16 parameters of type kgen::Value"}) {
        INFO(expected);
        CHECK(log.find(expected) != std::string::npos);
    }
    // A message appears once for each kind of use. Lines 5 and 6 are one kind: clang names the first, g++ the second.
    const bool is_clang = std::string(KGEN_TEST_COMPILER).find("clang") != std::string::npos;
    for (const int line : {4, is_clang ? 5 : 6, 7, 8, 9, 11, 12}) {
        INFO(line);
        CHECK(names_line(log, line));
    }
}

TEST_CASE("an expression that has a name has no members", "[expression]") {
    for (const char* use : {"e[{0, newaxis}]", "e.reshape(3)", "e.copy()"}) {
        INFO(use);
        const auto [status, log] =
            compile(std::string("using namespace kgen::indexing;\n"
                                "void f(Array x) { auto e = x + 1; Array y = ") +
                    use + "; }\n");
        CHECK(status != 0);
        CHECK(log.find("declare it as 'Array', not as 'auto'") != std::string::npos);
    }
}

TEST_CASE("a statement whose expression is dropped warns", "[expression]") {
    const auto [status, log] = compile(R"(
void f(Array x, Array y) {
    x * y;
    -x;
    sqrt(x);
    x.sum();
    (x + y).max();
    all(x > y);
    call("leaky_relu", x, 0.1);
    astype(x, float64);
    x += y;
    x[{0}] = y * 2;
    compute(x * y, out(y));
}
)",
                                       "-Wno-braced-scalar-init");  // clang warns of {0}
    CHECK(status == 0);
    for (int line = 5; line <= 12; ++line) {
        INFO(line);
        CHECK(names_line(log, line));
    }
    for (int line = 13; line <= 15; ++line) {
        INFO(line);
        CHECK_FALSE(names_line(log, line));
    }
}

TEST_CASE("each compiler of this machine takes programs that use arrays, statements and kernels") {
    const TempDir folder;
    const std::string source = folder / "program.cpp";
    std::ofstream(source) << R"(
#include <kgen/kgen.hpp>
using namespace kgen;

int main() {
    const DeviceScope host(Device::host());
    const Array x = arange(10, float32);
    Array y = 2 * x + 1;
    y += x;
    const Array same = (x == 3) | (x != y) | (3 >= x) | (x < 2.5) | ~(y > 1);
    const Array chosen = where(x == y, softmax(x), maximum(x, 0.5));
    const auto [m, centred] = compute(mean(x), x - mean(x));
    const ElementwiseKernel fused("T x, T y", "T z", "z = x * x + y", "fused");
    const ReductionKernel total("T x", "T y", "x", "a + b", "y = a", "0", "total");
    const Array z = fused(x[{Range{1, 5}}], y[{Range{0, 4}}]);
    const Array noisy = x + 0.1 * Generator(42).normal(like(x));
    const KernelTemplate traced = trace("traced", [](Value v) { return (v < 3) & (v != -1); });
    return fmt::format("{}{}", total(z), traced(noisy)).empty() && sum(z).item<float>() != 0;
}
)";
    const auto is_present = [](const std::string& compiler) {
        return std::system(("command -v " + compiler + " > /dev/null").c_str()) == 0;
    };
    for (const std::string compiler :
         {"g++", is_present("clang++") ? "clang++" : "clang++-14", "nvcc"}) {
        INFO(compiler);
        if (!is_present(compiler)) continue;
        const std::string command = compiler + (compiler == "nvcc" ? " -x cu" : " -Wall -Werror") +
                                    " -std=c++20 -c -I" KGEN_SOURCE_DIR "/include " + source +
                                    " -o " + (folder / "object");
        CHECK(std::system(command.c_str()) == 0);
    }
}

TEST_CASE("the headers compile without warnings", "[expression]") {
    const auto [status, log] =
        compile("", "-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -pedantic -Werror");
    INFO(log);
    CHECK(status == 0);
}
