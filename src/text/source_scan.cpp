// SPDX-License-Identifier: MIT
#include "text/source_scan.hpp"

#include <algorithm>
#include <array>

#include "text/include_scan.hpp"

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
    if (!contains(joined, "include") && !contains(joined, "import") && !contains(joined, "embed"))
        return false;
    return !find_includes(joined).empty();
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
