// SPDX-License-Identifier: MIT
#include "text/compiler_log.hpp"

#include "support/catch.hpp"
#include "text/bounded_log.hpp"

using namespace kgen;

namespace {

const LabelledText body{"k (operation)", "z = x;\n  z = (x - w) * 2"};
const LabelledText preamble{"k (preamble)", "int f() { return q; }"};
const LabelledText both[] = {body, preamble};

}  // namespace

TEST_CASE("errors of NVRTC, g++ and clang++ are found in the user's texts", "[text]") {
    struct Case {
        std::string log;
        std::string description;
    };
    const Case cases[] = {
        {"k (operation)(2): error: identifier \"w\" is undefined\n    z = (x - w) * 2\n            "
         " ^\n\n1 error detected",
         "k (operation)(2:12): error: identifier \"w\" is undefined\n    z = (x - w) * 2\n         "
         "    ^"},
        {"k (operation): In lambda function:\nk (operation):2:12: error: 'w' was not declared in "
         "this scope\n",
         "k (operation)(2:12): error: 'w' was not declared in this scope\n    z = (x - w) * 2\n    "
         "         ^"},
        {"k (preamble):1:18: fatal error: too bad\nk (operation):1:1: error: second\nk "
         "(operation):1:1: error: second\n",
         "k (preamble)(1:18): error: too bad\n  int f() { return q; }\n                   ^\nand 1 "
         "more error, see "
         "CompileError::log()"},
        // A missing ';' is reported on the line after the text.
        {"k (operation):4:1: error: expected ';' before '}' token\n",
         "k (operation)(2:18): error: expected ';' before '}' token\n    z = (x - w) * 2\n         "
         "          ^"},
        {"k.cu(12): error: not the user's\nk (operation)(2): warning #177-D: declared but never "
         "referenced\n",
         ""},
        {"", ""},
    };
    for (const Case& row : cases) CHECK(describe_errors(row.log, both) == row.description);
}

TEST_CASE("an error outside the user's texts is shown by its first line", "[text]") {
    CHECK(first_error("note\n<command-line>: error: bad macro\nmore\n") ==
          "<command-line>: error: bad macro");
    CHECK(first_error("killed") == "killed");
}

TEST_CASE("an excerpt shows one line with a caret, cut where it is long", "[text]") {
    CHECK(excerpt("T a, flaot32 x", 5, 7) == "\n  T a, flaot32 x\n       ^~~~~~~");
    CHECK(excerpt("one\ntwo\nthree", 4, 3) == "\n  two\n  ^~~");
    CHECK(excerpt("a\tb", 2, 1) == "\n  a\tb\n   \t^");
    CHECK(excerpt("", 0, 1) == "\n  \n  ^");
    CHECK(excerpt("a\x01z", 2, 1) == "\n  a?z\n    ^");
    const std::string long_line = std::string(80, 'a') + "X" + std::string(80, 'b');
    CHECK(excerpt(long_line, 80, 1) == "\n  ..." + std::string(50, 'a') + "X" +
                                           std::string(49, 'b') + "...\n  " + std::string(53, ' ') +
                                           "^");
}

TEST_CASE("a compiler's log is cut at 64 KiB and says what it leaves out", "[text]") {
    CHECK(bounded_log("") == "");
    CHECK(bounded_log("error\n\twhere\r\n") == "error\n\twhere\r\n");
    const std::string whole(longest_log, 'x');
    CHECK(bounded_log(whole) == whole);
    CHECK(bounded_log(whole + "yz") == whole + "\n... and 2 bytes more");
    std::string lines;
    while (lines.size() < 200'000) lines += "a line of 20 letters\n";
    const std::string cut = bounded_log(lines);
    CHECK(cut.size() < longest_log + 40);
    CHECK(cut.ends_with("letters\n... and " + std::to_string(lines.size() - cut.rfind("...")) +
                        " bytes more"));
}

TEST_CASE("a compiler's log has no characters that a terminal obeys", "[text]") {
    CHECK(bounded_log("\x1b[31mred\x07\x7f") == "\\x1b[31mred\\x07\\x7f");
    CHECK(bounded_log("\xc3\xa4\t\n") == "\xc3\xa4\t\n");
    CHECK(bounded_log("\xff \xc2\x9b \xe2\x80\xae") == "\\xff \\u009b \\u202e");
}
