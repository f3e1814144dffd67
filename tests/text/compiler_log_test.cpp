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
        // The compiler reports a missing ';' on the line after the text.
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

TEST_CASE(
    "a log blames the source where an error has a place in it, and nothing tells of the machine",
    "[text]") {
    const std::string mistakes[] = {
        "k (operation):1:10: error: 'w' was not declared in this scope\n    1 | z = w;\n",
        "/a b/x:y.h:3:1: error: #error out of memory, Killed\n",
        "k (operation)(2): error: identifier \"w\" is undefined\n    z = w\n",
        "k (operation)(2): error #20: identifier \"w\" is undefined\n",
        "k.h:7:10: fatal error: no_such.h: No such file or directory\ncompilation terminated.\n",
        "k:1:1: fatal error: template instantiation depth exceeds maximum of 900\n",
        "k:12: error: unterminated #if\n",
    };
    const std::string harmless[] = {
        "",
        "In file included from k:1:\n",
        "k: In function 'void f()':\n",
        "k:1:2: note: 'Killed' was declared here\n",
        "k:1:2: warning: Permission denied\n",
        "   1 | const char* s = \"No space left on device\";\n",
        "1 error detected in the compilation of \"k\".\n",
        "compilation terminated.\n",
    };
    const std::string failures[] = {
        "g++: fatal error: Killed signal terminated program cc1plus\n",
        "g++: internal compiler error: Segmentation fault signal terminated program cc1plus\n",
        "k:3:4: internal compiler error: in finish, at a.cc:1\n",
        "virtual memory exhausted: Cannot allocate memory\n",
        "cc1plus: out of memory allocating 65536 bytes after a total of 9 bytes\n",
        "k:7:1: fatal error: error writing to -: No space left on device\n",
        "k:2:10: fatal error: x.h: Too many open files\n",
        "k:2:10: fatal error: x.h: Input/output error\n",
        "/usr/bin/ld: final link failed: No space left on device\n",
        "LLVM ERROR: out of memory\n",
        "k(1): catastrophic error: out of memory\n",
        "k(1): catastrophic error: cannot open source file \"x.h\"\n",
        "ptxas fatal   : Memory allocation failure\n",
        "terminate called after throwing an instance of 'std::bad_alloc'\n",
    };
    for (const std::string& mistake : mistakes) {
        for (const std::string& other : harmless) {
            INFO(other << mistake);
            CHECK(blames_source(other + mistake));
            CHECK(blames_source(mistake + other));
            CHECK_FALSE(blames_source(other));
            CHECK_FALSE(blames_machine(other + mistake));
            CHECK(find_short_resource(other + mistake) == ShortResource::none);
        }
        for (const std::string& failure : failures) {
            INFO(failure << mistake);
            CHECK_FALSE(blames_source(failure));
            CHECK(blames_machine(failure));
            CHECK_FALSE(blames_source(mistake + failure));
            CHECK_FALSE(blames_source(failure + mistake));
        }
    }
    for (const char* unknown : {"cc1plus: error: unrecognized command-line option '-x'\n",
                                "collect2: error: ld returned 1 exit status\n",
                                "{standard input}:18: Error: no such instruction: `foo'\n",
                                "nvrtc: error: invalid value for --gpu-architecture (-arch)\n",
                                "ERROR 4 in nvvmAddNVVMContainerToProgram\n",
                                "broken"}) {
        CHECK_FALSE(blames_source(unknown));
    }
    CHECK(find_short_resource("virtual memory exhausted: Cannot allocate memory\n") ==
          ShortResource::memory);
    CHECK(find_short_resource("g++: internal compiler error: File size limit exceeded signal "
                              "terminated program as\n") == ShortResource::file_size);
    CHECK(find_short_resource("as: No space left on device\n") == ShortResource::disk);
    CHECK(find_short_resource("k:7:1: fatal error: error writing to -: Disk quota exceeded\n") ==
          ShortResource::disk);
    CHECK(find_short_resource("as: Too many open files\n") == ShortResource::none);
}
