// SPDX-License-Identifier: MIT
#include "image/cubin_resources.hpp"

#include <kgen/error.hpp>
#include <map>
#include <unordered_map>

#include "files/elf_file.hpp"
#include "image/cuda_binary.hpp"

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

class Cubin : public ElfFile {
public:
    explicit Cubin(std::string_view bytes) : ElfFile(bytes) {
        for (const Elf64_Shdr& section : sections()) by_name_[name_of(section)] = section;
    }

    const Elf64_Shdr* find(std::string_view name) const {
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : &found->second;
    }

private:
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
