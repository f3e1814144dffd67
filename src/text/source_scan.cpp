// SPDX-License-Identifier: MIT
#include "text/source_scan.hpp"

#include <algorithm>
#include <array>

namespace kgen {

namespace {

bool contains(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

// The text with lines joined where they end in a backslash.
std::string join_lines(std::string_view text) {
    std::string joined;
    joined.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at, 2) == "\\\n") {
            ++at;
        } else if (text.substr(at, 3) == "\\\r\n") {
            at += 2;
        } else {
            joined += text[at];
        }
    }
    return joined;
}

// The text with comments as single spaces. Literals are kept, so that "/*" in one is none.
std::string strip_comments(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at, 2) == "//") {
            at = std::min(text.find('\n', at), text.size()) - 1;
        } else if (text.substr(at, 2) == "/*") {
            const std::size_t end = text.find("*/", at + 2);
            plain += ' ';
            if (end == std::string_view::npos) break;
            at = end + 1;
        } else if (text[at] == '"') {
            const std::size_t begin = at++;
            while (at < text.size() && text[at] != '"' && text[at] != '\n')
                at += text[at] == '\\' ? 2 : 1;
            plain += text.substr(begin, at - begin + 1);
        } else {
            plain += text[at];
        }
    }
    return plain;
}

bool has_including_directive(std::string_view text) {
    static constexpr std::array<std::string_view, 3> directives = {"include", "import", "embed"};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto skip_blanks = [&] {
            line.remove_prefix(std::min(line.find_first_not_of(" \t\r\v\f"), line.size()));
        };
        skip_blanks();
        if (!line.starts_with('#') && !line.starts_with("%:")) continue;
        line.remove_prefix(line.front() == '#' ? 1 : 2);
        skip_blanks();
        for (const std::string_view directive : directives) {
            if (line.starts_with(directive)) return true;
        }
    }
    return false;
}

}  // namespace

bool reads_files(std::string_view source, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        if (option.starts_with("-include") || option.starts_with("--include") ||
            option.starts_with("--pre-include") || option.starts_with("-pre-include") ||
            contains(option, "__has_include")) {
            // --include-path and -I only say where to look.
            if (!option.starts_with("--include-path")) return true;
        }
    }
    const std::string joined = join_lines(source);
    if (contains(joined, "__has_include") || contains(joined, "__has_embed")) return true;
    if (!contains(joined, "include") && !contains(joined, "import") && !contains(joined, "embed"))
        return false;
    return has_including_directive(strip_comments(joined));
}

bool depends_on_time(std::string_view source, const std::vector<std::string>& options) {
    static constexpr std::array<std::string_view, 3> words = {
        "__DATE__", "__TIME__", "__TIMESTAMP__"};
    const std::string joined = join_lines(source);
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return contains(joined, word) ||
               std::any_of(options.begin(), options.end(), [&](const std::string& option) {
                   return contains(option, word);
               });
    });
}

}  // namespace kgen
