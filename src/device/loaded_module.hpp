// SPDX-License-Identifier: MIT
//
// LoadedModule: a loaded image of code that the user wrote whole, with all its kernels and variables, on one
// device.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

// A range of a device's memory.
struct MemoryRegion {
    void* pointer = nullptr;
    std::size_t bytes = 0;
};

// Immutable and thread safe. The code stays loaded while the module or one of its kernels has an owner.
class LoadedModule {
public:
    virtual ~LoadedModule() = default;
    // The symbols of all kernels (mangled names on CUDA), in no particular order.
    virtual std::vector<std::string> kernel_symbols() const = 0;
    // Returns the kernel of that symbol, ready to launch and with parameters(), or nullptr if there is none.
    virtual std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const = 0;
    // Returns the __device__ or __constant__ variable of that symbol, or nothing if there is none.
    virtual std::optional<MemoryRegion> variable(const std::string& symbol) const = 0;
    // The symbols of variables, as far as the image contains them. Messages suggest the nearest of them.
    virtual std::vector<std::string> variable_symbols() const = 0;
};

}  // namespace kgen
