// SPDX-License-Identifier: MIT
#include <algorithm>

#include "image/included_files.hpp"
namespace kgen {
std::string explain_missing_header(std::string_view, const IncludeRequest&, const IncludedFiles&) {
    return {};
}
}  // namespace kgen
