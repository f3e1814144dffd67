// SPDX-License-Identifier: MIT
//
// CudaRawKernel: a raw kernel that is loaded on one GPU, with the limits that its launches are checked
// against.
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/launch_config.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/kernel/cuda_kernel.hpp"
#include "cuda/kernel/cuda_launch_limits.hpp"
#include "cuda/nvrtc/ptx_parameters.hpp"

namespace kgen {

// LaunchFits: a table of the number of thread blocks of one kernel that can run on a GPU at the same time,
// for each launch configuration. It saves asking the driver again. Thread-safe; find() takes no lock.
class LaunchFits {
public:
    LaunchFits() = default;
    ~LaunchFits() {
        for (const Node* node = head_.load(std::memory_order_acquire); node != nullptr;) {
            const Node* next = node->next;
            delete node;
            node = next;
        }
    }
    LaunchFits(const LaunchFits&) = delete;
    LaunchFits& operator=(const LaunchFits&) = delete;

    // Returns the key of a launch whose extents were checked. It depends on the cluster, the thread block and
    // the shared memory, but not on the grid.
    static std::uint64_t key_of(const LaunchDims& cluster,
                                const LaunchDims& block,
                                std::int64_t shared_bytes) noexcept {
        std::uint64_t key = 0;
        const auto add = [&key](std::int64_t value, int bits) {
            key = (key << bits) | static_cast<std::uint64_t>(value);
        };
        add(cluster.x, 5), add(cluster.y, 5), add(cluster.z, 5);
        add(block.x, 11), add(block.y, 11), add(block.z, 7);
        add(shared_bytes, 20);
        return key;
    }

    std::optional<std::int64_t> find(std::uint64_t key) const noexcept {
        const unsigned age = age_.load(std::memory_order_relaxed);
        for (const Node* node = head_.load(std::memory_order_acquire); node != nullptr;
             node = node->next) {
            if (node->key == key && node->age == age) return node->blocks;
        }
        return {};
    }
    // Adds an answer of the driver. `age` is the value of age() before the driver was asked.
    void keep(std::uint64_t key, std::int64_t blocks, unsigned age) {
        constexpr int most_nodes = 32;  // further launch configurations ask the driver each time
        if (count_.fetch_add(1, std::memory_order_relaxed) >= most_nodes) return;
        auto* node = new Node{key, blocks, age, head_.load(std::memory_order_relaxed)};
        while (!head_.compare_exchange_weak(node->next, node, std::memory_order_acq_rel)) {
        }
    }
    unsigned age() const noexcept { return age_.load(std::memory_order_relaxed); }
    // Makes all entries invalid. Must be called after a change of the kernel's settings.
    void forget() noexcept {
        age_.fetch_add(1, std::memory_order_relaxed);
        count_.store(0, std::memory_order_relaxed);
    }

private:
    struct Node {
        std::uint64_t key;
        std::int64_t blocks;
        unsigned age;
        const Node* next;
    };
    std::atomic<const Node*> head_ = nullptr;
    std::atomic<int> count_ = 0;
    std::atomic<unsigned> age_ = 0;
};

struct CudaRawKernel : CudaKernel {
    std::span<const KernelParameter> parameters() const noexcept override { return table; }
    // The limit applies to the sum of static and dynamic shared memory.
    std::int64_t most_dynamic_shared_bytes() const noexcept {
        return limits->shared_bytes - shared_bytes;
    }
    // Returns the name that the user first called the kernel by, for messages about faults.
    const std::string* noted_name(DeviceFault& fault, const std::string& called) const {
        const std::string* noted = noted_name_.load(std::memory_order_relaxed);
        if (noted == nullptr) {
            noted = fault.intern(called);
            noted_name_.store(noted, std::memory_order_relaxed);
        }
        return noted;
    }
    const std::string& known_name() const noexcept {
        const std::string* noted = noted_name_.load(std::memory_order_relaxed);
        return noted == nullptr ? *name : *noted;
    }

    std::vector<KernelParameter> table;
    const CudaLaunchLimits* limits = nullptr;
    // Most threads of a thread block, given the kernel's registers and __launch_bounds__.
    int most_threads = 0;
    int registers = 0;            // registers per thread
    int shared_bytes = 0;         // static shared memory
    LaunchDims required_cluster;  // (1, 1, 1) if the kernel requires none
    // True if the kernel was compiled for clusters whose size each launch must specify.
    bool must_be_given_cluster = false;
    mutable LaunchFits fits;

    // Allows clusters of more than 8 thread blocks, which the driver rejects by default.
    CUresult allow_large_clusters(const DriverApi& api) const;
    int attribute(const CudaContext& context, CUfunction_attribute which) const;
    // Returns true if the kernel was compiled for clusters, so every launch checks and describes them.
    bool brings_cluster() const noexcept { return brings_cluster_; }
    void read_cluster(const CudaContext& context);

private:
    bool brings_cluster_ = false;
    mutable std::atomic<const std::string*> noted_name_ = nullptr;
    mutable std::atomic<bool> allows_large_clusters_ = false;
};

// Reads the parameters and limits of a kernel whose code is loaded as `function` of `library`. `ptx` may be
// empty. The context must be current.
std::shared_ptr<const CudaRawKernel> read_raw_kernel(const CudaContext& context,
                                                     const CudaLaunchLimits& limits,
                                                     std::shared_ptr<const CudaLibrary> library,
                                                     CUkernel kernel,
                                                     CUfunction function,
                                                     const std::string& symbol,
                                                     std::string_view ptx);

}  // namespace kgen
