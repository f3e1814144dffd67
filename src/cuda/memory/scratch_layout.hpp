// SPDX-License-Identifier: MIT
//
// How one block of device memory is cut into the scratch of a launch: the counters, then the partials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "device/backend.hpp"

namespace kgen {

// For messages: what memory that is not there was for.
inline constexpr const char* scratch_purpose = "scratch memory for a reduction";

struct ScratchLayout {
    std::size_t counter_bytes = 0;  // to be zero; a multiple of 256
    std::size_t bytes = 0;          // of the block; more than there is where the sum overflows

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
