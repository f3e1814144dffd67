// SPDX-License-Identifier: MIT
#include "plan/cost_cuda.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// What a GPU of an architecture does in a nanosecond, and what the counts of a Cost weigh.
struct Speeds {
    std::string_view arch;
    double read, copy,
        write;      // bytes between memory and the L2 cache: only read, half of each, only written
    double memory;  // Limits::memory_speed of the GPU that has these speeds
    double part_bytes;    // bytes to the L2 cache that take as long as a part of a sector
    double passes;        // passes through the L1 caches or shared memories
    double instructions;  // instructions of warps
    double access, move, division, step, token, function;  // instructions for each of these
    double launch_ns;                                      // the shortest kernel
    double block_ns;      // from the start of a block to that of the next one
    double idle_wait_ns;  // how long a block waits for memory if it is the only one
    double wait_ns;       // the same while other blocks keep memory busy
    double warp_step_ns;  // from an instruction of a warp to its next one, if few warps run
    double port;  // bytes between the L2 cache and one multiprocessor while all others work too
    double free_port;      // the same while no other one works
    int processors;        // multiprocessors
    double cached_bytes;   // bytes that stay in the L2 cache from launch to launch
    double passing_bytes;  // bytes of a launch from which on only kept_bytes stay there
    double kept_bytes;     // bytes of a longer launch that the next one still finds there
};

// Speeds of memory are the limits that `kgen bench` measures on an H200. 132 multiprocessors at 1.755 GHz issue four
// instructions in a cycle. Bare kernels of 50000 to 200000 blocks of 32 to 512 threads take 0.61 ns for each block, whatever it does in
// that time. The other numbers, without that term and with cubes instead of powers of 3.5, were fitted to the times of the 1894 loops that can run 900 random calls, on H200s: 69 % of
// the loops that these calls choose lie within 15 % of their prediction, and 65 to 67 % of those of the calls that a fit did not
// see (benchmarks/results/2026-11-27-h200-predictions.md). The first row also serves architectures that are not listed.
constexpr std::array<Speeds, 1> speeds = {{
    {.arch = "sm_90",
     .read = 4641,
     .copy = 4217,
     .write = 4656,
     .memory = 4917,
     .part_bytes = 30.5,
     .passes = 388,
     .instructions = 927,
     .access = 6.78,
     .move = 21.3,
     .division = 1.68,
     .step = 2.7,
     .token = 0.082,
     .function = 5,
     .launch_ns = 723,
     .block_ns = 0.606,
     .idle_wait_ns = 352,
     .wait_ns = 697,
     .warp_step_ns = 2.51,
     .port = 47.3,
     .free_port = 90,
     .processors = 132,
     .cached_bytes = 36.5e6,
     .passing_bytes = 52.7e6,
     .kept_bytes = 5e6},
}};

const Speeds& speeds_of(std::string_view arch) {
    const auto found = std::find_if(speeds.begin(), speeds.end(), [&](const Speeds& row) {
        return arch.substr(0, row.arch.size()) == row.arch;
    });
    return found == speeds.end() ? speeds.front() : *found;
}

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
    // Whether boxes like this one begin where a unit does. An array that begins at a multiple of access_bytes counts as one that
    // begins at a unit, because a plan is remembered for addresses modulo that (RememberedCall).
    bool aligned = context.begin(k) % access_bytes == 0;
    std::int64_t inside = 1;  // elements of the box along the axes within this one
    for (int axis = box.rank() - 1; axis >= 0; inside *= box[axis--]) {
        const auto [extent, stride] = places_along(context, k, box, axis, step, step_axis);
        if (extent <= 1) {
            if (context.walk.extents[axis] > 1) aligned = aligned && (stride & (granule - 1)) == 0;
            continue;
        }
        if (stride == 0) continue;
        // A box covers a part of this axis. Unless the axes within hold a power of two of elements, as boxes do, it begins anywhere.
        if (box[axis] < context.walk.extents[axis] && (inside & (inside - 1)) != 0)
            aligned = aligned && (stride & (granule - 1)) == 0;
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
            aligned = aligned && (axis.stride & (granule - 1)) == 0;
        }
    }
    const int width = std::countr_zero(static_cast<std::uint64_t>(granule));
    const auto whole = static_cast<double>((run + granule - 1) >> width);
    // A run that begins anywhere touches one unit more, unless it begins close to a boundary.
    const double units =
        aligned
            ? whole
            : std::min(whole + 1, static_cast<double>(run - 1) / static_cast<double>(granule) + 1);
    return static_cast<double>(runs) * units;
}

double element_passes(
    const PlanContext& context, std::size_t k, const Dims& box, std::int64_t step, int step_axis) {
    // A pass takes 0.6 cycles (see Speeds::passes). Copies of 231 layouts on an H200, whose rows lie a multiple of a line apart or not,
    // show that the L1 cache takes about two lines in a cycle, and one element of each bank.
    constexpr double line_passes = 0.9;
    constexpr double bank_passes = 1.68;
    const double lines = std::clamp<double>(
        touched_units(context, k, box, access_line, step, step_axis), 1, warp_lanes);
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

PerParameter<PlanContext::Touched> find_touched(const PlanContext& context) {
    constexpr std::int64_t bursts = memory_burst / memory_sector;
    PerParameter<PlanContext::Touched> touched;
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const std::size_t k = context.arrays[at];
        std::size_t alike = 0;
        while (alike < at && (context.item(context.arrays[alike]) != context.item(k) ||
                              !std::ranges::equal(context.walk.strides[context.arrays[alike]],
                                                  context.walk.strides[k])))
            ++alike;
        touched.push_back(
            {alike < at ? touched[alike].sectors
                        : bursts * touched_units(context, k, context.walk.extents, memory_burst),
             alike});
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
    constexpr double passing_bytes = 40e6;
    double elements = 1;
    for (const std::int64_t extent : context.walk.extents) elements *= static_cast<double>(extent);
    const auto sectors_of = [&](std::size_t at) {
        return context.touched()[at].sectors * static_cast<double>(memory_sector);
    };
    const auto passing = [&](std::size_t at, std::int64_t unit) {
        return boxes * touched_units(context, context.arrays[at], box, unit) *
               static_cast<double>(unit);
    };
    double all_lines = 0;         // bytes of the lines of all arrays, found when they are needed
    PerParameter<double> passed;  // bytes that pass between the L2 cache and the multiprocessors
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const std::size_t alike = context.touched()[at].alike;
        passed.push_back(alike < at ? passed[alike]
                                    : std::max(passing(at, memory_sector), sectors_of(at)));
        cost.cache_bytes += passed[at];
    }
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const std::size_t k = context.arrays[at];
        const bool is_written = context.is_written(k);
        double from_memory = sectors_of(at);
        const bool is_shared = passed[at] > 1.2 * from_memory;
        const int closest = is_shared ? shared_axis(context, k, box) : -1;
        if (closest >= 0) {
            // In between, the launch moves what lies inside one step along this axis.
            double inside = 1;
            for (int axis = closest + 1; axis < context.rank(); ++axis)
                inside *= static_cast<double>(context.walk.extents[axis]);
            if (all_lines == 0) {
                for (std::size_t other = 0; other < context.arrays.size(); ++other)
                    all_lines += std::max(passing(other, access_line), sectors_of(other));
            }
            if (inside / elements * all_lines > passing_bytes) {
                from_memory =
                    is_written ? passed[at] : std::max(passed[at], passing(at, memory_burst));
                // A sector that is written in parts is read before.
                if (is_written) cost.read_bytes += from_memory;
            }
        }
        (is_written ? cost.written_bytes : cost.read_bytes) += from_memory;
    }
}

Limits arch_limits(std::string_view arch) {
    return {.processor_count = speeds_of(arch).processors, .max_threads_per_block = most_threads};
}

double least_ns(std::string_view arch, double phases) {
    return speeds_of(arch).launch_ns + phases * speeds_of(arch).idle_wait_ns;
}

double memory_bytes(const PlanContext& context) {
    double bytes = 0;
    for (const PlanContext::Touched& each : context.touched())
        bytes += each.sectors * static_cast<double>(memory_sector);
    return bytes;
}

double memory_ns(const PlanContext& context) {
    Cost cost{.blocks = 1, .threads = warp_lanes};
    for (std::size_t at = 0; at < context.arrays.size(); ++at) {
        const double bytes = context.touched()[at].sectors * static_cast<double>(memory_sector);
        (context.is_written(context.arrays[at]) ? cost.written_bytes : cost.read_bytes) += bytes;
    }
    return predicted_ns(cost, context);
}

double blocks_at_once(double threads, double shared_bytes, double registers) {
    return std::max(1.0,
                    std::floor(std::min({32.0,
                                         2048 / threads,
                                         65536 / (threads * registers),
                                         224.0 * 1024 / (shared_bytes + 1024)})));
}

double predicted_ns(const Cost& cost, const PlanContext& context) {
    const Speeds& speed = speeds_of(context.request.target.arch);
    const double memory = context.limits.memory_speed;
    const double bytes = cost.read_bytes + cost.written_bytes;
    const double written = bytes > 0 ? cost.written_bytes / bytes : 0;
    const double rate = written < 0.5 ? speed.read + (speed.copy - speed.read) * 2 * written
                                      : speed.copy + (speed.write - speed.copy) * (2 * written - 1);
    const double from_memory =
        std::clamp((std::max(bytes, context.request.launch_bytes) - speed.cached_bytes) /
                       (speed.passing_bytes - speed.cached_bytes),
                   0.0,
                   1.0);
    const double instructions = cost.accesses * speed.access + cost.moves * speed.move +
                                cost.divisions * speed.division + cost.steps * speed.step +
                                cost.tokens * speed.token + cost.functions * speed.function;
    const double resident =
        blocks_at_once(cost.threads, cost.shared_bytes, 32 + cost.held_bytes / 4);
    // The share of the multiprocessors that work, if each runs its blocks one after the other.
    const double rounds = cost.blocks / speed.processors;
    const double use = rounds / std::ceil(rounds);
    const double warps = cost.blocks * std::max(cost.threads / warp_lanes, 1.0);
    const double load = std::min(rounds / resident, 1.0);
    const double wait_ns = speed.idle_wait_ns + load * (speed.wait_ns - speed.idle_wait_ns);
    const double times[] = {
        std::max(bytes - speed.kept_bytes, 0.0) * from_memory / rate *
            (memory > 0 ? speed.memory / memory : 1),
        (cost.cache_bytes + cost.parts * speed.part_bytes) /
            (speed.processors * std::min(use * speed.free_port, speed.port)),
        cost.passes / (speed.passes * use),
        instructions / (speed.instructions * use),
        cost.blocks * speed.block_ns,
        std::max(rounds / resident, 1.0) * cost.phases * wait_ns,
        std::max(rounds / resident, 1.0) * instructions / warps * speed.warp_step_ns};
    // Parts of the work that take about as long as the longest one delay it. Of 204 calls on an H200, 77 % lie within 15 % of their
    // prediction with powers of 3.5, 71 % with 3, 76 % with 4 and 67 % with 5.
    constexpr double power = 3.5;
    double sum = 0;
    for (const double time : times) sum += time * time * time * std::sqrt(time);
    return speed.launch_ns + std::pow(sum, 1 / power) + cost.bare_phases * speed.idle_wait_ns;
}

}  // namespace kgen
