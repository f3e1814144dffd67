// SPDX-License-Identifier: MIT
//
// kgen run, explain and source with --expression.
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/command.hpp"

namespace {

using Json = nlohmann::json;

}  // namespace

TEST_CASE("kgen run --expression computes an expression of arrays and numbers", "[cli]") {
    const Command kgen;
    const auto output = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"run", "--device", "host", "--expression"});
        const CommandResult result = kgen.run(words);
        CHECK(result.messages == "");
        return result.output;
    };
    CHECK(output({"sqrt(x * x + y).sum(axis=1)", "x=[[3.0,0.0],[0.0,4.0]]", "y=0"}) == "[3. 4.]\n");
    CHECK(output({"where(x > k, x, 0.5 * x) ** 2", "x=[2,-4]", "k=0"}) == "[4. 4.]\n");
    CHECK(output({"-x ** 2 + 2 * 3", "x=[1,2]"}) == "[5 2]\n");
    CHECK(output({"x.astype(int64) // 2 % 2 == 0", "x=[0.0,2.0,5.0]"}) == "[ True False  True]\n");
    CHECK(output({"sum(x, axis=(0, -1), keepdims=True)", "x=[[1,2],[3,4]]"}) == "[[10]]\n");
    CHECK(output({"pow(x, 2 ** -1)", "x=[4.0]"}) == "[2.]\n");
}

TEST_CASE("kgen explain and source --expression show each kernel", "[cli]") {
    const Command kgen;
    const std::vector<std::string> two = {
        "--device", "host", "--expression", "x - sum_compensated(x)", "x=float32[4,8]"};
    std::vector<std::string> words = {"explain", "--brief", "--json"};
    words.insert(words.end(), two.begin(), two.end());
    const Json object = Json::parse(kgen.run(words).output);
    REQUIRE(object["kernels"].size() == 2);
    CHECK(object["statement"] ==
          "2 kernels, because the text of 'sum_compensated' cannot stand beside reductions of "
          "rows");
    CHECK(object["kernels"][0]["symbol"] == "kgen_kernel_sum_compensated");
    CHECK(object["kernels"][1]["symbol"] == "kgen_kernel_subtract");
    CHECK(object["kernels"][1]["part"] == "x0 - sum_compensated(x0)");
    words[0] = "source";
    words.erase(words.begin() + 1, words.begin() + 3);
    const std::string text = kgen.run(words).output;
    CHECK(text.find("// kernel 1 of 2: up to sum_compensated(x0), because what follows needs "
                    "the complete reduction\n") == 0);
    CHECK(text.find("\n// kernel 2 of 2: up to x0 - sum_compensated(x0)\n") != std::string::npos);
}

TEST_CASE("kgen explain --expression says why a statement of rows has its kernels", "[cli]") {
    const Command kgen;
    const auto first_line = [&](const std::string& expression, const std::string& array) {
        const std::string text =
            kgen.run({"explain", "--brief", "--arch", "sm_90", "--expression", expression, array})
                .output;
        return std::regex_replace(
            text.substr(0, text.find('\n')), std::regex("[0-9]+\\.[0-9] us"), "# us");
    };
    CHECK(first_line("softmax(x)", "x=float32[4096,1000]") ==
          "statement  1 kernel, predicted to take # us; 3 kernels without row kernels would take "
          "# us");
    CHECK(first_line("x / sum(x, axis=1, keepdims=True)", "x=float16[4591723,7]") ==
          "statement  2 kernels, predicted to take # us; 1 kernel for all rows would take # us");
    const Json object = Json::parse(kgen.run({"explain",
                                              "--brief",
                                              "--json",
                                              "--device",
                                              "host",
                                              "--expression",
                                              "x / sum(x)",
                                              "x=float32[5,7]"})
                                        .output);
    CHECK(object["statement"] == "1 kernel, because its reductions run along the same axes");
}

TEST_CASE("kgen run --expression says what is wrong and where", "[cli]") {
    const Command kgen;
    const auto error = [&](std::vector<std::string> words, int status) {
        words.insert(words.begin(), {"run", "--device", "host"});
        const CommandResult result = kgen.run(words);
        CHECK(result.exit_status == status);
        return result.messages;
    };
    CHECK(error({"--expression", "x + z", "x=[1]"}, 2) ==
          "kgen: expression: 'z' has no value; give z=...\n  x + z\n      ^\n");
    CHECK(error({"--expression", "x +", "x=[1]"}, 2) ==
          "kgen: expression: the text ends where an operand is expected\n  x +\n     ^\n");
    CHECK(error({"--expression", "x < 2 < 3", "x=[1]"}, 2) ==
          "kgen: expression: comparisons do not chain; write (a < b) & (b < c)\n  x < 2 < 3\n      "
          "  ^\n");
    CHECK(error({"--expression", "2 + 3"}, 2) ==
          "kgen: the expression has no array\n  2 + 3\n  ^~~~~\n");
    CHECK(error({"--expression", "sqt(x)", "x=[1]"}, 2) ==
          "kgen: expression: no template is called 'sqt'; did you mean 'sqrt'?\n  sqt(x)\n  ^~~\n");
    CHECK(error({"--expression", "x", "x=[1]", "y=2"}, 2) ==
          "kgen: 'y' is not a variable of the expression x\n");
    CHECK(error({"--expression", "x", "x=[1]", "--axis", "0"}, 2) ==
          "kgen: --axis goes with a kernel, not with --expression, in which axis=... is written\n");
    CHECK(error({"--expression", "x + y", "x=[1,2]", "y=[1,2,3]"}, 2) ==
          "kgen: operator '+': x0 has the shape (2,) and x1 has (3,), which do not broadcast\n  x0 "
          "+ x1\n     ^\n");
}
