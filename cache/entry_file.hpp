// SPDX-License-Identifier: MIT
//
// Entry files below an open root directory: their names, reading with every check, writing whole or
// not at all. Never mmap: a file that another machine truncates would kill the process.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"
#include "store.hpp"

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

// Makes the file with these bytes, mode 0600 whatever the umask, in place of any of that name.
// Returns 0 or errno; then nothing of it is left.
int write_entry_file(int root, const std::string& path, std::span<const std::byte> bytes);

// mkdirat with mode 0700 whatever the umask. Returns 0, EEXIST or another errno.
int make_directory_at(int root, const char* path);

}  // namespace kgen::cache
