// SPDX-License-Identifier: MIT
//
// Finds what the result of compiling a source depends on besides its own bytes. In doubt the answer is yes: a
// wrong yes costs a compile, while a wrong no would return stale code from the cache.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

bool contains(std::string_view text, std::string_view word) noexcept;

// Whether compiling reads other files: by #include, #import, #embed or __has_include in any spelling
// (digraphs, trigraphs, comments and line continuations inside the directive), or by an option that includes
// a file. A text with R" under a standard before C++11 counts too, because that standard has no raw strings
// and so sees directives in what find_includes takes for one.
bool reads_files(std::string_view source, const std::vector<std::string>& options);

// Whether the text or an option names __DATE__, __TIME__ or __TIMESTAMP__.
bool depends_on_time(std::string_view source, const std::vector<std::string>& options);

enum class AssemblerUse : std::uint8_t {
    none,
    reads_files,  // as g++'s assembler does for .incbin; ptxas does not
};

// Collects the words of all texts of one program, because a macro in one text can paste (##) names from
// another. Finds whether the program may read files or the time by names that no single text spells out.
class NamedWords {
public:
    explicit NamedWords(AssemblerUse assembler) : assembler_(assembler) {}

    void add(std::string_view text);
    void add(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) add(text);
    }
    // Adds a header whose macros may paste names that other texts pass to them. Its own words need not be
    // added, because it hides no such names itself.
    void add_pasting_header() { pastes_ = true; }

    // Whether pasting words of the texts with ## can make __DATE__, __TIME__, __TIMESTAMP__, __has_include,
    // __has_include_next or __has_embed. With AssemblerUse::reads_files, also whether the texts pass text to
    // the assembler by asm or an attribute, spelled out or pasted.
    bool may_read_more() const;

private:
    const AssemblerUse assembler_;
    bool pastes_ = false;
    bool has_strings_ = false;
    bool names_asm_ = false;
    bool names_attribute_ = false;  // whose string the compiler copies into the assembly
    std::set<std::string, std::less<>> pieces_;  // identifiers that are parts of such words
};

}  // namespace kgen
