// SPDX-License-Identifier: MIT
//
// The loop over vector rows. The innermost axis is cut into vectors, and a thread handles the same vector of
// several rows. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

constexpr int least_vector_bytes = 8;

// Number of rows of a thread if no input is read row by row. Two are best: outer product of float32 (16384 x
// 16384) 0.941, 1.066, 1.059 and 1.048 with 1, 2, 4 and 8 rows; row + column of float16 (256, 512, 1024)
// 0.887, 1.005, 0.994 and 0.983. If an input is read row by row, one row is best, because data that rows
// share comes from the L1 and L2 caches just as fast: x + row of float32 0.998, 0.986 and 0.982 with 1, 2 and
// 4 rows.
constexpr int rows_sharing = 2;

bool is_unit(const PlanContext& context, std::size_t k) {
    return context.stride(k, context.rank() - 1) == context.item(k);
}

// Returns the extents by which a thread divides its index. The innermost axis counts the vectors of a row,
// and the axis outside it counts groups of `rows` rows.
Dims counts(const PlanContext& context, int vector, int rows) {
    const int inner = context.rank() - 1;
    Dims counts = context.walk.extents;
    counts[inner] /= vector;
    counts[inner - 1] = (counts[inner - 1] - 1) / rows + 1;
    return counts;
}

bool choose_vector_rows(const PlanContext& context, Baked& baked) {
    const int inner = context.rank() - 1;
    if (context.rank() < 2 || context.by_reference) return false;
    if (extent_product(context.request.loop) == 0) return false;  // nothing is launched
    std::int64_t widest = 0;
    bool strided = false;
    bool dense = true;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) && !is_unit(context, k)) return false;
        if (context.is_written(k) && !context.is_dense(k)) dense = false;
        if (!is_unit(context, k) && context.stride(k, inner) != 0) strided = true;
        if (is_unit(context, k)) widest = std::max(widest, context.item(k));
    }
    // If an input is read element by element anyway, the flat loop is at least as fast: float32 (2^19, 2, 64)
    // permuted by (0, 2, 1) 0.984 against 0.875.
    if (widest == 0 || (strided && dense)) return false;
    int vector = clone_limit(context.request, static_cast<int>(access_bytes / widest));
    const int whole = vector;
    const auto fits = [&] {
        if ((context.walk.extents[inner] & (vector - 1)) != 0) return false;  // a power of two
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return !is_unit(context, k) || is_aligned(context, k, inner, vector);
        });
    };
    while (vector > 1 && !fits()) vector /= 2;
    if (vector * widest < least_vector_bytes) return false;
    // Rows of shorter vectors would need more kernels.
    if (context.any_size() && vector < whole) return false;

    baked.block_bound = elementwise_block_bound(context.request);
    baked.width = context.offset_width();
    baked.vector = vector;
    baked.draws_neighbours = context.draws_neighbours();
    bool reads_rows = false;
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.repeats = context.stride(k, inner - 1) == 0;
        if (is_unit(context, k)) {
            operand.access = Access::vector;
        } else {
            operand.access = context.stride(k, inner) == 0 ? Access::uniform : Access::elements;
        }
        if (!context.is_written(k) && !operand.repeats && operand.access != Access::uniform)
            reads_rows = true;
    }
    const int rows = reads_rows ? 1 : rows_sharing;
    const VectorRowsChoice choice{.rows = access_limit(context.request, rows, vector)};
    baked.choice = choice;
    baked.index_width = index_width(extent_product(counts(context, vector, choice.rows)));
    return true;
}

Geometry measure_vector_rows(const PlanContext& context, const Baked& baked) {
    Geometry geometry;
    const int inner = context.rank() - 1;
    const int rows = baked.as<VectorRowsChoice>().rows;
    geometry.counts = counts(context, baked.vector, rows);
    const std::int64_t threads = extent_product(geometry.counts);
    // The rows of a thread are adjacent (outer product 1.072 against 1.063) unless rows are shorter than the
    // vectors of a warp. In that case the rows of a thread are apart, so that the threads of a warp access
    // memory without gaps.
    const bool neighbours = geometry.counts[inner] >= 32;
    const std::int64_t groups = geometry.counts[inner - 1];
    geometry.own = RowSteps{.extent = context.walk.extents[inner - 1],
                            .first = neighbours ? rows : 1,
                            .step = neighbours ? 1 : groups,
                            .threads = threads};
    geometry.threads = fit_threads(context, threads);
    geometry.blocks = count_blocks(context.request, threads, geometry.threads, geometry.threads);
    return geometry;
}

std::string describe_vector_rows(const Baked& baked) {
    return fmt::format("vectors of rows over {} axes, {} elements an access, {} a thread{}",
                       baked.rank,
                       baked.vector,
                       count_of(baked.as<VectorRowsChoice>().rows, "row"),
                       offsets_text(baked));
}

}  // namespace

constinit const Loop vector_rows_loop = {
    .kind = LoopKind::vector_rows,
    .name = "vector_rows",
    .when = "rows consist of whole, aligned vectors",
    .why =
        "an index is divided once for each vector, and what all rows share is read once for "
        "several rows",
    .choose = choose_vector_rows,
    .measure = measure_vector_rows,
    .describe = describe_vector_rows,
    .predict = predict_vector_rows,
    .has_any_size = true,
    .own = RowSteps{},
    .own_text = "kgen_row_steps kgen_rows",
    .moves_index = true};

}  // namespace kgen
