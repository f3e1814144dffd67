// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cuda/kernel/cuda_raw_kernel.hpp"

namespace kgen {

namespace {

// Most thread blocks of a cluster. More than 8 need allow_large_clusters() (CUDA C++ Programming Guide,
// "Thread Block Clusters").
constexpr std::int64_t most_blocks_of_cluster = 16;

bool lies_within(const LaunchDims& dims, const LaunchDims& most) noexcept {
    // The subtraction is unsigned, so that 0 and negative extents become too large.
    const auto is_within = [](std::int64_t extent, std::int64_t limit) {
        return static_cast<std::uint64_t>(extent) - 1 < static_cast<std::uint64_t>(limit);
    };
    return is_within(dims.x, most.x) && is_within(dims.y, most.y) && is_within(dims.z, most.z);
}

// Each function below throws LaunchError if the launch has the fault in its name. Negative extents are
// refused before empty ones.

void refuse_below(std::int64_t least,
                  const char* what,
                  const LaunchDims& dims,
                  const std::string& name) {
    if (std::min({dims.x, dims.y, dims.z}) >= least) return;
    throw LaunchError(fmt::format("kernel '{}': {} {}: an extent is {}",
                                  name,
                                  what,
                                  extents_text(dims),
                                  least == 0 ? "negative" : "0, expected at least 1"));
}

void refuse_large(const char* what,
                  const char* things,
                  const LaunchDims& dims,
                  const LaunchDims& most,
                  const CudaRawKernel& kernel,
                  const std::string& name) {
    const auto check = [&](const char* axis, std::int64_t extent, std::int64_t limit) {
        if (extent <= limit) return;
        throw LaunchError(fmt::format("kernel '{}': {} {}: {} {} along {}, {} has at most {}",
                                      name,
                                      what,
                                      extents_text(dims),
                                      extent,
                                      things,
                                      axis,
                                      kernel.limits->device,
                                      limit));
    };
    check("x", dims.x, most.x);
    check("y", dims.y, most.y);
    check("z", dims.z, most.z);
}

void refuse_threads(const LaunchDims& block, const CudaRawKernel& kernel, const std::string& name) {
    const std::int64_t threads = block.count();
    if (threads <= kernel.most_threads) return;
    const std::string got =
        fmt::format("kernel '{}': {} threads in a block {}", name, threads, extents_text(block));
    if (kernel.most_threads >= kernel.limits->threads_per_block) {
        throw LaunchError(
            fmt::format("{}, {} has at most {}", got, kernel.limits->device, kernel.most_threads));
    }
    // Registers are allocated to whole warps, and in units of 8 per thread.
    const std::int64_t registers = (kernel.registers + 7) / 8 * 8 * ((threads + 31) / 32 * 32);
    if (registers > kernel.limits->registers_per_block) {
        throw LaunchError(fmt::format(
            "{}, at most {} with its {} registers", got, kernel.most_threads, kernel.registers));
    }
    throw LaunchError(
        fmt::format("{}, at most {} by its __launch_bounds__", got, kernel.most_threads));
}

void refuse_shared(std::int64_t bytes, const CudaRawKernel& kernel, const std::string& name) {
    if (bytes < 0) {
        throw LaunchError(
            fmt::format("kernel '{}': {} bytes of shared memory: expected 0 or more", name, bytes));
    }
    if (bytes <= kernel.most_dynamic_shared_bytes()) return;
    throw LaunchError(fmt::format("kernel '{}': {} bytes of shared memory{}, {} has at most {}",
                                  name,
                                  bytes,
                                  kernel.shared_bytes == 0
                                      ? std::string()
                                      : fmt::format(" and {} static bytes", kernel.shared_bytes),
                                  kernel.limits->device,
                                  kernel.limits->shared_bytes));
}

}  // namespace

CudaLaunchLimits CudaLaunchLimits::read(const CudaContext& context) {
    const auto attribute = [&](CUdevice_attribute each) { return context.attribute(each); };
    CudaLaunchLimits limits;
    limits.device = context.text();
    const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    const int minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    limits.arch = fmt::format("sm_{}{}", major, minor);
    limits.capability = major * 10 + minor;
    limits.grid = {attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                   attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                   attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)};
    limits.block = {attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                    attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)};
    limits.threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    limits.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    limits.processors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    limits.shared_bytes = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    limits.has_cooperative_launch = attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
    context.check(
        context.api().context_get_priority_range(&limits.least_priority, &limits.greatest_priority),
        "cuCtxGetStreamPriorityRange");
    return limits;
}

bool check_sizes(const CudaRawKernel& kernel, const LaunchConfig& config, const std::string& name) {
    const CudaLaunchLimits& limits = *kernel.limits;
    const bool is_right = lies_within(config.grid, limits.grid) &&
                          lies_within(config.block, limits.block) &&
                          config.block.x * config.block.y * config.block.z <= kernel.most_threads &&
                          static_cast<std::uint64_t>(config.shared_bytes) <=
                              static_cast<std::uint64_t>(kernel.most_dynamic_shared_bytes());
    if (is_right) return true;
    refuse_below(0, "grid", config.grid, name);
    refuse_below(0, "block", config.block, name);
    refuse_below(1, "block", config.block, name);
    refuse_large("grid", "blocks", config.grid, limits.grid, kernel, name);
    refuse_large("block", "threads", config.block, limits.block, kernel, name);
    refuse_threads(config.block, kernel, name);
    refuse_shared(config.shared_bytes, kernel, name);
    return false;  // an extent of the grid is 0
}

LaunchDims check_cluster(const CudaRawKernel& kernel,
                         const LaunchConfig& config,
                         const std::string& name) {
    const CudaLaunchLimits& limits = *kernel.limits;
    const LaunchDims none;
    const LaunchDims& own = kernel.required_cluster;
    const LaunchDims cluster = config.cluster == none ? own : config.cluster;
    if (cluster == none) return cluster;
    const auto start = [&] {
        return fmt::format("kernel '{}': cluster {}", name, extents_text(cluster));
    };
    if (limits.capability < cluster_capability) {
        throw DeviceError(fmt::format(
            "{}: clusters need sm_90 or newer, {} is {}", start(), limits.device, limits.arch));
    }
    refuse_below(0, "cluster", cluster, name);
    refuse_below(1, "cluster", cluster, name);
    if (own != none && cluster != own) {
        throw LaunchError(fmt::format(
            "{}: the kernel was compiled for {} (__cluster_dims__)", start(), extents_text(own)));
    }
    if (cluster.count() > most_blocks_of_cluster) {
        throw LaunchError(fmt::format("{}: got {} blocks, expected at most {}",
                                      start(),
                                      cluster.count(),
                                      most_blocks_of_cluster));
    }
    return cluster;
}

void check_features(const CudaRawKernel& kernel,
                    const LaunchConfig& config,
                    const LaunchDims& cluster,
                    const std::string& name) {
    const CudaLaunchLimits& limits = *kernel.limits;
    const LaunchDims& grid = config.grid;
    if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
        throw LaunchError(fmt::format("kernel '{}': cluster {} does not divide the grid {}",
                                      name,
                                      extents_text(cluster),
                                      extents_text(grid)));
    }
    if (config.cooperative && !limits.has_cooperative_launch) {
        throw DeviceError(fmt::format(
            "kernel '{}': {} does not support cooperative launches", name, limits.device));
    }
    if (config.programmatic_dependent && limits.capability < cluster_capability) {
        throw DeviceError(
            fmt::format("kernel '{}': a programmatic dependent launch needs sm_90 or newer, {} is "
                        "{}",
                        name,
                        limits.device,
                        limits.arch));
    }
}

}  // namespace kgen
