// SPDX-License-Identifier: MIT
//
// Where the dynamic loader would find a library by its name, without loading it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// The files that a cache written by ldconfig (the new format, glibc 2.2 and later) lists for a
// library name, in its order; those of other machines too. Nothing for bytes that are no such cache.
std::vector<std::string> find_in_loader_cache(std::string_view cache, std::string_view name);

// The bytes of /etc/ld.so.cache; empty if there is none.
std::string read_loader_cache();

}  // namespace kgen
