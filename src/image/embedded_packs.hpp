// SPDX-License-Identifier: MIT
//
// The packs that are embedded in the program (EmbeddedPack), as places of the process's store.
#pragma once

#include "store.hpp"

namespace kgen {

// Adds the packs to the store that were announced since the last call. Costs one load if there are none.
// Thread-safe. Must always be called with the same store.
void add_embedded_packs(cache::Store& store);

}  // namespace kgen
