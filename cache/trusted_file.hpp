// SPDX-License-Identifier: MIT
//
// Files below a trusted directory: opening them, and checking whether they can be trusted.
#pragma once

#include <sys/stat.h>

#include <string>

#include "store_settings.hpp"

namespace kgen::cache {

// Opens a file for reading. Does not follow a link or wait for a FIFO's writer. Returns -1 and sets errno on
// failure.
int open_to_read(int directory, const char* path);

// Returns why a file is not trusted; empty if it is trusted.
std::string distrust_file(const struct stat& status, TrustMode trust);

}  // namespace kgen::cache
