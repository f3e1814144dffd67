// SPDX-License-Identifier: MIT
//
// The predicted times of the CUDA loops that walk over the elements.
#include <algorithm>
#include <cmath>
#include <variant>

#include "plan/cost_parts.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

bool has_turned_rows(const Baked& baked) {
    const auto* rows = std::get_if<VectorRowsChoice>(&baked.choice);
    return rows != nullptr && rows->turned;
}

// Returns the step between the elements that a warp accesses at once. Elements of Access::singles are neighbours across the ends of rows.
std::int64_t step_of(const PlanContext& context,
                     const Baked& baked,
                     std::size_t k,
                     const Dims& box) {
    return baked.operands[k].access == Access::singles ? baked.vector
                                                       : step_over_rows(context, box, baked.vector);
}

// Adds the accesses to operand k along the walk. Each thread of `warps` warps handles a vector of neighbouring
// elements, and a warp those of `box`.
void add_accesses(const PlanContext& context,
                  const Baked& baked,
                  std::size_t k,
                  const Dims& box,
                  double warps,
                  Cost& cost) {
    const double pack = baked.vector;
    const Access access = baked.operands[k].access;
    if (access == Access::uniform) {
        cost.accesses += warps;
        cost.passes += warps;
    } else if (access == Access::vector) {
        cost.accesses += warps;
        const double lines = touched_units(context, k, box, access_line);
        cost.passes +=
            warps * std::max(dense_passes(static_cast<double>(context.item(k)) * pack), lines);
        cost.requests += warps * lines;
        // Where rows follow each other, other warps fill the ends of a store soon, unless the rows of a thread are turned.
        if (context.is_written(k) && (!context.is_dense(k) || has_turned_rows(baked)))
            add_stores(context, k, box, 1, warps, cost);
    } else {
        cost.accesses += warps * pack;
        if (access == Access::elements) {
            cost.divisions += warps * context.rank() / 3;  // the offset of the first element
            if (pack > 1) cost.steps += warps * pack;
        }
        const std::int64_t step = step_of(context, baked, k, box);
        const double lines = warp_units(context, k, box, access_line, step);
        cost.passes += warps * pack * element_passes(context, k, box, step, lines);
        // The L1 cache keeps the lines of singles, of which a thread reads neighbours one after the other.
        if (context.is_written(k)) {
            cost.requests += warps * pack * lines;
            add_stores(context, k, box, step, warps * pack, cost);
        } else if (access == Access::singles) {
            cost.requests += warps * lines;
        }
    }
}

// Returns the time of a launch whose threads make `accesses` accesses, `at_place` of which share an index, and whose blocks access
// the elements of `all`.
double predict_walk(const PlanContext& context,
                    const Baked& baked,
                    const Geometry& geometry,
                    int accesses,
                    int at_place,
                    const Dims& all) {
    Cost cost;
    const double warps = std::ceil(loop_count(context) / (warp_lanes * baked.vector));
    const Dims box = walk_box(context, warp_lanes * baked.vector);
    const double boxes = whole_boxes(context, all, static_cast<double>(geometry.blocks));
    ReadAgain again;
    for (const std::size_t k : context.arrays) {
        add_accesses(context, baked, k, box, warps, cost);
        if (baked.operands[k].access != Access::elements || context.is_written(k)) continue;
        const std::int64_t step = step_of(context, baked, k, box);
        again.add(context, k, warps * baked.vector, box, step, all, boxes, cost);
    }
    again.finish(geometry, cost);
    add_traffic(context, all, boxes, cost);
    add_body(context, warps, baked.vector, cost);
    add_blocks(context, baked.vector * accesses, geometry, cost);
    if (divides(baked)) cost.divisions += warps / at_place * context.rank();
    cost.bare_phases = baked.loop == LoopKind::flat ? 0 : text_phases;
    cost.accesses += warps / at_place * 3;  // finding the place, and testing for the end
    return predicted_ns(cost, context);
}

}  // namespace

double predict_flat(const PlanContext& context, const Baked& baked, const Geometry& geometry) {
    const int accesses = baked.as<FlatChoice>().accesses;
    const std::int64_t elements = std::int64_t{geometry.threads} * baked.vector * accesses;
    return predict_walk(context, baked, geometry, accesses, 1, walk_box(context, elements));
}

double predict_vector_rows(const PlanContext& context,
                           const Baked& baked,
                           const Geometry& geometry) {
    const auto& choice = baked.as<VectorRowsChoice>();
    const std::int64_t vectors = std::int64_t{geometry.threads} * baked.vector;
    Dims all = walk_box(context, vectors * choice.rows);
    if (choice.turned) {
        const int outer = context.rank() - 2;
        const std::int64_t inner = context.walk.extents[outer + 1];
        all = Dims::filled(context.rank(), 1);
        all[outer] = choice.rows;
        all[outer + 1] = std::min(inner, vectors);
        fill_axes(context, all, 0, outer, ceil_div(vectors, inner));
    }
    return predict_walk(context, baked, geometry, choice.rows, choice.rows, all);
}

}  // namespace kgen
