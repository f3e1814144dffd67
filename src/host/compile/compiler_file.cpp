// SPDX-License-Identifier: MIT
#include "host/compile/compiler_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "text/elf_identity.hpp"

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

    // Maps the whole file; the caller unmaps it. Empty if that fails.
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
    if (std::string id = read_elf_identity(path).build_id; !id.empty()) return id;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return fmt::format("size {} changed {}.{:09}",
                       static_cast<long long>(status.st_size),
                       static_cast<long long>(status.st_mtim.tv_sec),
                       static_cast<long long>(status.st_mtim.tv_nsec));
}

}  // namespace kgen
