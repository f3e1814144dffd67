// SPDX-License-Identifier: MIT
#include "pack_bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kgen::cache {

int MemoryBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return -1;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return 0;
}

int FileBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
    while (!out.empty()) {
        const ssize_t count =
            ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(offset));
        if (count == 0) return -1;
        if (count > 0) {
            out = out.subspan(static_cast<std::size_t>(count));
            offset += static_cast<std::uint64_t>(count);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

}  // namespace kgen::cache
