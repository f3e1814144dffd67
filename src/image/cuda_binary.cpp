// SPDX-License-Identifier: MIT
#include "image/cuda_binary.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <kgen/error.hpp>

#include "files/elf_file.hpp"

namespace kgen {

namespace {

constexpr std::uint16_t cuda_machine = 190;   // EM_CUDA
constexpr unsigned char newer_osabi = 0x41;   // since CUDA 13; 0x33 before it
constexpr std::uint32_t accelerated = 0x800;  // sm_90a, in files before CUDA 13

// Header of a fatbin. CUDA's fatbinary_section.h describes the struct that points to it.
struct FatbinHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t payload_bytes;
};
static_assert(sizeof(FatbinHeader) == 16);
constexpr std::uint32_t fatbin_magic = 0xba55ed50;

[[noreturn]] void throw_truncated(std::string_view bytes, const char* part, std::uint64_t end) {
    throw IoError(fmt::format(
        "truncated: its {} would end at byte {}, the file has {}", part, end, bytes.size()));
}

// Throws unless `size` bytes at `offset` lie in the file.
void check_range(std::string_view bytes,
                 const char* part,
                 std::uint64_t offset,
                 std::uint64_t size) {
    if (offset <= bytes.size() && size <= bytes.size() - offset) return;
    // An end that overflows counts as the largest offset.
    const std::uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    throw_truncated(bytes, part, end);
}

void check_tables(std::string_view bytes, const ElfFile& file) {
    const Elf64_Ehdr& header = file.header();
    if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))
        throw IoError("damaged: its section headers have a wrong size");
    if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr))
        throw IoError("damaged: its program headers have a wrong size");
    check_range(bytes,
                "table of sections",
                header.e_shoff,
                std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
    check_range(bytes,
                "table of segments",
                header.e_phoff,
                std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr));
    for (const Elf64_Shdr& section : file.sections()) {
        if (section.sh_type != SHT_NOBITS)
            check_range(bytes, "sections", section.sh_offset, section.sh_size);
    }
    for (std::size_t k = 0; k < header.e_phnum; ++k) {
        const Elf64_Phdr segment = file.segment(k).value();
        check_range(bytes, "segments", segment.p_offset, segment.p_filesz);
    }
}

std::string arch_of(const Elf64_Ehdr& header) {
    const std::uint32_t flags = header.e_flags;
    if (header.e_ident[EI_OSABI] == newer_osabi) return fmt::format("sm_{}", (flags >> 8) & 0xff);
    return fmt::format("sm_{}{}", flags & 0xff, (flags & accelerated) != 0 ? "a" : "");
}

}  // namespace

std::string check_cubin(std::string_view bytes) {
    if (bytes.size() < sizeof(Elf64_Ehdr)) throw_truncated(bytes, "header", sizeof(Elf64_Ehdr));
    const ElfFile file(bytes);
    if (!file.is_valid() || file.header().e_ident[EI_DATA] != ELFDATA2LSB ||
        file.header().e_machine != cuda_machine) {
        throw IoError(
            "is an ELF file for another machine, such as an object file of a host compiler: "
            "expected a cubin\n"
            "nvcc -cubin and nvcc -fatbin write only device code");
    }
    check_tables(bytes, file);
    if (file.header().e_type == ET_REL) {
        throw IoError(
            "is a relocatable cubin, which is not linked yet: expected one that can be loaded\n"
            "compile without -rdc=true and -dc, or link it with nvcc -dlink -cubin");
    }
    return arch_of(file.header());
}

bool is_fatbin(std::string_view bytes) {
    return bytes.size() >= sizeof fatbin_magic && read_at<std::uint32_t>(bytes, 0) == fatbin_magic;
}

void check_fatbin(std::string_view bytes) {
    check_range(bytes, "header", 0, sizeof(FatbinHeader));
    const auto header = read_at<FatbinHeader>(bytes, 0);
    if (header.header_bytes < sizeof header || header.payload_bytes == 0)
        throw IoError("damaged: it is a fatbin without code");
    check_range(bytes, "code", header.header_bytes, header.payload_bytes);
}

}  // namespace kgen
