// SPDX-License-Identifier: MIT
#include "text/compiler_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

namespace kgen {

namespace {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// Reads a number at the front of the text and removes it.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

bool take(std::string_view& text, std::string_view what) {
    if (!text.starts_with(what)) return false;
    text.remove_prefix(what.size());
    return true;
}

bool take_severity(std::string_view& text) {
    for (const std::string_view word : {": error: ", ": fatal error: ", ": catastrophic error: "}) {
        if (take(text, word)) return true;
    }
    // NVRTC numbers some: ": error #20: ".
    std::string_view rest = text;
    if (take(rest, ": error #") && take_number(rest)) {
        rest.remove_prefix(std::min(rest.find(": "), rest.size()));
        if (take(rest, ": ")) {
            text = rest;
            return true;
        }
    }
    return false;
}

std::string_view line_of(const std::vector<std::string_view>& lines, int number) {
    return number >= 1 && static_cast<std::size_t>(number) <= lines.size()
               ? lines[static_cast<std::size_t>(number) - 1]
               : std::string_view();
}

// A user's text, cut into lines once for all errors.
struct ReadText {
    std::string_view label;
    std::vector<std::string_view> lines;

    explicit ReadText(const LabelledText& text) : label(text.label) {
        std::string_view whole = text.text;
        // A missing last token is reported on the line after the text: its end is shown.
        while (!whole.empty() && (whole.back() == '\n' || whole.back() == ' '))
            whole.remove_suffix(1);
        lines = split_lines(whole);
        if (lines.empty()) lines.emplace_back();
    }
    TextPosition clamp(TextPosition position) const {
        const int last = static_cast<int>(lines.size());
        const int line = std::clamp(position.line, 1, last);
        const int end = static_cast<int>(lines[static_cast<std::size_t>(line) - 1].size()) + 1;
        const int column = position.line > last ? end : std::clamp(position.column, 1, end);
        return {line, column};
    }
};

// NVRTC prints the line and, below it, a caret; the column is the caret's, corrected for the
// indentation that NVRTC gives the line.
int caret_column(const std::vector<std::string_view>& log,
                 std::size_t at,
                 std::string_view user_line) {
    const std::size_t user_indent = user_line.find_first_not_of(" \t");
    for (std::size_t k = at + 2; k < log.size() && k < at + 8; ++k) {
        const std::size_t caret = log[k].find('^');
        if (caret == std::string_view::npos ||
            log[k].find_first_not_of(" ^~") != std::string_view::npos)
            continue;
        const std::size_t shown_indent = log[k - 1].find_first_not_of(" \t");
        if (user_indent == std::string_view::npos || shown_indent == std::string_view::npos ||
            caret < shown_indent) {
            return 1;
        }
        return static_cast<int>(caret - shown_indent + user_indent) + 1;
    }
    return 1;
}

std::optional<Diagnostic> read_line(const std::vector<std::string_view>& log,
                                    std::size_t at,
                                    std::span<const ReadText> texts) {
    for (std::size_t k = 0; k < texts.size(); ++k) {
        std::string_view line = log[at];
        if (!take(line, texts[k].label)) continue;
        Diagnostic found;
        found.text = k;
        const bool numbered_by_caret = take(line, "(");
        if (!numbered_by_caret && !take(line, ":")) continue;
        const std::optional<int> number = take_number(line);
        if (!number) continue;
        found.position.line = *number;
        if (numbered_by_caret) {
            if (!take(line, ")") || !take_severity(line)) continue;
            found.position.column = caret_column(log, at, line_of(texts[k].lines, *number));
        } else {
            if (!take(line, ":")) continue;
            const std::optional<int> column = take_number(line);
            if (!column || !take_severity(line)) continue;
            found.position.column = *column;
        }
        found.position = texts[k].clamp(found.position);
        found.message = line;
        return found;
    }
    return std::nullopt;
}

}  // namespace

std::vector<Diagnostic> find_errors(std::string_view log, std::span<const LabelledText> texts) {
    std::vector<Diagnostic> found;
    const std::vector<std::string_view> lines = split_lines(log);
    std::vector<ReadText> read;
    read.reserve(texts.size());
    for (const LabelledText& text : texts) read.emplace_back(text);
    std::set<std::tuple<std::size_t, int, int, std::string>> known;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        std::optional<Diagnostic> diagnostic = read_line(lines, at, read);
        if (!diagnostic) continue;
        const auto& [line, column] = diagnostic->position;
        if (known.emplace(diagnostic->text, line, column, diagnostic->message).second)
            found.push_back(std::move(*diagnostic));
    }
    return found;
}

std::string describe_errors(std::string_view log, std::span<const LabelledText> texts) {
    const std::vector<Diagnostic> errors = find_errors(log, texts);
    if (errors.empty()) return {};
    const Diagnostic& first = errors.front();
    const LabelledText& text = texts[first.text];
    std::string result = fmt::format("{}({}:{}): error: {}{}",
                                     text.label,
                                     first.position.line,
                                     first.position.column,
                                     first.message,
                                     excerpt_at(text.text, first.position));
    if (errors.size() > 1) {
        result += fmt::format("\nand {} more error{}, see CompileError::log()",
                              errors.size() - 1,
                              errors.size() == 2 ? "" : "s");
    }
    return result;
}

std::optional<NameError> find_name_error(std::string_view log) {
    constexpr std::string_view pragma = "  #pragma nv_mangled_name ";
    const std::vector<std::string_view> lines = split_lines(log);
    for (std::size_t k = 0; k < lines.size(); ++k) {
        std::string_view line = lines[k];
        if (!take(line, "__nv_name_map(") || !take_number(line) || !take(line, ")") ||
            !take_severity(line)) {
            continue;
        }
        for (std::size_t below = k + 1; below < lines.size() && below < k + 8; ++below) {
            if (lines[below].starts_with(pragma))
                return NameError{std::string(lines[below].substr(pragma.size())),
                                 std::string(line)};
        }
    }
    return std::nullopt;
}

std::string find_instantiation(std::string_view log) {
    // NVRTC lists them below the error, from within to without.
    constexpr std::string_view words = "instantiation of \"";
    std::string_view outermost;
    bool is_in_error = false;
    for (std::string_view line : split_lines(log)) {
        if (line.find("error") != std::string_view::npos && !line.starts_with(' ')) {
            if (is_in_error) break;
            is_in_error = true;
        }
        const std::size_t begin = line.find(words);
        if (!is_in_error || begin == std::string_view::npos) continue;
        line.remove_prefix(begin + words.size());
        outermost = line.substr(0, line.find('"'));
    }
    return std::string(outermost);
}

std::string first_error(std::string_view log) {
    for (const std::string_view line : split_lines(log)) {
        if (line.find("error") != std::string_view::npos) return std::string(line.substr(0, 500));
    }
    return std::string(log.substr(0, 500));
}

}  // namespace kgen
