// SPDX-License-Identifier: MIT
//
// Random numbers in kgen run, explain and source --expression.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/command.hpp"

TEST_CASE("kgen run --expression draws random numbers", "[cli][random]") {
    const Command kgen;
    const auto run = [&](const std::string& expression, std::vector<std::string> words = {}) {
        words.insert(words.begin(), {"run", "--device", "host", "--expression", expression});
        const CommandResult result = kgen.run(words);
        return result.output + result.messages;
    };
    CHECK(run("uniform(42, (3,))") == "[0.46858652 0.34086155 0.32706338]\n");
    CHECK(run("uniform(42, 10, 20, (2, 2), float32)") ==
          "[[16.129599 14.685865]\n [10.732317 13.408615]]\n");
    CHECK(run("normal(42, (2,), float32)") == "[-0.9701898   0.19401895]\n");
    CHECK(run("normal(42, 5.0, 2, (2,))") == "[3.66925026 7.07204762]\n");
    CHECK(run("exponential(42, (2,))") == "[0.75803452 1.0762789 ]\n");
    CHECK(run("integers(42, 0, 6, (6,), int8)") == "[3 2 0 2 5 1]\n");
    CHECK(run("bernoulli(42, 0.5, (4,))") == "[False  True  True  True]\n");
    CHECK(run("x * 0 + uniform(42, x)", {"x=[1.0,2.0,3.0]"}) ==
          "[0.46858652 0.34086155 0.32706338]\n");
    // The second draw has other numbers.
    CHECK(run("uniform(42, (2,)) == uniform(42, (2,))") == "[False False]\n");
    CHECK(run("uniform(42, (100, 100)).mean().round()") == "0.0\n");
    CHECK(run("uniform(42)") ==
          "kgen: expression: expected uniform(42, (1000, 3)) or uniform(42, low, high, (1000, 3), "
          "float32)\n"
          "  uniform(42)\n  ^~~~~~~\n");
    CHECK(run("integers(42, (3,))") ==
          "kgen: expression: expected integers(42, low, high, (1000, 3), int32)\n  integers(42, "
          "(3,))\n  ^~~~~~~~\n");
    CHECK(run("uniform(42, (3, a))") ==
          "kgen: expression: expected an extent, as in (1000, 3)\n  uniform(42, (3, a))\n          "
          "        ^\n");
    CHECK(run("uniform(42, (2,), dtype=float32)") == "[0.61295986 0.4685865 ]\n");
    CHECK(run("uniform(42, (2,), dtype=float3)") ==
          "kgen: expression: expected a dtype\n  uniform(42, (2,), dtype=float3)\n               "
          "           ^~~~~~\n");
    // A seed has 64 bits.
    CHECK(run("integers(18446744073709551615, 0, 100, (3,))") == "[44  8 62]\n");
    CHECK(run("uniform(-1, (3,))") ==
          "kgen: uniform: the seed -1 does not fit uint64 (0 to 18446744073709551615)\n");
    CHECK(run("integers(42, 0.5, 3, (3,))") ==
          "kgen: integers: low 0.5 does not fit int64 (it is not an integer)\n");
    CHECK(run("integers(42, 0, 0, (3,))") == "kgen: integers: no integer is from 0 to below 0\n");
    CHECK(run("normal(42, (3,), int8)") ==
          "kgen: normal: the dtype is int8, expected float16, bfloat16, float32 or float64\n");
    CHECK(run("normal(42, (3, -1))") ==
          "kgen: shape (3, -1): the extent of axis 1 is negative: -1\n");
    CHECK(run("permutation(42, 3)") ==
          "kgen: expression: no template is called 'permutation'; kgen list shows all\n  "
          "permutation(42, 3)\n  ^~~~~~~~~~~\n");
    CHECK(run("bernoulli(42, 2, (3,))") ==
          "kgen: bernoulli: the probability is 2, expected 0 to 1\n");
    const std::string source =
        kgen.run({"source", "--arch", "sm_90", "--expression", "normal(1, (1000,), float32) * 2"})
            .output;
    CHECK(source.find("random_normal(seed, i, draw)") != std::string::npos);
}

TEST_CASE("precompiled templates draw where nothing can be compiled", "[cli][random]") {
    Command kgen;
    REQUIRE(kgen.run({"compile", "normal", "--arch", "host", "--types", "T=float32"}).exit_status ==
            0);
    kgen.environment["KGEN_COMPILE"] = "never";
    const CommandResult result = kgen.run({"run", "--expression", "normal(42, (2,), float32)"});
    CHECK(result.output == "[-0.9701898   0.19401895]\n");
}
