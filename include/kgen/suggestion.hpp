// SPDX-License-Identifier: MIT
//
// "did you mean": the nearest of the valid names.
#pragma once

#include <kgen/export.hpp>
#include <span>
#include <string_view>

namespace kgen {

// The valid name with the smallest edit distance (insertions, deletions, replacements and swaps of
// neighbours) to `name`, ignoring case; empty if none is near enough to be meant: more than a third
// of its length away.
KGEN_EXPORT std::string_view nearest_name(std::string_view name,
                                          std::span<const std::string_view> valid);

}  // namespace kgen
