// SPDX-License-Identifier: MIT
//
// static_shared_bytes: how many bytes of __shared__ variables a kernel has. On the host they are
// thread-local variables of functions, whose mangled names begin with that of their function.
#pragma once

#include <cstdint>
#include <vector>

#include "host/kernel/elf_symbols.hpp"

namespace kgen {

struct StaticSharedBytes {
    std::int64_t own = 0;
    // Includes the variables of all functions that are no kernels, because it is not known which of them
    // the kernel calls.
    std::int64_t all = 0;
};

// For each kernel, given by the value of its symbol. Linear.
std::vector<StaticSharedBytes> static_shared_bytes(const std::vector<ElfSymbol>& symbols,
                                                   const std::vector<std::uint64_t>& kernels);

}  // namespace kgen
