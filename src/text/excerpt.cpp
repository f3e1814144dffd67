// SPDX-License-Identifier: MIT
#include "text/excerpt.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace kgen {

namespace {

constexpr std::size_t widest_line = 100;

struct Line {
    std::size_t begin;
    std::size_t end;
};

Line line_around(std::string_view text, std::size_t offset) noexcept {
    const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    return {begin, std::min(text.find('\n', offset), text.size())};
}

std::size_t offset_of(std::string_view text, TextPosition position) noexcept {
    std::size_t begin = 0;
    for (int line = 1; line < position.line; ++line) {
        const std::size_t next = text.find('\n', begin);
        if (next == std::string_view::npos) return text.size();
        begin = next + 1;
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    return std::min(begin + static_cast<std::size_t>(std::max(position.column, 1) - 1), end);
}

// Replaces control characters other than tabs, and invalid UTF-8, by one '?' for each byte, because columns
// count bytes. A cut line may begin or end within a character, which is then invalid.
void hide_controls(std::string& line) {
    for (std::size_t at = 0; at < line.size();) {
        const Utf8Character character = first_character(std::string_view(line).substr(at));
        const bool is_shown =
            character.is_utf8 && (character.code == '\t' || !is_control(character.code));
        if (!is_shown)
            std::fill_n(line.begin() + static_cast<std::ptrdiff_t>(at), character.bytes, '?');
        at += character.bytes;
    }
}

}  // namespace

TextPosition position_of(std::string_view text, std::size_t offset) noexcept {
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t begin = lines == 0 ? 0 : before.rfind('\n') + 1;
    return {static_cast<int>(lines) + 1, static_cast<int>(offset - begin) + 1};
}

std::string excerpt(std::string_view text, std::size_t offset, std::size_t length) {
    offset = std::min(offset, text.size());
    Line line = line_around(text, offset);
    const std::size_t tail =
        std::min(std::max<std::size_t>(length, 1), std::max<std::size_t>(line.end - offset, 1));
    std::string_view head_mark;
    std::string_view end_mark;
    if (line.end - line.begin > widest_line) {
        const std::size_t from = offset - std::min(offset - line.begin, widest_line / 2);
        const std::size_t to = std::min(line.end, from + widest_line);
        if (from != line.begin) head_mark = "...";
        if (to != line.end) end_mark = "...";
        line = {from, to};
    }
    std::string shown(text.substr(line.begin, line.end - line.begin));
    std::string below(head_mark.size(), ' ');
    hide_controls(shown);
    for (std::size_t k = 0; k < shown.size() && line.begin + k < offset; ++k) {
        // Tabs are copied to the line below, so the caret is in the right column for any tab width.
        below += shown[k] == '\t' ? '\t' : ' ';
    }
    below += '^';
    below.append(std::min(tail, widest_line) - 1, '~');
    return "\n  " + std::string(head_mark) + shown + std::string(end_mark) + "\n  " + below;
}

std::string excerpt_at(std::string_view text, TextPosition position) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    return excerpt(text, offset_of(text, position), 1);
}

}  // namespace kgen
