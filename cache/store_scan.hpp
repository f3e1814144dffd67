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

// The file CACHEDIR.TAG in the root. It makes backup programs skip the directory, and code that removes files
// checks it to be sure that the directory belongs to kgen. It is written before any other file.

inline constexpr std::string_view directory_tag_name = "CACHEDIR.TAG";
inline constexpr std::string_view directory_tag_text =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# kgen: compiled kernels, made anew when they are missing; see https://bford.info/cachedir/\n";

enum class TagOwner : std::uint8_t {
    kgen,        // tagged by any version of kgen
    nobody_yet,  // empty except for tags that are being written
    not_kgen,    // not empty, and without a tag of kgen
};

struct TagResult {
    TagOwner owner = TagOwner::not_kgen;
    int error = 0;  // errno, if the directory could not be read
};

// Finds out whether the directory is kgen's, still empty, or used by something else. Other processes may be
// creating a cache in it at the same time.
TagResult look_for_tag(int root);

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
