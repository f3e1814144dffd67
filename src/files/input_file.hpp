// SPDX-License-Identifier: MIT
//
// InputFile: an open regular file, read at any place. Messages do not name its path: the caller does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgen {

class InputFile {
public:
    // `kind` is for messages: ".npy". Throws IoError if there is no such file, or if it is a folder, a
    // FIFO or a device; it never waits for one.
    InputFile(const std::string& path, const char* kind);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    // Returns how many bytes were read: fewer than asked for at the end of the file alone. Throws IoError.
    std::size_t read_at(std::uint64_t offset, void* buffer, std::size_t bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace kgen
