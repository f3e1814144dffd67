// SPDX-License-Identifier: MIT
//
// static_shared_bytes: how many bytes of __shared__ variables a kernel has. On the host they are
// thread-local variables of functions, whose mangled names begin with that of their function.
#pragma once

#include <cstdint>
#include <vector>

#include "host/elf_symbols.hpp"

namespace kgen {

// Of each kernel, whose symbol has that value: its own, and those of functions that are no kernels, as
// which of these it calls is not known.
std::vector<std::int64_t> static_shared_bytes(const std::vector<ElfSymbol>& symbols,
                                              const std::vector<std::uint64_t>& kernels);

// Of the function at `kernel` alone.
std::int64_t own_shared_bytes(const std::vector<ElfSymbol>& symbols, std::uint64_t kernel);

}  // namespace kgen
