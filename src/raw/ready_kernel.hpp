// SPDX-License-Identifier: MIT
//
// ReadyKernel: a raw kernel on one device with everything that a launch needs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/loaded_module.hpp"
#include "device/raw_backend.hpp"
#include "fork_mutex.hpp"
#include "raw/raw_arguments.hpp"

namespace kgen {

// Immutable.
struct ReadyKernel {
    const Backend* backend;
    const RawBackend* raw;
    std::shared_ptr<const LoadedModule> module;
    std::shared_ptr<const LoadedKernel> kernel;
    std::vector<TypedParameter> parameters;
    std::size_t block_bytes;

    RawParameters takes() const noexcept { return {parameters, block_bytes}; }
};

// The devices on which one kernel is ready. Thread-safe; find() takes no lock.
class ReadyKernels {
public:
    // Returns the kernel for that device, or nullptr if it is not ready there. With more than 15 GPUs two
    // devices may share an element of the table. Then it also returns nullptr if the other one occupies it.
    const ReadyKernel* find(const Backend& backend) noexcept {
        const ReadyKernel* known = place_of(backend).load(std::memory_order_acquire);
        return known != nullptr && known->backend == &backend ? known : nullptr;
    }
    const ReadyKernel& add(std::shared_ptr<const ReadyKernel> ready) {
        const std::lock_guard lock(mutex_);
        const ReadyKernel& kept = *kept_.emplace_back(std::move(ready));
        place_of(*kept.backend).store(&kept, std::memory_order_release);
        return kept;
    }

private:
    // Element 0 of the table is for the host, the others are for GPUs by ordinal. From the 16th GPU on, two
    // devices share an element.
    static constexpr std::size_t places = 16;
    static std::size_t index_of(const Backend& backend) noexcept {
        const Device device = backend.device();
        const auto kind = static_cast<std::size_t>(device.kind());
        return (kind + static_cast<std::size_t>(device.ordinal())) % places;
    }
    std::atomic<const ReadyKernel*>& place_of(const Backend& backend) noexcept {
        return by_device_[index_of(backend)];
    }

    std::array<std::atomic<const ReadyKernel*>, places> by_device_ = {};
    cache::ForkMutex mutex_;
    std::vector<std::shared_ptr<const ReadyKernel>> kept_;  // never shrinks: readers hold no lock
};

}  // namespace kgen
