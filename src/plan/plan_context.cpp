// SPDX-License-Identifier: MIT
#include "plan/plan_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <kgen/error.hpp>
#include <limits>

#include "plan/broadcast.hpp"

namespace kgen {

namespace {

// Returns C-order strides in elements over the axes that the place index counts, and 0 along the others.
Dims place_strides(const PlanRequest& request, const Dims& shape, PlaceIndex index) {
    Dims strides = Dims::filled(shape.rank(), 0);
    std::int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        const bool is_reduced = contains(request.reduced_axes, axis);
        if (index != PlaceIndex::input && is_reduced != (index == PlaceIndex::reduced)) continue;
        if (shape[axis] > 1) strides[axis] = stride;
        stride = next_stride(stride, shape[axis]);
    }
    return strides;
}

// Replaces an empty walk with huge extents by a small one. If only reduced axes are empty, there are still
// results, and the launch accesses nothing but these.
void make_small(const PlanRequest& request,
                std::span<const std::size_t> order,
                Dims& shape,
                PerParameter<Dims>& strides) {
    bool has_results = true;
    for (int axis = 0; axis < shape.rank(); ++axis)
        has_results = has_results && (contains(request.reduced_axes, axis) || shape[axis] != 0);
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const bool is_result = has_results && !contains(request.reduced_axes, axis);
        if (shape[axis] > 1 && !is_result) shape[axis] = 1;
    }
    for (std::size_t j = 0; j < order.size(); ++j) {
        if (!has_results || !request.operands[order[j]].written)
            strides[j] = Dims::filled(shape.rank(), 0);
    }
}

// The axis along which a row of strides runs fastest; -1 if there is none.
int fastest_axis(const Dims& shape, const Dims& strides) {
    int fastest = -1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t stride = std::abs(strides[axis]);
        if (shape[axis] > 1 && stride > 0 && (fastest < 0 || stride <= std::abs(strides[fastest])))
            fastest = axis;
    }
    return fastest;
}

}  // namespace

// Moves an operand to the front of the order: one that runs fastest along the axis along which most bytes run
// fastest. Outputs are among the operands, because there may be as many outputs as inputs.
void PlanContext::put_heaviest_first(const Dims& shape,
                                     PerParameter<std::size_t>& order,
                                     PerParameter<Dims>& rows) const {
    // The bytes along each axis. The last place is for operands that have no fastest axis.
    std::array<std::int64_t, max_rank + 1> bytes = {};
    const auto none = static_cast<std::size_t>(shape.rank());
    const auto place = [&](std::size_t j) {
        const int axis = fastest_axis(shape, rows[j]);
        return axis < 0 ? none : static_cast<std::size_t>(axis);
    };
    std::size_t best = 0;
    for (const bool is_sum : {false, true}) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            std::int64_t size = item(order[j]);
            for (int k = 0; k < shape.rank(); ++k) {
                if (rows[j][k] != 0) size = next_stride(size, shape[k]);
            }
            if (!is_sum)
                bytes[place(j)] += place(j) == none ? 0 : size;
            else if (bytes[place(j)] > bytes[place(best)])
                best = j;
        }
    }
    std::rotate(order.begin(),
                order.begin() + static_cast<std::ptrdiff_t>(best),
                order.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    std::rotate(rows.begin(),
                rows.begin() + static_cast<std::ptrdiff_t>(best),
                rows.begin() + static_cast<std::ptrdiff_t>(best) + 1);
}

PlanContext::PlanContext(const PlanRequest& plan_request)
    : request(plan_request), limits(plan_request.limits) {
    const std::size_t count = request.operands.size();
    PerParameter<std::size_t> order;
    for (const bool is_first : {true, false}) {
        for (std::size_t k = 0; k < count; ++k) {
            if (operand(k).kind == OperandKind::array && (is_written(k) != reduces()) == is_first)
                order.push_back(k);
        }
    }
    items_.reserve(count);
    spans_.reserve(count);
    for (std::size_t k = 0; k < count; ++k) {
        const bool is_scalar = operand(k).kind == OperandKind::scalar;
        items_.push_back(static_cast<std::int64_t>(item_size(operand(k).dtype)));
        spans_.push_back(is_scalar ? AddressSpan() : address_span(operand(k)));
        if (operand(k).kind != OperandKind::array) continue;
        arrays.push_back(k);
        if (request.signature.parameters[k].by_reference) by_reference = true;
    }
    Dims shape = request.loop;
    PerParameter<Dims> rows;
    rows.reserve(order.size() + place_index_count);
    for (const std::size_t k : order)
        rows.push_back(broadcast_strides(operand(k).shape, operand(k).strides, shape));
    if (is_empty_and_huge(shape, rows)) make_small(request, order, shape, rows);
    if (reduces() && request.target.kind == DeviceKind::host)
        put_heaviest_first(shape, order, rows);
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (uses(static_cast<PlaceIndex>(index)))
            rows.push_back(place_strides(request, shape, static_cast<PlaceIndex>(index)));
    }
    const bool in_order = !reduces() && uses(PlaceIndex::input) &&
                          (request.fit == Fit::general || request.signature.facts.keeps_state);
    Walk sorted = make_walk(shape,
                            rows,
                            in_order ? AxisOrder::logical : AxisOrder::memory,
                            request.merging,
                            request.reduced_axes);
    walk.extents = sorted.extents;
    walk.kept = sorted.kept;
    walk.inner_reduced = sorted.inner_reduced;
    walk.strides.resize(count);
    walk.offsets.resize(count);
    std::size_t row = 0;
    for (const std::size_t k : order) {
        walk.offsets[k] = sorted.offsets[row];
        walk.strides[k] = sorted.strides[row++];
    }
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (!uses(static_cast<PlaceIndex>(index))) continue;
        walk.index_begins[index] = sorted.offsets[row];
        walk.index_strides[index] = sorted.strides[row++];
    }
    if (request.fit == Fit::general) add_axes();
}

// Adds axes of extent 1 outside the other kept axes and outside the other reduced axes.
void PlanContext::add_axes() {
    const int reduced = rank() - walk.kept;
    if (std::max(walk.kept, reduced) > general_rank) {
        throw ShapeError(
            fmt::format("kernel '{}': its general variant has {} axes, but the layout of this call "
                        "has {} that do not merge; pass contiguous copies, or allow compiling",
                        request.signature.name,
                        general_rank,
                        std::max(walk.kept, reduced)));
    }
    const auto add = [&](Dims& dims, std::int64_t value) {
        if (reduces()) dims = with_inserted(dims, walk.kept, general_rank - reduced, value);
        dims = with_inserted(dims, 0, general_rank - walk.kept, value);
    };
    for (const std::size_t k : arrays) add(walk.strides[k], 0);
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (uses(static_cast<PlaceIndex>(index))) add(walk.index_strides[index], 0);
    }
    add(walk.extents, 1);
    walk.kept = general_rank;
}

bool PlanContext::is_dense(std::size_t k) const {
    std::int64_t expected = item(k);
    for (int axis = rank() - 1; axis >= 0; --axis) {
        if (stride(k, axis) != expected) return false;
        expected *= walk.extents[axis];
    }
    return true;
}

bool PlanContext::moves_index() const {
    const auto input = static_cast<std::size_t>(PlaceIndex::input);
    if (reduces() || !uses(PlaceIndex::input)) return false;
    std::int64_t expected = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
        if (walk.extents[axis] != 1 && walk.index_strides[input][axis] != expected) return true;
        expected *= walk.extents[axis];
    }
    return walk.index_begins[input] != 0;
}

IndexWidth PlanContext::offset_width() const {
    constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();
    if (request.fit == Fit::general || extent_product(request.loop) > narrow_limit)
        return IndexWidth::bits64;
    const bool narrow = std::all_of(arrays.begin(), arrays.end(), [&](std::size_t k) {
        return span(k).size_bytes() <= static_cast<std::uintptr_t>(narrow_limit);
    });
    return narrow ? IndexWidth::bits32 : IndexWidth::bits64;
}

bool PlanContext::uses(PlaceIndex index) const {
    const BodyFacts& facts = request.signature.facts;
    if (!reduces()) return index == PlaceIndex::input && (facts.index || facts.indexer);
    const PlaceFacts& map = request.signature.reduction->map_place;
    const PlaceFacts& post = request.signature.reduction->post_place;
    if (index == PlaceIndex::input) return map.index || map.input_indexer;
    if (index == PlaceIndex::reduced) return map.uses_reduced();
    return map.uses_output() || post.index || post.uses_output();
}

void PlanContext::swap_axes(int a, int b) {
    std::swap(walk.extents[a], walk.extents[b]);
    for (const std::size_t k : arrays) std::swap(walk.strides[k][a], walk.strides[k][b]);
    for (Dims& strides : walk.index_strides) {
        if (!strides.empty()) std::swap(strides[a], strides[b]);
    }
}

void PlanContext::move_inwards(int axis) {
    for (int at = axis; at < rank() - 2; ++at) swap_axes(at, at + 1);
}

}  // namespace kgen
