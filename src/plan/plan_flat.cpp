// SPDX-License-Identifier: MIT
//
// The flat loop: one index over all elements. If an array is dense, that is, contiguous in the order of the
// walk, the index is also the position of its element.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Returns the number of elements between the last vector boundary and the begin of the array.
std::int64_t misalignment(const PlanContext& context, std::size_t k, int vector) {
    // All sizes are powers of two.
    const auto item = static_cast<std::uintptr_t>(context.item(k));
    const std::uintptr_t bytes = item * static_cast<std::uintptr_t>(vector);
    return static_cast<std::int64_t>((context.begin(k) & (bytes - 1)) >> std::countr_zero(item));
}

// Returns the shift for which most arrays are aligned. Outputs count more than inputs.
std::int64_t best_shift(const PlanContext& context, int vector) {
    std::int64_t best = 0;
    int best_score = -1;
    for (const std::size_t candidate : context.arrays) {
        if (context.is_uniform(candidate) || !context.is_dense(candidate)) continue;
        const std::int64_t shift = misalignment(context, candidate, vector);
        if (best_score >= 0 && shift == best) continue;  // it has been counted
        int score = 0;
        for (const std::size_t k : context.arrays) {
            if (context.is_uniform(k) || !context.is_dense(k)) continue;
            if (misalignment(context, k, vector) != shift) continue;
            score += context.is_written(k) ? 64 : 1;
        }
        if (score > best_score || (score == best_score && shift < best)) {
            best = shift;
            best_score = score;
        }
    }
    return best;
}

// Whether every array is accessed by whole vectors or has the same value for all elements.
bool is_all_vectors(const PlanContext& context, int vector, std::int64_t shift) {
    return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
        if (context.is_uniform(k)) return true;
        return context.is_dense(k) && misalignment(context, k, vector) == shift;
    });
}

struct Widest {
    std::int64_t read = 0;
    std::int64_t written = 0;
    bool all_written_dense = true;
    // Whether an output has gaps between neighbours, or between runs that are shorter than a cache line.
    bool written_with_gaps = false;
};

Widest find_widest(const PlanContext& context) {
    Widest widest;
    for (const std::size_t k : context.arrays) {
        if (context.is_uniform(k)) continue;
        std::int64_t& side = context.is_written(k) ? widest.written : widest.read;
        side = std::max(side, context.item(k));
        if (!context.is_written(k) || context.is_dense(k)) continue;
        widest.all_written_dense = false;
        const int inner = context.rank() - 1;
        if (std::abs(context.stride(k, inner)) > context.item(k) ||
            context.walk.extents[inner] * context.item(k) < access_line)
            widest.written_with_gaps = true;
    }
    return widest;
}

// Returns the number of accesses that a thread has in flight. Figures are fractions of a copy's speed on an
// H200 with 2^28 elements and blocks of 256 threads. Of 1, 2, 4 and 8 accesses, 1 was best for every dtype:
// float32 1.005 against 0.969 with 2, uint8 0.982 against 0.947. It was best although a kernel with one input
// then keeps only 32 KiB of loads in flight. 2 accesses are better if the dtype that is written is narrower
// than the one that is read (float32 to bfloat16 1.029 against 1.006), and for bodies that are bound by
// arithmetic (tanh(sin x) + 0.1 x 0.974 against 0.905, but exp(x) 0.972 against 1.001). The elements of `vector` count together:
// exp of 15173472 float16 takes 14.8 us with 2 accesses and 17.7 with 1.
int wanted_accesses(const PlanContext& context, const Widest& widest, int vector) {
    const BodyFacts& facts = context.request.signature.facts;
    // Random numbers are arithmetic, of which the blocks of two accesses share a part.
    const bool heavy =
        facts.work >= heavy_work || facts.work * vector >= 4 * heavy_work || facts.draws;
    return widest.written < widest.read || heavy ? 2 : 1;
}

// Gives the threads of a small call less to do. Light bodies keep whole vectors of dense arrays, because these
// cost no more than an element: 2 * x + 1 of 4096 float32 took 1.03 us with vectors, 1.06 without (in L2, replayed
// as a graph on an H100). Other bodies and arrays gain from as many threads as the device runs at once: a reversed copy of 326412 bool
// takes 2.51 us with 8 elements a thread and 1.56 with one, a body of 98304 float32 1.90 with 4 and 1.52 with one (H200).
void spread(const PlanContext& context, Baked& baked, FlatChoice& choice) {
    if (context.any_size()) return;
    constexpr std::size_t light_tokens = 32;
    const BodyFacts& facts = context.request.signature.facts;
    const std::int64_t count = extent_product(context.request.loop);
    const bool is_light = facts.work == 0 && !facts.draws && facts.token_count <= light_tokens;
    const bool is_dense = std::all_of(context.arrays.begin(), context.arrays.end(), [&](auto k) {
        return context.is_dense(k) || context.is_uniform(k);
    });
    choice.accesses = spread_vector(count / baked.vector, choice.accesses, working_threads);
    if (facts.draws && is_dense) {
        // The elements of a vector share the blocks of their random numbers.
    } else if (!is_light || !is_dense) {
        baked.vector = spread_vector(count, baked.vector, working_threads);
    }
}

// Lets a thread make more accesses at once if inputs lie closest along another axis and that is predicted to be quicker: a block
// then reads more of what lies side by side along this axis. float32 (51749, 91, 8) with inputs along two axes: 275 us with one access,
// 198 with two and 169 with four; of 24 other calls on an H200, the two that are predicted to gain 5 % gain 12 and 25 %.
void try_more_accesses(const PlanContext& context, Baked& baked) {
    constexpr double clearly_quicker = 0.95;
    constexpr int most_accesses = 4;
    // References of a body must lead to memory, not to what a thread holds of several accesses.
    if (context.by_reference || context.rank() == 0 || context.request.fit != Fit::call) return;
    const int inner = context.rank() - 1;
    bool reads_across = false;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access != Access::elements || context.stride(k, inner) == 0 ||
            context.fastest_axis(k) == inner)
            continue;
        if (context.is_written(k)) return;  // no cache joins the stores of a block
        reads_across = true;
    }
    const std::int64_t threads = extent_product(context.walk.extents) / baked.vector;
    if (!reads_across || threads / most_accesses < working_threads) return;
    Contest contest(context, flat_loop, baked);
    Baked tried = baked;
    FlatChoice choice = baked.as<FlatChoice>();
    while (choice.accesses < access_limit(context.request, most_accesses, baked.vector)) {
        choice.accesses *= 2;
        tried.choice = choice;
        if (!contest.offer(tried, clearly_quicker)) return;
    }
}

// Sets how each array is accessed by vectors of baked.vector elements.
void take_vectors(const PlanContext& context, FlatChoice choice, Baked& baked) {
    const std::int64_t shift = best_shift(context, baked.vector);
    choice.shifted = shift != 0;
    // More text for an incomplete tile costs registers and instructions: +5 to +8 % for bodies of one access and for arrays that are
    // read element by element. Copies of 45056 and 254776 uint16 take 18 and 23 % less, 5107709 float32 with two inputs 8 % (an H100).
    constexpr std::size_t copy_tokens = 8;
    choice.vector_rest =
        is_all_vectors(context, baked.vector, shift) &&
        (choice.accesses > 1 || context.request.signature.facts.token_count <= copy_tokens);
    baked.choice = choice;
    baked.block_bound = elementwise_block_bound(context.request);
    bool divides = baked.moves_index;
    for (const std::size_t k : context.arrays) {
        Access& access = baked.operands[k].access;
        if (context.is_dense(k)) {
            const bool aligned = misalignment(context, k, baked.vector) == shift;
            access = aligned ? Access::vector : Access::singles;
        } else if (context.is_uniform(k)) {
            access = Access::uniform;
        } else {
            access = Access::elements;
            divides = true;
        }
    }
    baked.rank = divides ? context.rank() : 1;
    // If a width is unused, it keeps one fixed value, so that it creates no variants.
    if (divides) baked.index_width = index_width(extent_product(whole_loop(context.request)));
    if (divides) baked.width = context.offset_width();
}

// Takes narrower vectors if outputs that begin at different places of a vector are predicted to be stored faster so. A warp that
// stores neighbours one by one fills each sector by several stores: copies of two arrays of 33259520 int16 and uint16, of which one begins
// 20 bytes behind a vector, take 67 us with vectors of 2 elements and 92 with those of 4 (H200).
void try_narrower_stores(const PlanContext& context, Baked& baked) {
    constexpr double clearly_quicker = 0.95;
    constexpr int most_accesses = 4;
    const bool stores_singles =
        std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_written(k) && baked.operands[k].access == Access::singles;
        });
    if (!stores_singles || !is_worth_contests(context)) return;
    Contest contest(context, flat_loop, baked);
    Baked tried = baked;
    while (tried.vector > 1) {
        tried.vector /= 2;
        take_vectors(context,
                     {.accesses = access_limit(context.request, most_accesses, tried.vector)},
                     tried);
        contest.offer(tried, clearly_quicker);
    }
}

bool choose_flat(const PlanContext& context, Baked& baked) {
    const Widest widest = find_widest(context);
    const std::int64_t widest_item = std::max(widest.read, widest.written);
    FlatChoice choice;
    if (!context.by_reference && widest_item > 0 && context.rank() > 0) {
        if (widest.all_written_dense) {
            const auto wanted = static_cast<int>(access_bytes / widest_item);
            baked.vector = clone_limit(context.request, wanted);
            choice.accesses = access_limit(
                context.request, wanted_accesses(context, widest, baked.vector), baked.vector);
        } else {
            // With gaps, 9 calls of 4 bytes and more took 0.90 to 0.99 of their time on an H200 with 1 access instead of 4, 8 narrower
            // ones 0.94 to 2.17, because each element then has an index of its own. Without gaps, one access keeps too few bytes
            // in flight: reversed rows of float32 1.44.
            if (widest_item < 4 || !widest.written_with_gaps)
                choice.accesses = clone_limit(context.request, 4);
        }
    }
    spread(context, baked, choice);
    if (widest_item <= 2 && baked.vector > 1 &&
        !is_all_vectors(context, baked.vector, best_shift(context, baked.vector))) {
        // Longer vectors do not reduce the number of cache requests for arrays that are read element by
        // element. Fractions of a copy's speed for arrays with different offsets: float16 0.914 with 4
        // elements, 0.614 with 8; uint8 0.833 with twice 8, 0.660 with 16. For a row of odd length: float16
        // 0.995 with twice 4, 0.982 with 8; uint8 0.889 with twice 8, 0.752 with 16.
        baked.vector = std::min(baked.vector, static_cast<int>(access_bytes / 2 / widest_item));
        choice.accesses = access_limit(context.request, 2, baked.vector);
        if (!context.any_size())
            choice.accesses = spread_vector(extent_product(context.request.loop) / baked.vector,
                                            choice.accesses,
                                            working_threads);
    }
    take_vectors(context, choice, baked);
    try_narrower_stores(context, baked);
    try_more_accesses(context, baked);
    return true;
}

bool choose_flat_dense(const PlanContext& context, Baked& baked) {
    const bool dense =
        std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_dense(k) || context.is_uniform(k);
        });
    return (dense || context.by_reference) && choose_flat(context, baked);
}

void choose_general_flat(const PlanContext& context, Baked& baked) {
    baked.choice = FlatChoice();
    for (const std::size_t k : context.arrays) baked.operands[k].access = Access::elements;
    if (context.arrays.empty()) baked.rank = 1;
}

Geometry measure_flat(const PlanContext& context, const Baked& baked) {
    Geometry geometry;
    const std::int64_t count = extent_product(context.request.loop);
    const auto& choice = baked.as<FlatChoice>();
    if (choice.shifted) geometry.shift = best_shift(context, baked.vector);
    const std::int64_t per_thread = std::int64_t{baked.vector} * choice.accesses;
    geometry.threads = std::min(fit_threads(context, count / per_thread), baked.block_bound);
    geometry.blocks = count_blocks(
        context.request, count + geometry.shift, geometry.threads * per_thread, geometry.threads);
    return geometry;
}

std::string describe_flat(const Baked& baked) {
    const auto& choice = baked.as<FlatChoice>();
    const bool strided = divides(baked);
    std::string text =
        strided ? "strided over " + count_of(baked.rank, "axis") : std::string("contiguous");
    if (baked.vector > 1) text += fmt::format(", {} elements an access", baked.vector);
    if (choice.accesses > 1) text += fmt::format(", {} accesses a thread", choice.accesses);
    if (choice.shifted) text += ", the first vector cut off";
    if (strided) text += offsets_text(baked);
    return text;
}

}  // namespace

constinit const Loop flat_dense_loop = {
    .kind = LoopKind::flat,
    .name = "flat",
    .when = "every array is contiguous in one order, or is a single element",
    .why = "one index serves all arrays, and each access has 16 bytes",
    .choose = choose_flat_dense,
    .measure = measure_flat,
    .describe = describe_flat,
    .predict = predict_flat,
    .is_best = true,
    .has_any_size = true};

constinit const Loop flat_loop = {
    .kind = LoopKind::flat,
    .name = "flat",
    .when = "any other layout",
    .why = "contiguous arrays are accessed by vectors, the others element by element",
    .choose = choose_flat,
    .measure = measure_flat,
    .describe = describe_flat,
    .predict = predict_flat,
    .has_any_size = true,
    .choose_general = choose_general_flat};

}  // namespace kgen
