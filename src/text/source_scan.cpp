// SPDX-License-Identifier: MIT
#include "text/source_scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_set>

#include "text/include_scan.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Returns the text with lines joined that end in a backslash or its trigraph "?\?/", even if blanks follow. A
// changed text is stored in `joined`; most texts are returned unchanged.
std::string_view join_lines(std::string_view text, std::string& joined) {
    constexpr std::string_view trigraph = "?\?/";
    if (text.find('\\') == std::string_view::npos && !contains(text, trigraph)) return text;
    joined.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const bool is_trigraph = text.substr(at, trigraph.size()) == trigraph;
        if (text[at] == '\\' || is_trigraph) {
            const std::size_t end =
                text.find_first_not_of(" \t\r\v\f", at + (is_trigraph ? trigraph.size() : 1));
            if (end != std::string_view::npos && text[end] == '\n') {
                at = end + 1;
                continue;
            }
        }
        joined += text[at++];
    }
    return joined;
}

constexpr std::size_t longest_word = 18;  // __has_include_next
constexpr std::array<std::string_view, 3> time_words = {"__DATE__", "__TIME__", "__TIMESTAMP__"};
constexpr std::array<std::string_view, 3> file_words = {
    "__has_include", "__has_include_next", "__has_embed"};
constexpr std::array<std::string_view, 3> asm_words = {"asm", "__asm", "__asm__"};
// Attributes whose strings the compiler copies unchanged into its assembly.
constexpr std::array<std::string_view, 10> assembly_words = {"section",
                                                             "__section__",
                                                             "alias",
                                                             "__alias__",
                                                             "weakref",
                                                             "__weakref__",
                                                             "symver",
                                                             "__symver__",
                                                             "ifunc",
                                                             "__ifunc__"};

// Returns all substrings of all these words: the identifiers from which ## can make one of them. The set
// saves time, because sources are scanned before each cache hit and few of their identifiers are in it.
const std::unordered_set<std::string_view>& parts_of_words() {
    const auto make = [] {
        auto* const parts = new std::unordered_set<std::string_view>;  // never destroyed
        const auto add = [&](const auto& words) {
            for (const std::string_view word : words) {
                for (std::size_t begin = 0; begin < word.size(); ++begin) {
                    for (std::size_t length = 1; length <= word.size() - begin; ++length)
                        parts->insert(word.substr(begin, length));
                }
            }
        };
        add(time_words);
        add(file_words);
        add(asm_words);
        add(assembly_words);
        return parts;
    };
    static const auto* const parts = make();
    return *parts;
}

using Pieces = std::set<std::string, std::less<>>;

// Whether the word is a concatenation of two or more pieces.
bool is_pasted(std::string_view word, const Pieces& pieces) {
    std::vector<bool> ends(word.size() + 1);  // whether pieces can make the word up to here
    ends[0] = true;
    for (std::size_t begin = 0; begin < word.size(); ++begin) {
        for (const std::string& piece : pieces) {
            const bool is_whole = piece.size() == word.size();  // nothing is pasted
            if (ends[begin] && !is_whole && word.substr(begin).starts_with(piece))
                ends[begin + piece.size()] = true;
        }
    }
    return ends[word.size()];
}

template <std::size_t count>
bool is_any_pasted(const std::array<std::string_view, count>& words, const Pieces& pieces) {
    return std::any_of(
        words.begin(), words.end(), [&](std::string_view word) { return is_pasted(word, pieces); });
}

// Whether the statement after `asm` has no instructions, as in volatile("" ::: "memory").
bool is_empty_assembly(std::string_view rest) {
    constexpr std::string_view empty = "\"\"";
    const auto skip_blanks = [&] {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n("), rest.size()));
    };
    skip_blanks();
    for (const std::string_view word : {"volatile", "__volatile__"}) {
        if (rest.starts_with(word)) rest.remove_prefix(word.size());
    }
    skip_blanks();
    if (!rest.starts_with(empty)) return false;
    rest.remove_prefix(empty.size());
    const std::size_t next = rest.find_first_not_of(" \t\r\n");
    return next < rest.size() && (rest[next] == ':' || rest[next] == ')');
}

// Whether the options select a standard before C++11, in which R"( does not begin a raw string.
bool names_old_standard(const std::vector<std::string>& options) {
    return std::any_of(options.begin(), options.end(), [](std::string_view option) {
        return contains(option, "std=") && (option.ends_with("++98") || option.ends_with("++03"));
    });
}

}  // namespace

bool contains(std::string_view text, std::string_view word) noexcept {
    // memmem instead of std::string_view::find, which stops at every occurrence of the first letter. Sources
    // are long and are scanned before each cache hit.
    if (word.empty() || word.size() > text.size()) return word.empty();
    return ::memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

bool reads_files(std::string_view source, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        if (option.starts_with("-include") || option.starts_with("--include") ||
            option.starts_with("--pre-include") || option.starts_with("-pre-include") ||
            contains(option, "__has_include")) {
            // --include-path and -I only set where to search.
            if (!option.starts_with("--include-path")) return true;
        }
    }
    std::string room;
    const std::string_view joined = join_lines(source, room);
    if (contains(joined, "R\"") && names_old_standard(options)) return true;
    if (!contains(joined, "include") && !contains(joined, "import") && !contains(joined, "embed"))
        return false;
    return !find_includes(source).empty();
}

bool depends_on_time(std::string_view source, const std::vector<std::string>& options) {
    std::string room;
    const std::string_view joined = join_lines(source, room);
    return std::any_of(time_words.begin(), time_words.end(), [&](std::string_view word) {
        return contains(joined, word) ||
               std::any_of(options.begin(), options.end(), [&](const std::string& option) {
                   return contains(option, word);
               });
    });
}

void NamedWords::add(std::string_view text) {
    std::string room;
    const std::string_view joined = join_lines(text, room);
    pastes_ =
        pastes_ || contains(joined, "##") || contains(joined, "%:%:") || contains(joined, "?\?=");
    const std::unordered_set<std::string_view>& parts = parts_of_words();
    has_strings_ = has_strings_ || joined.find_first_of("\"#") != std::string_view::npos;
    for (std::size_t at = 0; at < joined.size();) {
        if (!is_word(joined[at])) {
            ++at;
            continue;
        }
        const std::size_t begin = at;
        while (at < joined.size() && is_word(joined[at])) ++at;
        const std::string_view word = joined.substr(begin, at - begin);
        if (word.size() > longest_word || !parts.contains(word)) continue;
        pieces_.emplace(word);
        if (is_one_of(word, asm_words) && !is_empty_assembly(joined.substr(at))) names_asm_ = true;
        if (is_one_of(word, assembly_words)) names_attribute_ = true;
    }
}

bool NamedWords::may_read_more() const {
    const bool has_assembler = assembler_ == AssemblerUse::reads_files;
    if (has_assembler && (names_asm_ || (names_attribute_ && has_strings_))) return true;
    if (!pastes_) return false;
    return is_any_pasted(time_words, pieces_) || is_any_pasted(file_words, pieces_) ||
           (has_assembler &&
            (is_any_pasted(asm_words, pieces_) || is_any_pasted(assembly_words, pieces_)));
}

}  // namespace kgen
