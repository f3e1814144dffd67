// SPDX-License-Identifier: MIT
#include "host/compile/compiler_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <kgen/error.hpp>
#include <optional>
#include <string_view>

#include "digest.hpp"
#include "files/elf_identity.hpp"
#include "files/mapped_file.hpp"

namespace kgen {

std::string find_version(const std::string& path, const std::string& major) {
    std::optional<MappedFile> file;
    try {
        file.emplace(InputFile(path, {}), MappedFile::Reading::at_once);
    } catch (const IoError&) {
        return {};
    }
    const std::string_view text = cache::as_text({file->data(), file->size_bytes()});
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
