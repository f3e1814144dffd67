// SPDX-License-Identifier: MIT
//
// The operating system's limit on the memory mappings of a process (vm.max_map_count). Each loaded object
// takes a few of them. At the limit, malloc() and the start of threads fail as well.
#pragma once

#include <cstddef>
#include <string>

namespace kgen {

// Returns a sentence that names the limit and the remedy if too few mappings are left to load another object.
// Empty if enough are left or the limit is unknown. `loaded_objects` is the number of loaded objects. Takes
// about a microsecond per mapping.
std::string find_mapping_shortage(std::size_t loaded_objects);

}  // namespace kgen
