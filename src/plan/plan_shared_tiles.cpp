// SPDX-License-Identifier: MIT
//
// The loop over tiles in shared memory. The axis that is the fastest one of most bytes (a) and that of most
// other bytes (b) are cut into tiles. Arrays that are fastest along b are called turned. A tile of a turned
// input is copied along b to shared memory and read from there along a, so it is transposed; a tile of a
// turned output is transposed in the same way before it is stored along b. The other arrays are accessed
// directly along a. If rows along a or b would be short, a tile runs over several axes that follow each other in
// the memory of these arrays. The remaining axes are counted. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/tile_axes.hpp"
#include "plan/tile_cut.hpp"
#include "plan/tile_geometry.hpp"

namespace kgen {

namespace {

constexpr int least_side = 16;

bool is_turned(const PlanContext& context, std::size_t k, const TileAxes& axes) {
    return context.fastest_axis(k) == axes.b.first() && is_linear(context, k, axes.b) &&
           !is_uniform_along(context, k, axes.a);
}

// Sets how each array is accessed.
void set_accesses(const PlanContext& context, const TileAxes& axes, Baked& baked) {
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.inner = is_linear(context, k, axes.a) ? StrideClass::unit : StrideClass::strided;
        if (is_turned(context, k, axes)) {
            operand.access = Access::shared;
        } else if (context.stride(k, axes.a.first()) == context.item(k) &&
                   is_linear(context, k, axes.a)) {
            operand.access = Access::vector;
        } else {
            operand.access =
                is_uniform_along(context, k, axes.a) ? Access::uniform : Access::elements;
        }
    }
}

// Whether every row of the operand along the side begins at a multiple of a vector of `vector` elements.
bool is_aligned_beside(const PlanContext& context,
                       std::size_t k,
                       const TileSide& side,
                       int vector) {
    const std::int64_t whole = context.item(k) * vector;
    if (context.begin(k) % static_cast<std::uintptr_t>(whole) != 0) return false;
    for (int other = 0; other < context.rank(); ++other) {
        if (!side.has(other) && context.stride(k, other) % whole != 0) return false;
    }
    return true;
}

struct PatchSides {
    int a = 1;
    int b = 1;
};

// Returns the greatest sides of patches whose rows are whole, aligned vectors. Those along a may be longer than those along b.
PatchSides find_aligned_patch(const PlanContext& context,
                              const Baked& baked,
                              const TileAxes& axes) {
    const TileDemand demand = demand_of(context, baked);
    const int largest = find_cut(demand, largest_patch).patch;
    const std::int64_t count = extent_product(context.walk.extents);
    // Threads of small calls get smaller patches. 256 x 256 float32, transposed in L2 and replayed as a graph on an
    // H100: 1.64 us with patches of 4 x 4, 1.17 us with single elements in a kernel written for this size.
    const auto fits = [&](PatchSides sides) {
        if (clone_limit(context.request, sides.a * sides.b) < sides.a * sides.b) return false;
        if (count / (sides.a * sides.b) < wave_threads) return false;
        if (extent_of(context, axes.a) % sides.a != 0) return false;
        if (extent_of(context, axes.b) % sides.b != 0) return false;
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            const Access access = baked.operands[k].access;
            if (access != Access::shared && access != Access::vector) return true;
            const TileSide& along = access == Access::shared ? axes.b : axes.a;
            const int vector = access == Access::shared ? sides.b : sides.a;
            return vector == 1 || (context.stride(k, along.first()) == context.item(k) &&
                                   is_aligned_beside(context, k, along, vector));
        });
    };
    int b = largest;
    while (b > 1 && !fits({b, b})) b /= 2;
    // Wider elements would take the registers of a longer side along a, but the loads of a short one along b. Four loads along b
    // are few enough: 13 calls with longer sides along a took 0.87 to 1.06 of the time of squares if b is two, 0.92 to 1.18 if it is four.
    int a = demand.widest <= word_bytes && b < 4 ? largest : b;
    while (a > b && !fits({a, b})) a /= 2;
    return {a, b};
}

// Sets how many elements a thread accesses at once.
void set_patches(const PlanContext& context, PatchSides patch, Baked& baked) {
    const TileDemand demand = demand_of(context, baked);
    const TileCut cut = find_cut(demand, patch.a);
    // If every input is transposed, a thread has no loads from memory in flight when it computes. Copies of
    // odd extents, which are transposed element by element, with one vector at once and with the four or
    // eight of the table: uint8 0.4672 ms and 0.5217, float16 0.4849 and 0.5534, but float32 0.6744 and
    // 0.6554.
    const bool reads_tiles_alone =
        std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return context.is_written(k) || baked.operands[k].access == Access::shared;
        });
    const bool one_vector = patch.a == 1 && demand.widest < word_bytes && reads_tiles_alone;
    // Single elements of 8 bytes of many arrays take too many registers. 18 calls of four to nine arrays on an H200: 0.94 of the time
    // with two rows at once instead of four, 0.77 to 1.11; five calls of two and three arrays 1.05 to 1.08.
    const bool many_registers = patch.a == 1 && demand.widest == 8 && context.arrays.size() >= 4;
    const int rows = one_vector ? 1 : many_registers ? 2 : cut.rows;
    // Patches that are longer along a are so many that at least eight rows are read at once.
    const int patches = patch.a == patch.b ? cut.patches : std::max(cut.patches, 8 / patch.a);
    SharedTilesChoice choice = baked.as<SharedTilesChoice>();
    choice.side_b = patch.b;
    choice.patches = clone_limit(context.request, patches);
    choice.vectors = clone_limit(context.request, rows);
    baked.choice = choice;
    baked.vector = patch.a;
    baked.block_bound = std::max(elementwise_block_bound(context.request), cut.threads);
}

// Lets threads keep their place along one side unless that is predicted to be clearly slower. The next place then costs few
// instructions. Where a thread wraps around at the end of a side, a copy of float64 (34665, 17, 8) takes 101 instructions for 32 elements. 197
// calls on an H200 take 0.963 of their time if all of them are straight (0.43 to 1.75), and 0.949 with this rule. A named loop is straight
// for all sizes, so that a pack that has its kernel serves them all.
void try_straight(const PlanContext& context, Baked& baked) {
    constexpr double about_as_quick = 1.05;
    const std::optional<int> block_size = context.request.block_size;
    if (context.request.fit != Fit::call ||
        (block_size && !std::has_single_bit(static_cast<unsigned>(*block_size))))
        return;
    // 26 calls of one and two bytes took 0.93 of their time with four patches and rows at once instead of eight (0.71 to 1.14), 17 with rows
    // of 16 bytes and more 0.96 with two rows instead of four (0.70 to 1.03). Twelve arrays of bytes, which take a register each: 0.76.
    constexpr int most_at_once = 4;
    constexpr std::int64_t many_bytes = 16;
    constexpr std::size_t many_arrays = 10;
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_uniform(k)) bytes += context.item(k);
    }
    SharedTilesChoice choice = baked.as<SharedTilesChoice>();
    choice.straight = true;
    // A kernel for all sizes does not know how many patches a thread has, and small tiles have few.
    const bool is_named = !context.request.loop_name.empty();
    if (baked.vector > 1 || (!is_named && !is_worth_contests(context)))
        choice.patches = std::min(choice.patches, most_at_once);
    else if (!is_named)
        choice.patches = std::min(choice.patches, patches_each(context, baked));
    const bool is_many = bytes >= many_bytes || context.arrays.size() >= many_arrays;
    choice.vectors = std::min(choice.vectors, baked.vector == 1 && is_many ? 2 : most_at_once);
    Baked tried = baked;
    tried.choice = choice;
    // 34 calls of less than a million elements take 0.91 of their time (0.47 to 1.09).
    if (!is_worth_contests(context) || is_named)
        baked = tried;
    else
        Contest(context, shared_tiles_loop, baked).offer(tried, about_as_quick);
}

// Holds fewer rows of single elements at once if that is predicted to be quicker. Seven of 40 calls on an H200 are
// predicted to take less than 0.97 of their time so, and take 0.86 to 1.00, 0.94 in the geometric mean.
void try_fewer_rows(const PlanContext& context, Baked& baked) {
    constexpr double clearly_quicker = 0.97;
    if (baked.vector > 1 || !is_worth_contests(context) || !context.request.loop_name.empty())
        return;
    Contest contest(context, shared_tiles_loop, baked);
    Baked tried = baked;
    SharedTilesChoice choice = baked.as<SharedTilesChoice>();
    while (choice.vectors > 1) {
        choice.vectors /= 2;
        tried.choice = choice;
        contest.offer(tried, clearly_quicker);
    }
}

// Makes the vectors along a as short as those along b if that is predicted to be quicker. `shorter` is not straight yet.
void try_shorter_vectors(const PlanContext& context, Baked shorter, Baked& baked) {
    constexpr double clearly_quicker = 0.97;
    const int side = baked.as<SharedTilesChoice>().side_b;
    if (side == baked.vector || !is_worth_contests(context) || !context.request.loop_name.empty())
        return;
    set_patches(context, {side, side}, shorter);
    try_straight(context, shorter);
    Contest(context, shared_tiles_loop, baked).offer(shorter, clearly_quicker);
}

// Moves the axes of tiles to the last places, and chooses what depends on the order of axes.
void arrange(PlanContext& context, const TileAxes& axes, Baked& baked) {
    move_tile_axes(context, axes);
    const auto& choice = baked.as<SharedTilesChoice>();
    sort_outer_axes(context, baked, choice.axes_a + choice.axes_b);
    const Baked given = baked;
    try_straight(context, baked);
    try_shorter_vectors(context, given, baked);
    try_fewer_rows(context, baked);
    baked.draws_neighbours = choice.axes_a == 1 && context.draws_neighbours();
}

// Returns the predicted time of tiles over these axes.
double arranged_ns(PlanContext context, const TileAxes& axes, Baked baked) {
    arrange(context, axes, baked);
    return predicted_ns(context, shared_tiles_loop, baked);
}

Baked baked_over(const PlanContext& context, const TileAxes& axes, Baked baked) {
    baked.choice = SharedTilesChoice{.axes_a = axes.a.count, .axes_b = axes.b.count};
    set_accesses(context, axes, baked);
    baked.width = context.offset_width();
    baked.index_width = IndexWidth::bits32;  // 32 bits are enough for the number of tiles
    set_patches(context, find_aligned_patch(context, baked, axes), baked);
    return baked;
}

bool choose_shared_tiles(const PlanContext& context, Baked& baked) {
    if (context.rank() < 2 || context.by_reference) return false;
    // The loop is not used if the body has shared memory of its own, because both together might exceed the
    // limit.
    if (context.request.signature.facts.shared_memory) return false;
    const std::optional<TileAxes> axes = find_tile_axes(context);
    if (!axes) return false;
    const auto fits = [&](const Baked& tried) {
        return least_side * least_side * demand_of(context, tried).tiled_bytes <=
               most_tile_bytes / 2;
    };
    Baked tried = baked_over(context, *axes, baked);
    if (!fits(tried)) return false;
    if (const std::optional<TileAxes> others = exchanged_axes(context, *axes)) {
        const Baked exchanged = baked_over(context, *others, baked);
        const bool predicts = is_worth_contests(context) && context.request.loop_name.empty();
        if (fits(exchanged) && exchanged.vector > tried.vector &&
            (!predicts ||
             arranged_ns(context, *others, exchanged) < arranged_ns(context, *axes, tried)))
            tried = exchanged;
    }
    baked = tried;
    return true;
}

void reorder_shared_tiles(PlanContext& context, Baked& baked) {
    const TileAxes axes = *find_tile_axes(context);
    const bool is_exchanged =
        std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return baked.operands[k].access == Access::shared && !is_turned(context, k, axes);
        });
    arrange(context, is_exchanged ? *exchanged_axes(context, axes) : axes, baked);
}

std::string describe_shared_tiles(const Baked& baked) {
    const auto& choice = baked.as<SharedTilesChoice>();
    return fmt::format(
        "tiles in shared memory over {} axes{}, {} an access{}, {} a thread{}{}",
        baked.rank,
        tile_axes_text(choice.axes_a, choice.axes_b),
        count_of(baked.vector, "element"),
        choice.side_b == baked.vector ? "" : fmt::format(" ({} of turned arrays)", choice.side_b),
        choice.patches == 1 ? "1 patch" : fmt::format("{} patches", choice.patches),
        choice.straight ? ", straight" : "",
        offsets_text(baked));
}

}  // namespace

constinit const Loop shared_tiles_loop = {
    .kind = LoopKind::shared_tiles,
    .name = "shared_tiles",
    .when = "arrays are contiguous along different axes",
    .why = "tiles in shared memory let all be accessed in whole cache lines",
    .choose = choose_shared_tiles,
    .measure = measure_shared_tiles,
    .describe = describe_shared_tiles,
    .predict = predict_shared_tiles,
    .phases = 2,
    .reorder = reorder_shared_tiles,
    .own = TileShape{},
    .own_text = "kgen_tile_shape kgen_tile",
    .moves_index = true};

}  // namespace kgen
