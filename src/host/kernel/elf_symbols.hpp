// SPDX-License-Identifier: MIT
//
// read_elf_symbols: the symbols of a shared object, those that are not exported included.
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
    std::string_view name;    // in the object's bytes
    std::uint64_t value = 0;  // of a function: its address less that of the loaded object
    std::uint64_t bytes = 0;
};

// Of these kinds, in no order; none if the bytes are no 64-bit ELF object with a table of symbols.
std::vector<ElfSymbol> read_elf_symbols(std::span<const std::byte> object);

}  // namespace kgen
