// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_raw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "cuda/kernel/cuda_module.hpp"
#include "cuda/stream/captured_stream.hpp"

namespace kgen {

namespace {

constexpr LaunchDims one_block;
constexpr std::int64_t portable_cluster = 8;  // cluster size that all GPUs with clusters support

const CudaRawKernel& raw_kernel(const LoadedKernel& kernel) noexcept {
    return static_cast<const CudaRawKernel&>(kernel);
}

bool asks_for_attributes(const CudaRawKernel& kernel, const LaunchConfig& config) noexcept {
    return config.cooperative || config.programmatic_dependent || config.priority.has_value() ||
           config.cluster != one_block || kernel.brings_cluster();
}

// Returns the address of each parameter in the block.
std::vector<void*> addresses_in(const void* block, std::span<const KernelParameter> parameters) {
    auto* const first = static_cast<std::byte*>(const_cast<void*>(block));
    std::vector<void*> addresses;
    addresses.reserve(parameters.size());
    for (const KernelParameter& each : parameters) addresses.push_back(first + each.offset);
    return addresses;
}

}  // namespace

struct CudaRaw::Attributes {
    std::array<CUlaunchAttribute, 4> list = {};
    unsigned count = 0;
    CUlaunchAttributeValue& add(CUlaunchAttributeID id) {
        list[count].id = id;
        return list[count++].value;
    }
};

const CudaLaunchLimits& CudaRaw::limits() const {
    const std::lock_guard lock(mutex_);
    if (!limits_) limits_.emplace(CudaLaunchLimits::read(context_));
    return *limits_;
}

std::shared_ptr<const LoadedModule> CudaRaw::load_module(const Image& image,
                                                         const std::string& name) const {
    const CudaContext::Entered entered = context_.enter();
    context_.unload_dropped();
    return std::make_shared<CudaModule>(context_, limits(), image, name);
}

// --- Launch -------------------------------------------------------------------------------------

void CudaRaw::launch(const LoadedKernel& loaded,
                     const LaunchConfig& config,
                     const void* parameters,
                     std::size_t parameters_bytes,
                     StreamHandle stream,
                     const std::string& kernel_name) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    if (!check_sizes(kernel, config, kernel_name)) return;
    // If the parameter block is too short, the driver would read past its end.
    if (parameters_bytes != kernel.parameter_bytes) {
        throw DeviceError(fmt::format("kernel '{}': {} bytes of parameters, its code expects {}",
                                      kernel_name,
                                      parameters_bytes,
                                      kernel.parameter_bytes));
    }
    const CudaContext::Entered entered = context_.enter();
    require_captured_along(*entered, context_.device(), stream);
    const auto context = [&] {
        return fmt::format("kernel '{}' on {}, grid {}, block {}, {} bytes of shared memory",
                           kernel_name,
                           context_.text(),
                           extents_text(config.grid),
                           extents_text(config.block),
                           config.shared_bytes);
    };
    const auto shared_bytes = static_cast<int>(config.shared_bytes);
    const CUresult allowed = kernel.allow_shared_bytes(context_.api(), shared_bytes);
    if (allowed != CUDA_SUCCESS) context_.fail(allowed, "cuFuncSetAttribute", context());

    // The driver copies the parameters as one block of bytes, so its work does not grow with their number.
    std::array<void*, 5> block = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                                  const_cast<void*>(parameters),
                                  CU_LAUNCH_PARAM_BUFFER_SIZE,
                                  &parameters_bytes,
                                  CU_LAUNCH_PARAM_END};
    void** extra = parameters_bytes == 0 ? nullptr : block.data();
    const LaunchExtents grid = checked_extents(config.grid);
    const LaunchExtents threads = checked_extents(config.block);
    CUresult result = CUDA_SUCCESS;
    if (asks_for_attributes(kernel, config)) {
        const LaunchDims cluster = check_cluster(kernel, config, kernel_name);
        check_features(kernel, config, cluster, kernel_name);
        check_fit(kernel, config, cluster, kernel_name);
        Attributes attributes;
        const CUlaunchConfig described =
            describe(kernel, config, cluster, stream, attributes, TellCluster::where_needed);
        // The driver refuses to capture a cooperative launch whose parameters are one block (driver 580, H100).
        std::vector<void*> addresses;
        if (config.cooperative) addresses = addresses_in(parameters, kernel.parameters());
        result =
            context_.api().launch_kernel_extended(&described,
                                                  kernel.function,
                                                  config.cooperative ? addresses.data() : nullptr,
                                                  config.cooperative ? nullptr : extra);
        if (result != CUDA_SUCCESS) context_.fail(result, "cuLaunchKernelEx", context());
    } else {
        result = context_.api().launch_kernel(kernel.function,
                                              grid.x,
                                              grid.y,
                                              grid.z,
                                              threads.x,
                                              threads.y,
                                              threads.z,
                                              static_cast<unsigned>(shared_bytes),
                                              stream,
                                              nullptr,
                                              extra);
        if (result != CUDA_SUCCESS) context_.fail(result, "cuLaunchKernel", context());
    }
    kernel.keep_for_capture(context_, stream);
    context_.launched(kernel.noted_name(context_.fault(), kernel_name), grid, threads, stream);
}

CUlaunchConfig CudaRaw::describe(const CudaRawKernel& kernel,
                                 const LaunchConfig& config,
                                 const LaunchDims& cluster,
                                 StreamHandle stream,
                                 Attributes& attributes,
                                 TellCluster tell) const {
    const LaunchExtents blocks = checked_extents(cluster);
    const bool is_needed = cluster != one_block || kernel.must_be_given_cluster;
    // A kernel that was compiled for a fixed cluster contains its size, so the launch does not pass it.
    if (kernel.required_cluster == one_block &&
        (tell == TellCluster::always || (tell == TellCluster::where_needed && is_needed))) {
        attributes.add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {
            blocks.x, blocks.y, blocks.z};
    }
    if (config.cooperative) attributes.add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
    if (config.programmatic_dependent) {
        attributes.add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
            .programmaticStreamSerializationAllowed = 1;
    }
    if (config.priority) {
        attributes.add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority =
            std::clamp(*config.priority,
                       kernel.limits->greatest_priority,  // numerically the smaller one
                       kernel.limits->least_priority);
    }
    const LaunchExtents grid = checked_extents(config.grid);
    const LaunchExtents threads = checked_extents(config.block);
    return {.gridDimX = grid.x,
            .gridDimY = grid.y,
            .gridDimZ = grid.z,
            .blockDimX = threads.x,
            .blockDimY = threads.y,
            .blockDimZ = threads.z,
            .sharedMemBytes = static_cast<unsigned>(config.shared_bytes),
            .hStream = stream,
            .attrs = attributes.list.data(),
            .numAttrs = attributes.count};
}

// --- What fits ----------------------------------------------------------------------------------

void CudaRaw::allow_shared_bytes(const CudaRawKernel& kernel, std::int64_t bytes) const {
    context_.check(kernel.allow_shared_bytes(context_.api(), static_cast<int>(bytes)),
                   "cuFuncSetAttribute");
}

int CudaRaw::count_clusters(const CudaRawKernel& kernel,
                            const LaunchConfig& config,
                            const LaunchDims& cluster) const {
    if (cluster.count() > portable_cluster)
        context_.check(kernel.allow_large_clusters(context_.api()), "cuFuncSetAttribute");
    // The answer does not depend on the grid, but the grid must consist of whole clusters.
    const LaunchConfig asked = {
        .grid = cluster, .block = config.block, .shared_bytes = config.shared_bytes};
    Attributes attributes;
    CUlaunchConfig described =
        describe(kernel, asked, cluster, nullptr, attributes, TellCluster::always);
    int count = 0;
    context_.check(
        context_.api().occupancy_max_active_clusters(&count, kernel.function, &described),
        "cuOccupancyMaxActiveClusters");
    return count;
}

void CudaRaw::check_fit(const CudaRawKernel& kernel,
                        const LaunchConfig& config,
                        const LaunchDims& cluster,
                        const std::string& name) const {
    if (cluster == one_block && !config.cooperative) return;
    const std::uint64_t key = LaunchFits::key_of(cluster, config.block, config.shared_bytes);
    std::optional<std::int64_t> fitting = kernel.fits.find(key);
    if (!fitting) {
        const unsigned age = kernel.fits.age();
        if (cluster == one_block) {
            int blocks = 0;
            context_.check(context_.api().occupancy_max_active_blocks(
                               &blocks,
                               kernel.function,
                               static_cast<int>(config.block.count()),
                               static_cast<std::size_t>(config.shared_bytes)),
                           "cuOccupancyMaxActiveBlocksPerMultiprocessor");
            fitting = std::int64_t{blocks} * kernel.limits->processors;
        } else {
            fitting = count_clusters(kernel, config, cluster) * cluster.count();
        }
        kernel.fits.keep(key, *fitting, age);
    }
    if (cluster != one_block && *fitting == 0) refuse_cluster(kernel, config, cluster, name);
    if (!config.cooperative || config.grid.count() <= *fitting) return;
    throw LaunchError(fmt::format(
        "kernel '{}': {} blocks {} of {} threads in a cooperative grid, {} holds at most "
        "{} of them at once",
        name,
        config.grid.count(),
        extents_text(config.grid),
        config.block.count(),
        context_.text(),
        *fitting));
}

void CudaRaw::refuse_cluster(const CudaRawKernel& kernel,
                             const LaunchConfig& config,
                             const LaunchDims& cluster,
                             const std::string& name) const {
    std::string message = fmt::format(
        "kernel '{}': cluster {}: {} blocks of {} threads and {} bytes of shared memory do not fit "
        "into a cluster of {}",
        name,
        extents_text(cluster),
        cluster.count(),
        config.block.count(),
        config.shared_bytes + kernel.shared_bytes,
        context_.text());
    const LaunchConfig asked = {
        .grid = cluster, .block = config.block, .shared_bytes = config.shared_bytes};
    Attributes attributes;
    CUlaunchConfig described =
        describe(kernel, asked, cluster, nullptr, attributes, TellCluster::never);
    int most = 0;
    if (context_.api().occupancy_max_potential_cluster_size(&most, kernel.function, &described) ==
            CUDA_SUCCESS &&
        most < cluster.count()) {
        message += fmt::format(", at most {}", most);
    }
    throw DeviceError(message);
}

int CudaRaw::max_blocks_per_multiprocessor(const LoadedKernel& loaded,
                                           int block,
                                           std::int64_t shared_bytes) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    if (block < 1 || shared_bytes < 0) {
        throw DeviceError(
            fmt::format("kernel '{}': {} threads in a block with {} bytes of shared "
                        "memory: expected at least 1 thread and 0 bytes",
                        kernel.known_name(),
                        block,
                        shared_bytes));
    }
    if (block > kernel.most_threads || shared_bytes > kernel.most_dynamic_shared_bytes()) return 0;
    const CudaContext::Entered entered = context_.enter();
    allow_shared_bytes(kernel, shared_bytes);
    int count = 0;
    context_.check(context_.api().occupancy_max_active_blocks(
                       &count, kernel.function, block, static_cast<std::size_t>(shared_bytes)),
                   "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return count;
}

int CudaRaw::max_clusters(const LoadedKernel& loaded, const LaunchConfig& config) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    LaunchConfig asked = config;
    asked.grid = {};  // the answer does not depend on the grid
    check_sizes(kernel, asked, kernel.known_name());
    const LaunchDims cluster = check_cluster(kernel, asked, kernel.known_name());
    const CudaContext::Entered entered = context_.enter();
    allow_shared_bytes(kernel, config.shared_bytes);
    return count_clusters(kernel, asked, cluster);
}

SuggestedLaunch CudaRaw::suggested_launch(const LoadedKernel& loaded,
                                          std::int64_t shared_bytes,
                                          int most_threads) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    check_sizes(kernel, {.shared_bytes = shared_bytes}, kernel.known_name());
    if (most_threads < 0) {
        throw DeviceError(
            fmt::format("kernel '{}': at most {} threads in a block: expected 0 or more",
                        kernel.known_name(),
                        most_threads));
    }
    const CudaContext::Entered entered = context_.enter();
    allow_shared_bytes(kernel, shared_bytes);
    SuggestedLaunch suggested;
    context_.check(
        context_.api().occupancy_max_potential_block_size(&suggested.grid,
                                                          &suggested.block,
                                                          kernel.function,
                                                          nullptr,
                                                          static_cast<std::size_t>(shared_bytes),
                                                          most_threads),
        "cuOccupancyMaxPotentialBlockSize");
    return suggested;
}

// --- Attributes ---------------------------------------------------------------------------------

KernelAttributes CudaRaw::attributes(const LoadedKernel& loaded) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    const CudaContext::Entered entered = context_.enter();
    const auto attribute = [&](CUfunction_attribute which) {
        return kernel.attribute(context_, which);
    };
    return {.max_threads_per_block = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            .registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
            .shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
            .local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
            .constant_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
            .ptx_version = attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION),
            .binary_version = attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION),
            .max_dynamic_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
            .shared_carveout = attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)};
}

void CudaRaw::set(const LoadedKernel& loaded,
                  KernelSetting setting,
                  int value,
                  const std::string& kernel_name) const {
    const CudaRawKernel& kernel = raw_kernel(loaded);
    CUresult result = CUDA_SUCCESS;
    if (setting == KernelSetting::max_dynamic_shared_bytes) {
        check_sizes(kernel, {.shared_bytes = value}, kernel_name);
        const CudaContext::Entered entered = context_.enter();
        result = kernel.set_shared_bytes_limit(context_.api(), value);
    } else {
        if (value < -1 || value > 100) {
            throw DeviceError(fmt::format(
                "kernel '{}': {} percent of the L1 as shared memory: expected 0 to 100, or "
                "-1 for the driver's choice",
                kernel_name,
                value));
        }
        const CudaContext::Entered entered = context_.enter();
        result = context_.api().function_set_attribute(
            kernel.function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, value);
    }
    if (result != CUDA_SUCCESS) {
        context_.fail(result,
                      "cuFuncSetAttribute",
                      fmt::format("kernel '{}' on {}", kernel_name, context_.text()));
    }
    kernel.fits.forget();
}

}  // namespace kgen
