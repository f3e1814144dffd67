// SPDX-License-Identifier: MIT
//
// NVRTC and the host's compilers accept the same bodies.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

// Returns the statements of support/prelude_statements.txt, one on each line. They use: float x, double d,
// int i, unsigned u, long long l, unsigned long long ul, float* p.
std::string accepted() {
    std::ifstream file(KGEN_SOURCE_DIR "/tests/support/prelude_statements.txt");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Calls that are ambiguous among CUDA's overloads, and names that need an #include.
const char* const refused = R"body(
sqrt(i);
pow(i, i);
max(x, i);
max(i, l);
isnan(i);
exp(i);
int a = INT_MAX; (void)a;
float a = INFINITY; (void)a;
std::sqrt(x);
std::max(x, x);
__half a; (void)a;
mulhi(i, i);
unknown_function(x);
)body";

std::vector<std::string> statements(const std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

std::string function(const std::string& statement, std::size_t number) {
    return "__device__ void probe" + std::to_string(number) +
           "(float x, double d, int i, unsigned u, long long l, unsigned long long ul, float* p) "
           "{ " +
           statement + " }\n";
}

std::string program(const std::vector<std::string>& lines) {
    std::string text;
    for (std::size_t n = 0; n < lines.size(); ++n) text += function(lines[n], n);
    return text;
}

}  // namespace

TEST_CASE("every name that CUDA has built in compiles on each device", "[prelude]") {
    const std::vector<std::string> lines = statements(accepted());
    REQUIRE(lines.size() > 350);
    const std::string text = program(lines);
    if (const prelude::Nvrtc nvrtc; nvrtc) {
        for (const char* target : {"sm_75", "sm_90", "compute_90"}) {
            INFO(target);
            CHECK(nvrtc.refusal(prelude::all_cuda() + text, target) == "");
        }
    }
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        CHECK(prelude::HostProgram(compiler, prelude::all_host() + text).refusal() == "");
    }
}

TEST_CASE("what one device refuses the other does too", "[prelude]") {
    const prelude::Nvrtc nvrtc;
    for (const std::string& statement : statements(refused)) {
        INFO(statement);
        if (nvrtc)
            CHECK(nvrtc.refusal(prelude::all_cuda() + function(statement, 0), "sm_90") != "");
        for (const std::string& compiler : prelude::host_compilers()) {
            INFO(compiler);
            const prelude::HostProgram refused_program(
                compiler, prelude::all_host() + function(statement, 0));
            CHECK(refused_program.refusal() != "");
        }
    }
}

TEST_CASE("the prelude takes no name from the user but those of CUDA and CuPy", "[prelude]") {
    // A body or preamble may use these names for its own things.
    const std::string text = R"(
        struct indexer {}; struct view {}; struct pair {}; template <class T> struct limits {};
        template <class T> __device__ T square(T x) { return x * x; }
        __device__ int add(int a, int b) { return a + b; }
        __device__ float sub, mul, size, index, value, kind, mixed, narrow, wide, data, shape, stride;
        #define T 1
        #define N 2
        #define i 3
        #define half 4
        #define INFINITY 5
        #define NAN 6
        #define INT_MAX 7
    )";
    if (const prelude::Nvrtc nvrtc; nvrtc) {
        CHECK(nvrtc.refusal(prelude::all_cuda() + text, "sm_90") == "");
    }
    for (const std::string& compiler : prelude::host_compilers()) {
        CHECK(prelude::HostProgram(compiler, prelude::all_host() + text).refusal() == "");
    }
}

TEST_CASE("each section compiles with only the sections that it needs", "[prelude]") {
    struct Row {
        std::vector<std::string_view> names;
        bool host;
    };
    const auto text = [](const std::vector<std::string_view>& names) {
        std::string joined;
        for (const std::string_view name : names) joined += prelude::sections({name});
        return joined;
    };
    const Row rows[] = {
        {{"base_cuda"}, false},
        {{"base_cuda", "math_constants"}, false},
        {{"base_cuda", "float16", "narrow_float", "atomics_cuda"}, false},
        {{"base_cuda", "bfloat16", "narrow_float"}, false},
        {{"base_cuda", "complex"}, false},
        {{"base_cuda", "complex", "complex_functions"}, false},
        {{"base_cuda", "atomics_cuda"}, false},
        {{"base_cuda", "raw_view"}, false},
        {{"base_host"}, true},
        {{"base_host", "standard_names_host"}, true},
        {{"base_host", "math_constants"}, true},
        {{"base_host", "raw_view"}, true},
        {{"base_host", "vector_types_host"}, true},
        {{"base_host", "math_host", "special_host"}, true},
        {{"base_host", "math_host", "intrinsics_host"}, true},
        {{"base_host", "math_host", "float16", "narrow_float", "atomics_host"}, true},
        {{"base_host", "math_host", "bfloat16", "narrow_float", "complex"}, true},
        {{"base_host", "standard_names_host", "math_host", "complex", "complex_functions"}, true},
        {{"base_host", "math_host", "atomics_host"}, true},
    };
    const prelude::Nvrtc nvrtc;
    for (const Row& row : rows) {
        INFO(row.names.back());
        if (row.host) {
            for (const std::string& compiler : prelude::host_compilers()) {
                INFO(compiler);
                CHECK(prelude::HostProgram(compiler, text(row.names)).refusal() == "");
            }
        } else if (nvrtc) {
            CHECK(nvrtc.refusal(text(row.names), "sm_90") == "");
            CHECK(nvrtc.refusal(text(row.names), "sm_75") == "");
        }
    }
}
