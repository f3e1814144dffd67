// SPDX-License-Identifier: MIT
//
// What lies below an open root: the files whose names are the store's own, and no others. All that
// removes files starts from here, so nothing else is ever removed.
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
    struct stat status {};  // of the name itself: links are not followed

    std::uint64_t size_bytes() const noexcept;
    bool is_regular() const noexcept { return S_ISREG(status.st_mode); }
};

// Nanoseconds since 1970.
std::int64_t to_ns(const struct timespec& time) noexcept;

struct StoreScan {
    std::vector<StoredFile> files;  // in the order of their paths
    int error = 0;                  // errno of the first directory that could not be read
};

// The entries, packs and temporary files in v1, and temporary files beside it.
StoreScan scan_entries(int root);
// The packs and temporary files in v1/packs alone.
StoreScan scan_packs(int root);
StoreScan scan_quarantine(int root);

// What a file of that name in a shard ("v1/ab") is; nothing if it is not the store's.
std::optional<FileKind> kind_in_shard(std::string_view name) noexcept;

// The request of "v1/ab/cd...-0123456789abcdef.kgc"; nothing if the path is not an entry's.
std::optional<Digest> request_of_path(std::string_view path);

// Removes the file if it is still the one that was seen: a newer one of that name stays. False if it
// was not removed.
bool remove_if_unchanged(int root, const StoredFile& file) noexcept;

}  // namespace kgen::cache
