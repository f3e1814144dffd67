// SPDX-License-Identifier: MIT
#include "directory_listing.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "file_descriptor.hpp"

namespace kgen::cache {

int list_directory(int at, const char* path, std::vector<std::string>& names) {
    FileDescriptor file(::openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) return errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(file.get()), ::closedir);
    if (directory == nullptr) return errno;
    file.release();
    errno = 0;
    while (const dirent* item = ::readdir(directory.get())) {
        const std::string_view name = item->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        errno = 0;
    }
    return errno;
}

}  // namespace kgen::cache
