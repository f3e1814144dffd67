// SPDX-License-Identifier: MIT
//
// find_shared_arrays: finds the arrays in dynamic shared memory, whose size the launch gives.
#pragma once

#include <cstddef>
#include <vector>

#include "signature/code_tokens.hpp"

namespace kgen {

// A declaration `extern __shared__ T s[]`: the indices of its tokens `extern` and ';'.
struct ScannedSharedArray {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool in_function = true;
};

// Searches code and macro definitions. The result is sorted by position.
std::vector<ScannedSharedArray> find_shared_arrays(const std::vector<Token>& all,
                                                   const std::vector<TokenUse>& uses,
                                                   const CodeTokens& code);

}  // namespace kgen
