// SPDX-License-Identifier: MIT
#include "host/host_raw.hpp"

#include <kgen/error.hpp>

namespace kgen {

std::shared_ptr<const LoadedModule> HostRaw::load_module(const Image&, const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
void HostRaw::launch(const LoadedKernel&,
                     const LaunchConfig&,
                     const void*,
                     std::size_t,
                     StreamHandle,
                     const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
KernelAttributes HostRaw::attributes(const LoadedKernel&) const {
    throw DeviceError("raw kernels are not there yet");
}
void HostRaw::set(const LoadedKernel&, KernelSetting, int, const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
int HostRaw::max_blocks_per_processor(const LoadedKernel&, int, std::int64_t) const {
    throw DeviceError("raw kernels are not there yet");
}
int HostRaw::max_clusters(const LoadedKernel&, const LaunchConfig&) const {
    throw DeviceError("raw kernels are not there yet");
}
SuggestedLaunch HostRaw::suggested_launch(const LoadedKernel&, std::int64_t, int) const {
    throw DeviceError("raw kernels are not there yet");
}

}  // namespace kgen
