// SPDX-License-Identifier: MIT
#include "plan/plan_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <kgen/error.hpp>
#include <limits>

#include "plan/broadcast.hpp"
#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

// Stores C-order strides in elements over the axes that the place index counts, and 0 along the others. Returns the index
// of the first element. `shape` is the loop's; its section of a larger one has the strides of that.
std::int64_t place_strides(const PlanRequest& request,
                           const Dims& shape,
                           PlaceIndex index,
                           std::span<std::int64_t> strides) {
    std::int64_t first = 0;
    std::int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        const bool is_reduced = contains(request.reduced_axes, axis);
        if (index != PlaceIndex::input && is_reduced != (index == PlaceIndex::reduced)) continue;
        if (shape[axis] > 1) strides[static_cast<std::size_t>(axis)] = stride;
        if (request.section) first += request.section->start[axis] * stride;
        stride = next_stride(stride, request.section ? request.section->whole[axis] : shape[axis]);
    }
    return first;
}

// Replaces an empty walk with huge extents by a small one. If only reduced axes are empty, there are still
// results, and the launch accesses nothing but these.
void make_small(const PlanRequest& request,
                std::span<const std::size_t> order,
                Dims& shape,
                StrideRows& strides) {
    bool has_results = true;
    for (int axis = 0; axis < shape.rank(); ++axis)
        has_results = has_results && (contains(request.reduced_axes, axis) || shape[axis] != 0);
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const bool is_result = has_results && !contains(request.reduced_axes, axis);
        if (shape[axis] > 1 && !is_result) shape[axis] = 1;
    }
    for (std::size_t j = 0; j < order.size(); ++j) {
        if (!has_results || !request.operands[order[j]].written) std::ranges::fill(strides[j], 0);
    }
}

// The axis along which a row of strides runs fastest; -1 if there is none.
int fastest_axis(const Dims& shape, std::span<const std::int64_t> strides) {
    int fastest = -1;
    std::int64_t least = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t stride = std::abs(strides[static_cast<std::size_t>(axis)]);
        if (shape[axis] <= 1 || stride == 0 || (fastest >= 0 && stride > least)) continue;
        fastest = axis;
        least = stride;
    }
    return fastest;
}

}  // namespace

// Moves an operand to the front of the order: one that runs fastest along the axis along which most bytes run
// fastest. Outputs are among the operands, because there may be as many outputs as inputs.
void PlanContext::put_heaviest_first(const Dims& shape,
                                     PerParameter<std::size_t>& order,
                                     StrideRows& rows) const {
    // The bytes along each axis. The last place is for operands that have no fastest axis.
    std::array<std::int64_t, max_rank + 1> bytes = {};
    const auto none = static_cast<std::size_t>(shape.rank());
    const auto place = [&](std::size_t j) {
        const int axis = kgen::fastest_axis(shape, rows[j]);
        return axis < 0 ? none : static_cast<std::size_t>(axis);
    };
    std::size_t best = 0;
    for (const bool is_sum : {false, true}) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            std::int64_t size = item(order[j]);
            for (int k = 0; k < shape.rank(); ++k) {
                if (rows.at(j, k) != 0) size = next_stride(size, shape[k]);
            }
            if (!is_sum)
                bytes[place(j)] += place(j) == none ? 0 : size;
            else if (bytes[place(j)] > bytes[place(best)])
                best = j;
        }
    }
    for (std::size_t j = best; j > 0; --j) {
        std::swap(order[j], order[j - 1]);
        std::ranges::swap_ranges(rows[j], rows[j - 1]);
    }
}

namespace {

bool is_reduction_name(std::string_view name) {
    const auto& loops = device_loops(DeviceKind::cuda).reductions;
    return std::ranges::any_of(loops, [&](const Loop* loop) { return loop->name == name; });
}

}  // namespace

bool runs_elementwise(const PlanRequest& request) {
    if (!request.signature.reduction || request.target.kind != DeviceKind::cuda ||
        request.fit != Fit::call || request.section || tells_places(request.signature) ||
        is_reduction_name(request.loop_name))
        return false;
    for (int axis = 0; axis < request.loop.rank(); ++axis)
        if (contains(request.reduced_axes, axis) && request.loop[axis] != 1) return false;
    return true;
}

PlanContext::PlanContext(const PlanRequest& plan_request)
    : request(plan_request),
      limits(plan_request.limits),
      reduces_(plan_request.signature.folds() && !runs_elementwise(plan_request)) {
    find_uses();
    const std::size_t count = request.operands.size();
    PerParameter<std::size_t> order;
    for (const bool is_first : {true, false}) {
        for (std::size_t k = 0; k < count; ++k) {
            if (operand(k).kind == OperandKind::array && (is_written(k) != reduces()) == is_first)
                order.push_back(k);
        }
    }
    items_.resize(count);
    spans_.resize(count);
    forms_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        items_[k] = static_cast<std::int64_t>(item_size(operand(k).dtype));
        if (operand(k).kind != OperandKind::scalar) spans_[k] = address_span(operand(k));
        if (operand(k).kind != OperandKind::array) continue;
        arrays.push_back(k);
        if (request.signature.parameters[k].by_reference) by_reference = true;
    }
    Dims shape = request.loop;
    constexpr PlaceIndex places[] = {PlaceIndex::input, PlaceIndex::reduced, PlaceIndex::output};
    const auto place_count = static_cast<std::size_t>(
        std::ranges::count_if(places, [&](PlaceIndex index) { return uses(index); }));
    const auto coordinate_count = static_cast<std::size_t>(counts_coordinates() ? shape.rank() : 0);
    StrideRows rows(order.size() + place_count + coordinate_count, shape.rank());
    for (std::size_t row = 0; row < order.size(); ++row) {
        const Operand& walked = operand(order[row]);
        broadcast_strides(walked.shape, walked.strides, shape, rows[row]);
    }
    if (is_empty_and_huge(shape, rows)) make_small(request, order, shape, rows);
    if (reduces() && (request.target.kind == DeviceKind::host || weighs_inputs()))
        put_heaviest_first(shape, order, rows);
    std::size_t row = order.size();
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (uses(places[index]))
            walk.index_begins[index] = place_strides(request, shape, places[index], rows[row++]);
    }
    for (std::size_t axis = 0; axis < coordinate_count; ++axis) rows[row++][axis] = 1;
    const bool in_order = !reduces() && (uses(PlaceIndex::input) || coordinate_count > 0) &&
                          (request.fit == Fit::general || request.signature.facts.keeps_state);
    Walk sorted = make_walk(shape,
                            rows,
                            in_order ? AxisOrder::logical : AxisOrder::memory,
                            request.merging,
                            request.reduced_axes);
    walk.extents = sorted.extents;
    walk.kept = sorted.kept;
    walk.inner_reduced = sorted.inner_reduced;
    walk.strides.add_rows(count, rank());
    walk.offsets.resize(count);
    row = 0;
    for (const std::size_t k : order) {
        walk.offsets[k] = sorted.offsets[row];
        std::ranges::copy(sorted.strides[row++], walk.strides[k].begin());
    }
    if (place_count > 0) walk.index_strides.add_rows(place_index_count, rank());
    for (std::size_t index = 0; index < place_index_count; ++index) {
        if (!uses(places[index])) continue;
        walk.index_begins[index] += sorted.offsets[row];
        std::ranges::copy(sorted.strides[row++], walk.index_strides[index].begin());
    }
    if (coordinate_count > 0) walk.coordinates.add_rows(coordinate_count, rank());
    for (std::size_t axis = 0; axis < coordinate_count; ++axis)
        std::ranges::copy(sorted.strides[row++], walk.coordinates[axis].begin());
    if (request.fit == Fit::general) add_axes();
    find_forms();
    if (weighs_inputs()) put_turned_inwards();
}

bool PlanContext::weighs_inputs() const {
    return reduces_ && request.signature.reduction.has_value() && request.fit == Fit::call &&
           request.target.kind == DeviceKind::cuda;
}

int PlanContext::inner_axis() const {
    return walk.inner_reduced ? rank() - 1 : walk.kept - 1;
}

std::int64_t PlanContext::fastest_item(int axis) const {
    std::int64_t widest = 0;
    for (const std::size_t k : arrays) {
        if (!is_written(k) && fastest_axis(k) == axis && stride(k, inner_axis()) != 0)
            widest = std::max(widest, item(k));
    }
    return widest;
}

std::int64_t PlanContext::turned_item(int axis) const {
    constexpr std::int64_t few = 8;  // rows that cannot share more sectors than their own
    if (!weighs_inputs() || axis < 0 || axis == inner_axis() || walk.extents[axis] < few) return 0;
    return fastest_item(axis);
}

void PlanContext::put_turned_inwards() {
    // Rows along the innermost axis still fill sectors of memory.
    constexpr std::int64_t least_row = 64;
    const int inner = inner_axis();
    const bool is_short = walk.extents[inner] * fastest_item(inner) < least_row;
    if (rank() < 3 || (is_short && !walk.inner_reduced)) return;
    const auto is_stored_along = [&](int axis) {
        return std::any_of(arrays.begin(), arrays.end(), [&](std::size_t k) {
            return is_written(k) && fastest_axis(k) == axis;
        });
    };
    const auto move_to = [&](int first, int place, const auto& is_turned) {
        int axis = place;
        while (axis >= first && !is_turned(axis)) --axis;
        for (; axis >= first && axis < place; ++axis) swap_axes(axis, axis + 1);
    };
    const auto is_read_along = [&](int axis) { return turned_item(axis) > 0; };
    if (is_short) return move_to(0, walk.kept - 2, is_read_along);
    if (walk.inner_reduced)
        move_to(0, walk.kept - 1, is_read_along);
    else if (!is_stored_along(inner))
        move_to(0, walk.kept - 2, is_stored_along);
    else
        move_to(0, walk.kept - 2, is_read_along);
    move_to(walk.kept, walk.inner_reduced ? rank() - 2 : rank() - 1, is_read_along);
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
    const int outer = general_rank - walk.kept;
    const int middle = reduces() ? general_rank - reduced : 0;
    // Returns the place of an axis of the walk among the axes of the general walk.
    const auto place = [&](int axis) { return axis + outer + (axis < walk.kept ? 0 : middle); };
    const int added = rank() + outer + middle;
    const auto add = [&](const StrideRows& rows) {
        StrideRows more(rows.size(), added);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (int axis = 0; axis < rank(); ++axis) more.at(k, place(axis)) = rows.at(k, axis);
        }
        return more;
    };
    walk.strides = add(walk.strides);
    walk.index_strides = add(walk.index_strides);
    Dims extents = Dims::filled(added, 1);
    for (int axis = 0; axis < rank(); ++axis) extents[place(axis)] = walk.extents[axis];
    walk.extents = extents;
    walk.kept = general_rank;
}

void PlanContext::find_forms() {
    for (const std::size_t k : arrays) {
        std::int64_t expected = item(k);
        Form form;
        std::int64_t least = 0;
        for (int axis = rank() - 1; axis >= 0; --axis) {
            if (walk.extents[axis] == 1 && !column_extents.empty()) continue;  // joined
            const std::int64_t step = stride(k, axis);
            form.is_uniform = form.is_uniform && step == 0;
            form.is_broadcast = form.is_broadcast || step == 0;
            form.is_dense = form.is_dense && step == expected;
            if (form.is_dense) expected *= walk.extents[axis];
            if (step == 0 || walk.extents[axis] <= 1) continue;
            if (form.fastest_axis >= 0 && std::abs(step) >= least) continue;
            form.fastest_axis = axis;
            least = std::abs(step);
        }
        forms_[k] = form;
    }
}

bool PlanContext::moves_index() const {
    const auto input = static_cast<std::size_t>(PlaceIndex::input);
    if (reduces() || !uses(PlaceIndex::input)) return false;
    if (request.section) return true;  // so that all sections have the same kernel
    std::int64_t expected = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
        const std::int64_t stride = walk.index_strides.at(input, axis);
        if (walk.extents[axis] != 1 && stride != expected) return true;
        expected *= walk.extents[axis];
    }
    return walk.index_begins[input] != 0;
}

bool PlanContext::draws_neighbours() const {
    return request.signature.facts.index_draws && uses(PlaceIndex::input) && !request.section &&
           rank() > 0 &&
           walk.index_strides.at(static_cast<std::size_t>(PlaceIndex::input), rank() - 1) == 1;
}

bool PlanContext::counts_coordinates() const {
    return !reduces() && request.target.kind == DeviceKind::host && request.fit == Fit::call &&
           request.signature.facts.indexer && !request.section;
}

std::vector<Coordinate> PlanContext::coordinates() const {
    std::vector<Coordinate> coordinates;
    for (std::size_t k = 0; k < walk.coordinates.size(); ++k) {
        Coordinate coordinate;
        for (int axis = 0; axis < rank(); ++axis) {
            const std::int64_t stride = walk.coordinates.at(k, axis);
            if (stride != 0) coordinate = {axis, stride < 0};
        }
        coordinates.push_back(coordinate);
    }
    return coordinates;
}

IndexWidth PlanContext::offset_width() const {
    constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();
    if (request.fit == Fit::general || extent_product(whole_loop(request)) > narrow_limit)
        return IndexWidth::bits64;
    const bool narrow = std::all_of(arrays.begin(), arrays.end(), [&](std::size_t k) {
        return span(k).size_bytes() <= static_cast<std::uintptr_t>(narrow_limit);
    });
    return narrow ? IndexWidth::bits32 : IndexWidth::bits64;
}

void PlanContext::find_uses() {
    bool& input = uses_[static_cast<std::size_t>(PlaceIndex::input)];
    bool& reduced = uses_[static_cast<std::size_t>(PlaceIndex::reduced)];
    bool& output = uses_[static_cast<std::size_t>(PlaceIndex::output)];
    const BodyFacts& facts = request.signature.facts;
    input = facts.index || (facts.indexer && !counts_coordinates());
    reduced = facts.reduced_index;
    output = false;
    if (!request.signature.reduction) return;
    const PlaceFacts& map = request.signature.reduction->map_place;
    const PlaceFacts& post = request.signature.reduction->post_place;
    input = map.index || map.input_indexer;
    reduced = map.uses_reduced();
    output = map.uses_output() || post.index || post.uses_output();
}

void PlanContext::swap_axes(int a, int b) {
    std::swap(walk.extents[a], walk.extents[b]);
    for (StrideRows* rows : {&walk.strides, &walk.index_strides, &walk.coordinates}) {
        for (std::size_t k = 0; k < rows->size(); ++k) std::swap(rows->at(k, a), rows->at(k, b));
    }
    find_forms();
}

void PlanContext::turn(int axis) {
    const std::int64_t last = walk.extents[axis] - 1;
    const auto turn_row = [&](StrideRows& rows, std::size_t k) {
        std::int64_t& stride = rows.at(k, axis);
        const std::int64_t moved = last * stride;
        stride = -stride;
        return moved;
    };
    for (const std::size_t k : arrays) walk.offsets[k] += turn_row(walk.strides, k);
    for (std::size_t k = 0; k < walk.index_strides.size(); ++k)
        walk.index_begins[k] += turn_row(walk.index_strides, k);
    for (std::size_t k = 0; k < walk.coordinates.size(); ++k) turn_row(walk.coordinates, k);
    find_forms();
}

void PlanContext::move_inwards(int axis) {
    for (int at = axis; at < rank() - 2; ++at) swap_axes(at, at + 1);
}

const PerParameter<PlanContext::Touched>& PlanContext::touched() const {
    if (touched_.empty()) touched_ = find_touched(*this);
    return touched_;
}

}  // namespace kgen
