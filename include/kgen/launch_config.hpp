// SPDX-License-Identifier: MIT
//
// LaunchConfig: the launch configuration of a RawKernel, in CUDA's terms.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kgen/stream.hpp>
#include <limits>
#include <optional>

namespace kgen {

// Up to three extents of a grid, a block or a cluster, from integers of any type: {blocks}, {16, 16}. Values
// are not truncated: the launch throws if an extent is too large.
struct LaunchDims {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t z = 1;

    constexpr LaunchDims() = default;
    template <std::integral X, std::integral Y = int, std::integral Z = int>
    constexpr LaunchDims(X x_extent, Y y_extent = 1, Z z_extent = 1) noexcept  // NOLINT: {blocks}
        : x(widen(x_extent)), y(widen(y_extent)), z(widen(z_extent)) {}

    // Total number of blocks or threads. Saturates at the largest int64.
    constexpr std::int64_t count() const noexcept {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        if (x <= 0 || y <= 0 || z <= 0) return 0;
        if (x > most / y || x * y > most / z) return most;
        return x * y * z;
    }
    friend constexpr bool operator==(const LaunchDims&, const LaunchDims&) = default;

private:
    template <std::integral T>
    static constexpr std::int64_t widen(T extent) noexcept {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t)) {
            constexpr auto most = static_cast<T>(std::numeric_limits<std::int64_t>::max());
            return static_cast<std::int64_t>(extent < most ? extent : most);
        } else {
            return static_cast<std::int64_t>(extent);
        }
    }
};

// The configuration of one launch.
//
//     saxpy.launch({.grid = {(n + 255) / 256}, .block = {256}}, 2.0f, x, y, z, n);
//
// A launch throws if its device does not support a field. The host does not support clusters of more than one
// block, `cooperative` and `programmatic_dependent`, and it ignores `priority`.
struct LaunchConfig {
    LaunchDims grid = {};               // thread blocks; an extent of 0 launches nothing
    LaunchDims block = {};              // threads per block
    std::int64_t shared_bytes = 0;      // dynamic shared memory per block
    std::optional<Stream> stream = {};  // default: current_stream() of the arrays' device
    LaunchDims cluster = {};            // blocks per cluster (sm_90 and newer)
    bool cooperative = false;           // all blocks run at once, so the grid can synchronize
    std::optional<int> priority = {};   // see StreamOptions; default: the stream's priority
    // Lets the kernel begin before the preceding kernel of the stream has ended. The kernel must wait for it
    // with cudaGridDependencySynchronize() (CUDA C++ Programming Guide, "Programmatic Dependent Launch").
    bool programmatic_dependent = false;
};

}  // namespace kgen
