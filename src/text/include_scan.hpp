// SPDX-License-Identifier: MIT
//
// find_includes: finds the names of the files that a C++ text may read, and their offsets in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

enum class IncludeForm : std::uint8_t {
    quoted,   // #include "x.h"
    angled,   // #include <x.h>
    unknown,  // a macro makes the name, or kgen does not follow this kind of directive
};

// A place in a text that may read a file.
struct IncludeUse {
    IncludeForm form = IncludeForm::unknown;
    std::string name;        // without its delimiters; empty if unknown
    std::size_t offset = 0;  // of the name with its delimiters; of the directive if unknown
    std::size_t length = 0;  // in bytes
    friend bool operator==(const IncludeUse&, const IncludeUse&) = default;
};

// Returns every #include and __has_include in the text, in order, in any spelling (digraphs, comments and
// line continuations inside) and including those that an #if leaves out. In the condition of an #if, any
// WORD(<name>) counts, because WORD may be a macro for __has_include. #include_next, #import and #embed have
// the form unknown. Spellings that compilers read in different ways add a use of unknown form: trigraphs, and
// a backslash followed by blanks if the result depends on whether it joins lines. Takes linear time.
std::vector<IncludeUse> find_includes(std::string_view text);

}  // namespace kgen
