// SPDX-License-Identifier: MIT
#include "plan/reduction_walk.hpp"

#include <array>
#include <vector>

#include "plan/broadcast.hpp"

namespace kgen {

namespace {

bool is_reduced(const PlanRequest& request, int axis) {
    return (request.reduced_axes >> axis & 1) != 0;
}

// Returns C-order strides in elements over the axes for which `counts` is true, and 0 along the others.
template <typename Counts>
Dims index_strides(const Dims& shape, Counts counts) {
    Dims strides = Dims::filled(shape.rank(), 0);
    std::int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (!counts(axis)) continue;
        if (shape[axis] > 1) strides[axis] = stride;
        stride = next_stride(stride, shape[axis]);
    }
    return strides;
}

std::array<bool, place_index_count> used_indices(const ReductionFacts& facts) {
    return {facts.map_place.index || facts.map_place.input_indexer,
            facts.map_place.reduced_index,
            facts.map_place.output_indexer || facts.post_place.index ||
                facts.post_place.output_indexer};
}

// One axis of the walk with a stride for each operand and each used place index.
struct Axis {
    std::int64_t extent;
    bool reduced;
    std::vector<std::int64_t> strides;
};

}  // namespace

std::int64_t ReductionWalk::kept_count() const noexcept {
    return extent_product({extents.begin(), extents.begin() + kept});
}

std::int64_t ReductionWalk::reduced_count() const noexcept {
    return extent_product({extents.begin() + kept, extents.end()});
}

ReductionWalk make_reduction_walk(const PlanRequest& request) {
    Dims shape = request.loop;
    const auto used = used_indices(*request.signature.reduction);
    // Inputs decide the order of axes first, because most of the time is spent reading them; then outputs,
    // then place indices.
    std::vector<std::size_t> order;
    for (const bool written : {false, true}) {
        for (std::size_t k = 0; k < request.operands.size(); ++k) {
            const Operand& operand = request.operands[k];
            if (operand.kind == OperandKind::array && operand.written == written)
                order.push_back(k);
        }
    }
    std::vector<Dims> rows;
    for (const std::size_t k : order) {
        const Operand& operand = request.operands[k];
        rows.push_back(broadcast_strides(operand.shape, operand.strides, shape));
    }
    const auto reduced = [&](int axis) { return is_reduced(request, axis); };
    const auto kept = [&](int axis) { return !is_reduced(request, axis); };
    const auto any = [](int) { return true; };
    if (is_empty_and_huge(shape, rows)) {
        // There are results if only reduced axes are empty. In that case a launch touches nothing but
        // results.
        bool has_results = true;
        for (int axis = 0; axis < shape.rank(); ++axis)
            has_results = has_results && (reduced(axis) || shape[axis] != 0);
        for (int axis = 0; axis < shape.rank(); ++axis) {
            if (shape[axis] > 1 && !(has_results && kept(axis))) shape[axis] = 1;
        }
        for (std::size_t j = 0; j < order.size(); ++j) {
            if (!has_results || !request.operands[order[j]].written)
                rows[j] = Dims::filled(shape.rank(), 0);
        }
    }
    if (used[0]) rows.push_back(index_strides(shape, any));
    if (used[1]) rows.push_back(index_strides(shape, reduced));
    if (used[2]) rows.push_back(index_strides(shape, kept));

    std::vector<Axis> axes;
    std::vector<std::int64_t> begins(rows.size(), 0);
    for (const int axis : sort_axes(shape, rows, Conflicts::first_decides)) {
        if (shape[axis] == 1) continue;
        Axis next{shape[axis], reduced(axis), {}};
        std::int64_t direction = 0;
        for (const Dims& row : rows) {
            next.strides.push_back(row[axis]);
            if (direction == 0) direction = row[axis];
        }
        for (std::size_t r = 0; direction < 0 && r < rows.size(); ++r) {
            begins[r] += (next.extent - 1) * next.strides[r];
            next.strides[r] = -next.strides[r];
        }
        const bool merges = request.merging == Merging::yes && !axes.empty() &&
                            axes.back().reduced == next.reduced && [&] {
                                for (std::size_t r = 0; r < rows.size(); ++r) {
                                    if (axes.back().strides[r] != next.strides[r] * next.extent)
                                        return false;
                                }
                                return true;
                            }();
        if (merges) next.extent *= axes.back().extent;
        if (merges) axes.pop_back();
        axes.push_back(std::move(next));
    }

    ReductionWalk walk;
    walk.strides.resize(request.operands.size());
    walk.offsets.assign(request.operands.size(), 0);
    walk.inner_reduced = !axes.empty() && axes.back().reduced;
    for (const bool of_kind : {false, true}) {
        for (const Axis& axis : axes) {
            if (axis.reduced != of_kind) continue;
            if (!of_kind) ++walk.kept;
            walk.extents.push_back(axis.extent);
            for (std::size_t j = 0; j < order.size(); ++j)
                walk.strides[order[j]].push_back(axis.strides[j]);
            std::size_t row = order.size();
            for (std::size_t index = 0; index < place_index_count; ++index) {
                if (used[index]) walk.index_strides[index].push_back(axis.strides[row++]);
            }
        }
    }
    for (std::size_t j = 0; j < order.size(); ++j) walk.offsets[order[j]] = begins[j];
    std::size_t row = order.size();
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (used[index]) walk.index_begins[index] = begins[row++];
    }
    return walk;
}

}  // namespace kgen
