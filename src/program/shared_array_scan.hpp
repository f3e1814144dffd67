// SPDX-License-Identifier: MIT
//
// find_shared_arrays: the arrays in shared memory whose size the launch names.
#pragma once

#include <cstddef>
#include <vector>

#include "signature/code_tokens.hpp"

namespace kgen {

// A declaration `extern __shared__ T s[]`: the numbers of its tokens `extern` and ';'.
struct ScannedSharedArray {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool in_function = true;
};

// In the order of the text, in code and in macros alike.
std::vector<ScannedSharedArray> find_shared_arrays(const std::vector<Token>& all,
                                                   const std::vector<TokenUse>& uses,
                                                   const CodeTokens& code);

}  // namespace kgen
