// SPDX-License-Identifier: MIT
#include "pack_bytes.hpp"

#include <algorithm>

namespace kgen::cache {

int MemoryBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) return -1;
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
    return 0;
}

}  // namespace kgen::cache
