// SPDX-License-Identifier: MIT
//
// load_kernel and launch_kernel: an image made ready on a device, and run. Stages 6 and 7.
#pragma once

#include <kgen/error.hpp>
#include <memory>
#include <string>

#include "device/backend.hpp"
#include "digest.hpp"
#include "image/live_table.hpp"
#include "plan/plan.hpp"

namespace kgen {

// Makes the image's entry point ready on the device. Throws DeviceError; see is_rejection.
std::shared_ptr<const LoadedKernel> load_kernel(const Image& image,
                                                const Backend& backend,
                                                const std::string& kernel);

// Whether the error says that the image itself is at fault (no binary for this GPU, invalid image,
// unsupported PTX version, ...), so that compiling anew may help.
bool is_rejection(const DeviceError& error) noexcept;

// The kernels of this process that are loaded, by what their images are asked for by and by device:
// kernel objects with equal sources share one, and one compile. A kernel is unloaded when the last of
// its holders has gone (kernel objects, bound launches, graphs); the latest ones stay, so that a kernel
// object that is made anew for each call does not load its code each time.
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

// How the backend is to launch a plan.
LaunchShape launch_shape(const Runtime& runtime) noexcept;

// Gives the work to the stream; nothing where the plan has no elements.
void launch_kernel(const LoadedKernel& kernel,
                   const Runtime& runtime,
                   const Backend& backend,
                   StreamHandle stream,
                   const std::string& name);

}  // namespace kgen
