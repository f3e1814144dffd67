// SPDX-License-Identifier: MIT
//
// LaunchConfig: how a RawKernel is launched, in CUDA's terms.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kgen/stream.hpp>
#include <limits>
#include <optional>

namespace kgen {

// Up to three extents of a grid, a block or a cluster, from integers of any type: {blocks},
// {16, 16}. What does not fit is refused by the launch, not cut off.
struct LaunchDims {
    std::int64_t x = 1;
    std::int64_t y = 1;
    std::int64_t z = 1;

    constexpr LaunchDims() = default;
    template <std::integral X, std::integral Y = int, std::integral Z = int>
    constexpr LaunchDims(X x_extent, Y y_extent = 1, Z z_extent = 1) noexcept  // NOLINT: {blocks}
        : x(widen(x_extent)), y(widen(y_extent)), z(widen(z_extent)) {}

    // Blocks or threads in all; saturates.
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

//     saxpy.launch({.grid = {(n + 255) / 256}, .block = {256}}, 2.0f, x, y, z, n);
//
// What a device does not have is refused by the launch: on the host these are `cluster` beyond one
// block, `cooperative` and `programmatic_dependent`; `priority` means nothing there.
struct LaunchConfig {
    LaunchDims grid = {};               // blocks; an extent of 0 launches nothing
    LaunchDims block = {};              // threads of a block
    std::int64_t shared_bytes = 0;      // dynamic shared memory of a block
    std::optional<Stream> stream = {};  // current_stream() of the arrays' device
    LaunchDims cluster = {};            // blocks of a cluster (sm_90 and newer)
    bool cooperative = false;           // all blocks run at once, so that the grid can synchronize
    std::optional<int> priority = {};   // as of Stream::create; the stream's unless given
    // May begin before the kernel before it in the stream has ended; the kernel itself waits with
    // cudaGridDependencySynchronize() (CUDA C++ Programming Guide, "Programmatic Dependent Launch").
    bool programmatic_dependent = false;
};

}  // namespace kgen
