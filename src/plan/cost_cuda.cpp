// SPDX-License-Identifier: MIT
#include "plan/cost_cuda.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// What a GPU of an architecture does in a nanosecond, and what the counts of a Cost weigh.
struct Speeds {
    std::string_view arch;
    bool folds = false;  // of loops that fold: reductions and row kernels
    double read, copy,
        write;  // bytes between memory and the L2 cache: only read, half of each, only written
    double memory = 4917;  // Limits::memory_speed of the GPU that has these speeds
    double rewrite_bytes;  // bytes of memory that take as long as a sector that is written to again
    double lookups;        // of a cache line by the L2 cache
    double part_bytes;     // bytes to the L2 cache that take as long as a part of a sector
    double passes;         // passes through the L1 caches or shared memories
    double instructions;   // instructions of warps
    double access = 6.78, division = 1.68, step = 2.7;  // instructions for each of these
    double token, function;                             // the same
    double launch_ns;                                   // the shortest kernel
    double block_ns = 0.606;  // from the start of a block to that of the next one
    double idle_wait_ns;      // how long a block waits for memory if it is the only one
    double wait_ns;           // the same while other blocks keep memory busy
    double warp_step_ns;      // from an instruction of a warp to its next one, if few warps run
    double ends;              // share of their time that the first and the last blocks add
    double port;  // bytes between the L2 cache and one multiprocessor while all others work too
    double free_port = 90;          // the same while no other one works
    int processors = 132;           // multiprocessors
    double cached_bytes = 36.5e6;   // bytes that stay in the L2 cache from launch to launch
    double passing_bytes = 52.7e6;  // bytes of a launch from which on only kept_bytes stay there
    double kept_bytes = 5e6;        // bytes of a longer launch that the next one still finds there
};

// 132 multiprocessors at 1.755 GHz issue four instructions in a cycle. Bare kernels of 50000 to 200000 blocks of 32 to 512 threads take
// 0.61 ns for each block. The other numbers of elementwise loops were fitted to 1214 times of the loops that 640 random calls can run, large
// and small, on H200s. Their terms and counts were chosen by the hardware counters of 493 launches
// (benchmarks/results/2026-11-30-h200-counters.md). The speeds of memory of loops that fold are the limits that `kgen bench` measures. Their
// other numbers are older than the counts of lookups, of sectors that are written to again or in part, and of what leaves the L2 cache
// (benchmarks/results/2026-11-27-h200-predictions.md). The first rows also serve architectures that are not listed.
constexpr std::array<Speeds, 2> speeds = {{
    {.arch = "sm_90",
     .read = 4600,
     .copy = 4150,
     .write = 4300,
     .rewrite_bytes = 91,
     .lookups = 204,
     .part_bytes = 21.1,
     .passes = 501,
     .instructions = 963,
     .token = 0.0751,
     .function = 3.96,
     .launch_ns = 852,
     .idle_wait_ns = 120,
     .wait_ns = 462,
     .warp_step_ns = 1.51,
     .ends = 0.636,
     .port = 90},
    {.arch = "sm_90",
     .folds = true,
     .read = 4641,
     .copy = 4217,
     .write = 4656,
     .rewrite_bytes = 0,
     .lookups = std::numeric_limits<double>::infinity(),
     .part_bytes = 30.5,
     .passes = 388,
     .instructions = 927,
     .token = 0.082,
     .function = 5,
     .launch_ns = 723,
     .idle_wait_ns = 352,
     .wait_ns = 697,
     .warp_step_ns = 2.51,
     .ends = 0,
     .port = 47.3},
}};

const Speeds& speeds_of(std::string_view arch, bool folds = false) {
    const auto serves = [&](const Speeds& row) { return row.folds == folds; };
    const auto found = std::find_if(speeds.begin(), speeds.end(), [&](const Speeds& row) {
        return serves(row) && arch.substr(0, row.arch.size()) == row.arch;
    });
    return found != speeds.end() ? *found : *std::find_if(speeds.begin(), speeds.end(), serves);
}

}  // namespace

Limits arch_limits(std::string_view arch) {
    return {.processor_count = speeds_of(arch).processors, .max_threads_per_block = most_threads};
}

double least_ns(std::string_view arch, double phases) {
    return speeds_of(arch).launch_ns + phases * speeds_of(arch).idle_wait_ns;
}

double memory_bytes(const PlanContext& context) {
    double bytes = 0;
    for (const PlanContext::Touched& each : context.touched()) bytes += each.bytes;
    return bytes;
}

double blocks_at_once(double threads, double shared_bytes, double registers) {
    return std::max(1.0,
                    std::floor(std::min({32.0,
                                         2048 / threads,
                                         65536 / (threads * registers),
                                         224.0 * 1024 / (shared_bytes + 1024)})));
}

namespace {

// Returns how long memory takes to read and to write so many bytes, and what takes as long as `more` bytes.
double passing_ns(
    const PlanContext& context, const Speeds& speed, double read, double written, double more) {
    const double bytes = read + written;
    const double share = bytes > 0 ? written / bytes : 0;
    const double rate = share < 0.5 ? speed.read + (speed.copy - speed.read) * 2 * share
                                    : speed.copy + (speed.write - speed.copy) * (2 * share - 1);
    const double from_memory =
        std::clamp((std::max(bytes, context.request.launch_bytes) - speed.cached_bytes) /
                       (speed.passing_bytes - speed.cached_bytes),
                   0.0,
                   1.0);
    const double memory = context.limits.memory_speed;
    return (std::max(bytes - speed.kept_bytes, 0.0) + more) / rate * from_memory *
           (memory > 0 ? speed.memory / memory : 1);
}

}  // namespace

double memory_ns(const PlanContext& context) {
    double read = 0, written = 0;
    for (std::size_t at = 0; at < context.arrays.size(); ++at)
        (context.is_written(context.arrays[at]) ? written : read) += context.touched()[at].bytes;
    const Speeds& speed = speeds_of(context.request.target.arch, context.reduces());
    return speed.launch_ns + passing_ns(context, speed, read, written, 0);
}

double predicted_ns(const Cost& cost, const PlanContext& context) {
    const Speeds& speed = speeds_of(context.request.target.arch, context.reduces());
    const double instructions = cost.instructions + cost.accesses * speed.access +
                                cost.divisions * speed.division + cost.steps * speed.step +
                                cost.tokens * speed.token + cost.functions * speed.function;
    // The L2 cache looks up a line for each request, and when a line comes from memory or goes there. Fitted to the counters of 380
    // launches on an H200, whose lookups are within 7 % of these (standard deviation).
    const double lookups =
        1.19 * cost.requests + (0.86 * cost.read_bytes + 1.26 * cost.written_bytes) / access_line;
    const double resident =
        blocks_at_once(cost.threads, cost.shared_bytes, 32 + cost.held_bytes / 4);
    // The share of the multiprocessors that work, if each runs its blocks one after the other.
    const double rounds = cost.blocks / speed.processors;
    const double use = rounds / std::ceil(rounds);
    const double turns = std::max(rounds / resident, 1.0);
    const double warps = cost.blocks * std::max(cost.threads / warp_lanes, 1.0);
    const double load = std::min(rounds / resident, 1.0);
    const double wait_ns = speed.idle_wait_ns + load * (speed.wait_ns - speed.idle_wait_ns);
    const double times[] = {passing_ns(context,
                                       speed,
                                       cost.read_bytes,
                                       cost.written_bytes,
                                       cost.rewritten * speed.rewrite_bytes),
                            (cost.cache_bytes + cost.parts * speed.part_bytes) /
                                (speed.processors * std::min(use * speed.free_port, speed.port)),
                            lookups / speed.lookups,
                            cost.passes / (speed.passes * use),
                            instructions / (speed.instructions * use),
                            cost.blocks * speed.block_ns,
                            turns * cost.phases * wait_ns,
                            turns * instructions / warps * speed.warp_step_ns};
    // Parts of the work that take about as long as the longest one delay it. Of 204 calls on an H200, 77 % lie within 15 % of their
    // prediction with powers of 3.5, 71 % with 3, 76 % with 4 and 67 % with 5.
    constexpr double power = 3.5;
    double sum = 0;
    for (const double time : times) sum += time * time * time * std::sqrt(time);
    const double work_ns = std::pow(sum, 1 / power) * (1 + speed.ends / (rounds / resident + 1));
    return speed.launch_ns + work_ns + cost.bare_phases * speed.idle_wait_ns;
}

}  // namespace kgen
