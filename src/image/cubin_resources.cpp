// SPDX-License-Identifier: MIT
#include "image/cubin_resources.hpp"

#include <elf.h>

#include <cstring>
#include <kgen/error.hpp>
#include <map>
#include <optional>
#include <unordered_map>

#include "image/cuda_binary.hpp"
#include "image/read_at.hpp"

namespace kgen {

namespace {

// Records in .nv.info: { format u8, attribute u8, value u16 } or { .., bytes u16, payload }. The meaning of
// the attributes was checked against ptxas -v for sm_80, sm_90 and sm_120 of CUDA 13.
constexpr std::uint8_t sized_format = 0x04;
constexpr std::uint8_t frame_size_attribute = 0x11;      // { symbol u32, bytes u32 }
constexpr std::uint8_t register_count_attribute = 0x2f;  // { symbol u32, count u32 }
constexpr unsigned char entry_flag = 0x10;               // st_other of a kernel
// Since sm_90 the size of .nv.shared.<kernel> includes this much shared memory that the system reserves.
constexpr std::int64_t reserved_shared_bytes = 1024;
// Limit for damaged files, which may have thousands of overlapping names. No compiler makes longer names.
constexpr std::size_t longest_name = 1 << 14;

class Cubin {
public:
    explicit Cubin(std::string_view bytes) : bytes_(bytes) {
        const auto header = read<Elf64_Ehdr>(0);
        if (!header) return;
        for (std::uint64_t k = 0; k < header->e_shnum; ++k) {
            const auto section = read<Elf64_Shdr>(header->e_shoff + k * sizeof(Elf64_Shdr));
            if (section) sections_.push_back(*section);
        }
        if (header->e_shstrndx >= sections_.size()) return;
        for (const Elf64_Shdr& section : sections_) {
            by_name_[text_at(sections_[header->e_shstrndx], section.sh_name)] = section;
        }
    }

    const Elf64_Shdr* find(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : &found->second;
    }

    template <typename T>
    std::optional<T> read(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof value);
        return value;
    }

    std::string_view contents(const Elf64_Shdr& section) const {
        if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
        return bytes_.substr(section.sh_offset, section.sh_size);
    }

    std::string_view text_at(const Elf64_Shdr& strings, std::uint64_t offset) const {
        const std::string_view text = contents(strings);
        if (offset >= text.size()) return {};
        const std::string_view rest = text.substr(offset, longest_name);
        return rest.substr(0, rest.find('\0'));
    }

    std::vector<Elf64_Sym> symbols() const {
        std::vector<Elf64_Sym> symbols;
        const Elf64_Shdr* section = find(".symtab");
        if (section == nullptr) return symbols;
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= contents(*section).size();
             at += sizeof(Elf64_Sym)) {
            if (const auto symbol = read<Elf64_Sym>(section->sh_offset + at)) {
                symbols.push_back(*symbol);
            }
        }
        return symbols;
    }

    std::string_view name_of(const Elf64_Sym& symbol) const {
        const Elf64_Shdr* strings = find(".strtab");
        return strings == nullptr ? std::string_view() : text_at(*strings, symbol.st_name);
    }

private:
    std::string_view bytes_;
    std::vector<Elf64_Shdr> sections_;
    std::unordered_map<std::string_view, Elf64_Shdr> by_name_;
};

struct SymbolCounts {
    std::map<std::uint32_t, std::uint32_t> registers;
    std::map<std::uint32_t, std::uint32_t> frame_bytes;
};

SymbolCounts read_counts(std::string_view info) {
    SymbolCounts counts;
    while (info.size() >= 4) {
        const auto format = static_cast<std::uint8_t>(info[0]);
        const auto attribute = static_cast<std::uint8_t>(info[1]);
        const auto size =
            format == sized_format ? read_at<std::uint16_t>(info, 2) : std::uint16_t{0};
        info.remove_prefix(4);
        if (size > info.size()) break;
        if (size == 8) {
            const auto symbol = read_at<std::uint32_t>(info, 0);
            const auto value = read_at<std::uint32_t>(info, 4);
            if (attribute == register_count_attribute) counts.registers[symbol] = value;
            if (attribute == frame_size_attribute) counts.frame_bytes[symbol] = value;
        }
        info.remove_prefix(size);
    }
    return counts;
}

std::int64_t shared_bytes_of(const Cubin& cubin, const std::string& symbol) {
    const Elf64_Shdr* section = cubin.find(".nv.shared." + symbol);
    if (section == nullptr) return 0;
    const auto bytes = static_cast<std::int64_t>(section->sh_size);
    const bool has_reserved = cubin.find(".nv.shared.reserved.0") != nullptr;
    return has_reserved && bytes >= reserved_shared_bytes ? bytes - reserved_shared_bytes : bytes;
}

}  // namespace

std::vector<CubinKernel> cubin_resources(std::string_view bytes) {
    try {
        check_cubin(bytes);
    } catch (const IoError&) {
        return {};
    }
    const Cubin cubin(bytes);
    const Elf64_Shdr* info = cubin.find(".nv.info");
    if (info == nullptr) return {};
    SymbolCounts counts = read_counts(cubin.contents(*info));
    std::vector<CubinKernel> kernels;
    const std::vector<Elf64_Sym> symbols = cubin.symbols();
    std::size_t name_bytes = 0;
    for (std::uint32_t k = 0; k < symbols.size(); ++k) {
        const Elf64_Sym& symbol = symbols[k];
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || (symbol.st_other & entry_flag) == 0)
            continue;
        CubinKernel kernel;
        kernel.symbol = cubin.name_of(symbol);
        name_bytes += kernel.symbol.size();
        if (name_bytes > bytes.size()) break;  // the names overlap
        kernel.registers = counts.registers[k];
        kernel.stack_bytes = counts.frame_bytes[k];
        kernel.shared_bytes = shared_bytes_of(cubin, kernel.symbol);
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

}  // namespace kgen
