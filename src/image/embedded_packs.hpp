// SPDX-License-Identifier: MIT
//
// The packs that are part of the program (EmbeddedPack), as places of the process's store.
#pragma once

#include "store.hpp"

namespace kgen {

// Adds those to the store that were announced since the last call. Costs one load if there are none.
// Thread safe; there is one store.
void add_embedded_packs(cache::Store& store);

}  // namespace kgen
