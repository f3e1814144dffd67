// SPDX-License-Identifier: MIT
//
// list_directory: the names in a directory.
#pragma once

#include <string>
#include <vector>

namespace kgen::cache {

// Appends the names in that directory below `at`, without "." and "..", in no order. A link in its place
// is not followed. Returns 0 or errno.
int list_directory(int at, const char* path, std::vector<std::string>& names);

}  // namespace kgen::cache
