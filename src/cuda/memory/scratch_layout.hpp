// SPDX-License-Identifier: MIT
//
// ScratchLayout: divides one block of device memory into the scratch memory of a launch: first the counters,
// then the partials (see CudaScratch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "device/backend.hpp"

namespace kgen {

// The purpose of the memory, for out-of-memory messages.
inline constexpr const char* scratch_purpose = "scratch memory for a reduction";

struct ScratchLayout {
    std::size_t counter_bytes = 0;  // size of the counters, which must be zeroed; a multiple of 256
    std::size_t bytes = 0;          // size of the block; the largest size_t if the sum overflows

    ScratchLayout(std::size_t counters, std::size_t partial_bytes) noexcept
        : counter_bytes((counters * sizeof(std::uint32_t) + 255) / 256 * 256),
          bytes(partial_bytes <= std::numeric_limits<std::size_t>::max() - counter_bytes
                    ? counter_bytes + partial_bytes
                    : std::numeric_limits<std::size_t>::max()) {}

    Scratch in(void* block) const noexcept {
        return {static_cast<std::uint32_t*>(block), static_cast<std::byte*>(block) + counter_bytes};
    }
};

}  // namespace kgen
