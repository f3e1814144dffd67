// SPDX-License-Identifier: MIT
//
// Reads the dynamic loader's cache, to find the file of a library by its name without loading it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Returns the files that a cache of ldconfig (the new format, glibc 2.2 and later) lists for a library name,
// in the order of the cache. Files for other machine architectures are included. Empty if `cache` is not such
// a cache.
std::vector<std::string> find_in_loader_cache(std::string_view cache, std::string_view name);

// Returns the bytes of /etc/ld.so.cache; empty if the file cannot be read.
std::string read_loader_cache();

}  // namespace kgen
