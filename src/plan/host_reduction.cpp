// SPDX-License-Identifier: MIT
//
// The host's reduction loops:
//
//   loop             when                                         why
//   reduced_rows     the fastest axis is reduced                  a row is folded into 64 accumulators at
//                                                                 once, or fewer if they are large
//   reduced_columns  the fastest axis is kept, or there are       256 outputs are folded side by side, or
//                    many short rows                              fewer if accumulators are large
//
// Chunks of elements or rows have a fixed size. A tree that depends only on the number of chunks folds them,
// so the bits of a result depend neither on the threads nor on the compiler. If there are so few outputs that
// threads would be idle, each output is cut into pieces, which are whole subtrees (`split`). The thread that
// finishes the last piece folds all pieces.
//
// Measured for float32 sums of squares on one core of a Xeon with 2 MiB of L2, in GB/s for 2^25 and 2^15
// elements: rows 14.0 and 75, eight 256-bit accumulators written by hand 11.7 and 65; columns 13.0 and 61.
#include <fmt/format.h>

#include <algorithm>

#include "plan/reduction_plan.hpp"

namespace kgen {

namespace {

// The same as in kernel_templates/skeletons/reduced_{rows,columns}.cpp.in and reduce_host.cuh.
constexpr std::int64_t chunk_elements = 16384;
constexpr std::int64_t chunk_rows = 256;
constexpr std::int64_t columns_at_once = 256;  // fewer if accumulators are large

// Short rows are folded side by side, as columns are. A row that is folded alone costs about 8 ns beside its
// elements, and 15 ns more if their number is not a multiple of 16, because the rest is computed by scalar
// code and then read as vectors. Measured for float32 sums of squares in L2 on one core of a Xeon, in GB/s as
// rows and as columns: 16 elements - and 12.7, 20: 3.0 and 12.8, 32: 14.0 and 12.5, 63: 8.5 and 13.4, 64: 25
// and 4.1 (the lines of a column share few sets of the L1 cache), 100: 14.3 and 13.8.
constexpr std::int64_t most_short_fold = 16;
constexpr std::int64_t most_odd_fold = 64;
constexpr std::int64_t least_short_folds = 16;

// Number of elements from which on several threads share a loop, so that pieces are of use.
constexpr std::int64_t least_split = std::int64_t{1} << 17;
// Number of units of work that is enough for all threads.
constexpr std::int64_t least_units = 512;
constexpr std::int64_t most_partials = std::int64_t{1} << 18;
// Limit for accumulators of a user-defined type, whose size is unknown here.
constexpr std::int64_t most_own_partials = std::int64_t{1} << 14;

std::int64_t over(std::int64_t count, std::int64_t by) {
    return count / by + (count % by != 0 ? 1 : 0);
}

class HostReductionChooser {
public:
    explicit HostReductionChooser(const ReductionContext& context)
        : context_(context), walk_(context.walk), inner_(walk_.rank() - 1) {}

    bool folds_rows() const {
        if (walk_.kept == 0) return true;
        if (!walk_.inner_reduced) return false;
        const std::int64_t row = walk_.reduced_count();
        const bool is_short = row <= (row % most_short_fold == 0 ? most_short_fold : most_odd_fold);
        return !is_short || walk_.extents[walk_.kept - 1] < least_short_folds;
    }

    // Whether several short rows can be folded as one wide row: each row, and each index that the map uses,
    // continues where the row before it ends.
    bool folds_wide_rows() const {
        const int column = walk_.kept - 1;
        const ReductionFacts& facts = *context_.request.signature.reduction;
        if (inner_ <= column || 2 * walk_.extents[column] > columns_at_once) return false;
        if (facts.map_place.reduced_index || facts.map_place.output_indexer) return false;
        const auto goes_on = [&](const Dims& strides) {
            return strides[inner_] == strides[column] * walk_.extents[column];
        };
        const Dims& index = walk_.index_strides[static_cast<std::size_t>(PlaceIndex::input)];
        if (index.rank() > 0 && !goes_on(index)) return false;
        return std::all_of(context_.arrays.begin(), context_.arrays.end(), [&](std::size_t k) {
            return context_.is_written(k) || goes_on(walk_.strides[k]);
        });
    }

    StrideClass inner_class(std::size_t k, int axis) const {
        if (axis < 0) return StrideClass::uniform;
        const std::int64_t stride = context_.stride(k, axis);
        if (stride == context_.item(k)) return StrideClass::unit;
        if (stride == -context_.item(k)) return StrideClass::reversed;
        return stride == 0 ? StrideClass::uniform : StrideClass::strided;
    }

private:
    const ReductionContext& context_;
    const ReductionWalk& walk_;
    int inner_;
};

// Number of units of work that threads share without splitting, and the most pieces that each is cut into.
struct Shares {
    std::int64_t units;
    std::int64_t pieces;
};

Shares shares(const ReductionContext& context, const Baked& baked) {
    const ReductionWalk& walk = context.walk;
    const std::int64_t kept = walk.kept_count();
    const std::int64_t reduced = walk.reduced_count();
    Shares found{kept, over(reduced, chunk_elements)};
    if (baked.loop == LoopKind::reduced_columns) {
        const std::int64_t columns = walk.extents[walk.kept - 1];
        const std::int64_t high = baked.wide ? columns_at_once / columns : 1;
        found = {kept / columns * over(columns, columns_at_once), over(reduced / high, chunk_rows)};
    }
    const bool is_own = context.request.signature.reduction->has_own_accumulator;
    const std::int64_t partials = is_own ? most_own_partials : most_partials;
    found.pieces = std::min({found.pieces, over(2 * least_units, found.units), partials / kept});
    if (kept * reduced < least_split || found.units >= least_units || found.pieces < 2)
        found.pieces = 1;
    return found;
}

}  // namespace

void choose_host_reduction(const ReductionContext& context, Baked& baked) {
    const HostReductionChooser chooser(context);
    const bool rows = chooser.folds_rows();
    baked.loop = rows ? LoopKind::reduced_rows : LoopKind::reduced_columns;
    baked.wide = !rows && chooser.folds_wide_rows();
    const int along = rows ? context.walk.rank() - 1 : context.walk.kept - 1;
    for (const std::size_t k : context.arrays)
        baked.operands[k].inner = chooser.inner_class(k, along);
    baked.split = context.walk.kept_count() > 0 && shares(context, baked).pieces > 1;
}

std::vector<std::string> explain_host_reduction(const PlanRequest& request, const Plan& plan) {
    const bool inner_reduced = make_reduction_walk(request).inner_reduced;
    std::vector<std::string> lines;
    if (plan.baked.loop == LoopKind::reduced_rows) {
        lines.push_back(
            "rows: memory runs along what is reduced, so that a row goes to many accumulators at "
            "once");
    } else if (inner_reduced) {
        lines.push_back(
            "columns: rows of few elements, so that neighbouring rows are folded at once");
    } else {
        lines.push_back(
            "columns: memory runs along what is kept, so that neighbouring outputs are folded at "
            "once");
    }
    lines.push_back(
        "order: fixed chunks and a fixed tree, so that bits do not depend on the threads");
    if (plan.baked.split)
        lines.push_back(fmt::format("pieces: up to {} an output, because there are few outputs",
                                    plan.runtime.scratch.accumulators / plan.runtime.count));
    return lines;
}

ReductionGeometry measure_host_reduction(const ReductionContext& context, const Baked& baked) {
    ReductionGeometry geometry;
    if (!baked.split) return geometry;
    geometry.pieces = shares(context, baked).pieces;
    const std::int64_t kept = context.walk.kept_count();
    geometry.scratch = {kept * geometry.pieces, static_cast<int>(kept)};
    return geometry;
}

}  // namespace kgen
