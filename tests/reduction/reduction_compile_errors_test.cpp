// SPDX-License-Identifier: MIT
//
// Texts of reductions that do not compile: the message names the text and the place in it.
#include <kgen/kgen.hpp>
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

struct Texts {
    std::string map = "x * x";
    std::string reduce = "a + b";
    std::string post_map = "y = sqrt(a)";
    std::string identity = "0";
    std::string reduce_type = "";
    std::string preamble = "";

    ReductionKernel kernel() const {
        return {"T x",
                "T y",
                map,
                reduce,
                post_map,
                identity,
                "broken",
                {.reduce_type = reduce_type, .preamble = preamble}};
    }
};

struct Mistake {
    Texts texts;
    std::string place;    // such as "(map)(1:5)"
    std::string excerpt;  // the line and the caret
    std::string host;     // g++'s message
    std::string cuda;     // NVRTC's message
};

// One mistake in each of the user's strings.
const std::vector<Mistake>& mistakes() {
    static const std::vector<Mistake> list = {
        {{.map = "x * w"},
         "(map)(1:5)",
         "x * w\n      ^",
         "'w' was not declared in this scope",
         "identifier \"w\" is undefined"},
        {{.map = "T t = x;\n  return t * w;"},
         "(map)(2:14)",
         "  return t * w;\n               ^",
         "'w' was not declared in this scope",
         "identifier \"w\" is undefined"},
        {{.reduce = "a + c"},
         "(reduce)(1:5)",
         "a + c\n      ^",
         "'c' was not declared in this scope",
         "identifier \"c\" is undefined"},
        {{.reduce = "a + x"},
         "(reduce)(1:5)",
         "a + x\n      ^",
         "'x' was not declared in this scope",
         "identifier \"x\" is undefined"},
        {{.post_map = "y = a;\nz = a"},
         "(post_map)(2:1)",
         "z = a\n  ^",
         "'z' was not declared in this scope",
         "identifier \"z\" is undefined"},
        {{.identity = "zero"},
         "(identity)(1:1)",
         "zero\n  ^",
         "'zero' was not declared in this scope",
         "identifier \"zero\" is undefined"},
        {{.reduce_type = "triple"},
         "(reduce_type)(1:1)",
         "triple\n  ^",
         "'triple' does not name a type",
         "identifier \"triple\" is undefined"},
        {{.map = "half_of(x)",
          .preamble = "template <class V>\n__device__ V half_of(V v) { return v * half; }"},
         "(preamble)(2:40)",
         "half; }\n",
         "'half' was not declared in this scope",
         "identifier \"half\" is undefined"},
    };
    return list;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

}  // namespace

TEST_CASE("a text of a reduction that does not compile is shown at its place in the user's string",
          "[reduction][errors]") {
    for (const Device device : present_devices()) {
        for (const Mistake& mistake : mistakes()) {
            const ReductionKernel kernel = mistake.texts.kernel();
            for (const Dims& shape : {Dims{4, 3}, Dims{4, 3000}, Dims{4000, 3}}) {
                const Array x = zeros(shape, float32, {device});
                for (const int along : {0, 1}) {
                    const Array y = full({shape[1 - along]}, 7, float32, {device});
                    const std::string message =
                        KGEN_MESSAGE_OF(CompileError, kernel(x, axis(along), out(y)));
                    INFO(message);
                    CHECK(message.starts_with("kernel 'broken': "));
                    CHECK(occurrences(message, "broken " + mistake.place) == 1);
                    CHECK(occurrences(message, mistake.excerpt) == 1);
                    CHECK(occurrences(message, "error: ") == 1);
                    CHECK(occurrences(message,
                                      device == Device::host() ? mistake.host : mistake.cuda) == 1);
                    CHECK(elements<float>(y.slice({{0, 1}})) == std::vector<float>{7});
                }
            }
        }
    }
}

TEST_CASE("NVRTC's errors are found in the texts of a reduction", "[reduction][errors]") {
    if (!has_nvrtc()) return;
    for (const Mistake& mistake : mistakes()) {
        const ReductionKernel kernel = mistake.texts.kernel();
        for (const Dims& shape : {Dims{4, 3}, Dims{4, 3000}, Dims{4000, 3}}) {
            for (const int along : {0, 1}) {
                const std::string log = cuda_refusal(
                    kernel, {ArraySpec{float32, shape}}, {}, {.axes = std::vector<int>{along}});
                INFO(log);
                const LabelledText texts[] = {{"broken (map)", mistake.texts.map},
                                              {"broken (reduce)", mistake.texts.reduce},
                                              {"broken (post_map)", mistake.texts.post_map},
                                              {"broken (identity)", mistake.texts.identity},
                                              {"broken (reduce_type)", mistake.texts.reduce_type},
                                              {"broken (preamble)", mistake.texts.preamble}};
                const std::string message = describe_errors(log, texts);
                INFO(message);
                CHECK(message.starts_with("broken " + mistake.place));
                CHECK(occurrences(message, mistake.excerpt) == 1);
                CHECK(occurrences(message, mistake.cuda) == 1);
                CHECK(message.find("more error") == std::string::npos);
            }
        }
    }
}

TEST_CASE("an accumulator that is more than its bytes is refused in the user's terms",
          "[reduction][errors]") {
    const Texts texts{.map = "keeper(x)",
                      .reduce = "keeper(a.value + b.value)",
                      .post_map = "y = a.value",
                      .identity = "keeper(0)",
                      .reduce_type = "keeper",
                      .preamble =
                          "struct keeper {\n"
                          "    T value;\n"
                          "    __device__ explicit keeper(T v) : value(v) {}\n"
                          "    __device__ keeper(const keeper& other) : "
                          "value(other.value) {}\n"
                          "    __device__ keeper& operator=(const keeper& other) {\n"
                          "        value = other.value;\n"
                          "        return *this;\n"
                          "    }\n"
                          "};"};
    const std::string said = "an accumulator must be trivially copyable";
    for (const Device device : present_devices()) {
        const std::string message =
            KGEN_MESSAGE_OF(CompileError, texts.kernel()(zeros({3}, float32, {device})));
        INFO(message);
        CHECK(occurrences(message, said) == 1);
    }
    if (!has_nvrtc()) return;
    const std::string log = cuda_refusal(texts.kernel(), {ArraySpec{float32, {3}}});
    INFO(log);
    CHECK(occurrences(log, said) >= 1);
}
