// SPDX-License-Identifier: MIT
//
// The functions of random numbers that bodies may call (kernel_templates/skeletons/prelude/random.cuh).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "text/word.hpp"

namespace kgen {

inline constexpr std::array<std::string_view, 6> random_names = {"random_bits",
                                                                 "random_uniform",
                                                                 "random_normal",
                                                                 "random_exponential",
                                                                 "random_integer",
                                                                 "kgen_philox"};

constexpr bool is_random_name(std::string_view word) {
    return std::find(random_names.begin(), random_names.end(), word) != random_names.end();
}

// Whether the text contains the name of one of the functions, perhaps in a comment.
inline bool names_random_function(std::string_view text) {
    return std::any_of(random_names.begin(), random_names.end(), [&](std::string_view name) {
        return find_word(text, name) != std::string_view::npos;
    });
}

}  // namespace kgen
