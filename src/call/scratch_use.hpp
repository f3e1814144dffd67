// SPDX-License-Identifier: MIT
//
// ScratchUse: the scratch memory that one launch needs, and the offset of its field in the parameter block.
#pragma once

#include <cstddef>
#include <span>

#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "plan/plan.hpp"

namespace kgen {

struct ScratchUse {
    // Number of counters and of other words of 4 bytes that are zero between launches.
    std::size_t counters = 0;
    std::size_t bytes = 0;   // size of the partial results
    std::size_t offset = 0;  // offset of the field FieldKind::scratch in the parameter block

    // Returns whether the launch needs scratch memory.
    explicit operator bool() const noexcept { return counters > 0 || bytes > 0; }
    // Writes the addresses of `scratch` into the parameter block.
    void fill(std::span<std::byte> block, const Scratch& scratch) const noexcept;
};

// Returns the scratch memory that one launch of the variant needs, according to the plan's runtime half.
ScratchUse scratch_use(const Variant& variant, const Runtime& runtime);

}  // namespace kgen
