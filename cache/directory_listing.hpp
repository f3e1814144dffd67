// SPDX-License-Identifier: MIT
//
// list_directory: lists the names in a directory.
#pragma once

#include <string>
#include <vector>

namespace kgen::cache {

// Appends the names in the directory `path` below `at`, except "." and "..", in no particular order. Fails if
// the last component of `path` is a symbolic link. Returns 0 or errno.
int list_directory(int at, const char* path, std::vector<std::string>& names);

}  // namespace kgen::cache
