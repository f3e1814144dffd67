// SPDX-License-Identifier: MIT
//
// nearest_name: the suggestion in "did you mean" messages.
#pragma once

#include <kgen/export.hpp>
#include <span>
#include <string_view>

namespace kgen {

// Returns the valid name with the smallest edit distance to `name`, ignoring case (insertions, deletions,
// replacements and swaps of neighbours). Empty if all distances exceed a third of the length of `name`, or if
// `name` is longer than 64 characters.
KGEN_EXPORT std::string_view nearest_name(std::string_view name,
                                          std::span<const std::string_view> valid);

}  // namespace kgen
