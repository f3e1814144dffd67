// SPDX-License-Identifier: MIT
//
// MappedFile: a whole file as read-only memory. Pages are read when they are first touched.
#pragma once

#include <cstddef>

#include "files/input_file.hpp"

namespace kgen {

class MappedFile {
public:
    // The descriptor may be closed afterwards. Throws IoError.
    explicit MappedFile(const InputFile& file);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::byte* data() const noexcept { return static_cast<const std::byte*>(address_); }

private:
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace kgen
