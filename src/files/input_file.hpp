// SPDX-License-Identifier: MIT
//
// InputFile: an open regular file with random access. Error messages do not contain its path; the caller adds
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "file_descriptor.hpp"

namespace kgen {

class InputFile {
public:
    // Opens the file. `expected` ends the message for a directory, "is a directory", and may be empty. Throws
    // IoError if the file does not exist or is a directory, a FIFO or a device. Never blocks on a FIFO or
    // device.
    InputFile(const std::string& path, std::string_view expected);

    int descriptor() const noexcept { return file_.get(); }
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

    // Returns the number of bytes that were read, which is less than `bytes` only at the end of the file.
    // Throws IoError.
    std::size_t read_at(std::uint64_t offset, void* buffer, std::size_t bytes) const;
    // Returns exactly `bytes` bytes. Throws IoError, also if the file has fewer.
    std::string read_text(std::uint64_t offset, std::size_t bytes) const;

private:
    cache::FileDescriptor file_;
    std::uint64_t size_bytes_ = 0;
};

}  // namespace kgen
