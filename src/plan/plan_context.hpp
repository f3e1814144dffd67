// SPDX-License-Identifier: MIT
//
// PlanContext: the input from which a loop is chosen and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "plan/plan.hpp"

namespace kgen {

// A part of a call, see part_request.hpp.
struct PlannedPart {
    ParameterSet operands = 0;  // that it has
    Plan plan;
    double predicted_ns = 0;
};

// Reduced axes that are columns together with the innermost kept axis, because their elements follow each other in the memory of all inputs:
// `neighbours` elements of one output, then as many of the next output along the kept axis, and so on. This row of outputs comes `repeats`
// times. `axis` is the reduced axis that counts the repeats, or -1. If it is longer, their number divides its extent.
struct MergedColumns {
    std::int64_t neighbours = 1;
    std::int64_t repeats = 1;
    int axis = -1;

    std::int64_t of_output() const { return neighbours * repeats; }
};

// Whether an elementwise loop runs a reduction, because each output has one element, and its texts ask for no places. Plans of a
// GPU for one call do so, unless the request names a loop of reductions.
bool runs_elementwise(const PlanRequest& request);

struct PlanContext {
    // Makes the walk of the request. An elementwise walk follows the memory of the outputs first, then of the
    // inputs. It is in C order if the body keeps state, or if a general plan has a body that uses `i` or
    // `_ind`. The walk of a reduction follows the memory of the inputs first, then of the outputs, because
    // reading inputs takes most of the time. It follows the operands with the most bytes, because a first input of
    // few bytes may lie across them; plans of a GPU for any size follow the first input. The walk of a general plan has general_rank kept axes
    // and, for a reduction, as many reduced ones. Throws ShapeError if the call has more axes.
    explicit PlanContext(const PlanRequest& plan_request);

    const PlanRequest& request;
    // The limits by which geometry is measured. A choice must not depend on the limits of the device, so it is made with those of
    // its architecture (arch_limits).
    Limits limits;
    PerParameter<std::size_t> arrays;  // indices of the operands that are walked
    bool by_reference = false;         // whether the body gets references into memory
    Walk walk;                         // a loop over tiles may reorder its axes
    // Found by the loops `parts` and folded_elements, when they are chosen.
    mutable std::vector<PlannedPart> parts;
    MergedColumns merged;  // set by merge_columns()
    // Set by join_columns(): the extents of the last kept axes, whose elements are all columns. Otherwise empty.
    Dims column_extents;
    // What an array touches in the whole walk.
    struct Touched {
        double bytes = 0;  // of the bursts in which memory passes them
        double sectors = 0;
        double partial = 0;  // sectors of which only a part is touched
        std::size_t alike =
            0;  // place in `arrays` of the first one that is alike: its strides, item size and alignment
    };
    // For each of `arrays`. Found when it is asked for, or taken from a context of the same call.
    const PerParameter<Touched>& touched() const;
    void take_touched(const PlanContext& other) {
        if (touched_.empty()) touched_ = other.touched();
    }

    // Whether the plan is for calls of any size, so that only the places of the arrays may decide.
    bool any_size() const { return request.fit == Fit::any_size; }
    // Whether the loop has kept and reduced axes.
    bool reduces() const { return reduces_; }
    const Operand& operand(std::size_t k) const { return request.operands[k]; }
    bool is_written(std::size_t k) const { return operand(k).written; }
    int rank() const { return walk.rank(); }
    std::int64_t item(std::size_t k) const { return items_[k]; }
    const AddressSpan& span(std::size_t k) const { return spans_[k]; }
    std::int64_t stride(std::size_t k, int axis) const { return walk.strides.at(k, axis); }
    std::uintptr_t begin(std::size_t k) const {
        return operand(k).address + static_cast<std::uintptr_t>(walk.offsets[k]);
    }
    std::size_t token_count() const { return request.signature.facts.token_count; }
    // Whether operand k is contiguous in the order of the walk, and whether all its strides are 0.
    bool is_dense(std::size_t k) const { return forms_[k].is_dense; }
    bool is_uniform(std::size_t k) const { return forms_[k].is_uniform; }
    // Whether an axis has stride 0.
    bool is_broadcast(std::size_t k) const { return forms_[k].is_broadcast; }
    // Returns the axis along which the operand's elements lie closest, the inner one of two; -1 if there is none.
    int fastest_axis(std::size_t k) const { return forms_[k].fastest_axis; }
    // Reductions: the axis of the walk along which most inputs run fastest.
    int inner_axis() const;
    // Reductions on a GPU: returns the item size of the widest input that runs fastest along the axis, which is not the inner one
    // although the input moves along that too. 0 if there is none, and in plans for any size.
    std::int64_t turned_item(int axis) const;
    // Returns the width that offsets within the arrays need.
    IndexWidth offset_width() const;
    // Whether a text of the kernel uses the place index.
    bool uses(PlaceIndex index) const { return uses_[static_cast<std::size_t>(index)]; }
    // Elementwise: whether the body uses the element's index, and the walk is in another order than C order.
    bool moves_index() const;
    // Whether `i` serves only for random numbers, and neighbours along the innermost axis are neighbours in C order. The
    // index along the axis is then a multiple of a vector's length where a vector begins.
    bool draws_neighbours() const;
    // Elementwise on the host: whether the coordinates of `_ind` are counted along the walk. Its axes are then
    // those of the loop's shape, which are not merged.
    bool counts_coordinates() const;
    // Returns Baked::coordinates.
    std::vector<Coordinate> coordinates() const;

    // Exchanges two axes of the walk, or moves an axis to the second to last place.
    void swap_axes(int a, int b);
    void move_inwards(int axis);
    // Walks an axis of at least one element in the other direction.
    void turn(int axis);
    // Returns the axes of a reduction that can be merged with the innermost kept one; nothing if there are none, or if no reduced axis
    // would be left, or if the map uses a place index.
    std::optional<MergedColumns> find_merged_columns() const;
    // Merges them. The innermost kept axis then has all their elements, but outputs and their place keep their strides along it.
    void merge_columns(const MergedColumns& columns);
    // Returns how many of the last kept axes follow each other in the memory of all inputs, so that their elements are columns beside
    // each other although those of the outputs lie elsewhere. 1 if the map uses a place index. There must be a kept axis.
    int find_column_axes() const;
    // Gives the last kept axis the elements of that many axes. The others then have one element. Outputs keep their strides.
    void join_columns(int axes);
    // Return the number of elements of each output, and of those that are folded into one of them, whether columns are merged or not.
    std::int64_t output_count() const { return walk.kept_count() / merged.of_output(); }
    std::int64_t folded_count() const { return walk.reduced_count() * merged.of_output(); }

private:
    mutable PerParameter<Touched> touched_;
    void put_heaviest_first(const Dims& shape,
                            PerParameter<std::size_t>& order,
                            StrideRows& rows) const;
    void add_axes();
    // Whether this is a reduction on a GPU that may choose by the sizes of its inputs.
    bool weighs_inputs() const;
    // Returns the item size of the widest input that runs fastest along the axis and also moves along the inner axis, or 0.
    std::int64_t fastest_item(int axis) const;
    // Moves axes along which inputs or outputs run fastest to the innermost places among the kept and the reduced axes that are
    // not the inner axis's, so that neighbouring threads can share the sectors of these arrays.
    void put_turned_inwards();
    void find_uses();
    void find_forms();

    struct Form {
        bool is_dense = true;
        bool is_uniform = true;
        bool is_broadcast = false;
        int fastest_axis = -1;
    };
    bool reduces_;
    bool uses_[place_index_count];
    PerParameter<std::int64_t> items_;  // item size of each operand
    PerParameter<AddressSpan> spans_;   // bytes of each operand; empty for numbers
    PerParameter<Form> forms_;          // of the walked operands
};

}  // namespace kgen
