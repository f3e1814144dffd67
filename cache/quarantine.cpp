// SPDX-License-Identifier: MIT
#include "quarantine.hpp"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "entry_file.hpp"
#include "pack_file.hpp"
#include "store_scan.hpp"

namespace kgen::cache {

namespace {

constexpr const char* folder = "quarantine";

// Returns "quarantine/abcd..." for "v1/ab/cd...", and "quarantine/ab..." for "v1/packs/ab...".
std::string path_in_quarantine(const std::string& path) {
    if (const std::string name = path.substr(path.rfind('/') + 1); is_pack_file_name(name)) {
        return std::string(folder) + '/' + name;
    }
    return std::string(folder) + '/' + path.substr(3, 2) + path.substr(6);
}

void remove_oldest(int root) {
    std::vector<StoredFile> files = scan_quarantine(root).files;
    if (files.size() <= std::size_t{quarantine_capacity}) return;
    // Sort by the change time, which a move sets. The modification time is still that of the entry.
    std::sort(files.begin(), files.end(), [](const StoredFile& a, const StoredFile& b) {
        return to_ns(a.status.st_ctim) < to_ns(b.status.st_ctim);
    });
    files.resize(files.size() - quarantine_capacity);
    // An entry that was moved here may be an empty directory instead of a file. remove_if_unchanged() removes
    // that too.
    for (const StoredFile& file : files) remove_if_unchanged(root, file);
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
        // rename does not replace a directory by a file or a file by a directory. Remove the target and
        // retry.
        ::unlinkat(root, target.c_str(), S_ISDIR(status.st_mode) ? 0 : AT_REMOVEDIR);
        if (::renameat(root, path.c_str(), root, target.c_str()) != 0) return false;
    }
    remove_oldest(root);
    return true;
}

}  // namespace kgen::cache
