// SPDX-License-Identifier: MIT
//
// Bodies that do not compile, and integer divisions without a result: the error names the
// string and the place in it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda_source.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/small_arrays.hpp"
#include "text/compiler_log.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

struct Mistake {
    std::string operation;
    ElementwiseOptions options;
    std::string place;    // "(operation)(1:5)"
    std::string excerpt;  // the line with the caret
    std::string host;     // g++'s message
    std::string cuda;     // NVRTC's message
};

// A list of mistakes, each in one of the user's strings.
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
            // Contiguous and strided loops give the same message.
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
    CHECK(message.find(" rejected the source for ") != std::string::npos);
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
    // The kernel and the device can still be used.
    CHECK(elements<std::int32_t>(divide(least, 2)) ==
          std::vector<std::int32_t>(5, std::numeric_limits<std::int32_t>::min() / 2));
    CHECK(elements<std::int32_t>(divide(full({1}, -7, int32, {Device::host()}), 2)) ==
          std::vector<std::int32_t>{-3});
    CHECK(std::isinf(elements<float>(divide(full({1}, 1, float32, {Device::host()}), 0)).front()));
}
