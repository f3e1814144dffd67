// SPDX-License-Identifier: MIT
//
// The loop over outputs of few elements, each of which one thread folds alone: without shared memory, and without waiting
// for other threads. Where reduced_columns would leave threads idle, they may have up to 1024 elements. A thread has
// neighbouring outputs, which it stores as a vector. Their elements lie beside each other in each row (across), or those of an output are
// neighbours (along). Times were measured on an H200: bool (32768, 72, 3) counted over rows of 3 4.5 us,
// by staged_rows 13.5; bool (1024, 15, 2971) over the axis of 15, every third byte, 36.4 us, by reduced_columns 63.9;
// float32 (2, 7283) 1.06 us, by reduced_columns 1.51.
#include <fmt/format.h>

#include <algorithm>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/wide_rows.hpp"

namespace kgen {

namespace {

// Greatest number of elements of an output, and the greatest one where reduced_columns has full tiles of vectors. Longer folds take a thread long, and other
// loops have more of them in flight. 33 calls of 66 to 1024 elements took 0.19 to 1.50 of the time of the other loops, 0.78 in the geometric
// mean. Six of them had full tiles and took 0.91 to 1.04, and sums of float32 (1000, 268435) 1.19.
constexpr std::int64_t most_elements = 1024;
constexpr std::int64_t usual_elements = 64;
// Greatest number of elements of an output that is baked, so that all of them are loaded before the first one is folded.
constexpr std::int64_t few_elements = 16;
// Bytes of loaded elements and of accumulators that a thread holds at once.
constexpr std::int64_t most_held_bytes = 256;
constexpr std::int64_t most_sum_bytes = 128;
// Rows of fewer vectors, and those of many elements for an output, must be whole ones, because elements that do not fill a vector take a
// thread long.
constexpr std::int64_t many_vectors = 8;

int output_axis(const PlanContext& context) {
    return context.walk.kept - 1;
}

// Whether an output has one row of neighbouring elements, which those of the next output follow.
bool is_along(const PlanContext& context, std::size_t k) {
    const Walk& walk = context.walk;
    return context.stride(k, walk.kept) == context.item(k) &&
           context.stride(k, output_axis(context)) == context.item(k) * walk.extents[walk.kept];
}

// Whether the elements of operand k for `vector` neighbouring outputs are vectors.
bool has_vectors(const PlanContext& context, std::size_t k, int vector, bool along) {
    const int axis = output_axis(context);
    if (!along || context.is_written(k))
        return context.stride(k, axis) == context.item(k) && is_aligned(context, k, axis, vector);
    if (!is_along(context, k)) return false;
    const std::int64_t within = context.item(k) * vector - 1;
    if ((context.begin(k) & static_cast<std::uintptr_t>(within)) != 0) return false;
    for (int other = 0; other < axis; ++other) {
        if ((context.stride(k, other) & within) != 0) return false;
    }
    return true;
}

// Whether the inputs along the outputs fill the threads of a warp with whole vectors, or with elements of at least a word.
bool has_full_tiles(const PlanContext& context) {
    const int axis = output_axis(context);
    const auto vector =
        static_cast<int>(access_bytes / std::max<std::int64_t>(widest_along(context, axis), 1));
    return context.walk.extents[axis] >= warp_lanes * vector &&
           std::ranges::all_of(context.arrays, [&](std::size_t k) {
               const bool is_beside = context.stride(k, axis) == context.item(k);
               return context.is_written(k) || context.stride(k, axis) == 0 ||
                      (is_beside && context.item(k) >= word_bytes) ||
                      has_vectors(context, k, vector, false);
           });
}

// Returns the number of neighbouring outputs of a thread: as many as vectors of 16 bytes have elements of the widest array, at most
// `most`, if all arrays that are contiguous are aligned and enough threads are left.
int choose_vector(const PlanContext& context, bool along, std::int64_t most) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[output_axis(context)];
    const std::int64_t rows = walk.reduced_count();
    std::int64_t widest = 1;
    std::int64_t bytes = 0;  // of the inputs of an output
    for (const std::size_t k : context.arrays) {
        if (context.is_uniform(k)) continue;
        widest = std::max(widest, context.item(k));
        if (!context.is_written(k)) bytes += context.item(k) * (along ? rows : 1);
    }
    const std::int64_t sums = usual_accumulator_bytes(context);
    const auto suits = [&](int vector) {
        if (vector * sums > most_sum_bytes || vector * bytes > most_held_bytes ||
            vector > columns ||
            (columns % vector != 0 && (columns < many_vectors * vector || rows > usual_elements)))
            return false;
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const bool is_beside = along && !context.is_written(k)
                                       ? is_along(context, k)
                                       : context.stride(k, output_axis(context)) == context.item(k);
            return !is_beside || has_vectors(context, k, vector, along);
        });
    };
    int vector =
        clone_limit(context.request, static_cast<int>(std::min(access_bytes / widest, most)));
    vector = spread_vector(walk.kept_count(), vector);
    while (vector > 1 && !suits(vector)) vector /= 2;
    return vector;
}

// Returns the number of neighbouring threads that read one sector of the widest input, if threads lie along two axes.
std::int64_t turned_side(const PlanContext& context, const Baked& baked) {
    std::int64_t widest = 1;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && !context.is_uniform(k))
            widest = std::max(widest, context.item(k));
    }
    return std::max<std::int64_t>(memory_sector / (baked.vector * widest), 1);
}

// Returns the number of threads, a multiple of the side if threads lie along two axes.
std::int64_t count_threads(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[output_axis(context)];
    const std::int64_t side =
        baked.as<ThreadFoldsChoice>().turned ? turned_side(context, baked) : 1;
    return walk.kept_count() / columns * ceil_div(columns, baked.vector * side) * side;
}

// Returns the bytes of registers that hold an element of each of a vector of outputs; at least 1.
std::int64_t loaded_bytes(const PlanContext& context, int vector) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays)
        bytes += context.is_written(k) ? 0 : std::max(context.item(k) * vector, word_bytes);
    return std::max<std::int64_t>(bytes, 1);
}

// Along which axis neighbouring threads lie: that of the outputs of a thread, or also the one outside it, along which some arrays lie
// closest.
enum class Side { straight, turned };

// Chooses the loop with at most that many outputs of a thread. Returns false if it cannot run the call.
bool choose_folds(const PlanContext& context, std::int64_t most_outputs, Side side, Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t rows = walk.reduced_count();
    if (walk.kept == 0 || walk.kept_count() == 0 || rows == 0 || rows > most_elements ||
        (rows > usual_elements && has_full_tiles(context)))
        return false;
    ThreadFoldsChoice choice;
    choice.few = rows <= few_elements ? static_cast<int>(rows) : 0;
    const bool may_be_along =
        side == Side::straight && walk.inner_reduced && walk.rank() == walk.kept + 1 &&
        choice.few > 0 &&
        std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return !context.is_written(k) && is_along(context, k);
        });
    baked.vector = choose_vector(context, may_be_along, most_outputs);
    choice.along = may_be_along && baked.vector > 1;
    // An output may run fastest along the other axes, see PlanContext.
    choice.turned =
        side == Side::turned ||
        (!choice.along && !walk.inner_reduced && walk.kept > 1 &&
         std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
             return context.is_written(k) && context.fastest_axis(k) == output_axis(context) - 1;
         }));
    baked.choice = choice;
    // Threads are counted by 32 bits.
    if (index_width(count_threads(context, baked)) == IndexWidth::bits64) return false;
    for (const std::size_t k : context.arrays) {
        Access& access = baked.operands[k].access;
        if (has_vectors(context, k, baked.vector, choice.along))
            access = Access::vector;
        else if (context.stride(k, output_axis(context)) == 0 && !choice.along)
            access = Access::uniform;
        else
            access = Access::elements;
    }
    const auto at_once = static_cast<int>(
        std::clamp<std::int64_t>(most_held_bytes / loaded_bytes(context, baked.vector), 1, 16));
    choice.accesses =
        access_limit(context.request,
                     static_cast<int>(std::min({ceil_power(rows), floor_power(at_once)})),
                     baked.vector);
    if (choice.few > 0) choice.accesses = std::min(choice.accesses, choice.few);
    baked.choice = choice;
    baked.block_bound = usual_threads;
    baked.index_width = fold_index_width(context, 1);
    return true;
}

// Offers several vectors of outputs of a thread. The loop then has no outputs that do not fill a vector.
void try_groups(const PlanContext& context, Contest& contest, Baked baked) {
    constexpr double clearly_quicker = 0.95;
    constexpr int most_at_once = 8;
    constexpr std::int64_t most_bytes = 128;
    ThreadFoldsChoice choice = baked.as<ThreadFoldsChoice>();
    if (choice.along || choice.turned || choice.few == 0 || choice.accesses != choice.few ||
        context.walk.extents[output_axis(context)] % baked.vector != 0 ||
        !is_worth_contests(context) || !context.request.loop_name.empty())
        return;
    const auto fits = [&] {
        const int at_once = choice.groups * choice.few;
        return at_once <= most_at_once &&
               at_once * loaded_bytes(context, baked.vector) <= most_bytes &&
               access_limit(context.request, at_once, baked.vector) == at_once;
    };
    for (choice.groups = 2; fits(); choice.groups *= 2) {
        baked.choice = choice;
        contest.offer(baked, clearly_quicker);
    }
}

bool choose_short_folds(const PlanContext& context, Baked& baked) {
    constexpr int usual_outputs = 4;
    constexpr double clearly_quicker = 0.95;
    const Baked common = baked;
    if (!choose_folds(context, access_bytes, Side::straight, baked)) return false;
    if (context.request.fit != Fit::call) return true;
    // Few outputs of many elements leave too few threads: bool (14, 1294336) over the axis of 14 6.3 us with 16 outputs of a thread,
    // 3.6 with 4.
    Contest contest(context, short_folds_loop, baked);
    try_groups(context, contest, Baked(baked));
    for (int most = baked.vector / 2; most >= usual_outputs; most /= 2) {
        Baked fewer = common;
        if (!choose_folds(context, most, Side::straight, fewer)) continue;
        contest.offer(fewer, clearly_quicker);
        try_groups(context, contest, fewer);
    }
    if (!is_worth_contests(context) || context.turned_item(output_axis(context) - 1) == 0)
        return true;
    for (std::int64_t most = access_bytes; most > 0; most /= 2) {
        Baked turned = common;
        if (choose_folds(context, most, Side::turned, turned) && turned.vector == most)
            contest.offer(turned, clearly_quicker);
    }
    return true;
}

Geometry measure_short_folds(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const bool turned = baked.as<ThreadFoldsChoice>().turned;
    const std::int64_t columns = walk.extents[output_axis(context)];
    const std::int64_t vectors = count_threads(context, baked);
    const std::int64_t by = turned ? walk.kept_count() / columns : ceil_div(columns, baked.vector);
    Geometry geometry;
    geometry.threads = baked.block_bound;
    geometry.blocks = count_blocks(context.request,
                                   vectors,
                                   geometry.threads * baked.as<ThreadFoldsChoice>().groups,
                                   geometry.threads);
    geometry.own =
        FoldShape{.columns = columns,
                  .vectors = vectors,
                  .by_vectors = make_divisor32(by),
                  .rows = static_cast<std::int32_t>(walk.reduced_count()),
                  .side = turned ? static_cast<std::int32_t>(turned_side(context, baked)) : 1};
    return geometry;
}

std::string describe_short_folds(const Baked& baked) {
    const auto& choice = baked.as<ThreadFoldsChoice>();
    if (choice.along)
        return fmt::format("each thread {} of {} neighbours",
                           count_of(baked.vector, "output"),
                           count_of(choice.few, "element"));
    return fmt::format("each thread {}{}, {} of each at once{}",
                       choice.groups > 1 ? fmt::format("{} times ", choice.groups) : "",
                       count_of(baked.vector, "output"),
                       count_of(choice.accesses, "element"),
                       choice.turned ? ", neighbouring threads along two axes" : "");
}

std::vector<std::string> explain_short_folds(const PlanRequest&,
                                             const Plan&,
                                             const LoopStruct& own) {
    const auto& shape = std::get<FoldShape>(own);
    return {fmt::format("folds: {} of outputs, {} for each output",
                        count_of(shape.vectors, "vector"),
                        count_of(shape.rows, "element"))};
}

}  // namespace

constinit const Loop short_folds_loop = {
    .kind = LoopKind::short_folds,
    .name = "short_folds",
    .when = "outputs have few elements",
    .why = "a thread folds its outputs alone, so that no thread waits for another one",
    .choose = choose_short_folds,
    .measure = measure_short_folds,
    .describe = describe_short_folds,
    .predict = predict_short_folds,
    .phases = 1,
    .explain = explain_short_folds,
    .own = FoldShape{},
    .own_text = "kgen_fold_shape kgen_folds"};

}  // namespace kgen
