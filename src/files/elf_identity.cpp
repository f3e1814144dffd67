// SPDX-License-Identifier: MIT
#include "files/elf_identity.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "file_descriptor.hpp"
#include "files/elf_file.hpp"

namespace kgen {

namespace {

#if defined(__x86_64__)
constexpr auto this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto this_machine = EM_AARCH64;
#else
#error "shared libraries are told apart for x86_64 and aarch64 only"
#endif

// note = { name size, description size, type, name padded to 4, description padded to 4 }
std::string build_id_in(const unsigned char* notes, std::size_t size) {
    const auto padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
    std::size_t at = 0;
    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        const std::size_t name_size = padded(note.n_namesz);
        const std::size_t value_size = padded(note.n_descsz);
        if (name_size > size - at || value_size > size - at - name_size) return {};
        const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes + at, "GNU", 4) == 0;
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID) {
            const unsigned char* id = notes + at + name_size;
            return fmt::format("{:02x}", fmt::join(id, id + note.n_descsz, ""));
        }
        at += name_size + value_size;
    }
    return {};
}

}  // namespace

ElfIdentity read_elf_identity(const std::string& path) {
    ElfIdentity identity;
    const cache::FileDescriptor file = cache::open_to_read(path);
    identity.exists = file.is_open();
    // The program headers and the build-id usually lie in the first bytes.
    std::array<char, 4096> head;
    int error = 0;
    const std::size_t size =
        cache::read_range(file.get(), 0, std::as_writable_bytes(std::span(head)), error);
    const ElfFile elf({head.data(), size}, file.get());
    if (!elf.is_valid() || elf.header().e_phentsize != sizeof(Elf64_Phdr)) return identity;
    identity.is_loadable = elf.header().e_type == ET_DYN && elf.header().e_machine == this_machine;
    for (std::size_t index = 0; index < elf.header().e_phnum; ++index) {
        const auto segment = elf.segment(index);
        identity.is_loadable = identity.is_loadable && segment.has_value();
        std::array<unsigned char, 4096> notes;
        if (!segment || segment->p_type != PT_NOTE || segment->p_filesz > notes.size() ||
            !elf.copy(segment->p_offset, notes.data(), segment->p_filesz)) {
            continue;
        }
        identity.build_id = build_id_in(notes.data(), segment->p_filesz);
        if (!identity.build_id.empty()) break;
    }
    return identity;
}

}  // namespace kgen
