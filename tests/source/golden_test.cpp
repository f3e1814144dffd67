// SPDX-License-Identifier: MIT
#include "support/golden.hpp"

#include <random>

#include "support/catch.hpp"

using namespace kgen::test;

TEST_CASE("hunks say what differs, with the kept lines that make their places the right ones") {
    const std::string base = "a\n}\nb\n}\nc\n";
    CHECK(changes(base, base).empty());
    CHECK(changes(base, "a\n}\nB\n}\nc\n") == "\n-b\n+B\n");
    CHECK(changes(base, "new\na\n}\nb\nc\n") == "\n+new\n\n b\n-}\n");
    CHECK(changes(base, "a\n}\nb\n}\n\nc\n") == "\n b\n }\n+\n");
}

TEST_CASE("hunks make the text of the base") {
    std::mt19937 random(1);
    const auto random_text = [&] {
        std::string text;
        for (auto count = random() % 12; count > 0; --count)
            text += std::string(random() % 3, "xy"[random() % 2]) + '\n';
        return text;
    };
    for (int trial = 0; trial < 2000; ++trial) {
        const std::string base = random_text(), text = random_text();
        const std::string hunks = changes(base, text);
        INFO(base << "to\n" << text << "by\n" << hunks);
        REQUIRE(changed(base, hunks) == text);
    }
    CHECK_THROWS_AS(changed("a\nb\n", "\n-c\n"), std::invalid_argument);
}

TEST_CASE("the words of a golden's first line are replaced at once") {
    const std::string words = "as base with `float32` -> `float64`, `float` -> `double`";
    CHECK(with_words("float32 x, float y\n", words) == "float64 x, double y\n");
    CHECK(with_words("float32 x\n", "as base") == "float32 x\n");
}
