// SPDX-License-Identifier: MIT
//
// What warps, blocks and a whole launch touch of memory and of caches.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Returns the axis along which blocks share sectors: of those that a box does not cover, the one along which elements lie closest,
// or -1 if there is none.
int shared_axis(const PlanContext& context, std::size_t k, const Dims& box) {
    int closest = -1;
    for (int axis = 0; axis < context.rank(); ++axis) {
        const std::int64_t step = std::abs(context.stride(k, axis));
        if (step == 0 || box[axis] >= context.walk.extents[axis]) continue;
        if (closest < 0 || step <= std::abs(context.stride(k, closest))) closest = axis;
    }
    return closest;
}

// What a warp accesses of operand k along an axis of a box: the number of elements, and the bytes from one to the next.
struct Places {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
};
Places places_along(const PlanContext& context,
                    std::size_t k,
                    const Dims& box,
                    int axis,
                    std::int64_t step,
                    int step_axis) {
    const bool is_stepped = axis == (step_axis < 0 ? box.rank() - 1 : step_axis);
    const std::int64_t by = is_stepped ? step : 1;
    return {.extent = by == 1 ? box[axis] : (box[axis] - 1) / by + 1,
            .stride = std::abs(context.stride(k, axis)) * by};
}

// Returns how many accesses of a warp go to the same bank of the L1 cache, see element_passes.
double bank_conflicts(
    const PlanContext& context, std::size_t k, const Dims& box, std::int64_t step, int step_axis) {
    constexpr std::int64_t bank_count = access_line / bank_bytes;
    double accesses = 1;  // to different words
    double banks = 1;
    for (int axis = 0; axis < box.rank(); ++axis) {
        const auto [extent, stride] = places_along(context, k, box, axis, step, step_axis);
        if (extent <= 1 || stride == 0) continue;
        const auto count = static_cast<double>(extent);
        const double along = stride < bank_bytes
                                 ? std::max(count * static_cast<double>(stride) / bank_bytes, 1.0)
                                 : count;
        // Elements whose distance is a multiple of a line are all in one bank.
        const std::int64_t apart =
            access_line / std::clamp(stride & -stride, bank_bytes, std::int64_t{access_line});
        accesses *= along;
        banks *= std::min(along, static_cast<double>(apart));
    }
    accesses = std::min<double>(accesses, warp_lanes);
    return accesses / std::min({banks, accesses, static_cast<double>(bank_count)});
}

}  // namespace

void fill_axes(const PlanContext& context, Dims& box, int first, int last, std::int64_t count) {
    for (int axis = last - 1; axis >= first; --axis) {
        const std::int64_t extent = context.walk.extents[axis];
        box[axis] = std::min(extent, std::max<std::int64_t>(count, 1));
        count = ceil_div(count, extent);
    }
}

Dims walk_box(const PlanContext& context, std::int64_t count) {
    Dims box = context.walk.extents;
    fill_axes(context, box, 0, context.rank(), count);
    return box;
}

double touched_units(const PlanContext& context,
                     std::size_t k,
                     const Dims& box,
                     std::int64_t granule,
                     std::int64_t step,
                     int step_axis) {
    struct Axis {
        std::int64_t stride, extent;
    };
    std::array<Axis, max_rank> axes;  // sorted by stride
    std::size_t count = 0;
    // A run may begin at any multiple of the lowest bit that is set here, or of a unit if none is. An array that begins at a multiple of
    // access_bytes counts as one that begins at a unit, because a plan is remembered for addresses modulo that (RememberedCall).
    auto places = static_cast<std::int64_t>(context.begin(k) % access_bytes);
    std::int64_t inside = 1;  // elements of the box along the axes within this one
    for (int axis = box.rank() - 1; axis >= 0; inside *= box[axis--]) {
        const auto [extent, stride] = places_along(context, k, box, axis, step, step_axis);
        if (extent <= 1) {
            if (context.walk.extents[axis] > 1) places |= stride;
            continue;
        }
        if (stride == 0) continue;
        // A box covers a part of this axis. Unless the axes within hold a power of two of elements, as boxes do, it begins anywhere.
        if (box[axis] < context.walk.extents[axis] && (inside & (inside - 1)) != 0)
            places |= stride;
        std::size_t at = count++;
        for (; at > 0 && axes[at - 1].stride > stride; --at) axes[at] = axes[at - 1];
        axes[at] = {stride, extent};
    }
    std::int64_t run = context.item(k);  // bytes from the first to the last touched one
    std::int64_t runs = 1;
    for (const Axis& axis : std::span(axes).first(count)) {
        if (runs == 1 && axis.stride < run + granule) {  // no whole unit lies between two elements
            run += axis.stride * (axis.extent - 1);
        } else {
            runs *= axis.extent;
            places |= axis.stride;
        }
    }
    places &= granule - 1;
    const std::int64_t apart = places == 0 ? granule : places & -places;
    // The mean of runs that begin at all multiples of `apart` alike.
    const auto beyond = static_cast<double>(run - 1 - (run - 1) % apart);
    return static_cast<double>(runs) * (beyond / static_cast<double>(granule) + 1);
}

double warp_units(const PlanContext& context,
                  std::size_t k,
                  const Dims& box,
                  std::int64_t granule,
                  std::int64_t step,
                  int step_axis) {
    return std::clamp<double>(
        touched_units(context, k, box, granule, step, step_axis), 1, warp_lanes);
}

double element_passes(const PlanContext& context,
                      std::size_t k,
                      const Dims& box,
                      std::int64_t step,
                      double lines,
                      int step_axis) {
    // A pass took 0.6 cycles when these were fitted. Copies of 231 layouts on an H200, whose rows lie a multiple of a line apart or not,
    // show that the L1 cache takes about two lines in a cycle, and one element of each bank.
    constexpr double line_passes = 0.9;
    constexpr double bank_passes = 1.68;
    const double conflicts = bank_conflicts(context, k, box, step, step_axis);
    return std::max(line_passes * lines, bank_passes * conflicts);
}

std::int64_t step_over_rows(const PlanContext& context, const Dims& box, std::int64_t step) {
    const std::int64_t extent = context.walk.extents[context.rank() - 1];
    const bool is_over_rows = box[box.rank() - 1] == extent && extent_product(box) > extent;
    return step > 1 && is_over_rows ? std::gcd(step, extent) : step;
}

double dense_passes(double bytes) {
    return std::max(std::ceil(warp_lanes * bytes / access_line), 1.0);
}

double partial_sectors(const PlanContext& context,
                       std::size_t k,
                       const Dims& box,
                       std::int64_t step) {
    const double sectors = touched_units(context, k, box, memory_sector, step);
    double bytes = static_cast<double>(context.item(k)) / static_cast<double>(step);
    for (const std::int64_t extent : box) bytes *= static_cast<double>(extent);
    if (sectors * memory_sector <= bytes) return 0;
    // A run without gaps leaves both of its ends. Sectors with gaps are filled by several stores, and count twice.
    const bool has_gaps = step > 1 || (sectors - 1) * memory_sector > bytes;
    return has_gaps ? 2 * std::min(sectors, 32.0) : std::min(sectors, 2.0);
}

void add_stores(const PlanContext& context,
                std::size_t k,
                const Dims& box,
                std::int64_t step,
                double stores,
                Cost& cost) {
    cost.parts += stores * partial_sectors(context, k, box, step);
    add_rewritten(context, k, stores * warp_units(context, k, box, memory_sector, step), cost);
}

void add_rewritten(const PlanContext& context, std::size_t k, double sectors, Cost& cost) {
    constexpr double few_gaps = 0.1;      // of the sectors
    constexpr double without_gaps = 0.2;  // of the time of a sector with gaps
    const auto at = std::ranges::find(context.arrays, k) - context.arrays.begin();
    const PlanContext::Touched& all = context.touched()[static_cast<std::size_t>(at)];
    cost.rewritten += std::max(sectors - all.sectors, 0.0) *
                      (all.partial > few_gaps * all.sectors ? 1 : without_gaps);
}

double used_bytes(const PlanContext& context, std::size_t k) {
    auto used = static_cast<double>(context.item(k));
    for (int axis = 0; axis < context.rank(); ++axis) {
        if (context.stride(k, axis) != 0) used *= static_cast<double>(context.walk.extents[axis]);
    }
    return used;
}

namespace {

// Returns the bytes of elements that follow each other without a gap.
std::int64_t dense_run_bytes(const PlanContext& context, std::size_t k) {
    std::int64_t run = context.item(k);
    for (int axis = context.rank() - 1; axis >= 0; --axis) {
        if (std::abs(context.stride(k, axis)) != run || context.walk.extents[axis] <= 1) continue;
        run *= context.walk.extents[axis];
        axis = context.rank();  // the next axis outwards may be any
    }
    return run;
}

}  // namespace

PerParameter<PlanContext::Touched> find_touched(const PlanContext& context) {
    const Dims& all = context.walk.extents;
    PerParameter<PlanContext::Touched> touched;
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const std::size_t k = context.arrays[at];
        std::size_t alike = 0;
        while (alike < at &&
               (context.item(context.arrays[alike]) != context.item(k) ||
                (context.begin(context.arrays[alike]) - context.begin(k)) % access_bytes != 0 ||
                !std::ranges::equal(context.walk.strides[context.arrays[alike]],
                                    context.walk.strides[k])))
            ++alike;
        PlanContext::Touched each{.alike = alike};
        if (alike < at) {
            each = touched[alike];
        } else {
            const double used = used_bytes(context, k);
            each.bytes = touched_units(context, k, all, memory_burst) * memory_burst;
            each.sectors = touched_units(context, k, all, memory_sector);
            // A run that begins anywhere touches one sector more than it fills, and both of its ends are parts of sectors. Gaps that are
            // shorter than sectors leave parts of all of them.
            const double beyond = each.sectors - used / memory_sector;
            const double runs = used / static_cast<double>(dense_run_bytes(context, k));
            if (beyond > 0) each.partial = std::min(std::max(2 * beyond, runs), each.sectors);
        }
        touched.push_back(each);
    }
    return touched;
}

double whole_boxes(const PlanContext& context, const Dims& box, double blocks) {
    double boxes = 1;
    for (int axis = 0; axis < box.rank(); ++axis)
        boxes *= static_cast<double>(context.walk.extents[axis]) / static_cast<double>(box[axis]);
    return std::min(blocks, boxes);
}

void add_traffic(const PlanContext& context, const Dims& box, double boxes, Cost& cost) {
    // A line stays in the L2 cache until the launch has accessed other lines of so many bytes.
    constexpr double cached_bytes = 40e6;
    const auto touched_bytes = [&](std::size_t at, const Dims& part, std::int64_t granule) {
        return touched_units(context, context.arrays[at], part, granule) *
               static_cast<double>(granule);
    };
    // Whether the L2 cache has dropped the lines of an array before a block comes to the next element along this axis.
    const auto is_lost = [&](int axis) {
        double share = 1;  // of the launch that runs in between
        for (int outer = 0; outer <= axis; ++outer)
            share /= static_cast<double>(context.walk.extents[outer]);
        double bytes = 0;
        for (std::size_t at = 0; at < context.arrays.size(); ++at)
            bytes += std::min(share * boxes * touched_bytes(at, box, access_line),
                              touched_bytes(at, context.walk.extents, access_line));
        return bytes > cached_bytes;
    };
    PerParameter<double> passed;  // bytes that pass between the L2 cache and the multiprocessors
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const std::size_t k = context.arrays[at];
        const PlanContext::Touched& all = context.touched()[at];
        const double sectors = all.sectors * static_cast<double>(memory_sector);
        passed.push_back(all.alike < at
                             ? passed[all.alike]
                             : std::max(boxes * touched_bytes(at, box, memory_sector), sectors));
        cost.cache_bytes += passed[at];
        const bool is_shared = passed[at] > 1.2 * sectors;
        const int closest = is_shared ? shared_axis(context, k, box) : -1;
        const bool is_passed_again = closest >= 0 && is_lost(closest);
        if (!context.is_written(k)) {
            cost.read_bytes +=
                is_passed_again ? std::max(all.bytes, boxes * touched_bytes(at, box, memory_burst))
                                : all.bytes;
            continue;
        }
        const double written = is_passed_again ? std::max(all.bytes, passed[at]) : all.bytes;
        cost.written_bytes += written;
        // Memory fills the sectors of which a part is written. Blocks that share sectors write parts of them.
        const double partial = all.partial * static_cast<double>(memory_sector);
        if (is_passed_again) {
            cost.read_bytes += std::min(passed[at], partial + 2 * (passed[at] - sectors));
        } else {
            cost.read_bytes += partial;
            cost.rewritten += (passed[at] - sectors) / memory_sector;
        }
    }
}

}  // namespace kgen
