// SPDX-License-Identifier: MIT
//
// The parts of a program that the preprocessor keeps, found from the text alone, compared with g++'s output.
#include "signature/active_code.hpp"

#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "host/compile/host_toolchain.hpp"
#include "signature/token.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

// Returns "yes", "no" or "?" for each #if of the text. Branch N contains the name yes_N, its #else no_N.
std::vector<std::string> scanned(const std::string& text, std::size_t count) {
    const TokenList list = tokenize(text);
    const std::vector<TokenUse> uses = find_active(list.tokens, TextPlace::source, {}, {"N=3"});
    std::vector<std::string> found(count, "?");
    for (std::size_t k = 0; k < list.tokens.size(); ++k) {
        const std::string word(list.tokens[k].text);
        const bool is_yes = word.starts_with("yes_");
        if ((!is_yes && !word.starts_with("no_")) || uses[k] != TokenUse::skipped) continue;
        found[std::stoul(word.substr(word.find('_') + 1))] = is_yes ? "no" : "yes";
    }
    return found;
}

// Returns the same from the host's compiler; empty strings for branches in which it reports an error.
std::vector<std::string> preprocessed(const std::string& text, std::size_t count) {
    TempDir folder;
    std::ofstream(folder / "a.cpp") << text;
    const std::string command = find_host_toolchain().path + " -std=c++17 -E -P -w -DN=3 " +
                                (folder / "a.cpp") + " -o " + (folder / "a.txt") + " 2> " +
                                (folder / "log");
    CHECK(std::system(command.c_str()) != -1);
    std::vector<std::string> found(count);
    std::ifstream file(folder / "a.txt");
    for (std::string word; file >> word;) {
        const std::size_t number = std::stoul(word.substr(word.find('_') + 1));
        found[number] = word.substr(0, word.find('_'));
    }
    return found;
}

std::string conditions(const std::vector<std::string>& expressions) {
    std::string text;
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        const std::string number = std::to_string(k);
        text +=
            "#if " + expressions[k] + "\nyes_" + number + "\n#else\nno_" + number + "\n#endif\n";
    }
    return text;
}

// Generates expressions whose results reach the limits of intmax_t. Divisors are never 0.
class RandomExpressions {
public:
    std::string next(int depth) {
        if (depth == 0 || random_() % 5 == 0) return pick(numbers);
        switch (random_() % 6) {
            case 0:
                return "(" + next(depth - 1) + ")";
            case 1:
                return (random_() % 2 == 0 ? "-" : "!") + ("(" + next(depth - 1) + ")");
            case 2:
                return "(" + next(depth - 1) + ")" + pick({"/", "%"}) + pick(divisors);
            default:
                return next(depth - 1) +
                       pick({" + ",
                             " - ",
                             " * ",
                             " < ",
                             " > ",
                             " <= ",
                             " >= ",
                             " == ",
                             " != ",
                             " && ",
                             " || "}) +
                       next(depth - 1);
        }
    }

private:
    std::string pick(const std::vector<std::string>& from) { return from[random_() % from.size()]; }

    const std::vector<std::string> numbers = {"0",
                                              "1",
                                              "2",
                                              "0u",
                                              "1u",
                                              "N",
                                              "true",
                                              "false",
                                              "unknown",
                                              "defined(N)",
                                              "defined(M)",
                                              "9223372036854775807",
                                              "(-9223372036854775807-1)",
                                              "18446744073709551615u",
                                              "0x8000000000000000",
                                              "07",
                                              "-1"};
    const std::vector<std::string> divisors = {
        "(-1)", "1", "(-3)", "7u", "9223372036854775807", "(-9223372036854775807-1)", "(0-1)"};
    std::mt19937 random_{20261122};
};

}  // namespace

TEST_CASE("conditions of #if have the values that a preprocessor gives them", "[host_raw]") {
    std::vector<std::string> expressions = {"(-9223372036854775807-1)/-1",
                                            "(-9223372036854775807-1)%-1 == 0",
                                            "(-9223372036854775807-1)/-1 < 0",
                                            "9223372036854775807 + 1 < 0",
                                            "9223372036854775807 * 2 == -2",
                                            "-(-9223372036854775807-1) < 0",
                                            "-1 < 0u",
                                            "-1 > 0u",
                                            "0 - 1 > 18446744073709551614u",
                                            "true && !false"};
    RandomExpressions random;
    for (int k = 0; k < 400; ++k) expressions.push_back(random.next(4));
    const std::string text = conditions(expressions);
    const std::vector<std::string> expected = preprocessed(text, expressions.size());
    const std::vector<std::string> found = scanned(text, expressions.size());
    for (std::size_t k = 0; k < expressions.size(); ++k) {
        INFO(expressions[k]);
        CHECK(found[k] == expected[k]);
    }
}

TEST_CASE("what a condition does not tell counts as code", "[host_raw]") {
    const std::vector<std::string> expressions = {
        "1 / 0",
        "1 % (N - N)",
        "__GNUC__",
        "f(1)",
        "1 ? 2 : 3",
        "1 << 2",
        "99999999999999999999",
        std::string(5000, '(') + "1" + std::string(5000, ')'),
        std::string(5000, '!') + "1",
        "",
        "1 1"};
    const std::vector<std::string> unknown(expressions.size(), "?");
    CHECK(scanned(conditions(expressions), expressions.size()) == unknown);
}

TEST_CASE("conditions nest as deep as texts do", "[host_raw]") {
    for (const std::string& nested : {std::string(40'000, '(') + "1" + std::string(40'000, ')'),
                                      std::string(40'000, '!') + "1",
                                      [] {
                                          std::string minus;
                                          for (int k = 0; k < 40'000; ++k) minus += "- ";
                                          return minus + "1";
                                      }()}) {
        CHECK(scanned(conditions({nested}), 1) == std::vector<std::string>{"?"});
    }
    // As deep as handwritten code.
    CHECK(scanned(conditions({std::string(100, '(') + "1" + std::string(100, ')')}), 1) ==
          std::vector<std::string>{"yes"});
}

TEST_CASE("a branch of #elifdef counts as code", "[host_raw]") {
    CHECK(scanned("#ifdef M\nyes_0\n#elifdef N\nyes_1\n#else\nyes_2\n#endif\n", 3) ==
          std::vector<std::string>{"no", "?", "?"});
}
