// SPDX-License-Identifier: MIT
//
// Entry files below an open root directory: their names, reading with every check, writing whole or
// not at all. Never mmap: a file that another machine truncates would kill the process.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"
#include "find_result.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

// "v1/ab/cd...-0123456789abcdef.kgc", relative to the root.
std::string entry_file_path(const Digest& request, const Digest& producer);

// Appends the entries of that request by any producer, in the order of their names. Returns 0 or
// errno.
int list_entry_files(int root, const Digest& request, std::vector<std::string>& paths);

struct ReadResult {
    std::optional<Entry> entry;
    MissReason reason = MissReason::none;
    std::string detail;
    // What was opened, to tell it from a newer file of the same name; all zero if nothing was.
    struct stat status {};
};

// The miss that a failed system call stands for.
ReadResult miss_of_errno(int error);

// Reads the entry; without a producer, whichever the file's name says.
ReadResult read_entry_file(int root,
                           const std::string& path,
                           const Digest& request,
                           const Digest* producer,
                           TrustMode trust);

// What new directories and files may be used for and by whom, whatever the umask: the user alone, or
// under TrustMode::group the directory's group as well.
mode_t directory_mode(TrustMode trust) noexcept;
mode_t file_mode(TrustMode trust) noexcept;

// Makes the file with these bytes in place of any of that name. Returns 0 or errno; then nothing of
// it is left.
int write_entry_file(int root,
                     const std::string& path,
                     std::span<const std::byte> bytes,
                     TrustMode trust = TrustMode::owner);

// Makes what stands in every root: the directory v1 and CACHEDIR.TAG. Returns 0 or errno.
int make_layout(int root, TrustMode trust);

// mkdirat. Returns 0, EEXIST or another errno.
int make_directory_at(int root, const char* path, TrustMode trust = TrustMode::owner);

}  // namespace kgen::cache
