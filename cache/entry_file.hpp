// SPDX-License-Identifier: MIT
//
// Entry files below an open root directory: names, reading with all checks, and atomic writing. Files are
// never mapped, because reading a mapped file that another machine truncates would kill the process.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// Returns the path relative to the root: "v1/ab/cd...-0123456789abcdef.kgc".
std::string entry_file_path(const Digest& request, const Digest& producer);

// Appends the paths of all entry files of a request, sorted by name. There is one file for each producer
// (compiler) whose code for the request was stored. Returns 0 or errno.
int list_entry_files(int root, const Digest& request, std::vector<std::string>& paths);

struct ReadResult {
    std::optional<Entry> entry;
    MissReason reason = MissReason::none;
    std::string detail;
    // Identifies the opened file, to tell it from a newer one of the same name. All zero if none was opened.
    struct stat status {};
};

// Returns the miss for a failed system call.
ReadResult miss_of_errno(int error);

// Reads an entry with all checks. If `producer` is nullptr, the one in the file's name is expected.
ReadResult read_entry_file(int root,
                           const std::string& path,
                           const Digest& request,
                           const Digest* producer,
                           TrustMode trust);

// Access modes of new directories and files, regardless of the umask: for the user alone, and under
// TrustMode::group also for the directory's group.
mode_t directory_mode(TrustMode trust) noexcept;
mode_t file_mode(TrustMode trust) noexcept;

// Writes the file atomically and replaces a file of the same name. Returns 0 or errno. On failure nothing of
// the new file is left.
int write_entry_file(int root,
                     const std::string& path,
                     std::span<const std::byte> bytes,
                     TrustMode trust = TrustMode::owner);

// Opens a file for reading and writing. Creates it with file_mode(), empty, if it does not exist. On failure
// the result is not open, and errno is set.
FileDescriptor open_to_change(int root, const char* path, TrustMode trust);

// Creates CACHEDIR.TAG and the directory v1 in the root. Returns 0 or errno.
int make_layout(int root, TrustMode trust);

// Creates a directory with directory_mode(). Returns 0, EEXIST or another errno.
int make_directory_at(int root, const char* path, TrustMode trust = TrustMode::owner);

}  // namespace kgen::cache
