// SPDX-License-Identifier: MIT
#include "plan/loop_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/plan_cuda.hpp"
#include "plan/plan_host.hpp"

namespace kgen {

namespace {

constexpr Loop cuda_elementwise[] = {
    {.kind = LoopKind::flat,
     .name = "flat",
     .when = "every array is contiguous in one order, or is a single element",
     .why = "one index serves all arrays, and each access has 16 bytes",
     .choose = choose_flat_dense,
     .measure = measure_flat,
     .describe = describe_flat},
    {.kind = LoopKind::shared_tiles,
     .name = "shared_tiles",
     .when = "an input is contiguous along another axis than the output",
     .why = "tiles in shared memory let both be accessed in whole cache lines",
     .choose = choose_shared_tiles,
     .measure = measure_shared_tiles,
     .describe = describe_shared_tiles,
     .own = TileShape{},
     .own_text = "kgen_tile_shape kgen_tile",
     .moves_index = true},
    {.kind = LoopKind::vector_rows,
     .name = "vector_rows",
     .when = "rows consist of whole, aligned vectors",
     .why = "an index is divided once for each vector, and what all rows share is read once for "
            "several rows",
     .choose = choose_vector_rows,
     .measure = measure_vector_rows,
     .describe = describe_vector_rows,
     .own = RowSteps{},
     .own_text = "kgen_row_steps kgen_rows",
     .moves_index = true},
    {.kind = LoopKind::flat,
     .name = "flat",
     .when = "any other layout",
     .why = "contiguous arrays are accessed by vectors, the others element by element",
     .choose = choose_flat,
     .measure = measure_flat,
     .describe = describe_flat,
     .choose_general = choose_general_flat},
};

constexpr Loop cuda_reductions[] = {
    {.kind = LoopKind::staged_rows,
     .name = "staged_rows",
     .when = "rows of few bytes follow each other without gaps",
     .why = "a block copies its rows to shared memory in whole cache lines, and each thread "
            "folds whole rows from there",
     .choose = choose_staged_rows,
     .measure = measure_staged_rows,
     .describe = describe_staged_rows,
     .explain = explain_staged_rows,
     .own = StagedRows{},
     .own_text = "kgen_staged_rows kgen_staged"},
    {.kind = LoopKind::reduced_rows,
     .name = "reduced_rows",
     .when = "the inputs are closest in memory along a reduced axis",
     .why = "neighbouring threads read a row together and then fold their results",
     .choose = choose_reduced_rows,
     .measure = measure_reduced_rows,
     .describe = describe_reduced_rows,
     .explain = explain_reduced_rows,
     .choose_general = choose_general_rows,
     .own = RowTeams{},
     .own_text = "kgen_row_teams kgen_teams"},
    {.kind = LoopKind::reduced_columns,
     .name = "reduced_columns",
     .when = "the inputs are closest in memory along a kept axis",
     .why = "each thread folds its own columns, so that threads read whole cache lines of rows",
     .choose = choose_reduced_columns,
     .measure = measure_reduced_columns,
     .describe = describe_reduced_columns,
     .explain = explain_reduced_columns,
     .own = ColumnTiles{},
     .own_text = "kgen_column_tiles kgen_columns"},
};

constexpr Loop host_elementwise[] = {
    {.kind = LoopKind::tiles,
     .name = "tiles",
     .when = "arrays share cache lines along another axis than the innermost one",
     .why = "the elements of a cache line are used while it is in the cache",
     .choose = choose_host_tiles,
     .measure = measure_host_rows,
     .describe = describe_host_tiles,
     .moves_index = true},
    {.kind = LoopKind::short_rows,
     .name = "short_rows",
     .when = "there are many rows of few elements",
     .why = "each row costs time beside its elements, so many rows run as one loop",
     .choose = choose_short_rows,
     .measure = measure_host_rows,
     .describe = describe_short_rows},
    {.kind = LoopKind::rows,
     .name = "rows",
     .when = "any other layout",
     .why = "the innermost axis is a plain loop, and the others are counted",
     .choose = choose_host_rows,
     .measure = measure_host_rows,
     .describe = describe_host_rows,
     .explain = explain_host_rows,
     .choose_general = choose_general_host_rows},
};

constexpr Loop host_reductions[] = {
    {.kind = LoopKind::reduced_rows,
     .name = "reduced_rows",
     .when = "the inputs are closest in memory along a reduced axis",
     .why = "each row is folded into many accumulators at once",
     .choose = choose_host_reduced_rows,
     .measure = measure_host_reduction,
     .describe = describe_host_reduction,
     .explain = explain_host_reduction,
     .choose_general = choose_general_host_reduction,
     .own = std::int64_t{1},
     .own_text = "long long kgen_pieces"},
    {.kind = LoopKind::reduced_columns,
     .name = "reduced_columns",
     .when = "the inputs are closest in memory along a kept axis, or rows are many and short",
     .why = "neighbouring outputs are folded at once",
     .choose = choose_host_reduced_columns,
     .measure = measure_host_reduction,
     .describe = describe_host_reduction,
     .explain = explain_host_reduction,
     .own = std::int64_t{1},
     .own_text = "long long kgen_pieces"},
};

constexpr DeviceLoops devices[] = {
    {.device = DeviceKind::cuda,
     .name = "cuda",
     .has_divisors = true,
     .has_read_only_loads = true,
     .describe_access = describe_cuda_access,
     .elementwise = cuda_elementwise,
     .reductions = cuda_reductions},
    {.device = DeviceKind::host,
     .name = "host",
     .has_divisors = false,
     .has_read_only_loads = false,
     .describe_access = describe_host_access,
     .elementwise = host_elementwise,
     .reductions = host_reductions},
};

}  // namespace

const DeviceLoops& device_loops(DeviceKind device) {
    return *std::find_if(std::begin(devices), std::end(devices), [&](const DeviceLoops& loops) {
        return loops.device == device;
    });
}

const Loop& loop_of(const Baked& baked) {
    const DeviceLoops& loops = device_loops(baked.device);
    const auto table = is_reduction(baked.loop) ? loops.reductions : loops.elementwise;
    // The flat loop has two rows. The last one serves arrays that are accessed by their strides.
    if (baked.loop == LoopKind::flat && divides(baked)) return table.back();
    return *std::find_if(
        table.begin(), table.end(), [&](const Loop& loop) { return loop.kind == baked.loop; });
}

std::string count_of(std::int64_t count, std::string_view noun) {
    if (count == 1) return fmt::format("1 {}", noun);
    if (noun == "axis") return fmt::format("{} axes", count);
    return fmt::format("{} {}{}", count, noun, noun.back() == 's' ? "es" : "s");
}

}  // namespace kgen
