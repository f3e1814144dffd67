// SPDX-License-Identifier: MIT
//
// find_active: which tokens of a program a preprocessor would keep, as far as its text tells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

enum class TokenUse : std::uint8_t {
    code,
    directive,
    skipped,  // under an #if that is false for certain
};

// A header's macros may come from the file that includes it.
enum class TextPlace : std::uint8_t { source, header };

// One for each token. What the text does not tell counts as code: a macro of a header or of the
// compiler, whose name begins with two underscores. `options` are the user's, of which -D and -U
// count; `predefined` are macros with the value 1 or as given: "__CUDA_ARCH__=700".
std::vector<TokenUse> find_active(const TokenList& tokens,
                                  TextPlace place,
                                  const std::vector<std::string>& options,
                                  const std::vector<std::string>& predefined);

// The macros that the options define and undefine: "N" of -DN=4, "-D" "N=4", --define-macro=N=4.
struct MacroOption {
    std::string name;
    std::string value;       // as the text would be: "1" where none is given
    std::string parameters;  // "(x)" of a macro that takes some
    bool is_defined = true;
};
std::vector<MacroOption> macro_options(const std::vector<std::string>& options);

}  // namespace kgen
