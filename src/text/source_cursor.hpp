// SPDX-License-Identifier: MIT
//
// SourceCursor: a position in a C++ text. It skips comments, literals and joints as a whole, as lexers do. A
// joint is a backslash at the end of a line together with its line break. The compiler removes joints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/word.hpp"

namespace kgen {

constexpr bool is_word_character(char c) noexcept {
    return is_word(c) || (c & 0x80) != 0;
}
constexpr bool is_word_start(char c) noexcept {
    return is_word_character(c) && !is_digit(c);
}
// Whether the character is a blank within a line. A NUL counts as a blank, because g++ treats it as one.
constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}
// Whether the word is the prefix of a raw string: R"(...)".
constexpr bool is_raw_prefix(std::string_view word) noexcept {
    return is_one_of(word, std::array<std::string_view, 5>{"R", "u8R", "uR", "UR", "LR"});
}

// Whether a backslash followed by blanks joins lines, as it does in g++ and clang but not in NVRTC.
enum class BlankJoints : std::uint8_t { join, keep };

// Base class of lexers. A lexer takes time in proportion to the length of the text, regardless of how often
// it calls these functions.
class SourceCursor {
public:
    explicit SourceCursor(std::string_view text, BlankJoints blank_joints = BlankJoints::keep)
        : text_(text), takes_blank_joints_(blank_joints == BlankJoints::join) {}

protected:
    // Returns the character at the cursor, or a line break at the end of the text.
    char current() const { return at_ < text_.size() ? text_[at_] : '\n'; }

    bool skip_joint();
    void skip_joints() {
        while (skip_joint()) {
        }
    }
    // Advances to the next line break that is not part of a joint.
    void skip_line();
    // Skips the comment that begins with the '/' at the cursor. Returns false and does not move if there is
    // no comment.
    bool skip_comment();
    // Advances from the opening quote of a literal to the position behind the closing quote. Stops at the end
    // of the line, because text that an #if excludes may contain a single quote.
    void skip_literal();
    // Advances from the opening quote of a raw string to the position behind it. Returns false and does not
    // move if it is not a raw string or is not closed.
    bool skip_raw_string();

    // Returns the length of the joint at the offset `at`, or 0 if there is none.
    std::size_t joint_at(std::size_t at) const;

    std::string_view text_;
    std::size_t at_ = 0;
    bool is_closed_ = true;  // whether the last skipped comment or literal is closed

private:
    const bool takes_blank_joints_;
    bool has_open_raw_string_ = false;
};

}  // namespace kgen
