// SPDX-License-Identifier: MIT
#include "host/kernel/host_raw.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <kgen/error.hpp>
#include <memory>
#include <vector>

#include "device/capture_record.hpp"
#include "host/kernel/host_launch_limits.hpp"
#include "host/kernel/host_module.hpp"
#include "host/kernel/host_raw_abi.hpp"
#include "host/kernel/host_raw_error.hpp"
#include "host/run/fiber_block.hpp"
#include "host/run/fiber_stacks.hpp"
#include "host/run/host_graphs.hpp"
#include "host/run/shared_memory.hpp"
#include "host/run/thread_kept.hpp"
#include "host/run/thread_pool.hpp"

namespace kgen {

namespace {

// Kernel threads that are worth waking a CPU thread, which takes about 30 us.
constexpr std::int64_t plain_grain = 16384;
constexpr std::int64_t fiber_grain = 2048;
// Loops are split at multiples of 64 iterations, so each block counts as 64 iterations.
constexpr std::int64_t block_iterations = 64;
constexpr std::int64_t most_counted_blocks = std::int64_t{1} << 56;

// The memory and fibers with which a CPU thread runs blocks. Lives as long as the thread.
class Worker {
public:
    SharedMemory& shared() noexcept { return shared_; }
    FiberBlock& fibers(const HostRawTable& table, unsigned threads) {
        if (!block_) block_ = std::make_unique<FiberBlock>();
        const std::size_t stack_bytes =
            fiber_stack_bytes(table.stack_bytes, table.frames->all_bytes);
        block_->set_stacks(
            stacks_.take(threads, stack_bytes), stack_bytes, table.fibers_by_context);
        return *block_;
    }
    void trim_stacks() noexcept { stacks_.trim(); }

private:
    SharedMemory shared_;
    std::unique_ptr<FiberBlock> block_;
    FiberStacks stacks_;
};

void on_failure(HostFiberBlock* block, const HostRawFailure* failure) {
    HostRawError error{describe_failure(*failure)};
    if (block == nullptr) throw error;
    static_cast<FiberBlock*>(block)->fail(std::move(error.text));
}

// With shadow stacks (CET) a thread can have only one chain of calls, so fibers would end the process.
bool has_shadow_stack() noexcept {
#if defined(__x86_64__)
    unsigned long long pointer = 0;
    asm volatile("rdsspq %0" : "+r"(pointer));  // a no-op if there is none
    return pointer != 0;
#else
    return false;
#endif
}

// Kernel threads that do not wait run on the stack of the calling thread or of a thread of the pool.
void require_stack(unsigned long long frame_bytes) {
    constexpr unsigned long long always_there = 65536;
    if (frame_bytes <= always_there) return;
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
    void* lowest = nullptr;
    std::size_t whole = 0;
    ::pthread_attr_getstack(&attributes, &lowest, &whole);
    ::pthread_attr_destroy(&attributes);
    const auto left = static_cast<unsigned long long>(reinterpret_cast<std::byte*>(&attributes) -
                                                      static_cast<std::byte*>(lowest));
    if (left >= frame_bytes + always_there) return;
    throw HostRawError{
        fmt::format("its local variables need {} bytes of stack, of which this thread has {}: "
                    "launch it from a thread with a larger stack, and raise ulimit -s",
                    frame_bytes,
                    left)};
}

HostIndex block_at(std::int64_t number, const LaunchDims& grid) noexcept {
    return {static_cast<unsigned>(number % grid.x),
            static_cast<unsigned>(number / grid.x % grid.y),
            static_cast<unsigned>(number / grid.x / grid.y)};
}

void run(const HostRawTable& table,
         const HostRawRow& row,
         const LaunchDims& grid,
         const LaunchDims& block,
         std::int64_t shared_bytes,
         const void* parameters,
         const std::string& kernel_name) {
    HostRawLaunch launch{};
    launch.calls = &FiberBlock::calls;
    launch.failed = on_failure;
    launch.parameters = parameters;
    const auto fill = [](unsigned(&extents)[3], const LaunchDims& dims) {
        extents[0] = static_cast<unsigned>(dims.x);
        extents[1] = static_cast<unsigned>(dims.y);
        extents[2] = static_cast<unsigned>(dims.z);
    };
    fill(launch.grid, grid);
    fill(launch.block, block);
    const auto threads = static_cast<unsigned>(block.count());
    const std::int64_t blocks = grid.count();
    const std::int64_t scale = blocks < most_counted_blocks ? block_iterations : 1;

    const auto body = [&](std::int64_t begin, std::int64_t end) {
        if (!row.uses_fibers) require_stack(table.frames->largest_bytes);
        Worker& worker = thread_kept<Worker>();
        HostRawLaunch own = launch;
        const auto given = static_cast<std::size_t>(shared_bytes);
        if (table.has_shared_arrays) own.shared = worker.shared().take(given);
        if (row.uses_fibers) own.fibers = &worker.fibers(table, threads);
        own.first = block_at(begin / scale, grid);
        row.run(&own, end / scale - begin / scale);
        if (row.uses_fibers) worker.trim_stacks();
        if (!table.has_shared_arrays) return;
        const std::size_t used = worker.shared().used_bytes();
        if (used > given) throw HostRawError{describe_shared_memory(given, used)};
    };
    const std::int64_t grain = row.uses_fibers ? fiber_grain : plain_grain;
    try {
        parallel_for(blocks * scale, std::max<std::int64_t>(grain / threads, 1) * scale, body);
    } catch (const HostRawError& error) {
        throw Error(fmt::format("kernel '{}': {}", kernel_name, error.text));
    }
}

HostRawKernel const& as_raw(const LoadedKernel& kernel) noexcept {
    return static_cast<const HostRawKernel&>(kernel);
}

class HostRaw final : public RawBackend {
public:
    std::shared_ptr<const LoadedModule> load_module(const Image& image,
                                                    const std::string& name) const override {
        return load_host_module(image, name);
    }

    void launch(const LoadedKernel& loaded,
                const LaunchConfig& config,
                const void* parameters,
                std::size_t parameters_bytes,
                StreamHandle stream,
                const std::string& kernel_name) const override {
        const HostRawKernel& kernel = as_raw(loaded);
        if (!check_host_launch(config, kernel_name)) return;
        check_host_shared_bytes(kernel.shared_bytes.own, config.shared_bytes, kernel_name);
        const HostRawTable& table = *kernel.table;
        const HostRawRow& row = *kernel.row;
        if (row.uses_fibers && !table.fibers_by_context && has_shadow_stack()) {
            throw DeviceError(fmt::format(
                "kernel '{}': its threads wait for each other, which the host device does "
                "not support under a shadow stack\n"
                "add -DKGEN_FIBERS_BY_CONTEXT to the kernel's options to run it slowly",
                kernel_name));
        }
        if (HostCapture* capture = HostCapture::of(stream)) {
            const auto* bytes = static_cast<const std::byte*>(parameters);
            capture->add([&table,
                          &row,
                          owner = loaded.shared_from_this(),
                          grid = config.grid,
                          block = config.block,
                          shared_bytes = config.shared_bytes,
                          block_of_parameters = std::vector(bytes, bytes + parameters_bytes),
                          kernel_name] {
                run(table, row, grid, block, shared_bytes, block_of_parameters.data(), kernel_name);
            });
            return;
        }
        CaptureRecord::require_none(Device::host());
        run(table, row, config.grid, config.block, config.shared_bytes, parameters, kernel_name);
    }

    KernelAttributes attributes(const LoadedKernel& kernel) const override {
        KernelAttributes attributes;
        attributes.max_threads_per_block = host_threads_per_block;
        attributes.shared_bytes = as_raw(kernel).shared_bytes.all;
        return attributes;
    }

    void set(const LoadedKernel& /*kernel*/,
             KernelSetting setting,
             int value,
             const std::string& kernel_name) const override {
        if (setting != KernelSetting::max_dynamic_shared_bytes) return;
        LaunchConfig config;
        config.shared_bytes = value;
        check_host_launch(config, kernel_name);
    }

    // A processor is a CPU thread, which runs one block at a time.
    int max_blocks_per_multiprocessor(const LoadedKernel& /*kernel*/,
                                      int block,
                                      std::int64_t shared_bytes) const override {
        return block >= 1 && block <= host_threads_per_block && shared_bytes >= 0 &&
                       shared_bytes <= host_shared_bytes
                   ? 1
                   : 0;
    }

    int max_clusters(const LoadedKernel& /*kernel*/,
                     const LaunchConfig& /*config*/) const override {
        return 0;
    }

    SuggestedLaunch suggested_launch(const LoadedKernel& /*kernel*/,
                                     std::int64_t /*shared_bytes*/,
                                     int most_threads) const override {
        constexpr int usual_block = 256;
        const int block = most_threads > 0 ? std::min(most_threads, usual_block) : usual_block;
        return {.block = block, .grid = host_thread_count()};
    }
};

}  // namespace

const RawBackend& host_raw() {
    static const auto* const raw = new HostRaw;  // outlives every static destructor
    return *raw;
}

}  // namespace kgen
