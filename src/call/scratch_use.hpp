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
    int counters = 0;
    std::size_t bytes = 0;   // of partial results
    std::size_t offset = 0;  // of FieldKind::scratch in the block

    // Whether the launch needs scratch memory.
    explicit operator bool() const noexcept { return counters > 0 || bytes > 0; }
    // Writes the addresses of the scratch memory to the block.
    void fill(std::span<std::byte> block, const Scratch& scratch) const noexcept;
};

ScratchUse scratch_use(const Variant& variant, const Runtime& runtime);

}  // namespace kgen
