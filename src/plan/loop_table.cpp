// SPDX-License-Identifier: MIT
#include "plan/loop_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/plan_cuda.hpp"
#include "plan/plan_host.hpp"

namespace kgen {

namespace {

constexpr const Loop* cuda_elementwise[] = {&flat_dense_loop,
                                            &shared_tiles_loop,
                                            &staged_runs_loop,
                                            &vector_rows_loop,
                                            &parts_loop,
                                            &flat_loop};
constexpr const Loop* cuda_reductions[] = {&staged_rows_loop,
                                           &short_folds_loop,
                                           &reduced_rows_loop,
                                           &reduced_columns_loop,
                                           &folded_elements_loop};
constexpr const Loop* cuda_rows[] = {&fused_rows_loop, &fused_columns_loop};
constexpr const Loop* host_elementwise[] = {
    &host_short_rows_loop, &host_tiles_loop, &host_rows_loop};
constexpr const Loop* host_reductions[] = {
    &host_short_folds_loop, &host_reduced_rows_loop, &host_reduced_columns_loop};
constexpr const Loop* host_rows[] = {&host_fused_rows_loop, &host_fused_columns_loop};

static_assert(std::size(cuda_elementwise) <= most_loops);

constexpr DeviceLoops devices[] = {
    // CUDA, host
    {.name = "cuda",
     .has_divisors = true,
     .has_read_only_loads = true,
     .describe_access = describe_cuda_access,
     .elementwise = cuda_elementwise,
     .reductions = cuda_reductions,
     .rows = cuda_rows},
    {.name = "host",
     .has_divisors = false,
     .has_read_only_loads = false,
     .describe_access = describe_host_access,
     .elementwise = host_elementwise,
     .reductions = host_reductions,
     .rows = host_rows},
};

}  // namespace

const DeviceLoops& device_loops(DeviceKind device) {
    return device == DeviceKind::cuda ? devices[0] : devices[1];
}

const Loop& loop_of(const Baked& baked) {
    const DeviceLoops& loops = device_loops(baked.device);
    const auto table = is_row_loop(baked.loop)    ? loops.rows
                       : is_reduction(baked.loop) ? loops.reductions
                                                  : loops.elementwise;
    // The flat loop has two rows. The last one accepts arrays that are accessed by their strides.
    if (baked.loop == LoopKind::flat && divides(baked)) return *table.back();
    return **std::find_if(
        table.begin(), table.end(), [&](const Loop* loop) { return loop->kind == baked.loop; });
}

std::string count_of(std::int64_t count, std::string_view noun) {
    if (count == 1) return fmt::format("1 {}", noun);
    if (noun == "axis") return fmt::format("{} axes", count);
    return fmt::format("{} {}{}", count, noun, noun.back() == 's' ? "es" : "s");
}

}  // namespace kgen
