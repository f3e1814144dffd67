// SPDX-License-Identifier: MIT
//
// find_deep_nesting: finds where a C++ text nests so deeply that a compiler that runs in this process (NVRTC)
// would overflow its stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace kgen {

// Number of nested brackets and prefix operators that are allowed. NVRTC 13.0 takes up to 3.3 KB of its
// thread's stack for each. clang limits them to 256 itself; g++ has no limit.
inline constexpr std::size_t deepest_nesting = 4000;

// Returns the offset of the first bracket or operator that nests deeper than `deepest`, or nothing. Brackets,
// casts, prefix operators, '=' and '?' each add a level. Comments and literals do not count. Takes linear
// time.
std::optional<std::size_t> find_deep_nesting(std::string_view text,
                                             std::size_t deepest = deepest_nesting);

}  // namespace kgen
