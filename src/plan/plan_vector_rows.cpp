// SPDX-License-Identifier: MIT
//
// The loop over vector rows. The innermost axis is cut into vectors, and a thread handles the same vector of
// several rows. If inputs lie closest along another, short axis, that axis counts the rows, and a thread handles all of them:
// it reads what lies side by side, and neighbouring threads store what does. Figures are fractions of a copy's speed on an
// H200.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

// Returns the extents by which a thread divides its index. The innermost axis counts the vectors of a row, and `outer` counts
// groups of `rows` rows.
Dims counts(const PlanContext& context, int outer, int vector, int rows) {
    Dims counts = context.walk.extents;
    counts[context.rank() - 1] /= vector;
    counts[outer] = (counts[outer] - 1) / rows + 1;
    return counts;
}

// Returns the axis along which most bytes lie closest, of the inputs that lie closest along another axis than the innermost one.
std::optional<int> find_turned_axis(const PlanContext& context) {
    const int inner = context.rank() - 1;
    Dims bytes = Dims::filled(context.rank(), 0);
    std::optional<int> most;
    for (const std::size_t k : context.arrays) {
        const int axis = context.fastest_axis(k);
        if (context.is_written(k) || axis < 0 || axis == inner || context.stride(k, inner) == 0)
            continue;
        bytes[axis] += context.item(k);
        if (!most || bytes[axis] > bytes[*most]) most = axis;
    }
    return most;
}

// Returns how many rows a thread handles if inputs lie closest along their axis, or 1 if that does not suit the call. If each thread
// had half of the rows, both halves would read the same sectors, one long after the other. 64 MB of float32 in 17
// to 32 rows took 52 to 86 us so on an H200. In 16 rows, all of which a thread has, they take 42 us.
int turned_rows(const PlanContext& context, int axis) {
    constexpr std::int64_t most_rows = 16;
    constexpr std::int64_t most_held = 256;  // bytes of a thread
    std::int64_t item = 0;
    for (const std::size_t k : context.arrays) item += context.item(k);
    const std::int64_t extent = context.walk.extents[axis];
    // The stores of a warp would have gaps.
    if (context.walk.extents[context.rank() - 1] < warp_lanes) return 1;
    if (extent > std::min(most_rows, most_held / item)) return 1;
    const int rows = static_cast<int>(extent);
    return clone_limit(context.request, rows) < rows ? 1 : rows;
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
    const std::optional<int> turned =
        context.any_size() || !dense ? std::nullopt : find_turned_axis(context);
    const int all_rows = turned ? turned_rows(context, *turned) : 1;
    if (widest == 0 || (strided && dense && all_rows == 1)) return false;
    int vector =
        all_rows > 1 ? 1 : clone_limit(context.request, static_cast<int>(access_bytes / widest));
    const int whole = vector;
    const auto fits = [&] {
        if ((context.walk.extents[inner] & (vector - 1)) != 0) return false;  // a power of two
        return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return !is_unit(context, k) || is_aligned(context, k, inner, vector);
        });
    };
    while (vector > 1 && !fits()) vector /= 2;
    if (vector * widest < least_vector_bytes && all_rows == 1) return false;
    // Rows of shorter vectors would need more kernels.
    if (context.any_size() && vector < whole) return false;

    baked.block_bound = elementwise_block_bound(context.request);
    baked.width = context.offset_width();
    baked.vector = vector;
    baked.draws_neighbours = context.draws_neighbours();
    bool reads_rows = false;
    const int outer = all_rows > 1 ? *turned : inner - 1;
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        operand.repeats = context.stride(k, outer) == 0;
        if (is_unit(context, k)) {
            operand.access = Access::vector;
        } else {
            operand.access = context.stride(k, inner) == 0 ? Access::uniform : Access::elements;
        }
        if (!context.is_written(k) && !operand.repeats && operand.access != Access::uniform)
            reads_rows = true;
    }
    VectorRowsChoice choice{.rows = all_rows, .turned = all_rows > 1};
    if (!choice.turned)
        choice.rows = access_limit(context.request, reads_rows ? 1 : rows_sharing, vector);
    baked.choice = choice;
    baked.index_width = index_width(extent_product(counts(context, outer, vector, choice.rows)));
    return true;
}

bool reorders_vector_rows(const Baked& baked) {
    return baked.as<VectorRowsChoice>().turned;
}

void reorder_vector_rows(PlanContext& context, Baked&) {
    context.move_inwards(*find_turned_axis(context));
}

Geometry measure_vector_rows(const PlanContext& context, const Baked& baked) {
    Geometry geometry;
    const int inner = context.rank() - 1;
    const auto& choice = baked.as<VectorRowsChoice>();
    const int rows = choice.rows;
    geometry.counts = counts(context, inner - 1, baked.vector, rows);
    const std::int64_t threads = extent_product(geometry.counts);
    // The rows of a thread are adjacent (outer product 1.072 against 1.063) unless rows are shorter than the
    // vectors of a warp. In that case the rows of a thread are apart, so that the threads of a warp access
    // memory without gaps.
    const bool neighbours = geometry.counts[inner] >= warp_lanes;
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
    const auto& choice = baked.as<VectorRowsChoice>();
    return fmt::format("vectors of rows over {} axes, {} an access, {} a thread{}{}",
                       baked.rank,
                       count_of(baked.vector, "element"),
                       count_of(choice.rows, "row"),
                       choice.turned ? ", across which inputs lie closest" : "",
                       offsets_text(baked));
}

}  // namespace

constinit const Loop vector_rows_loop = {
    .kind = LoopKind::vector_rows,
    .name = "vector_rows",
    .when = "rows consist of whole, aligned vectors, or inputs lie closest along a short axis",
    .why =
        "an index is divided once for each vector, and what rows share, or have side by side, is "
        "read once for several rows",
    .choose = choose_vector_rows,
    .measure = measure_vector_rows,
    .describe = describe_vector_rows,
    .predict = predict_vector_rows,
    .reorder = reorder_vector_rows,
    .reorders = reorders_vector_rows,
    .has_any_size = true,
    .own = RowSteps{},
    .own_text = "kgen_row_steps kgen_rows",
    .moves_index = true};

}  // namespace kgen
