// SPDX-License-Identifier: MIT
//
// read_elf_symbols: reads the symbols of a shared object, including those that are not exported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kgen {

struct ElfSymbol {
    enum class Kind : std::uint8_t { function, thread_local_variable };
    Kind kind;
    std::string_view name;    // points into the object's bytes
    std::uint64_t value = 0;  // a function's address minus the load address
    std::uint64_t bytes = 0;
};

// Returns the symbols of these kinds in no particular order. Returns none if the bytes are not a 64-bit ELF
// object with a symbol table.
std::vector<ElfSymbol> read_elf_symbols(std::span<const std::byte> object);

}  // namespace kgen
