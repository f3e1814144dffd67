// SPDX-License-Identifier: MIT
//
// find_active: predicts from the text alone which tokens of a program a preprocessor keeps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

enum class TokenUse : std::uint8_t {
    code,
    directive,
    skipped,  // under an #if that is certainly false
};

// Whether the text is a source or a header. A header may use macros of the file that includes it.
enum class TextPlace : std::uint8_t { source, header };

// Returns one use for each token. If a condition cannot be decided from the text, because it names a macro
// of an included file or of the compiler (two leading underscores), all its branches count as code.
// `options` are the user's; only -D and -U are read. `predefined` are further macros, with the value 1
// ("__CUDACC__") or the given one ("__CUDA_ARCH__=700").
std::vector<TokenUse> find_active(TokenSpan tokens,
                                  TextPlace place,
                                  const std::vector<std::string>& options,
                                  const std::vector<std::string>& predefined);

// A macro that an option defines or undefines: "N" in -DN=4, in "-D" "N=4" and in --define-macro=N=4.
struct MacroOption {
    std::string name;
    std::string value;       // replacement text; "1" if the option gives none
    std::string parameters;  // "(x)" if the macro takes arguments, else empty
    bool is_defined = true;
};
std::vector<MacroOption> macro_options(const std::vector<std::string>& options);

}  // namespace kgen
