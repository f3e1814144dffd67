// SPDX-License-Identifier: MIT
//
// The loop over rows, for reductions whose fastest axis is reduced. A team of threads folds an output. A
// segment is a run of reduced elements along the innermost axis, and a slot is the part of it that one access
// reads. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/quickest_pieces.hpp"
#include "plan/reduced_row_team.hpp"

namespace kgen {

namespace {

// Greatest number of threads of a block that folds a whole output. float32, 16384 x 16384: 1.080 with 256, 1.084 with 512.
constexpr int row_threads = 512;
// Greatest number of threads of a block that folds a piece of an output. float32, 2^28: 1.043 with 256, 1.022
// with 512 (four blocks at work).
constexpr int split_threads = 256;
// Number of threads of a block whose teams have up to 32 threads. Mean and variance of float32 rows of 1024:
// 1.036 with 128, 0.988 with 256.
constexpr int team_threads = 128;
constexpr std::int64_t least_block_slots = 512;  // of an output for a whole block
// The same number for a user-defined accumulator, and for inputs that run fastest across rows, if there are outputs enough.
constexpr std::int64_t own_block_slots = 4096;
constexpr std::int64_t few_outputs = 128;  // slightly less than the 132 multiprocessors of an H200
// Least number of outputs for which there are enough blocks without splitting outputs.
constexpr std::int64_t whole_outputs = 800;
// Number of blocks that a multiprocessor runs at once. More pieces cost time, because starting and ending a block takes 2 us:
// float32, 2^28, 1.043 with 528 blocks, 1.016 with 1056, 0.977 with 4096; int8 0.879, 0.761 and 0.513.
constexpr std::int64_t blocks_at_once = busy_threads / split_threads;

// Whether a reduction takes so little time that handing over results matters. Slots of single elements count like
// whole ones, because they take as many instructions.
bool is_small(const Rows& rows) {
    return rows.outputs * rows.all_slots() * access_bytes <= small_bytes;
}

// Whether a block may have 1024 threads, because each needs few registers.
bool needs_few_registers(const PlanContext& context, std::int64_t widest) {
    const ReductionFacts& facts = *context.request.signature.reduction;
    const auto inputs = std::count_if(context.arrays.begin(), context.arrays.end(), [&](auto k) {
        return !context.is_written(k);
    });
    return inputs <= 2 && widest > 2 && !facts.has_own_accumulator &&
           facts.accuracy != Accuracy::compensated;
}

// Whether a slot is a vector of narrow elements, which a thread folds one after the other.
bool has_narrow_vectors(const PlanContext& context, const Rows& rows, std::int64_t widest) {
    return widest > 0 && widest <= 2 && rows.row > rows.slots && !has_own_accumulator(context);
}

// Returns the number of threads of a block that folds one output or a piece. A thread has at least four slots if there are enough
// of them. If there are few outputs, a thread has at most four slots if possible, so that all slots are read at once.
int block_threads(const PlanContext& context, const Rows& rows, bool split, std::int64_t widest) {
    if (context.any_size()) return split ? split_threads : row_threads;
    const bool few = !split && rows.outputs < few_outputs;
    const int whole = few && needs_few_registers(context, widest) ? most_threads : row_threads;
    const std::int64_t slots = rows.all_slots() / accesses_in_flight;
    const std::int64_t least = few && has_narrow_vectors(context, rows, widest) ? 128 : 64;
    return static_cast<int>(std::clamp<std::int64_t>(
        few ? ceil_power(slots) : floor_power(slots), least, split ? split_threads : whole));
}

// Returns the number of accesses that a thread has in flight. It is four, but eight in these cases:
// - outputs of one segment: float32, 16384 x 16384, 1.084 with four, 1.091 with eight (512 threads);
//   rows of 2688, which do not fill a tile of eight accesses: 0.929 and 0.984;
// - pieces of several outputs: 16 x 2^24 1.051 and 1.073;
// - narrow items, which need more instructions: float16, 2^28, 0.984 and 1.014;
// - compensated sums of one input, in which each addition waits longer for the one before it: 2^28 1.019 and 1.034. 14
//   million elements beside a repeated one take 21 us with eight and 17 with four.
// A user-defined accumulator gets four, because it may need the registers: argmax of 2^28 1.036 and 0.954.
int wanted_accesses(const PlanContext& context,
                    const Rows& rows,
                    const ReducedRowsChoice& choice,
                    std::int64_t widest) {
    const ReductionFacts& facts = *context.request.signature.reduction;
    const bool has_outputs = context.any_size() ? context.walk.kept > 0
                                                : rows.outputs >= (choice.split ? 2 : few_outputs);
    const bool row_by_row = choice.block_team && rows.segments == 1 && widest <= 4 && has_outputs;
    const bool waits =
        facts.accuracy == Accuracy::compensated && context.request.signature.input_count == 1;
    const bool many = !facts.has_own_accumulator && (row_by_row || widest <= 2 || waits);
    return many ? 2 * accesses_in_flight : accesses_in_flight;
}

// Greatest number of vectors that a thread holds of all inputs together. Elements of up to 2 bytes need more
// registers while they are folded: with 16 vectors, a sum of two int8 arrays stores 95 registers to memory.
constexpr int narrow_vectors = 8;
constexpr int wide_vectors = 16;

// Whether reduced_columns would leave most threads of a block without work, because there are many groups of
// a few columns with few rows each. In that case reduced_rows is used although the elements of a row are not
// adjacent. One thread or a few fold each output, and neighbouring threads still read whole cache lines.
bool has_small_tiles(const PlanContext& context) {
    constexpr std::int64_t least_tile_threads = 64;
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[walk.kept - 1];
    if (walk.kept_count() == 0 || walk.kept_count() / columns < many_outputs) return false;
    const std::int64_t widest = std::max<std::int64_t>(widest_along(context, walk.kept - 1), 1);
    const std::int64_t across = ceil_power(ceil_div(columns * widest, access_bytes));
    return across * floor_power(walk.reduced_count()) < least_tile_threads;
}

// Returns the number of accesses that bring all slots of a thread in a segment, or a larger one.
int needed_accesses(const PlanContext& context,
                    const Rows& rows,
                    const ReducedRowsChoice& choice,
                    const Baked& baked) {
    if (choice.split) return is_small(rows) ? accesses_in_flight : 2 * accesses_in_flight;
    const std::int64_t team = choice.block_team ? baked.block_bound : team_of(context, rows);
    const std::int64_t lanes = lanes_of(context, rows, team);
    return static_cast<int>(
        std::min<std::int64_t>(ceil_power(ceil_div(std::max<std::int64_t>(rows.slots, 1), lanes)),
                               2 * accesses_in_flight));
}

// Whether the rows of a small call are read element by element, so that a thread reads all of its elements at once. Vectors
// would leave the ends of rows to be folded after them.
bool suits_elements(const PlanContext& context, const Rows& vectors, bool shifted, int vector) {
    constexpr std::int64_t few_elements = threads_at_work * 2;
    // Most elements of several short rows would lie at their ends.
    const bool is_short = vectors.row < accesses_in_flight * vector;
    if (vector == 1 || context.any_size() || (vectors.segments != 1 && !is_short) ||
        (!shifted && vectors.row % vector == 0))
        return false;
    const Rows rows = rows_of(context, 1);
    if (rows.outputs * rows.all_slots() > few_elements) return false;
    const bool is_block =
        rows.all_slots() >= (rows.outputs < many_outputs ? 256 : least_block_slots);
    return !is_block && rows.row <= 2 * accesses_in_flight * team_of(context, rows);
}

// Blocks fold whole outputs or pieces of them, or teams of up to 32 threads fold outputs. Outputs of few slots are never cut.
enum class Cut { by_size, whole, pieces, teams };

// What folds an output. Blocks that fold whole outputs have at most `threads` threads.
struct RowFolders {
    Cut cut = Cut::by_size;
    int threads = most_threads;
};

// Chooses the loop with accesses of `vector` elements.
void choose_teams(const PlanContext& context, int vector, RowFolders folders, Baked& baked) {
    const int inner = row_axis(context);
    const std::int64_t widest = widest_along(context, inner);
    const bool is_drawn = has_drawn_slots(context);
    baked.vector = vector;
    ReducedRowsChoice choice;
    choice.shifted = choose_accesses(context, inner, baked);
    baked.draws_neighbours = is_drawn && !choice.shifted;
    // Three kernels serve any size: teams of up to 32 threads, blocks, and blocks that fold pieces. A block also folds a
    // single output of few elements, which saves a kernel. Each of the three takes rows that begin anywhere.
    if (context.any_size()) choice.shifted = baked.vector > 1;

    Rows rows = rows_of(context, baked.vector);
    const bool by_elements =
        !is_drawn && suits_elements(context, rows, choice.shifted, baked.vector);
    if (by_elements) {
        baked.vector = 1;
        choice.shifted = choose_accesses(context, inner, baked);
        rows = rows_of(context, baked.vector);
    }
    // If there are few outputs, each needs more threads, so it gets a block if it has at least 256 slots, or 64 that
    // are folded by a user-defined accumulator or are vectors of narrow elements: counts of 1452 and 3061 bool take 1.29 and
    // 1.23 us by blocks of 128 threads, 1.47 and 1.46 by one warp (H200).
    const std::int64_t turned = context.turned_item(context.walk.kept - 1);
    const bool teams_suffice =
        (has_own_accumulator(context) && rows.outputs * 32 >= threads_at_work) ||
        (turned > 0 && rows.outputs * turned_lanes(turned) >= turned_threads);
    const bool is_slow = has_own_accumulator(context) || has_narrow_vectors(context, rows, widest);
    choice.block_team =
        folders.cut != Cut::teams &&
        (rows.all_slots() >= (teams_suffice ? own_block_slots : least_block_slots) ||
         (rows.outputs < many_outputs && rows.all_slots() >= (is_slow ? 64 : 256)) ||
         (context.any_size() && context.walk.kept == 0));
    const bool is_whole = (is_small(rows) || context.any_size()) && folders.cut != Cut::pieces;
    choice.split = choice.block_team && rows.outputs < whole_outputs && folders.cut != Cut::whole &&
                   rows.all_slots() > (is_whole ? whole_slots(context, baked)
                                                : split_threads * accesses_in_flight);
    baked.block_bound =
        !choice.block_team
            ? team_threads
            : std::min(block_threads(context, rows, choice.split, widest), folders.threads);
    const int accesses = held_limit(
        context,
        baked,
        by_elements ? 2 * accesses_in_flight : wanted_accesses(context, rows, choice, widest),
        widest <= 2 ? narrow_vectors : wide_vectors);
    // Where nothing is read, and random numbers are folded, there are no accesses to wait for.
    const int most = context.any_size()        ? accesses
                     : is_drawn && widest == 0 ? 2
                                               : needed_accesses(context, rows, choice, baked);
    choice.accesses = access_limit(context.request, std::min(accesses, most), baked.vector);
    if (choice.block_team && !context.any_size() && !is_small(rows))
        choice.accesses = fit_segments(context, rows, baked.block_bound, choice.accesses);
    // Most of a row lies in a tile that it does not fill, and a thread has several slots there.
    const std::int64_t tile = std::int64_t{choice.accesses} * baked.block_bound;
    choice.guarded = choice.block_team && !choice.split && !context.any_size() &&
                     rows.segments == 1 && rows.slots < 2 * tile &&
                     rows.slots % tile > baked.block_bound;
    // Many segments hide the wait behind each other, and are up to 18 % slower with the registers of loaded ends.
    choice.ends_first = baked.vector > 1 && !context.any_size() &&
                        (rows.segments == 1 || (choice.shifted && is_small(rows)));
    baked.choice = choice;
    baked.index_width = fold_index_width(context, rows.row);
}

// Offers larger blocks to teams of up to 32 threads, because a GPU starts one block after the other. With 256 threads one of six calls
// took 0.87 of its time on an H200, the others 0.97 to 1.00.
void try_larger_blocks(const PlanContext& context, Baked& baked) {
    constexpr double clearly_quicker = 0.95;
    if (!is_worth_contests(context) || !context.request.loop_name.empty()) return;
    Contest contest(context, reduced_rows_loop, baked);
    for (int threads = 2 * team_threads; threads <= row_threads; threads *= 2) {
        Baked larger = baked;
        larger.block_bound = threads;
        if (!contest.offer(larger, clearly_quicker)) return;
    }
}

// Chooses the loop by the sizes, then tries whole outputs, fewer threads and teams, and takes what is predicted to be quicker. Figures
// of 82 calls on an H200: whole outputs that were predicted to take as long as pieces took 0.65 to 0.97 of the time, fewer threads
// 0.69 to 1.04.
void choose_rows(const PlanContext& context, int vector, Baked& baked) {
    const Baked common = baked;
    choose_teams(context, vector, {}, baked);
    const auto& choice = baked.as<ReducedRowsChoice>();
    if (!choice.block_team) {
        try_larger_blocks(context, baked);
        return;
    }
    if (context.request.fit != Fit::call) return;
    const Rows rows = rows_of(context, baked.vector);
    Contest contest(context, reduced_rows_loop, baked);
    const auto offer = [&](RowFolders folders, double share) {
        Baked other = common;
        choose_teams(context, vector, folders, other);
        return contest.offer(other, share);
    };
    constexpr std::int64_t least_whole = 32;  // outputs; fewer ones always need pieces
    // Blocks that fold whole outputs often take less time than is predicted: a bare kernel of 1024 threads
    // 1.83 us for 128 KiB in one segment, predicted 2.7 (H200).
    if (choice.split && rows.outputs >= least_whole)
        offer({Cut::whole}, 1.1);
    else if (!choice.split && rows.outputs > 0)
        offer({Cut::pieces}, rows.segments > 1 ? 0.9 : 0.8);
    if (choice.split || rows.outputs < few_outputs) return;
    constexpr int least_whole_threads = 128;
    // Narrow elements keep threads busy.
    const double fewer_threads = widest_along(context, row_axis(context)) <= 2 ? 0.9 : 0.98;
    int threads = baked.block_bound / 2;
    while (threads >= least_whole_threads && offer({Cut::whole, threads}, fewer_threads))
        threads /= 2;
    offer({Cut::teams}, 0.9);
}

bool choose_reduced_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (!walk.inner_reduced && walk.rank() > 0 && !has_small_tiles(context)) return false;
    const int inner = row_axis(context);
    const std::int64_t widest = widest_along(context, inner);
    int vector = 1;
    if (widest > 0)
        vector = clone_limit(context.request, static_cast<int>(access_bytes / widest));
    else if (has_drawn_slots(context))
        vector =
            spread_vector(extent_product(context.request.loop), clone_limit(context.request, 4));
    if (inner < 0) vector = 1;
    // Rows shorter than two vectors are read by shorter ones that fill them, or element by element.
    const bool is_short = vector > 1 && walk.extents[inner] < 2 * vector && !context.any_size();
    while (is_short && vector > 1 &&
           (walk.extents[inner] < 2 * vector || walk.extents[inner] % vector != 0))
        vector /= 2;
    choose_shorter_vectors(context, reduced_rows_loop, vector, choose_rows, baked);
    return true;
}

void choose_general_rows(const PlanContext& context, Baked& baked) {
    for (const std::size_t k : context.arrays) baked.operands[k].access = Access::elements;
    const Rows rows = rows_of(context, 1);
    const bool block_team = rows.outputs < many_outputs && rows.all_slots() >= least_block_slots;
    baked.choice = ReducedRowsChoice{.block_team = block_team, .split = block_team};
    baked.block_bound = block_team ? split_threads : team_threads;
}

// Returns the geometry of blocks that fold `pieces` pieces of each output, or about as many.
Geometry cut_rows(const PlanContext& context,
                  const Rows& rows,
                  Geometry geometry,
                  RowTeams teams,
                  std::int64_t pieces) {
    // A piece has a segment for each group of lanes.
    const std::int64_t groups = geometry.threads / teams.lanes;
    const std::int64_t of_segments = std::min(ceil_div(rows.segments, groups), pieces);
    teams.segments_each = ceil_div(rows.segments, of_segments);
    const std::int64_t segment_pieces = ceil_div(rows.segments, teams.segments_each);
    const std::int64_t of_slots = std::min(ceil_div(pieces, segment_pieces), rows.slots);
    teams.slots_each = ceil_div(ceil_div(rows.slots, of_slots), teams.lanes) * teams.lanes;
    const std::int64_t slot_pieces = ceil_div(rows.slots, teams.slots_each);
    const std::int64_t count = segment_pieces * slot_pieces;
    teams.by_pieces = make_divisor32(count);
    teams.by_slot_pieces = make_divisor32(slot_pieces);
    geometry.scratch = {.handed = rows.outputs * count};
    geometry.blocks = count_blocks(context.request, rows.outputs * count, 1, geometry.threads);
    geometry.own = teams;
    return geometry;
}

Geometry measure_reduced_rows(const PlanContext& context, const Baked& baked) {
    const Rows rows = rows_of(context, baked.vector);
    Geometry geometry;
    const auto& choice = baked.as<ReducedRowsChoice>();
    RowTeams teams = {};
    teams.row = rows.row;
    teams.segments = rows.segments;
    teams.segments_each = rows.segments;
    teams.slots_each = rows.slots;
    teams.by_pieces = make_divisor32(1);
    teams.by_slot_pieces = make_divisor32(1);
    geometry.threads = baked.block_bound;
    const std::int64_t team = choice.block_team ? geometry.threads : team_of(context, rows);
    teams.team = static_cast<int>(team);
    teams.lanes = static_cast<int>(lanes_of(context, rows, team));
    if (!choice.split) {
        geometry.blocks =
            count_blocks(context.request, rows.outputs, geometry.threads / team, geometry.threads);
        geometry.own = teams;
        return geometry;
    }
    const std::int64_t at_once = context.limits.processor_count * blocks_at_once;
    // The last argument bounds the number of pieces, so that each thread has at least one slot, except
    // in the last piece. If the inputs are small, it has several, because each piece costs time in the end.
    const std::int64_t least_slots =
        is_small(rows) ? std::max<std::int64_t>(accesses_in_flight / loads_of(context, baked), 1)
                       : 1;
    const std::int64_t pieces = best_pieces(
        rows.outputs, at_once, ceil_div(rows.all_slots(), geometry.threads * least_slots));
    return quickest_pieces(
        context, baked, predict_reduced_rows, pieces, false, [&](std::int64_t count) {
            return cut_rows(context, rows, geometry, teams, count);
        });
}

std::string describe_reduced_rows(const Baked& baked) {
    const auto& choice = baked.as<ReducedRowsChoice>();
    return fmt::format("{}{}, {} an access, {} at once{}",
                       choice.block_team
                           ? fmt::format("rows by blocks of {} threads", baked.block_bound)
                           : "rows by threads of one warp",
                       choice.shifted ? ", which begin anywhere" : "",
                       count_of(baked.vector, "element"),
                       count_of(choice.accesses, "access"),
                       choice.split ? ", in pieces that the last block folds" : "");
}

std::vector<std::string> explain_reduced_rows(const PlanRequest&,
                                              const Plan& plan,
                                              const LoopStruct& own) {
    const auto& teams = std::get<RowTeams>(own);
    std::vector<std::string> lines = {
        fmt::format("team: {} fold one output, {} of them one row of {}",
                    count_of(teams.team, "thread"),
                    teams.lanes,
                    count_of(teams.row, "element"))};
    if (is_split(plan.baked)) lines.push_back(pieces_line(teams.by_pieces.extent, "output"));
    return lines;
}

}  // namespace

constinit const Loop reduced_rows_loop = {
    .kind = LoopKind::reduced_rows,
    .name = "reduced_rows",
    .when = "the inputs are closest in memory along a reduced axis",
    .why = "neighbouring threads read a row together and then fold their results",
    .choose = choose_reduced_rows,
    .measure = measure_reduced_rows,
    .describe = describe_reduced_rows,
    .predict = predict_reduced_rows,
    .phases = 1.5,
    .explain = explain_reduced_rows,
    .has_any_size = true,
    .choose_general = choose_general_rows,
    .own = RowTeams{},
    .own_text = "kgen_row_teams kgen_teams"};

}  // namespace kgen
