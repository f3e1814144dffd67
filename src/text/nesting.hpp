// SPDX-License-Identifier: MIT
//
// find_deep_nesting: where a C++ text nests so deeply that a compiler within the process would run out of
// stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kgen {

// NVRTC 13.0 takes up to 3.3 KB of its thread's stack for each. clang's own limit is 256, g++ has none.
inline constexpr std::size_t deepest_nesting = 4000;

// The place of the bracket, or of the operator in a row of prefix operators and casts, that is one too many
// within the ones before it; nothing if there is none. Comments and literals do not count. Linear.
std::optional<std::size_t> find_deep_nesting(std::string_view text,
                                             std::size_t deepest = deepest_nesting);

}  // namespace kgen
