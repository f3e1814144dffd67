// SPDX-License-Identifier: MIT
#include "host/compile/host_options.hpp"

#include <algorithm>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

using Options = std::vector<std::string>;

// Returns what the user's options are translated to, without kgen's own options, which come first.
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

TEST_CASE("the host takes the options that change rounding, in NVRTC's spellings") {
    for (const std::string dashes : {"--", "-"}) {
        CHECK(resolved({dashes + "fmad=false"}) == Options{"-ffp-contract=off"});
        CHECK(resolved({dashes + "fmad", "false"}) == Options{"-ffp-contract=off"});
        CHECK(resolved({dashes + "fmad=true"}) == Options{"-ffp-contract=fast"});
        CHECK(resolved({dashes + "fmad", "true", "-DA"}) == Options{"-ffp-contract=fast", "-DA"});
        // The host is always exact. These options allow inexact results but do not require them.
        for (const std::string name : {"ftz", "prec-div", "prec-sqrt"}) {
            for (const std::string value : {"true", "false"}) {
                CHECK(resolved({dashes + name + "=" + value}).empty());
                CHECK(resolved({dashes + name, value, "-DA"}) == Options{"-DA"});
            }
        }
        CHECK(resolved({dashes + "use_fast_math"}).empty());
        // An explicit fmad takes precedence over use_fast_math, in either order.
        CHECK(resolved({dashes + "use_fast_math", "--fmad=false"}) == Options{"-ffp-contract=off"});
        CHECK(resolved({"--fmad=false", dashes + "use_fast_math"}) == Options{"-ffp-contract=off"});
    }
    CHECK(resolved({"--fmad=false", "--fmad=true"}) ==
          Options{"-ffp-contract=off", "-ffp-contract=fast"});
}

TEST_CASE("the host refuses every other option by name") {
    struct Case {
        Options given;
        std::string message;
    };
    const std::string tail =
        "'; it accepts -D, -U, -I, -std, --fmad, --ftz, --prec-div, --prec-sqrt and "
        "--use_fast_math";
    const std::string taken = "kernel 'axpy': the host device does not accept the option '";
    const std::vector<Case> cases = {
        {{"--maxrregcount=32"}, taken + "--maxrregcount=32" + tail},
        {{"--use-fast-math"}, taken + "--use-fast-math" + tail},
        {{"fmad=false"}, taken + "fmad=false" + tail},
        {{"---fmad=false"}, taken + "---fmad=false" + tail},
        {{"--prec_div=false"}, taken + "--prec_div=false" + tail},
        {{"--fmad false"}, taken + "--fmad false" + tail},
        {{"-ffp-contract=off"}, taken + "-ffp-contract=off" + tail},
        {{"--use_fast_math=true"},
         "kernel 'axpy': the option '--use_fast_math=true' takes no value"},
        {{"--fmad=0"}, "kernel 'axpy': the option '--fmad' expects true or false, got '0'"},
        {{"-fmad"}, "kernel 'axpy': the option '-fmad' expects true or false, got ''"},
        {{"--ftz", "-DA"}, "kernel 'axpy': the option '--ftz' expects true or false, got '-DA'"},
        {{"-prec-sqrt="}, "kernel 'axpy': the option '-prec-sqrt' expects true or false, got ''"},
        {{"-ffast-math"}, taken + "-ffast-math" + tail},
        {{"-include", "x"}, taken + "-include" + tail},
        {{"-DA", "@file"}, taken + "@file" + tail},
        {{""}, taken + tail},
        {{"-D"}, "kernel 'axpy': the option '-D' needs a value"},
        {{"-D", ""}, "kernel 'axpy': the option '-D' needs a value"},
        {{"-std="}, "kernel 'axpy': the option '-std=' needs a value"},
        {{"-std=c++17 -O0"},
         "kernel 'axpy': the option '-std=c++17 -O0' does not name a C++ standard; expected one "
         "such as -std=c++17"},
        {{"-std=c11"},
         "kernel 'axpy': the option '-std=c11' does not name a C++ standard; expected one such as "
         "-std=c++17"},
        {{"-DX\n#error"}, "kernel 'axpy': the option '-DX\\n#error' holds a control character"},
        {{"-D", "X\n#error"},
         "kernel 'axpy': the option '-D X\\n#error' holds a control character"},
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

TEST_CASE("with --fmad=false a product and a sum are rounded one after the other") {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> numbers(-10, 10);
    std::vector<double> x(301);
    for (double& each : x) each = numbers(random);
    const Array on_x = from_vector(x, {Device::host()});
    const Array on_y = on_x.slice({Range{{}, {}, -1}}).copy();
    for (const DType dtype : {float32, float64}) {
        const ElementwiseKernel kernel(
            "T x, T y",
            "T a, T b, T c",
            "a = x * y + x; b = x * y - x * x; T t = x * x; c = t + t * y",
            "twice",
            {.options = {"--fmad=false"}});
        const Array a = on_x.astype(dtype);
        const Array b = on_y.astype(dtype);
        for (std::size_t n : {1, 7, 301}) {
            const std::vector<Range> part = {Range{0, static_cast<std::int64_t>(n)}};
            std::vector<std::vector<double>> results;
            for (const Array& each : kernel.call<3>(a.slice(part), b.slice(part)))
                results.push_back(each.astype(float64).to_vector<double>());
            const std::vector<double> left = a.astype(float64).to_vector<double>();
            const std::vector<double> right = b.astype(float64).to_vector<double>();
            const auto rounded = [&](double value) {
                return dtype == float32 ? static_cast<double>(static_cast<float>(value)) : value;
            };
            for (std::size_t k = 0; k < n; ++k) {
                INFO(to_text(dtype) << ", element " << k << " of " << n);
                const volatile double product = rounded(left[k] * right[k]);
                const volatile double square = rounded(left[k] * left[k]);
                const volatile double scaled = rounded(square * right[k]);
                CHECK(results[0][k] == rounded(product + left[k]));
                CHECK(results[1][k] == rounded(product - square));
                CHECK(results[2][k] == rounded(square + scaled));
            }
        }
    }
}

TEST_CASE("a GNU dialect of C++ compiles, and divisions are checked as in the others") {
    const DeviceScope on_host(Device::host());
    for (const char* standard : {"-std=gnu++17", "--std=gnu++20", "-std=c++20"}) {
        INFO(standard);
        const ElementwiseKernel divide("int64 x, int64 y",
                                       "int64 z",
                                       "typeof(x) q = x / y; z = q",
                                       "divide",
                                       {.options = {standard}});
        if (std::string_view(standard).find("gnu") == std::string_view::npos) {
            CHECK_THROWS_AS(divide(full({2}, 6, int64), 3),
                            CompileError);  // typeof is an extension
            continue;
        }
        CHECK(divide(full({2}, 6, int64), 3)[1].item<std::int64_t>() == 2);
        CHECK_THROWS_AS(divide(full({2}, 6, int64), 0)[1].item<std::int64_t>(), Error);
    }
}
