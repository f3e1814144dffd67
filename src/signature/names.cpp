// SPDX-License-Identifier: MIT
#include "signature/names.hpp"

#include <algorithm>
#include <array>
#include <kgen/terminal_text.hpp>

#include "text/word.hpp"

namespace kgen {

bool is_identifier(std::string_view name) noexcept {
    return !name.empty() && !is_digit(name.front()) &&
           std::all_of(name.begin(), name.end(), is_word);
}

bool is_keyword(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 95> words = {
        "alignas",       "alignof",     "and",
        "and_eq",        "asm",         "auto",
        "bitand",        "bitor",       "bool",
        "break",         "case",        "catch",
        "char",          "char16_t",    "char32_t",
        "char8_t",       "class",       "co_await",
        "co_return",     "co_yield",    "compl",
        "concept",       "const",       "const_cast",
        "consteval",     "constexpr",   "constinit",
        "continue",      "decltype",    "default",
        "delete",        "do",          "double",
        "dynamic_cast",  "else",        "enum",
        "explicit",      "export",      "extern",
        "false",         "float",       "for",
        "friend",        "goto",        "if",
        "inline",        "int",         "long",
        "mutable",       "namespace",   "new",
        "noexcept",      "not",         "not_eq",
        "nullptr",       "operator",    "or",
        "or_eq",         "private",     "protected",
        "public",        "register",    "reinterpret_cast",
        "requires",      "return",      "short",
        "signed",        "sizeof",      "static",
        "static_assert", "static_cast", "struct",
        "switch",        "template",    "this",
        "thread_local",  "throw",       "true",
        "try",           "typedef",     "typeid",
        "typename",      "typeof",      "union",
        "unsigned",      "using",       "virtual",
        "void",          "volatile",    "wchar_t",
        "while",         "xor",         "xor_eq",
        "import",        "module"};
    return is_one_of(name, words);
}

bool is_later_keyword(std::string_view name) noexcept {
    static constexpr std::array<std::string_view, 11> words = {"char8_t",
                                                               "co_await",
                                                               "co_return",
                                                               "co_yield",
                                                               "concept",
                                                               "consteval",
                                                               "constinit",
                                                               "import",
                                                               "module",
                                                               "requires",
                                                               "typeof"};
    return is_one_of(name, words);
}

std::string printable(std::string_view name) {
    constexpr std::size_t longest = 64;
    if (name.size() <= longest) return terminal_text(name, LineBreaks::escaped);
    std::size_t cut = longest;
    // Moves the cut to the start of a UTF-8 character.
    while (cut > longest - 3 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;
    return terminal_text(name.substr(0, cut), LineBreaks::escaped) + "...";
}

}  // namespace kgen
