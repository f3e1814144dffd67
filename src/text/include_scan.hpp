// SPDX-License-Identifier: MIT
//
// find_includes: the names of the files that a C++ text may read, and where they stand in it.
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
    unknown,  // the name is made by a macro, or the search is one that kgen does not follow
};

struct IncludeUse {
    IncludeForm form = IncludeForm::unknown;
    std::string name;        // without its delimiters; empty if unknown
    std::size_t offset = 0;  // of the name with its delimiters; of the directive if unknown
    std::size_t length = 0;
    friend bool operator==(const IncludeUse&, const IncludeUse&) = default;
};

// Every #include and __has_include in the text, in order, whatever #if stands around it and however
// it is spelt (digraphs, comments and line continuations inside). In the condition of an #if any
// WORD(<name>) counts, since WORD may be a macro for __has_include. #include_next, #import and
// #embed are of unknown form. What compilers read in different ways adds a use of unknown form: trigraphs,
// and a backslash with blanks behind it if the uses depend on whether it joins lines. Linear in the text.
std::vector<IncludeUse> find_includes(std::string_view text);

}  // namespace kgen
