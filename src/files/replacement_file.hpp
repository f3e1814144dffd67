// SPDX-License-Identifier: MIT
//
// ReplacementFile: a new file that takes the place of another at once. It is written beside its target
// under a name of its own; commit() renames it, so that a reader sees the whole new file or the old
// one, also after a crash. Without commit() the target stays as it was and nothing is left.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgen {

class ReplacementFile {
public:
    // A symbolic link is followed: the file that it names is replaced. Throws IoError, without naming
    // the path, if the target is no regular file or its folder cannot be written.
    explicit ReplacementFile(const std::string& path);
    ~ReplacementFile();
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;

    void write(const void* data, std::size_t bytes);
    // Replaces bytes that were written before; what is written next still goes to the end.
    void overwrite(std::uint64_t offset, const void* data, std::size_t bytes);
    // Not left to the destructor: a file half written would take the target's place.
    void commit();

private:
    std::string target_;
    std::string temporary_;
    int descriptor_ = -1;
    ::mode_t mode_ = 0;  // of the file that is replaced; 0: there is none
};

}  // namespace kgen
