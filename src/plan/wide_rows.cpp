// SPDX-License-Identifier: MIT
#include "plan/wide_rows.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "types/accumulator.hpp"

namespace kgen {

namespace {

// Bytes of shared memory for the accumulators that the threads of a block hold at the end.
constexpr std::int64_t held_bytes = std::int64_t{40} << 10;

}  // namespace

bool columns_are_dense(const PlanContext& context, std::size_t k) {
    const int axis = column_axis(context);
    return context.stride(k, context.walk.kept) == context.item(k) * context.walk.extents[axis] &&
           context.stride(k, axis) == context.item(k);
}

std::int64_t usual_accumulator_bytes(const PlanContext& context) {
    constexpr std::int64_t unknown_bytes = 16;
    const auto known = static_cast<std::int64_t>(
        accumulator_bytes(context.request.signature, context.request.types));
    return known == 0 ? unknown_bytes : known;
}

int column_block_threads(const PlanContext& context, int vector) {
    std::int64_t bytes = usual_accumulator_bytes(context);
    // Without an identity, each fold also stores a flag that says whether it has a value.
    if (!has_identity(context.request.signature, context.request.types)) bytes *= 2;
    // Those of neighbouring columns lie one place apart from the next thread's (kgen_spread).
    const std::int64_t threads =
        floor_power(held_bytes / (bytes * (vector + (vector > 1 ? 1 : 0))));
    return static_cast<int>(std::clamp<std::int64_t>(threads, 64, column_threads));
}

std::int64_t wide_threads(std::int64_t columns, int vector, std::int64_t threads) {
    if (columns == 0) return threads;  // nothing is launched
    const std::int64_t unit = columns / std::gcd(columns, std::int64_t{vector});
    return threads / unit * unit;
}

bool fills_tiles(std::int64_t columns, int vector) {
    const std::int64_t across = std::min(ceil_power(ceil_div(columns, vector)), warp) * vector;
    return columns * 4 >= ceil_div(columns, across) * across * 3;
}

RowBegins row_begins(const PlanContext& context, int vector) {
    RowBegins begins = RowBegins::aligned;
    std::optional<std::size_t> first;
    // In elements, modulo a vector. Plans may use addresses modulo 16 only, and a vector has at most 16 bytes.
    const auto place = [&](std::size_t k) {
        return static_cast<std::int64_t>(context.begin(k) % access_bytes) / context.item(k) %
               vector;
    };
    const auto step = [&](std::size_t k, int axis) {
        return context.stride(k, axis) / context.item(k) % vector;
    };
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) || !columns_are_dense(context, k)) continue;
        if (!first) first = k;
        bool aligned = place(k) == 0;
        bool alike = place(k) == place(*first);
        for (int axis = 0; axis < column_axis(context); ++axis) {
            aligned = aligned && step(k, axis) == 0;
            alike = alike && (step(k, axis) - step(*first, axis)) % vector == 0;
        }
        if (!alike) return RowBegins::apart;
        if (!aligned) begins = RowBegins::alike;
    }
    return begins;
}

bool may_be_wide(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[column_axis(context)];
    if (baked.vector < 2 || walk.rank() != walk.kept + 1) return false;
    if (columns % baked.vector == 0 && columns >= warp * baked.vector &&
        fills_tiles(columns, baked.vector))
        return false;
    // At least 7/8 of a block's threads must have work in a wide row.
    const int threads = column_block_threads(context, baked.vector);
    if (columns > threads) return false;
    const std::int64_t used = wide_threads(columns, baked.vector, threads);
    if (used * 8 < ceil_div(used, warp) * warp * 7) return false;
    // There must be elements for at least two wide rows.
    if (walk.reduced_count() * columns < std::int64_t{2} * column_threads * baked.vector)
        return false;
    bool any = false;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) || !columns_are_dense(context, k)) continue;
        if (baked.operands[k].access != Access::vector) return false;
        any = true;
    }
    return any;
}

}  // namespace kgen
