// SPDX-License-Identifier: MIT
//
// Numbers of compiles and of rejected images in this process. cache_statistics() adds the store's own counts.
#pragma once

#include <atomic>
#include <cstdint>

#include "device/compiler.hpp"

namespace kgen {

struct ImageCounts {
    std::atomic<std::uint64_t> compiles{0};           // all compiles, also those that failed
    std::atomic<std::uint64_t> compile_failures{0};   // compiles that failed
    std::atomic<std::uint64_t> driver_rejections{0};  // cached images that the driver rejected
};

inline ImageCounts& image_counts() noexcept {
    static ImageCounts counts;
    return counts;
}

// Compiles a job and counts it for cache_statistics(). All compiles go through it. See Compiler::compile.
inline Image counted_compile(const Compiler& compiler, const CompileJob& job) {
    ++image_counts().compiles;
    try {
        return compiler.compile(job);
    } catch (...) {
        ++image_counts().compile_failures;
        throw;
    }
}

}  // namespace kgen
