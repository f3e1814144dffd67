// SPDX-License-Identifier: MIT
#include "plan/cuda_reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace kgen {

namespace {

constexpr std::array<CudaReduction, 3> reduction_table = {{
    {.kind = LoopKind::staged_rows,
     .when = "dense rows of few bytes are folded",
     .why = "they are copied to shared memory in whole lines, and a thread folds a row from there",
     .choose = choose_staged_rows,
     .measure = measure_staged_rows},
    {.kind = LoopKind::reduced_rows,
     .when = "memory runs fastest along a reduced axis",
     .why = "threads side by side read a row, and fold what each has found",
     .choose = choose_reduced_rows,
     .measure = measure_reduced_rows},
    {.kind = LoopKind::reduced_columns,
     .when = "memory runs fastest along a kept axis",
     .why = "each thread folds columns of its own, so that rows are read in whole lines",
     .choose = choose_reduced_columns,
     .measure = measure_reduced_columns},
}};

// Whether rows along `axis` of a and b always begin at the same place within a vector of `vector` elements.
bool is_aligned_alike(
    const ReductionContext& context, std::size_t a, std::size_t b, int axis, int vector) {
    const auto rest = [&](std::int64_t bytes, std::size_t k) {
        const std::int64_t whole = context.item(k) * vector;
        return ((bytes % whole + whole) % whole) / context.item(k);
    };
    const auto begin = [&](std::size_t k) {
        return rest(static_cast<std::int64_t>(context.begin(k) % 256), k);
    };
    if (begin(a) != begin(b)) return false;
    for (int other = 0; other < context.walk.rank(); ++other) {
        if (other == axis || context.walk.extents[other] == 1) continue;
        if (rest(context.stride(a, other), a) != rest(context.stride(b, other), b)) return false;
    }
    return true;
}

// Whether every row along `axis` begins at a whole vector.
bool is_aligned(const ReductionContext& context, std::size_t k, int axis, int vector) {
    const std::int64_t whole = context.item(k) * vector;
    if (context.begin(k) % static_cast<std::uintptr_t>(whole) != 0) return false;
    for (int other = 0; other < context.walk.rank(); ++other) {
        if (other != axis && context.stride(k, other) % whole != 0) return false;
    }
    return true;
}

}  // namespace

std::span<const CudaReduction> cuda_reductions() noexcept {
    return reduction_table;
}

const CudaReduction& chosen_reduction(const Baked& baked) {
    return *std::find_if(
        reduction_table.begin(), reduction_table.end(), [&](const CudaReduction& reduction) {
            return reduction.kind == baked.loop;
        });
}

std::int64_t floor_power(std::int64_t count) {
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))));
}

std::int64_t ceil_power(std::int64_t count) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))));
}

std::int64_t widest_along(const ReductionContext& context, int axis) {
    std::int64_t widest = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && axis >= 0 && context.stride(k, axis) == context.item(k))
            widest = std::max(widest, context.item(k));
    }
    return widest;
}

void choose_accesses(const ReductionContext& context, int axis, Baked& baked) {
    std::size_t first = context.request.operands.size();
    baked.shifted = false;
    for (const std::size_t k : context.arrays) {
        Access& access = baked.operands[k].access;
        access = Access::elements;
        if (context.is_written(k)) continue;
        if (axis < 0 || context.stride(k, axis) == 0) {
            access = Access::uniform;
        } else if (context.stride(k, axis) == context.item(k)) {
            if (first == context.request.operands.size()) first = k;
            access = is_aligned_alike(context, first, k, axis, baked.vector) ? Access::vector
                                                                             : Access::singles;
            if (access == Access::vector && !is_aligned(context, k, axis, baked.vector))
                baked.shifted = true;
        }
    }
}

IndexWidth index_width(std::int64_t largest) {
    return largest > std::numeric_limits<std::int32_t>::max() ? IndexWidth::bits64
                                                              : IndexWidth::bits32;
}

}  // namespace kgen
