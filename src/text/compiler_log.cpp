// SPDX-License-Identifier: MIT
#include "text/compiler_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

#include "text/split.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

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
    // NVRTC gives some errors a number: ": error #20: ".
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

bool take_last_digits(std::string_view& text) {
    const std::size_t end = text.find_last_not_of("0123456789") + 1;
    if (end == text.size()) return false;
    text = text.substr(0, end);
    return true;
}

// Whether the text ends with a place: "NAME:12:3", "NAME:12" or "NAME(12)".
bool ends_with_place(std::string_view text) {
    if (text.ends_with(')')) {
        text.remove_suffix(1);
        return take_last_digits(text) && text.ends_with('(');
    }
    return take_last_digits(text) && text.ends_with(':');
}

// Phrases in messages of compilers, assemblers and linkers, and of strerror() and strsignal() with LC_ALL=C.
constexpr std::array<std::string_view, 7> memory_words = {"Cannot allocate memory",
                                                          "memory exhausted",
                                                          "out of memory",
                                                          "Out of memory",
                                                          "bad_alloc",
                                                          "emory allocation",
                                                          "failed to map segment"};
constexpr std::array<std::string_view, 2> file_size_words = {"File too large",
                                                             "File size limit exceeded"};
constexpr std::array<std::string_view, 2> disk_words = {"No space left on device",
                                                        "Disk quota exceeded"};
constexpr std::array<std::string_view, 13> other_words = {"Too many open files",
                                                          "Input/output error",
                                                          "Resource temporarily unavailable",
                                                          "Read-only file system",
                                                          "Permission denied",
                                                          "Operation not permitted",
                                                          "Stale file handle",
                                                          "Broken pipe",
                                                          "cannot open source file",
                                                          "internal compiler error",
                                                          "internal error",
                                                          "terminated program",
                                                          "Killed"};

// The cause of the problem that a line of a log reports. A fatal error may have a line number in a source and
// still be a failure of the machine: "k:7:1: fatal error: error writing to -: No space left on device".
enum class Cause : std::uint8_t { unknown, source, memory, file_size, disk, machine };

Cause cause_of(std::string_view line) {
    if (line.empty() || line.front() == ' ') return Cause::unknown;  // a line of an excerpt
    bool is_placed = false;
    for (std::size_t at = line.find(": "); at != std::string_view::npos && !is_placed;
         at = line.find(": ", at + 1)) {
        if (!ends_with_place(line.substr(0, at))) continue;
        std::string_view rest = line.substr(at);
        if (rest.starts_with(": error")) return Cause::source;
        is_placed = take_severity(rest);
        if (!is_placed && !rest.starts_with(": internal"))
            return Cause::unknown;  // a warning, a note
    }
    if (contains_one_of(line, memory_words)) return Cause::memory;
    if (contains_one_of(line, file_size_words)) return Cause::file_size;
    if (contains_one_of(line, disk_words)) return Cause::disk;
    if (contains_one_of(line, other_words)) return Cause::machine;
    return is_placed ? Cause::source : Cause::unknown;
}

std::string_view line_of(const std::vector<std::string_view>& lines, int number) {
    return number >= 1 && static_cast<std::size_t>(number) <= lines.size()
               ? lines[static_cast<std::size_t>(number) - 1]
               : std::string_view();
}

// A user's text, split into lines once for all errors.
struct ReadText {
    std::string_view label;
    std::vector<std::string_view> lines;

    explicit ReadText(const LabelledText& text) : label(text.label) {
        std::string_view whole = text.text;
        // A missing last token is reported on the line after the text. Without trailing blanks, clamp() moves
        // that place to the end of the last line.
        while (!whole.empty() && (whole.back() == '\n' || whole.back() == ' '))
            whole.remove_suffix(1);
        lines = split(whole, '\n');
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

// Returns the column of an error of NVRTC, which prints the line and a caret below it. The column is that of
// the caret, corrected for the indentation that NVRTC gives the line.
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
    const std::vector<std::string_view> lines = split(log, '\n');
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
    const std::vector<std::string_view> lines = split(log, '\n');
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
    // NVRTC lists the instantiations below the error, from the innermost to the outermost.
    constexpr std::string_view words = "instantiation of \"";
    std::string_view outermost;
    bool is_in_error = false;
    for (std::string_view line : split(log, '\n')) {
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

bool blames_source(std::string_view log) {
    bool is_source = false;
    for (const std::string_view line : split(log, '\n')) {
        const Cause cause = cause_of(line);
        if (cause != Cause::unknown && cause != Cause::source) return false;
        is_source = is_source || cause == Cause::source;
    }
    return is_source;
}

ShortResource find_short_resource(std::string_view log) {
    ShortResource found = ShortResource::none;
    for (const std::string_view line : split(log, '\n')) {
        const Cause cause = cause_of(line);
        if (cause == Cause::source) return ShortResource::none;
        if (cause == Cause::memory) found = ShortResource::memory;
        if (cause == Cause::file_size) found = ShortResource::file_size;
        if (cause == Cause::disk) found = ShortResource::disk;
    }
    return found;
}

bool blames_machine(std::string_view log) {
    for (const std::string_view line : split(log, '\n')) {
        const Cause cause = cause_of(line);
        if (cause != Cause::unknown && cause != Cause::source) return true;
    }
    return false;
}

std::string first_error(std::string_view log) {
    for (const std::string_view line : split(log, '\n')) {
        if (line.find("error") != std::string_view::npos) return std::string(line.substr(0, 500));
    }
    log = log.substr(0, 500);
    while (log.ends_with('\n')) log.remove_suffix(1);
    return std::string(log);
}

}  // namespace kgen
