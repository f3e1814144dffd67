// SPDX-License-Identifier: MIT
//
// LoadedModule: an image of the user's own code on one device, with all its kernels and variables.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"

namespace kgen {

struct MemoryRegion {
    void* pointer = nullptr;
    std::size_t bytes = 0;
};

// Immutable; thread safe. Its code stays while the module or one of its kernels is held.
class LoadedModule {
public:
    virtual ~LoadedModule() = default;
    // The symbols of all kernels (mangled names on CUDA), in no order.
    virtual std::vector<std::string> kernel_symbols() const = 0;
    // Ready to launch; its parameters() are known. nullptr if there is none of that symbol.
    virtual std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const = 0;
    // A __device__ or __constant__ variable, nothing if there is none of that symbol.
    virtual std::optional<MemoryRegion> variable(const std::string& symbol) const = 0;
    // The symbols of variables as far as the image tells them, for "did you mean".
    virtual std::vector<std::string> variable_symbols() const = 0;
};

}  // namespace kgen
