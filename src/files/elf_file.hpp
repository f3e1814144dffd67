// SPDX-License-Identifier: MIT
//
// ElfFile: reads the tables of a 64-bit ELF file: a library, a host object or a cubin. The file may be
// damaged: what would lie outside of it is missing or empty.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kgen {

class ElfFile {
public:
    // `bytes` must outlive this object. If they are only the beginning of the open file `file`, read() and
    // copy() read the rest from it.
    explicit ElfFile(std::string_view bytes, int file = -1);
    ElfFile(const ElfFile&) = delete;
    ElfFile& operator=(const ElfFile&) = delete;

    // False if the file is not 64-bit ELF. It then has no sections and no symbols.
    bool is_valid() const noexcept { return header_.has_value(); }
    const Elf64_Ehdr& header() const noexcept { return *header_; }

    // Returns false if the range is not inside the file.
    bool copy(std::uint64_t offset, void* destination, std::size_t bytes) const noexcept;
    template <typename T>
    std::optional<T> read(std::uint64_t offset) const noexcept {
        T value;
        return copy(offset, &value, sizeof value) ? std::optional(value) : std::nullopt;
    }

    const std::vector<Elf64_Shdr>& sections() const noexcept { return sections_; }
    std::optional<Elf64_Phdr> segment(std::size_t index) const noexcept {
        return read<Elf64_Phdr>(header_->e_phoff + index * sizeof(Elf64_Phdr));
    }
    std::string_view contents(const Elf64_Shdr& section) const noexcept;
    std::string_view name_of(const Elf64_Shdr& section) const noexcept {
        return text_at(header_->e_shstrndx, section.sh_name);
    }

    // Returns the symbols of .symtab in its order. They include symbols that are not exported.
    std::vector<Elf64_Sym> symbols() const;
    std::string_view name_of(const Elf64_Sym& symbol) const noexcept {
        return text_at(symbols_->sh_link, symbol.st_name);
    }

private:
    std::string_view text_at(std::size_t section, std::uint64_t offset) const noexcept;

    std::string_view bytes_;
    int file_;
    std::optional<Elf64_Ehdr> header_;
    std::vector<Elf64_Shdr> sections_;
    const Elf64_Shdr* symbols_ = nullptr;  // an ELF file has at most one table of symbols
};

}  // namespace kgen
