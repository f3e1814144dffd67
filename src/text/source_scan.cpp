// SPDX-License-Identifier: MIT
#include "text/source_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/include_scan.hpp"

namespace kgen {

namespace {

// The text with lines joined where they end in a backslash. `joined` is room for it: most texts are as
// they are.
std::string_view join_lines(std::string_view text, std::string& joined) {
    if (!contains(text, "\\\n") && !contains(text, "\\\r\n")) return text;
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

bool contains(std::string_view text, std::string_view word) noexcept {
    // Sources are long, and are looked through on the way to each hit: std::string_view::find stops at
    // every first letter.
    if (word.empty() || word.size() > text.size()) return word.empty();
    return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool reads_files(std::string_view source, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        if (option.starts_with("-include") || option.starts_with("--include") ||
            option.starts_with("--pre-include") || option.starts_with("-pre-include") ||
            contains(option, "__has_include")) {
            // --include-path and -I only say where to look.
            if (!option.starts_with("--include-path")) return true;
        }
    }
    std::string room;
    const std::string_view joined = join_lines(source, room);
    if (!contains(joined, "include") && !contains(joined, "import") && !contains(joined, "embed"))
        return false;
    return !find_includes(joined).empty();
}

bool depends_on_time(std::string_view source, const std::vector<std::string>& options) {
    static constexpr std::array<std::string_view, 3> words = {
        "__DATE__", "__TIME__", "__TIMESTAMP__"};
    std::string room;
    const std::string_view joined = join_lines(source, room);
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return contains(joined, word) ||
               std::any_of(options.begin(), options.end(), [&](const std::string& option) {
                   return contains(option, word);
               });
    });
}

}  // namespace kgen
