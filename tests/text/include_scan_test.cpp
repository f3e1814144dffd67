// SPDX-License-Identifier: MIT
#include "text/include_scan.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace kgen;

namespace {

// Returns "<x>" and "\"y\"" as they are written, and "?" for an unknown name.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names;
    for (const IncludeUse& use : find_includes(text)) {
        if (use.form == IncludeForm::angled) names.push_back("<" + use.name + ">");
        if (use.form == IncludeForm::quoted) names.push_back("\"" + use.name + "\"");
        if (use.form == IncludeForm::unknown) names.emplace_back("?");
    }
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an #include is found in every spelling", "[text][include]") {
    struct Row {
        std::string_view text;
        Names names;
    };
    const Row rows[] = {
        {"#include \"x.h\"", {"\"x.h\""}},
        {"#include <a/b.h>\n", {"<a/b.h>"}},
        {"int a;\n \t # \t include\t<x>", {"<x>"}},
        {"%:include \"x.h\"", {"\"x.h\""}},
        {"/* a */ #include <x>", {"<x>"}},
        {"/* a\n */ # /* b */ include /* c\n */ <x> // d\n#include <y>", {"<x>", "<y>"}},
        {"#in\\\nclude \"x.h\"", {"\"x.h\""}},
        {"#\\\n\\\r\ninclude <x\\\ny>", {"<xy>"}},
        {"#include<x>", {"<x>"}},
        {"#include \"a\\b.h\"", {"\"a\\b.h\""}},
        {"#include <a//b.h>", {"<a//b.h>"}},
        {"#include <x>\r\n#include <y>\r\n", {"<x>", "<y>"}},
        {"#if 0\n#include <x>\n#endif", {"<x>"}},
        {"#include \"x.h\" // \"y.h\"", {"\"x.h\""}},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(names_in(row.text) == row.names);
    }
}

TEST_CASE("what only looks like an #include is none", "[text][include]") {
    for (const char* text : {"",
                             "#",
                             "include <x>",
                             "// #include <x>\n",
                             "// a \\\n#include <x>\n",
                             "/* \n#include <x>\n*/",
                             "/* #include <x>",
                             "const char* a = \"\\\n#include <x>\";",
                             "const char* a = R\"(\n#include <x>\n)\";",
                             "auto a = u8R\"b(\n)\"\n#include <x>\n)b\";",
                             "int a = 1; #include <x>",
                             "#define include 1\n",
                             "#includes <x>\n",
                             "#pragma include <x>\n"}) {
        INFO(text);
        CHECK(names_in(text) == Names());
    }
}

TEST_CASE("literals and comments before an #include end where they end", "[text][include]") {
    for (const char* text : {"s = \"/*\"; // \"*/\n#include <x>",
                             "char c = '\"';\n#include <x>",
                             "char c = '\\'', d = '\"';\n#include <x>",
                             "int n = 1'000'000; /* ' */\n#include <x>",
                             "int n = 0xFF'FF;char c='/*';\n#include <x>",
                             "#if 0\ndon't /* here\n#endif\n#include <x>",
                             "auto a = R\"x( \" /* )x\";\n#include <x>",
                             "int R; char a[] = \"R\" \"(\";\n#include <x>",
                             "auto a = u8'x';\n#include <x>",
                             "#define R_ R\"(\n#include <x>",
                             "/**/\n#include <x>",
                             "/*/ */\n#include <x>",
                             "a /\\\n* */\n#include <x>",
                             "// a\n#include <x>"}) {
        INFO(text);
        CHECK(names_in(text) == Names{"<x>"});
    }
}

TEST_CASE("a question whether a file is there counts", "[text][include]") {
    struct Row {
        std::string_view text;
        Names names;
    };
    const Row rows[] = {
        {"#if __has_include(<x>) && !__has_include ( \"y.h\" )", {"<x>", "\"y.h\""}},
        {"#if defined(A) || \\\n __has_in\\\nclude(<x>)", {"<x>"}},
        {"#elif __has_include(<x>)", {"<x>"}},
        {"#define HAS __has_include(<x>)", {"<x>"}},
        {"#define HAS(x) __has_include(x)\n#if HAS(<a.h>) || HAS(\"b.h\")", {"<a.h>", "\"b.h\""}},
        {"#ifdef __has_include", {}},
        {"#if defined(__has_include)", {}},
        {"#if A(b) < C(d) && E > f", {}},
        {"#if __has_include(NAME)", {"?"}},
        {"#define HAS(x) __has_include(NAME)", {"?"}},
        {"#define HAS __has_include(x)", {"?"}},
        {"#if __has_include_next(<x>)", {"?"}},
        {"#if __has_embed(<x>)", {"?"}},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        CHECK(names_in(row.text) == row.names);
    }
}

TEST_CASE("a name that a macro makes is unknown", "[text][include]") {
    for (const char* text : {"#include NAME",
                             "#include NAME(x)",
                             "#include",
                             "#include \"x.h",
                             "#include <x\n>",
                             "#include_next <x>",
                             "#import <x>",
                             "#embed \"x\""}) {
        INFO(text);
        CHECK(names_in(text) == Names{"?"});
    }
}

TEST_CASE("the place of a name is that of its delimiters too", "[text][include]") {
    const std::string text = "int a;\n# include /**/ \"x\\\ny.h\" // b\n#include NAME\n";
    const std::vector<IncludeUse> uses = find_includes(text);
    REQUIRE(uses.size() == 2);
    CHECK(text.substr(uses[0].offset, uses[0].length) == "\"x\\\ny.h\"");
    CHECK(uses[0].name == "xy.h");
    CHECK(text.substr(uses[1].offset, 8) == "#include");
}
