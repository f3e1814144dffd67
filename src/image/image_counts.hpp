// SPDX-License-Identifier: MIT
//
// Counts of what was compiled and refused in this process. The store keeps counts of its own.
#pragma once

#include <atomic>
#include <cstdint>

namespace kgen {

struct ImageCounts {
    std::atomic<std::uint64_t> compiles{0};          // of the compiles
    std::atomic<std::uint64_t> compile_failures{0};  // compiles that failed
    std::atomic<std::uint64_t> driver_rejections{0};
};

inline ImageCounts& image_counts() noexcept {
    static ImageCounts counts;
    return counts;
}

}  // namespace kgen
