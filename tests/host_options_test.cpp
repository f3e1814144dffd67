// SPDX-License-Identifier: MIT
#include "host/host_options.hpp"

#include <algorithm>
#include <kgen/error.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

using Options = std::vector<std::string>;

// What the user's options become, without kgen's own in front.
Options resolved(const Options& options) {
    const Options own = resolve_host_options("axpy", {});
    const Options all = resolve_host_options("axpy", options);
    REQUIRE(all.size() >= own.size());
    REQUIRE(std::equal(own.begin(), own.end(), all.begin()));
    return {all.begin() + static_cast<std::ptrdiff_t>(own.size()), all.end()};
}

}  // namespace

TEST_CASE("the host honours -D, -U, -I and -std in NVRTC's spellings, in order") {
    struct Case {
        Options given;
        Options expected;
    };
    const std::vector<Case> cases = {
        {{}, {}},
        {{"-DN=3"}, {"-DN=3"}},
        {{"-D", "N=3"}, {"-DN=3"}},
        {{"--define-macro=N=3"}, {"-DN=3"}},
        {{"-UN"}, {"-UN"}},
        {{"--undefine-macro=N"}, {"-UN"}},
        {{"-I/opt/a b"}, {"-I/opt/a b"}},
        {{"-I", "@file"}, {"-I@file"}},
        {{"--include-path=x"}, {"-Ix"}},
        {{"-std=c++20"}, {"-std=c++20"}},
        {{"--std=gnu++2a"}, {"-std=gnu++2a"}},
        {{"-DB", "-UB", "-DA"}, {"-DB", "-UB", "-DA"}},
    };
    for (const Case& c : cases) CHECK(resolved(c.given) == c.expected);
}

TEST_CASE("the host refuses every other option by name") {
    struct Case {
        Options given;
        std::string message;
    };
    const std::string tail = "'; it honours -D, -U, -I and -std";
    const std::string taken = "kernel 'axpy': the host device does not take the option '";
    const std::vector<Case> cases = {
        {{"--maxrregcount=32"}, taken + "--maxrregcount=32" + tail},
        {{"--use_fast_math"}, taken + "--use_fast_math" + tail},
        {{"-ffast-math"}, taken + "-ffast-math" + tail},
        {{"-include", "x"}, taken + "-include" + tail},
        {{"-DA", "@file"}, taken + "@file" + tail},
        {{""}, taken + tail},
        {{"-D"}, "kernel 'axpy': the option '-D' needs a value"},
        {{"-D", ""}, "kernel 'axpy': the option '-D' needs a value"},
        {{"-std="}, "kernel 'axpy': the option '-std=' needs a value"},
        {{"-std=c++17 -O0"},
         "kernel 'axpy': the option '-std=c++17 -O0' names no C++ standard; expected one such as "
         "-std=c++17"},
        {{"-std=c11"},
         "kernel 'axpy': the option '-std=c11' names no C++ standard; expected one such as "
         "-std=c++17"},
        {{"-DX\n#error"}, "kernel 'axpy': the option '-DX\\x0a#error' holds a control character"},
        {{"-D", "X\n#error"},
         "kernel 'axpy': the option '-D X\\x0a#error' holds a control character"},
    };
    for (const Case& c : cases) {
        CHECK(KGEN_MESSAGE_OF(CompileError, resolve_host_options("axpy", c.given)) == c.message);
    }
}

TEST_CASE("kgen's own options never ask for fast math") {
    for (const std::string& option : resolve_host_options("axpy", {})) {
        CHECK(option != "-ffast-math");
        CHECK(option != "-Ofast");
        CHECK(option != "-funsafe-math-optimizations");
        CHECK(option != "-ffinite-math-only");
    }
}
