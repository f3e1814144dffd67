// SPDX-License-Identifier: MIT
//
// Files below a directory that is trusted: opening them, and whether their contents may be believed.
#pragma once

#include <sys/stat.h>

#include <string>

#include "store_settings.hpp"

namespace kgen::cache {

// Opens for reading, no link, without waiting. -1 and errno if that fails.
int open_to_read(int directory, const char* path);

// Why a file's contents are not to be believed; empty if they are.
std::string distrust_file(const struct stat& status, TrustMode trust);

}  // namespace kgen::cache
