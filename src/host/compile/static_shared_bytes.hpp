// SPDX-License-Identifier: MIT
//
// static_shared_bytes: the size of a kernel's __shared__ variables. On the host they are thread-local
// variables of functions, and their mangled names begin with the name of their function.
#pragma once

#include <cstdint>
#include <vector>

#include "files/elf_file.hpp"

namespace kgen {

struct StaticSharedBytes {
    std::int64_t own = 0;
    // Includes the variables of all functions that are not kernels, because it is unknown which of them the
    // kernel calls.
    std::int64_t all = 0;
};

// Returns the sizes for each kernel of a shared object. `kernels` holds the values of the kernels' symbols.
// Takes linear time.
std::vector<StaticSharedBytes> static_shared_bytes(const ElfFile& object,
                                                   const std::vector<std::uint64_t>& kernels);

}  // namespace kgen
