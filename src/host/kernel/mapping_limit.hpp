// SPDX-License-Identifier: MIT
//
// The kernel's limit of memory mappings of a process (vm.max_map_count), of which each loaded object takes
// a few. At the limit nothing works any more, malloc() and new threads neither.
#pragma once

#include <cstddef>
#include <string>

namespace kgen {

// What stands in the way of loading one more object, where so many are loaded: a sentence that names the limit
// and the remedy. Empty if the process is well below the limit, or nothing is known. Takes a microsecond a
// mapping.
std::string find_mapping_shortage(std::size_t loaded_objects);

}  // namespace kgen
