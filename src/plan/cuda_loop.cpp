// SPDX-License-Identifier: MIT
#include "plan/cuda_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <limits>

namespace kgen {

namespace {

constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t most_cloned_tokens = 4096;

constexpr std::array<CudaLoop, 4> loop_table = {{
    {.kind = LoopKind::flat,
     .when = "every array is dense in one order, or one element",
     .why = "one index serves all, and each access is 16 bytes",
     .choose = choose_flat_dense,
     .measure = measure_flat},
    {.kind = LoopKind::shared_tiles,
     .when = "an input lies in memory along another axis than the output",
     .why = "a tile in shared memory lets both sides be read and written in whole lines",
     .choose = choose_shared_tiles,
     .measure = measure_shared_tiles},
    {.kind = LoopKind::vector_rows,
     .when = "rows of whole, aligned vectors",
     .why = "vectors without a division an element; what all rows share is read once for several",
     .choose = choose_vector_rows,
     .measure = measure_vector_rows},
    {.kind = LoopKind::flat,
     .when = "any other layout",
     .why = "dense arrays by vectors, the others element by element",
     .choose = choose_flat,
     .measure = measure_flat},
}};

}  // namespace

std::span<const CudaLoop> cuda_loops() noexcept {
    return loop_table;
}

const CudaLoop& chosen_loop(const Baked& baked) {
    // The flat loop has two rows in the table. The last one serves arrays that are read by their strides.
    if (baked.loop == LoopKind::flat && divides(baked)) return loop_table.back();
    return *std::find_if(loop_table.begin(), loop_table.end(), [&](const CudaLoop& loop) {
        return loop.kind == baked.loop;
    });
}

int clone_limit(std::size_t token_count, int wanted) {
    int copies = wanted;
    while (copies > 1 && static_cast<std::size_t>(copies) * token_count > most_cloned_tokens)
        copies /= 2;
    return copies;
}

int fit_threads(const PlanRequest& request, std::int64_t items) {
    if (request.block_size) return *request.block_size;
    int threads = usual_threads;
    while (threads > least_threads && items / threads < request.limits.processor_count)
        threads /= 2;
    return threads;
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

}  // namespace kgen
