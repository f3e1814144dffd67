// SPDX-License-Identifier: MIT
#include "host/build_id.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace kgen {
namespace {

class ReadOnlyFile {
public:
    explicit ReadOnlyFile(const std::string& path) noexcept
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~ReadOnlyFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    ReadOnlyFile(const ReadOnlyFile&) = delete;
    ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;

    bool read(void* to, std::size_t bytes, std::uint64_t offset) const noexcept {
        return descriptor_ >= 0 && ::pread(descriptor_, to, bytes, static_cast<off_t>(offset)) ==
                                       static_cast<ssize_t>(bytes);
    }

    // All of the file, to be unmapped by the caller; empty if that fails.
    std::string_view map() const noexcept {
        struct stat status {};
        if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0 || status.st_size <= 0) return {};
        const auto bytes = static_cast<std::size_t>(status.st_size);
        void* at = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor_, 0);
        if (at == MAP_FAILED) return {};
        return {static_cast<const char*>(at), bytes};
    }

private:
    int descriptor_;
};

constexpr std::size_t most_headers = 64;
constexpr std::size_t most_note_bytes = 4096;

// The build-id among the notes of a PT_NOTE segment; empty if it is not there.
std::string build_id_in(const std::vector<unsigned char>& notes) {
    std::size_t at = 0;
    while (at + sizeof(ElfW(Nhdr)) <= notes.size()) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes.data() + at, sizeof note);
        const std::size_t name_at = at + sizeof note;
        const std::size_t data_at = name_at + ((std::size_t{note.n_namesz} + 3) & ~std::size_t{3});
        const std::size_t end = data_at + ((std::size_t{note.n_descsz} + 3) & ~std::size_t{3});
        if (end > notes.size()) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz > 0 &&
            std::memcmp(notes.data() + name_at, "GNU", 4) == 0) {
            std::string hex;
            for (std::size_t k = 0; k < note.n_descsz; ++k) {
                hex += fmt::format("{:02x}", notes[data_at + k]);
            }
            return hex;
        }
        at = end;
    }
    return {};
}

std::string build_id(const std::string& path) {
    const ReadOnlyFile file(path);
    ElfW(Ehdr) header;
    if (!file.read(&header, sizeof header, 0)) return {};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
    if (header.e_phentsize != sizeof(ElfW(Phdr))) return {};
    std::array<ElfW(Phdr), most_headers> segments;
    const std::size_t count = std::min<std::size_t>(header.e_phnum, most_headers);
    if (!file.read(segments.data(), count * sizeof(ElfW(Phdr)), header.e_phoff)) return {};
    for (std::size_t k = 0; k < count; ++k) {
        const ElfW(Phdr)& segment = segments[k];
        if (segment.p_type != PT_NOTE || segment.p_filesz > most_note_bytes) continue;
        std::vector<unsigned char> notes(segment.p_filesz);
        if (!file.read(notes.data(), notes.size(), segment.p_offset)) continue;
        if (std::string id = build_id_in(notes); !id.empty()) return id;
    }
    return {};
}

}  // namespace

std::string find_version(const std::string& path, const std::string& major) {
    const ReadOnlyFile file(path);
    const std::string_view text = file.map();
    const std::string wanted = '\0' + major + '.';
    std::string version;
    for (std::size_t at = 0; version.empty() && at < text.size(); ++at) {
        // memmem is many times faster than string_view::find.
        const void* found =
            ::memmem(text.data() + at, text.size() - at, wanted.data(), wanted.size());
        if (found == nullptr) break;
        at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        const std::string_view candidate =
            text.substr(at + 1, text.find_first_not_of("0123456789.", at + 1) - at - 1);
        if (std::count(candidate.begin(), candidate.end(), '.') == 2) version = candidate;
    }
    if (!text.empty()) ::munmap(const_cast<char*>(text.data()), text.size());
    return version;
}

std::string identify_file(const std::string& path) {
    if (std::string id = build_id(path); !id.empty()) return id;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return fmt::format("size {} changed {}.{:09}",
                       static_cast<long long>(status.st_size),
                       static_cast<long long>(status.st_mtim.tv_sec),
                       static_cast<long long>(status.st_mtim.tv_nsec));
}

}  // namespace kgen
