// SPDX-License-Identifier: MIT
//
// InputFile: an open regular file with random access. Error messages do not contain its path; the caller adds
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgen {

class InputFile {
public:
    // Opens the file. `kind` is the file type for messages (".npy"). Throws IoError if the file does not
    // exist or is a directory, a FIFO or a device. Never blocks on a FIFO or device.
    InputFile(const std::string& path, const char* kind);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    int descriptor() const noexcept { return descriptor_; }
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    // Returns the number of bytes that were read, which is less than `bytes` only at the end of the file.
    // Throws IoError.
    std::size_t read_at(std::uint64_t offset, void* buffer, std::size_t bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace kgen
