// SPDX-License-Identifier: MIT
//
// The quarantine: where damaged and refused entries go, so that they are out of use but can be looked
// at. It keeps the newest few.
#pragma once

#include <sys/stat.h>

#include <string>

#include "store_settings.hpp"

namespace kgen::cache {

inline constexpr int quarantine_capacity = 16;

// Moves "v1/ab/cd...kgc" below the open root to "quarantine/abcd...kgc", and likewise a pack,
// "v1/packs/ab...kgp", whatever kind of file it is, and removes the oldest beyond the capacity. If `seen` says which file is meant (st_ino is not 0)
// and another one has that name by now, nothing is done. False if it was not moved.
bool move_to_quarantine(int root,
                        const std::string& path,
                        const struct stat& seen,
                        TrustMode trust = TrustMode::owner);

}  // namespace kgen::cache
