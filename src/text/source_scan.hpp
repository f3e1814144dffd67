// SPDX-License-Identifier: MIT
//
// What a source depends on beside its own bytes. Errs on the safe side: a "yes" costs a compile, a
// wrong "no" would serve stale code from the cache.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

bool contains(std::string_view text, std::string_view word) noexcept;

// Whether compiling reads other files: #include and its kin in any spelling (digraphs, trigraphs,
// comments and line continuations inside the directive), __has_include, an option that includes a file,
// or a standard before C++11, for which the text has other literals.
bool reads_files(std::string_view source, const std::vector<std::string>& options);

// Whether the text or an option names __DATE__, __TIME__ or __TIMESTAMP__.
bool depends_on_time(std::string_view source, const std::vector<std::string>& options);

enum class AssemblerUse : std::uint8_t {
    none,
    reads_files,  // as g++'s does for .incbin; ptxas does not
};

// What several texts of one program name together: a macro of one pastes what another gives it.
class NamedWords {
public:
    explicit NamedWords(AssemblerUse assembler) : assembler_(assembler) {}

    void add(std::string_view text);
    void add(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) add(text);
    }
    // A header whose macros may paste, and that pastes nothing hidden itself.
    void add_pasting_header() { pastes_ = true; }

    // Whether ## can make words of the texts into a name of the time or into __has_include. For
    // AssemblerUse::reads_files also whether the texts give text of theirs to the assembler, by asm or an
    // attribute, be it by ##.
    bool may_read_more() const;

private:
    const AssemblerUse assembler_;
    bool pastes_ = false;
    bool has_strings_ = false;
    bool names_asm_ = false;
    bool names_attribute_ = false;  // one whose string gets into the assembly
    std::set<std::string, std::less<>>
        pieces_;  // identifiers that are a part of a word that matters
};

}  // namespace kgen
