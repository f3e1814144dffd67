// SPDX-License-Identifier: MIT
#include "files/elf_file.hpp"

#include <cstring>
#include <span>

#include "file_descriptor.hpp"

namespace kgen {

namespace {

// Limit for damaged files, which may have thousands of overlapping names. No compiler makes longer names.
constexpr std::size_t longest_name = 1 << 14;

}  // namespace

ElfFile::ElfFile(std::string_view bytes, int file) : bytes_(bytes), file_(file) {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64) {
        return;
    }
    header_ = header;
    if (file_ >= 0) return;
    for (std::uint64_t k = 0; k < header->e_shnum; ++k) {
        const auto section = read<Elf64_Shdr>(header->e_shoff + k * sizeof(Elf64_Shdr));
        if (!section) break;
        sections_.push_back(*section);
    }
    for (const Elf64_Shdr& section : sections_) {
        if (section.sh_type == SHT_SYMTAB && symbols_ == nullptr) symbols_ = &section;
    }
}

bool ElfFile::copy(std::uint64_t offset, void* destination, std::size_t bytes) const noexcept {
    if (offset <= bytes_.size() && bytes <= bytes_.size() - offset) {
        std::memcpy(destination, bytes_.data() + offset, bytes);
        return true;
    }
    const std::span<std::byte> target(static_cast<std::byte*>(destination), bytes);
    return file_ >= 0 && cache::read_all(file_, offset, target) == 0;
}

std::string_view ElfFile::contents(const Elf64_Shdr& section) const noexcept {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
}

std::vector<Elf64_Sym> ElfFile::symbols() const {
    if (symbols_ == nullptr) return {};
    const std::string_view table = contents(*symbols_);
    std::vector<Elf64_Sym> symbols(table.size() / sizeof(Elf64_Sym));
    if (!symbols.empty())
        std::memcpy(symbols.data(), table.data(), symbols.size() * sizeof(Elf64_Sym));
    return symbols;
}

std::string_view ElfFile::text_at(std::size_t section, std::uint64_t offset) const noexcept {
    if (section >= sections_.size()) return {};
    const std::string_view text = contents(sections_[section]);
    if (offset >= text.size()) return {};
    const std::string_view rest = text.substr(offset, longest_name);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace kgen
