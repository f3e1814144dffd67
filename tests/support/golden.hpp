// SPDX-License-Identifier: MIT
//
// Golden files: tests/golden/<name> holds the text that a test must produce, byte for byte. Run the
// tests with KGEN_UPDATE_GOLDEN=1 to rewrite the files, and read the difference before you commit it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "support/golden_changes.hpp"

namespace kgen::test {

inline std::string golden_path(const std::string& name) {
    return std::string(KGEN_SOURCE_DIR) + "/tests/golden/" + name;
}

// Returns the golden text. With KGEN_UPDATE_GOLDEN=1 the file is first overwritten with `actual`.
inline std::string golden(const std::string& name, const std::string& actual) {
    const char* update = std::getenv("KGEN_UPDATE_GOLDEN");
    if (update != nullptr && std::string(update) == "1") std::ofstream(golden_path(name)) << actual;
    std::ostringstream text;
    text << std::ifstream(golden_path(name)).rdbuf();
    return text.str();
}

// Returns the text with each WORD of "`WORD` -> `OTHER`" in `words` replaced by the other.
inline std::string with_words(const std::string& text, const std::string& words) {
    static const std::regex pair("`([^`]*)` -> `([^`]*)`");
    const std::sregex_iterator first(words.begin(), words.end(), pair), none;
    std::string replaced;
    for (std::size_t at = 0; at < text.size();) {
        const auto found = std::find_if(first, none, [&](const std::smatch& each) {
            return text.compare(at, static_cast<std::size_t>(each.length(1)), each[1]) == 0;
        });
        replaced += found == none ? std::string(1, text[at]) : found->str(2);
        at += found == none ? 1 : static_cast<std::size_t>(found->length(1));
    }
    return replaced;
}

// Returns the golden text of one of the `actual` texts. Where a file <name>.txt stands, it is another one's
// golden text with changes. The file's first line is "as BASE" or "as BASE with `WORD` -> `OTHER`, ...",
// which says what differs everywhere. The rest is hunks (golden_changes.hpp), which KGEN_UPDATE_GOLDEN=1
// rewrites. To state a text so, write a file of the first line alone.
inline std::string golden(const std::string& name,
                          const std::map<std::string, std::string>& actual) {
    const std::string file = name + ".txt";
    std::string head;
    if (!std::getline(std::ifstream(golden_path(file)), head)) return golden(name, actual.at(name));
    head += '\n';
    std::istringstream words(head);
    std::string base;
    words >> base >> base;
    base = with_words(golden(base, actual), head);
    return changed(base, golden(file, head + changes(base, actual.at(name))).substr(head.size()));
}

}  // namespace kgen::test
