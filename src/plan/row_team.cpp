// SPDX-License-Identifier: MIT
#include "plan/row_team.hpp"

#include <fmt/format.h>

#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

// Most bytes and elements that a thread keeps of its inputs: half of its registers.
constexpr std::int64_t most_kept_bytes = 128;
constexpr std::int64_t most_kept_elements = 64;
constexpr std::int64_t most_accesses = 32;
constexpr int most_cluster = 8;        // thread blocks, on every GPU that has clusters
constexpr int most_row_threads = 512;  // of a block: two blocks of a multiprocessor take turns
constexpr int widest_block = 1024;     // threads that keep what else a cluster would
// Copies of the texts cost compile time: at most so many tokens and functions.
constexpr double most_cloned_size = 32768;

// Bakes the largest vectors with which all neighbouring elements along the axis can be accessed. Rows of `extent` elements
// consist of whole vectors.
void bake_vector(const PlanContext& context, int axis, Baked& baked) {
    const std::int64_t extent = axis < 0 ? 1 : context.walk.extents[axis];
    std::int64_t widest = 0;
    for (const std::size_t k : context.arrays) {
        if (is_neighbour(context, k, axis)) widest = std::max(widest, context.item(k));
    }
    baked.vector = widest == 0 ? 1 : static_cast<int>(access_bytes / widest);
    const auto fits = [&] {
        return extent % baked.vector == 0 &&
               std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
                   return !is_neighbour(context, k, axis) ||
                          is_aligned(context, k, axis, baked.vector);
               });
    };
    while (baked.vector > 1 && !fits()) baked.vector /= 2;
}

bool has_clusters(const PlanContext& context) {
    const std::string_view arch = context.request.target.arch;  // sm_90, sm_100
    return arch.size() > 5 || arch >= "sm_90";
}

}  // namespace

bool is_neighbour(const PlanContext& context, std::size_t k, int axis) {
    return axis >= 0 && context.stride(k, axis) == context.item(k);
}

bool has_row_elements(const PlanContext& context, std::size_t k) {
    const Signature& signature = context.request.signature;
    return !context.is_written(k) ||
           signature.output_form(k - static_cast<std::size_t>(signature.input_count),
                                 RowOutput::kept) == RowOutput::elements;
}

void bake_accesses(const PlanContext& context, int axis, bool by_columns, Baked& baked) {
    bake_vector(context, axis, baked);
    for (const std::size_t k : context.arrays) {
        bool is_uniform = axis < 0 || context.stride(k, axis) == 0;
        for (int other = context.walk.kept; other < context.rank() && !by_columns; ++other)
            is_uniform = is_uniform && context.stride(k, other) == 0;
        baked.operands[k].access = is_neighbour(context, k, axis) ? Access::vector
                                   : is_uniform                   ? Access::uniform
                                                                  : Access::elements;
    }
}

std::int64_t most_kept(const PlanContext& context, const Baked& baked) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && baked.operands[k].access != Access::uniform)
            bytes += context.item(k);
    }
    for (const RowDraw& each : context.request.signature.definition().rows->draws)
        bytes += static_cast<std::int64_t>(item_size(each.dtype));
    const BodyFacts& facts = context.request.signature.facts;
    const double size = 0.25 * static_cast<double>(facts.token_count) + 20 * facts.work;
    const auto elements =
        std::min({most_kept_elements,
                  most_kept_bytes / std::max<std::int64_t>(bytes, 1),
                  static_cast<std::int64_t>(most_cloned_size / std::max(size, 1.0))});
    return std::min<std::int64_t>(elements / baked.vector, most_accesses);
}

bool reads_once(const PlanContext& context) {
    const RowTexts& rows = *context.request.signature.definition().rows;
    return rows.passes.size() == 1 &&
           std::find(rows.outputs.begin(), rows.outputs.end(), RowOutput::elements) ==
               rows.outputs.end();
}

std::int64_t Team::parts() const {
    return blocks == 1 ? 1 : blocks * ceil_div(threads, most_row_threads);
}

// Blocks of a cluster wait for each other, which takes longer than a few accesses more of a thread. So there are clusters only
// if one block could not keep what the cluster keeps, or if blocks would be too few.
Team team_for(const PlanContext& context,
              const Baked& baked,
              const RowWork& work,
              std::int64_t usual,
              std::int64_t least) {
    const std::int64_t most_held = most_kept(context, baked);
    const bool once = reads_once(context);
    const std::int64_t most = std::max<std::int64_t>(most_held, 1);
    const std::int64_t wanted = std::clamp<std::int64_t>(
        work.accesses * work.sets / working_threads, 1, std::min(usual, most));
    std::int64_t threads = std::clamp<std::int64_t>(
        ceil_power(ceil_div(work.accesses, wanted)), least, most_row_threads);
    std::int64_t blocks = 1;
    const auto each = [&] { return ceil_div(work.accesses, threads * blocks); };
    const auto keeps = [&] { return each() <= most_held; };
    const auto is_idle = [&] {
        const std::int64_t enough = once ? busy_blocks * 3 / 4 : busy_blocks / 2;
        return work.sets * blocks <= enough && each() > accesses_in_flight;
    };
    const std::int64_t narrower = threads;
    if (threads == most_row_threads && !once && each() > accesses_in_flight &&
        (!keeps() || work.sets <= busy_blocks))
        threads = widest_block;
    if (!keeps() && has_clusters(context)) threads = narrower;
    while (has_clusters(context) && blocks < most_cluster && ((!once && !keeps()) || is_idle()))
        blocks *= 2;
    if (!once && !keeps() && threads < widest_block && ceil_div(each(), 2) <= most_held)
        threads = widest_block;
    // Blocks that read a row again leave more rows in the cache if several have one.
    while (!once && !keeps() && blocks > 1 && work.sets * (blocks / 2) * threads >= working_threads)
        blocks /= 2;
    return {.threads = static_cast<int>(threads),
            .blocks = static_cast<int>(blocks),
            .each = keeps() ? each() : 0,
            .whole = keeps() && work.accesses == each() * threads * blocks};
}

bool spreads(const PlanContext& context, const Team& team, const RowWork& work) {
    // Sets that are read once need no registers, but blocks enough.
    const bool is_busy = reads_once(context) && work.sets * team.blocks >= busy_blocks * 3 / 4;
    return team.each == 0 && !is_busy && wants_spread(work, team.blocks);
}

std::string held_text(int held, bool spread) {
    if (held == 0) return "read again in each pass";
    return fmt::format(
        "{} kept{}", count_of(held, "access"), spread ? ", the rest read again in each pass" : "");
}

}  // namespace kgen
