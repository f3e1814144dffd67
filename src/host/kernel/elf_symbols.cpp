// SPDX-License-Identifier: MIT
#include "host/kernel/elf_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <optional>

namespace kgen {

namespace {

// Copies a T from the offset. Returns nothing if it reaches beyond the end.
template <typename T>
std::optional<T> read(std::span<const std::byte> object, std::uint64_t offset) {
    if (offset > object.size() || sizeof(T) > object.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, object.data() + offset, sizeof(T));
    return value;
}

std::string_view name_at(std::span<const std::byte> object,
                         const Elf64_Shdr& names,
                         std::uint64_t offset) {
    const std::uint64_t end = names.sh_offset + names.sh_size;
    const std::uint64_t begin = names.sh_offset + offset;
    if (end > object.size() || end < names.sh_offset || begin >= end) return {};
    const std::string_view rest(reinterpret_cast<const char*>(object.data()) + begin, end - begin);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace

std::vector<ElfSymbol> read_elf_symbols(std::span<const std::byte> object) {
    std::vector<ElfSymbol> symbols;
    const auto header = read<Elf64_Ehdr>(object, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64) {
        return symbols;
    }
    for (unsigned k = 0; k < header->e_shnum; ++k) {
        const auto section = read<Elf64_Shdr>(object, header->e_shoff + k * sizeof(Elf64_Shdr));
        if (!section || section->sh_type != SHT_SYMTAB) continue;
        const auto names =
            read<Elf64_Shdr>(object, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
        if (!names) continue;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size;
             at += sizeof(Elf64_Sym)) {
            const auto symbol = read<Elf64_Sym>(object, section->sh_offset + at);
            if (!symbol) break;
            const auto type = ELF64_ST_TYPE(symbol->st_info);
            if (type != STT_FUNC && type != STT_TLS) continue;
            symbols.push_back({type == STT_FUNC ? ElfSymbol::Kind::function
                                                : ElfSymbol::Kind::thread_local_variable,
                               name_at(object, *names, symbol->st_name),
                               symbol->st_value,
                               symbol->st_size});
        }
    }
    return symbols;
}

}  // namespace kgen
