// SPDX-License-Identifier: MIT
//
// ReplacementFile: a file that atomically replaces another one. It is written in the directory of its target
// under a temporary name, and commit() renames it. So a reader sees either the old file or the whole new one,
// even after a crash. Without commit() the destructor removes the temporary file and the target is unchanged.
//
// A path that names an open file of this process (/dev/stdout, /dev/stderr, /dev/fd/3, /proc/self/fd/3) is not
// replaced. commit() writes to that file where it stands, as `>>` and pipes require. The bytes are in memory until
// then.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "file_descriptor.hpp"

namespace kgen {

class ReplacementFile {
public:
    // Creates the temporary file. If `path` is a symbolic link, the file that it points to is replaced, or
    // created. Throws IoError, whose message does not contain the path, if the target exists and is not a regular file
    // or if its directory cannot be written.
    explicit ReplacementFile(const std::string& path);
    ~ReplacementFile();
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;

    // Appends to the file.
    void write(const void* data, std::size_t bytes);
    // Replaces bytes that were written before.
    void overwrite(std::uint64_t offset, const void* data, std::size_t bytes);
    // Replaces the target. The destructor does not do this, because it would also replace the target by a
    // half-written file.
    void commit();

private:
    bool is_open_file() const noexcept { return target_.empty(); }

    std::string target_;  // empty: file_ is an open file of this process
    std::string temporary_;
    std::string bytes_;  // for an open file
    cache::FileDescriptor file_;
    std::uint64_t size_bytes_ = 0;
    ::mode_t mode_ = 0;  // of the file that is replaced; 0 if there is none
};

}  // namespace kgen
