// SPDX-License-Identifier: MIT
//
// Scans of an open root: they list the files whose names have the layout of a store, and no others. All code
// that removes files starts from such a scan, so no other file is ever removed.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "digest.hpp"

namespace kgen::cache {

enum class FileKind : std::uint8_t { entry, pack, temporary, quarantined };

struct StoredFile {
    std::string path;  // relative to the root
    FileKind kind = FileKind::entry;
    struct stat status {};  // status of the name itself; links are not followed

    std::uint64_t size_bytes() const noexcept;
    bool is_regular() const noexcept { return S_ISREG(status.st_mode); }
};

// Returns nanoseconds since 1970.
std::int64_t to_ns(const struct timespec& time) noexcept;

struct StoreScan {
    std::vector<StoredFile> files;  // in the order of their paths
    int error = 0;                  // errno of the first directory that could not be read
};

// Lists entries, packs and temporary files in v1, and temporary files in the root.
StoreScan scan_entries(int root);
// Lists only the packs and temporary files in v1/packs.
StoreScan scan_packs(int root);
StoreScan scan_quarantine(int root);

// Returns the kind of a file in a shard (a directory such as "v1/ab") by its name, or nothing if the name is
// foreign.
std::optional<FileKind> kind_in_shard(std::string_view name) noexcept;

// Returns the request of a path such as "v1/ab/cd...-0123456789abcdef.kgc", or nothing if it is not that of
// an entry.
std::optional<Digest> request_of_path(std::string_view path);

// Removes the file unless it has changed or was replaced since the scan. Returns whether it was removed.
bool remove_if_unchanged(int root, const StoredFile& file) noexcept;

}  // namespace kgen::cache
