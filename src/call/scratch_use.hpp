// SPDX-License-Identifier: MIT
//
// ScratchUse: what one launch takes of scratch memory, and where its parameter block says so.
#pragma once

#include <cstddef>
#include <span>

#include "call/variant_table.hpp"
#include "device/backend.hpp"
#include "plan/plan.hpp"

namespace kgen {

struct ScratchUse {
    int counters = 0;
    std::size_t bytes = 0;
    std::size_t offset = 0;  // of FieldKind::scratch in the block

    // Whether the launch needs any.
    explicit operator bool() const noexcept { return counters > 0 || bytes > 0; }
    void fill(std::span<std::byte> block, const Scratch& scratch) const noexcept;
};

ScratchUse scratch_use(const Variant& variant, const Runtime& runtime);

}  // namespace kgen
