// SPDX-License-Identifier: MIT
#include <kgen/terminal_text.hpp>
#include <random>
#include <string>

#include "signature/names.hpp"
#include "support/catch.hpp"
#include "text/bounded_log.hpp"
#include "text/excerpt.hpp"

using namespace kgen;

namespace {

// An independent check for bytes that a terminal interprets, alone or within UTF-8.
bool has_control(const std::string& text, bool lines_allowed) {
    for (std::size_t k = 0; k < text.size(); ++k) {
        const auto byte = static_cast<unsigned char>(text[k]);
        const bool is_layout = byte == '\n' || byte == '\t' ||
                               (byte == '\r' && k + 1 < text.size() && text[k + 1] == '\n');
        if (byte < 0x20 && !(lines_allowed && is_layout)) return true;
        if (byte == 0x7f) return true;
        if (byte == 0xc2 && k + 1 < text.size() && static_cast<unsigned char>(text[k + 1]) < 0xa0) {
            return true;
        }
        for (const char* mark : {"\u202a", "\u202e", "\u2066", "\u2069", "\u200f", "\u2028"}) {
            if (text.compare(k, 3, mark) == 0) return true;
        }
    }
    return false;
}

std::string in_line(std::string_view text) {
    return terminal_text(text, LineBreaks::escaped);
}
std::string in_lines(std::string_view text) {
    return terminal_text(text, LineBreaks::kept);
}

}  // namespace

TEST_CASE("what a terminal obeys is escaped, and all else stays", "[text]") {
    using namespace std::string_view_literals;
    struct Row {
        std::string_view text;
        std::string_view in_line;
        std::string_view in_lines;
    };
    const Row rows[] = {
        {"", "", ""},
        {"plain 'text' \\n", "plain 'text' \\n", "plain 'text' \\n"},
        {"ä 漢 🙂 é", "ä 漢 🙂 é", "ä 漢 🙂 é"},
        {"a\nb\tc", "a\\nb\\x09c", "a\nb\tc"},
        {"a\r\nb\rc", "a\\x0d\\nb\\x0dc", "a\r\nb\\x0dc"},
        {"\x1b[2J\x07\x7f\b", "\\x1b[2J\\x07\\x7f\\x08", "\\x1b[2J\\x07\\x7f\\x08"},
        {"a\0b"sv, "a\\0b", "a\\0b"},
        {"\xc2\x9b"
         "31m",
         "\\u009b31m",
         "\\u009b31m"},
        {"\xc2\xa0", "\xc2\xa0", "\xc2\xa0"},
        {"\u202eabc\u2066", "\\u202eabc\\u2066", "\\u202eabc\\u2066"},
        {"\u2028", "\\u2028", "\\u2028"},
        // Bytes that are not UTF-8: alone, truncated, overlong, a surrogate, beyond the last character.
        {"\x9b", "\\x9b", "\\x9b"},
        {"\xe6\xbc", "\\xe6\\xbc", "\\xe6\\xbc"},
        {"\xc0\x9b", "\\xc0\\x9b", "\\xc0\\x9b"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xff", "\\xff", "\\xff"},
    };
    for (const Row& row : rows) {
        INFO(row.in_line);
        CHECK(in_line(row.text) == row.in_line);
        CHECK(in_lines(row.text) == row.in_lines);
    }
}

TEST_CASE("no bytes make a text, an excerpt, a name or a log that a terminal obeys", "[text]") {
    std::mt19937 random(20261122);
    const std::string parts[] = {
        "\x1b", "\xc2", "\x9b", "\xe2\x80", "\xae", "\n", "\r", "a", "\t", "ä"};
    for (int trial = 0; trial < 3000; ++trial) {
        std::string text;
        const std::size_t count = random() % 90;
        for (std::size_t k = 0; k < count; ++k) {
            text += random() % 2 == 0 ? parts[random() % std::size(parts)]
                                      : std::string(1, static_cast<char>(random() % 256));
        }
        INFO(in_line(text));
        CHECK_FALSE(has_control(in_line(text), false));
        CHECK_FALSE(has_control(in_lines(text), true));
        CHECK(in_line(in_line(text)) == in_line(text));
        CHECK_FALSE(has_control(printable(text), false));
        CHECK_FALSE(has_control(bounded_log(text), true));
        CHECK_FALSE(has_control(excerpt(text, random() % (text.size() + 1), 3), true));
    }
}

TEST_CASE("a long name is cut between characters", "[text]") {
    CHECK(printable(std::string(63, 'a') + "ä") == std::string(63, 'a') + "...");
    CHECK(printable(std::string(62, 'a') + "äb") == std::string(62, 'a') + "ä...");
    CHECK(printable(std::string(64, 'a')) == std::string(64, 'a'));
}
