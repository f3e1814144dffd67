// SPDX-License-Identifier: MIT
//
// load_kernel and launch_kernel: load an image on a device, and run it. Stages 6 and 7.
#pragma once

#include <kgen/error.hpp>
#include <memory>
#include <string>

#include "device/backend.hpp"
#include "digest.hpp"
#include "image/live_table.hpp"
#include "plan/plan.hpp"

namespace kgen {

// Loads the image's entry point on the device. Throws DeviceError; see is_rejection.
std::shared_ptr<const LoadedKernel> load_kernel(const Image& image,
                                                const Backend& backend,
                                                const std::string& kernel);

// Whether the error says that the image itself is at fault (no binary for this GPU, invalid image,
// unsupported PTX version, ...), so that compiling again may help.
bool is_rejection(const DeviceError& error) noexcept;

// The loaded kernels of this process by request digest and device. Kernel objects with equal sources share
// one kernel and one compile. A kernel is unloaded when its last holder (kernel object, bound launch, graph)
// is destroyed. The most recently used kernels stay loaded, so that a program which creates a kernel object
// for each call does not load its code each time.
struct KernelKey {
    cache::Digest request;
    Device device;
    friend bool operator==(const KernelKey&, const KernelKey&) = default;
};
struct KernelKeyHash {
    std::size_t operator()(const KernelKey& key) const noexcept;
};
using KernelTable = LiveTable<LoadedKernel, KernelKey, KernelKeyHash>;
KernelTable& process_kernels();

// Returns the geometry with which the backend launches a plan.
LaunchShape launch_shape(const Runtime& runtime) noexcept;

// Launches the kernel on the stream. Does nothing if the plan has no elements.
void launch_kernel(const LoadedKernel& kernel,
                   const Runtime& runtime,
                   const Backend& backend,
                   StreamHandle stream,
                   const std::string& name);

}  // namespace kgen
