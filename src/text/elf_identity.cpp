// SPDX-License-Identifier: MIT
#include "text/elf_identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace kgen {

namespace {

#if defined(__x86_64__)
constexpr auto this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto this_machine = EM_AARCH64;
#else
#error "shared libraries are told apart for x86_64 and aarch64 only"
#endif

// The first bytes of a file. The program headers and the build-id usually lie in them.
struct Head {
    int file = -1;
    std::array<unsigned char, 4096> bytes = {};
    std::size_t size = 0;
};

// Reads `size` bytes at `offset`, from the head if it contains them, else from the file.
bool read_at(const Head& head, std::size_t offset, void* destination, std::size_t size) {
    if (offset <= head.size && size <= head.size - offset) {
        std::memcpy(destination, head.bytes.data() + offset, size);
        return true;
    }
    return ::pread(head.file, destination, size, static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(size);
}

// note = { name size, description size, type, name padded to 4, description padded to 4 }
std::string build_id_in(const unsigned char* notes, std::size_t size) {
    const auto padded = [](std::size_t length) { return (length + 3) & ~std::size_t{3}; };
    std::size_t at = 0;
    while (size - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes + at, sizeof note);
        at += sizeof note;
        const std::size_t name_size = padded(note.n_namesz);
        const std::size_t value_size = padded(note.n_descsz);
        if (name_size > size - at || value_size > size - at - name_size) return {};
        const bool is_gnu = note.n_namesz == 4 && std::memcmp(notes + at, "GNU", 4) == 0;
        if (is_gnu && note.n_type == NT_GNU_BUILD_ID) {
            constexpr const char* digits = "0123456789abcdef";
            std::string text;
            for (std::size_t k = 0; k < note.n_descsz; ++k) {
                const unsigned char byte = notes[at + name_size + k];
                text += digits[byte >> 4];
                text += digits[byte & 15];
            }
            return text;
        }
        at += name_size + value_size;
    }
    return {};
}

void read_identity(const Head& head, ElfIdentity& identity) {
    ElfW(Ehdr) header;
    if (!read_at(head, 0, &header, sizeof header)) return;
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr))) {
        return;
    }
    identity.is_loadable = header.e_type == ET_DYN && header.e_machine == this_machine;
    for (std::size_t index = 0; index < header.e_phnum; ++index) {
        ElfW(Phdr) segment;
        if (!read_at(head, header.e_phoff + index * sizeof segment, &segment, sizeof segment)) {
            identity.is_loadable = false;
            return;
        }
        std::array<unsigned char, 4096> notes;
        if (segment.p_type != PT_NOTE || segment.p_filesz > notes.size()) continue;
        const auto size = static_cast<std::size_t>(segment.p_filesz);
        if (!read_at(head, segment.p_offset, notes.data(), size)) continue;
        identity.build_id = build_id_in(notes.data(), size);
        if (!identity.build_id.empty()) return;
    }
}

}  // namespace

ElfIdentity read_elf_identity(const std::string& path) {
    ElfIdentity identity;
    Head head;
    head.file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (head.file < 0) return identity;
    identity.exists = true;
    const ssize_t size = ::pread(head.file, head.bytes.data(), head.bytes.size(), 0);
    if (size > 0) {
        head.size = static_cast<std::size_t>(size);
        read_identity(head, identity);
    }
    ::close(head.file);
    return identity;
}

}  // namespace kgen
