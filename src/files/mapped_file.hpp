// SPDX-License-Identifier: MIT
//
// MappedFile: a whole file mapped as read-only memory. By default pages are read from the disk
// on first access.
#pragma once

#include <cstddef>

#include "files/input_file.hpp"

namespace kgen {

class MappedFile {
public:
    // `at_once`: all pages are read when the file is mapped.
    enum class Reading : bool { on_access, at_once };

    // Maps the file, which may be closed afterwards. Throws IoError, also for an empty file.
    explicit MappedFile(const InputFile& file, Reading reading = Reading::on_access);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::byte* data() const noexcept { return static_cast<const std::byte*>(address_); }
    std::size_t size_bytes() const noexcept { return bytes_; }

private:
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace kgen
