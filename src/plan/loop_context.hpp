// SPDX-License-Identifier: MIT
//
// LoopContext: the input from which an elementwise loop is chosen and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/plan.hpp"

namespace kgen {

struct LoopContext {
    const PlanRequest& request;
    std::span<const std::size_t> arrays;  // indices of the operands that are walked
    Walk& walk;                           // shared_tiles reorders its axes
    Dims& index_strides;                  // strides of the C-order index along the walk
    bool by_reference = false;

    const Operand& operand(std::size_t k) const { return request.operands[k]; }
    bool is_written(std::size_t k) const { return operand(k).written; }
    int rank() const { return walk.extents.rank(); }
    std::int64_t item(std::size_t k) const {
        return static_cast<std::int64_t>(item_size(operand(k).dtype));
    }
    std::int64_t stride(std::size_t k, int axis) const { return walk.strides[k][axis]; }
    std::uintptr_t begin(std::size_t k) const {
        return operand(k).address + static_cast<std::uintptr_t>(walk.offsets[k]);
    }
    // Whether operand k is contiguous in the order of the walk.
    bool is_dense(std::size_t k) const {
        std::int64_t expected = item(k);
        for (int axis = rank() - 1; axis >= 0; --axis) {
            if (stride(k, axis) != expected) return false;
            expected *= walk.extents[axis];
        }
        return true;
    }
    std::size_t token_count() const { return request.signature.facts.token_count; }
};

}  // namespace kgen
