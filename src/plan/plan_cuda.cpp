// SPDX-License-Identifier: MIT
#include "plan/plan_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <kgen/error.hpp>
#include <limits>

#include "plan/contest.hpp"

namespace kgen {

namespace {

constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
constexpr double most_cloned = 4096;

}  // namespace

std::int64_t spread_limit(const PlanRequest& request) {
    return request.signature.facts.work < spread_work || request.fit == Fit::any_size
               ? most_blocks
               : extent_product(request.loop) / working_threads;
}

int clone_limit(const PlanRequest& request, int wanted) {
    // Times of 160 random expressions on an H100. Copies of the map of a reduction pay less.
    const BodyFacts& facts = request.signature.facts;
    const double work_weight = request.signature.definition().reduction ? 60 : 20;
    const double size = 0.25 * static_cast<double>(facts.token_count) + work_weight * facts.work;
    const std::int64_t most = spread_limit(request);
    int copies = wanted;
    while (copies > 1 && (copies * size > most_cloned || copies > most)) copies /= 2;
    return copies;
}

int access_limit(const PlanRequest& request, int wanted, int vector) {
    return std::max(clone_limit(request, wanted * vector) / vector, 1);
}

std::int64_t loads_of(const PlanContext& context, const Baked& baked) {
    std::int64_t loads = 0;
    for (const std::size_t k : context.arrays) {
        const Access access = baked.operands[k].access;
        if (context.is_written(k) || access == Access::uniform || baked.operands[k].repeats)
            continue;
        loads += access == Access::vector ? 1 : baked.vector;
    }
    return std::max<std::int64_t>(loads, 1);
}

std::int64_t whole_slots(const PlanContext& context, const Baked& baked) {
    const std::int64_t slots = std::min(most_whole_slots, most_whole_elements / baked.vector);
    // Pieces cost time. Maps of a work of 15 to 18 on an H100: 2000 to 4096 elements take up to twice as long with pieces,
    // 33,000 a fifth. Two inputs of 32608 uint8, one of them not aligned, on an H200: 9.7 us in a block, 3.2 in 8 pieces.
    const auto loads = static_cast<double>(loads_of(context, baked));
    return static_cast<std::int64_t>(static_cast<double>(slots) /
                                     std::max(context.request.signature.facts.work / 8, 1.0) /
                                     loads);
}

int held_limit(const PlanContext& context, const Baked& baked, int wanted, int most) {
    std::int64_t inputs = 0;
    std::int64_t widest = 1;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) || baked.operands[k].access == Access::uniform) continue;
        ++inputs;
        widest = std::max(widest, context.item(k));
    }
    // Elements of less than a word take a register each while they are folded.
    const std::int64_t elements = most * access_bytes / widest;
    int accesses = wanted;
    while (accesses > 1 && accesses * inputs * baked.vector > elements) accesses /= 2;
    return accesses;
}

int spread_vector(std::int64_t elements, int vector, std::int64_t threads) {
    while (vector > 1 && elements < threads * vector) vector /= 2;
    return vector;
}

bool has_drawn_slots(const PlanContext& context) {
    if (context.any_size() || !context.draws_neighbours()) return false;
    const Walk& walk = context.walk;
    const auto input = static_cast<std::size_t>(PlaceIndex::input);
    for (int axis = 0; axis + 1 < walk.rank(); ++axis)
        if (walk.index_strides.at(input, axis) % 4 != 0) return false;
    return walk.index_begins[input] % 4 == 0;
}

int fit_threads(const PlanContext& context, std::int64_t items) {
    if (context.request.block_size) return *context.request.block_size;
    int threads = usual_threads;
    if (context.request.signature.facts.work < heavy_work) return threads;
    while (threads > least_threads && items / threads < context.limits.processor_count)
        threads /= 2;
    return threads;
}

int elementwise_block_bound(const PlanRequest& request) {
    return request.block_size && *request.block_size > usual_threads ? most_threads : usual_threads;
}

std::int64_t count_blocks(const PlanRequest& request,
                          std::int64_t items,
                          std::int64_t per_block,
                          int threads) {
    const std::int64_t blocks = (items - 1) / per_block + 1;
    if (blocks <= most_blocks) return blocks;
    throw ShapeError(
        fmt::format("kernel '{}': {} elements need {} blocks of {} threads, at most {} can be "
                    "launched",
                    request.signature.name,
                    extent_product(request.loop),
                    blocks,
                    threads,
                    most_blocks));
}

std::int64_t best_pieces(std::int64_t outputs, std::int64_t at_once, std::int64_t most) {
    std::int64_t best = 1;
    double best_use = 0;
    const std::int64_t greatest = std::min(most, (4 * at_once - 1) / outputs + 1);
    for (std::int64_t pieces = 0; pieces < greatest;) {
        const std::int64_t rounds = ceil_div(outputs * (pieces + 1), at_once);
        // Of all numbers of pieces that take as many rounds, the greatest one fills the last round best.
        pieces = std::min(rounds * at_once / outputs, greatest);
        const auto count = static_cast<double>(rounds);
        const double use = static_cast<double>(outputs * pieces) /
                           (count * static_cast<double>(at_once)) * (1 - 0.01 * count);
        if (use > best_use) best = pieces;
        best_use = std::max(use, best_use);
    }
    return best;
}

std::int64_t floor_power(std::int64_t count) {
    return static_cast<std::int64_t>(
        std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))));
}

std::int64_t ceil_power(std::int64_t count) {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))));
}

IndexWidth index_width(std::int64_t largest) {
    return largest > std::numeric_limits<std::int32_t>::max() ? IndexWidth::bits64
                                                              : IndexWidth::bits32;
}

IndexWidth fold_index_width(const PlanContext& context, std::int64_t row) {
    // A thread may count up to this many elements past the end of a row.
    constexpr std::int64_t slack = 1 << 20;
    const std::int64_t most =
        std::max({context.walk.kept_count(), context.walk.reduced_count(), row + slack});
    return most > std::numeric_limits<std::int32_t>::max() / 2 ? IndexWidth::bits64
                                                               : IndexWidth::bits32;
}

bool has_turned_inputs(const PlanContext& context) {
    return std::ranges::any_of(context.arrays, [&](std::size_t k) {
        return !context.is_written(k) && !context.is_broadcast(k) && context.fastest_axis(k) >= 0 &&
               context.fastest_axis(k) != context.inner_axis();
    });
}

bool is_aligned(const PlanContext& context, std::size_t k, int axis, int vector) {
    const std::int64_t within = context.item(k) * vector - 1;  // a vector's size is a power of two
    if ((context.begin(k) & static_cast<std::uintptr_t>(within)) != 0) return false;
    for (int other = 0; other < context.rank(); ++other) {
        if (other != axis && (context.stride(k, other) & within) != 0) return false;
    }
    return true;
}

std::int64_t widest_along(const PlanContext& context, int axis) {
    std::int64_t widest = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && axis >= 0 && context.stride(k, axis) == context.item(k))
            widest = std::max(widest, context.item(k));
    }
    return widest;
}

bool is_aligned_alike(
    const PlanContext& context, std::size_t a, std::size_t b, int axis, int vector) {
    // A vector's size is a power of two.
    const auto rest = [&](std::int64_t bytes, std::size_t k) {
        return (bytes & (context.item(k) * vector - 1)) >>
               std::countr_zero(static_cast<std::uint64_t>(context.item(k)));
    };
    const auto begin = [&](std::size_t k) {
        return rest(static_cast<std::int64_t>(context.begin(k) % 256), k);
    };
    if (begin(a) != begin(b)) return false;
    for (int other = 0; other < context.rank(); ++other) {
        if (other == axis || context.walk.extents[other] == 1) continue;
        if (rest(context.stride(a, other), a) != rest(context.stride(b, other), b)) return false;
    }
    return true;
}

bool choose_accesses(const PlanContext& context, int axis, Baked& baked) {
    std::size_t first = context.request.operands.size();
    bool shifted = false;
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
                shifted = true;
        }
    }
    return shifted;
}

void choose_shorter_vectors(const PlanContext& context,
                            const Loop& loop,
                            int vector,
                            void (*choose)(const PlanContext& context, int vector, Baked& baked),
                            Baked& baked) {
    constexpr std::int64_t least_elements = 1 << 18;  // fewer take about the same time
    constexpr double clearly_quicker = 0.9;
    const Baked common = baked;
    choose(context, vector, baked);
    const bool by_elements =
        std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const Access access = baked.operands[k].access;
            return !context.is_written(k) &&
                   (access == Access::elements || access == Access::singles);
        });
    if (!by_elements || context.request.fit != Fit::call ||
        context.walk.kept_count() * context.walk.reduced_count() < least_elements)
        return;
    Contest contest(context, loop, baked);
    for (int shorter = baked.vector / 2; shorter >= 1; shorter /= 2) {
        Baked tried = common;
        choose(context, shorter, tried);
        contest.offer(tried, clearly_quicker);
    }
}

std::int64_t run_pitch(const RunShape& shape, int pack, std::int64_t item, std::int64_t stride) {
    const std::int64_t row = shape.tile_b * item;
    if (shape.joined != 0) return row;
    std::int64_t gap = ((stride - row) & 15) + 16;
    if (stride % 16 != 0 && gap < 30) gap += 16;
    return row + gap + (pack == 1 && (row + gap) / 16 % 2 == 0 ? 16 : 0);
}

std::int64_t run_gap(const RunShape& shape, int pack, std::int64_t pitch) {
    return shape.joined == 0 && pack > 1 && pack * pitch / 16 % 2 == 0 ? 16 : 0;
}

std::int64_t run_room(const RunShape& shape, int pack, std::int64_t item, std::int64_t stride) {
    const std::int64_t rows = shape.tile_a + shape.skew;
    const std::int64_t table = stride == 0 ? stage_room(rows * std::int64_t{sizeof(int)}) : 0;
    const std::int64_t pitch = run_pitch(shape, pack, item, stride);
    return stage_room(pitch * rows + rows / pack * run_gap(shape, pack, pitch)) + table;
}

std::string describe_cuda_access(const Baked& baked, const BakedOperand& operand) {
    switch (operand.access) {
        case Access::vector:
            return baked.vector > 1 ? "whole vectors" : "neighbouring elements";
        case Access::singles:
            return "neighbours one by one, because it is not aligned as the other arrays are";
        case Access::uniform:
            return baked.loop == LoopKind::flat ? "one element for all"
                                                : "one element along the inner axis";
        case Access::shared:
            if (baked.loop == LoopKind::staged_rows) return "copied to shared memory row by row";
            return baked.loop == LoopKind::staged_runs ? "copied through shared memory as it lies"
                                                       : "turned by tiles in shared memory";
        case Access::words:
            return "vectors that begin anywhere, by the words around them";
        case Access::elements:
            break;
    }
    return "element by element, by its strides";
}

std::string offsets_text(const Baked& baked) {
    return fmt::format(", {}-bit offsets", baked.width == IndexWidth::bits32 ? 32 : 64);
}

std::string pieces_line(std::int64_t pieces, std::string_view of) {
    return fmt::format(
        "pieces: each {} is cut into {}, because there are few of them; the last block "
        "folds the results of the pieces",
        of,
        pieces);
}

}  // namespace kgen
