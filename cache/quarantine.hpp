// SPDX-License-Identifier: MIT
//
// The quarantine: a folder for damaged and rejected entries. They are no longer used but can be inspected. It
// keeps the 16 newest.
#pragma once

#include <sys/stat.h>

#include <string>

#include "store_settings.hpp"

namespace kgen::cache {

inline constexpr int quarantine_capacity = 16;

// Moves an entry "v1/ab/cd...kgc" below the open root to "quarantine/abcd...kgc", or a pack
// "v1/packs/ab...kgp" to "quarantine/ab...kgp", whatever type of file it is. Then removes the oldest files
// beyond the capacity. If seen.st_ino is not 0, `seen` identifies the file, and nothing is done if another
// file has its name now. Returns whether the file was moved.
bool move_to_quarantine(int root,
                        const std::string& path,
                        const struct stat& seen,
                        TrustMode trust = TrustMode::owner);

}  // namespace kgen::cache
