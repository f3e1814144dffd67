// SPDX-License-Identifier: MIT
#include "quarantine.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "entry_file.hpp"
#include "file_descriptor.hpp"
#include "pack_file.hpp"

namespace kgen::cache {

namespace {

constexpr const char* folder = "quarantine";

// "v1/ab/cd..." -> "quarantine/abcd...", "v1/packs/ab..." -> "quarantine/ab..."
std::string path_in_quarantine(const std::string& path) {
    if (const std::string name = path.substr(path.rfind('/') + 1); is_pack_file_name(name)) {
        return std::string(folder) + '/' + name;
    }
    return std::string(folder) + '/' + path.substr(3, 2) + path.substr(6);
}

bool is_kept_name(std::string_view name) {
    if (is_pack_file_name(name)) return true;
    return name.size() == 64 + 1 + 16 + 4 && name.ends_with(".kgc");
}

void remove_oldest(int root) {
    FileDescriptor file(::openat(root, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) return;
    const int number = file.get();
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(number), ::closedir);
    if (directory == nullptr) return;
    file.release();

    // By the change time: moving a file sets it, while the modification time stays that of its making.
    std::vector<std::pair<std::pair<time_t, long>, std::string>> files;
    while (const dirent* item = ::readdir(directory.get())) {
        struct stat status {};
        if (is_kept_name(item->d_name) &&
            ::fstatat(number, item->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            files.push_back({{status.st_ctim.tv_sec, status.st_ctim.tv_nsec}, item->d_name});
        }
    }
    if (files.size() <= std::size_t{quarantine_capacity}) return;
    std::sort(files.begin(), files.end());
    files.resize(files.size() - quarantine_capacity);
    for (const auto& [time, name] : files) {
        // A directory that somebody put in an entry's place goes too, if it is empty.
        if (::unlinkat(number, name.c_str(), 0) != 0) {
            ::unlinkat(number, name.c_str(), AT_REMOVEDIR);
        }
    }
}

}  // namespace

bool move_to_quarantine(int root,
                        const std::string& path,
                        const struct stat& seen,
                        TrustMode trust) {
    struct stat status {};
    if (::fstatat(root, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (seen.st_ino != 0 && (seen.st_ino != status.st_ino || seen.st_dev != status.st_dev)) {
        return false;
    }
    const int error = make_directory_at(root, folder, trust);
    if (error != 0 && error != EEXIST) return false;
    const std::string target = path_in_quarantine(path);
    if (::renameat(root, path.c_str(), root, target.c_str()) != 0) {
        // A file does not replace a directory, nor a directory a file: make room and try again.
        ::unlinkat(root, target.c_str(), S_ISDIR(status.st_mode) ? 0 : AT_REMOVEDIR);
        if (::renameat(root, path.c_str(), root, target.c_str()) != 0) return false;
    }
    remove_oldest(root);
    return true;
}

}  // namespace kgen::cache
