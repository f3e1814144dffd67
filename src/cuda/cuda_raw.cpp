// SPDX-License-Identifier: MIT
#include "cuda/cuda_raw.hpp"

namespace kgen {

std::shared_ptr<const LoadedModule> CudaRaw::load_module(const Image&, const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
void CudaRaw::launch(const LoadedKernel&,
                     const LaunchConfig&,
                     const void*,
                     std::size_t,
                     StreamHandle,
                     const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
KernelAttributes CudaRaw::attributes(const LoadedKernel&) const {
    throw DeviceError("raw kernels are not there yet");
}
void CudaRaw::set(const LoadedKernel&, KernelSetting, int, const std::string&) const {
    throw DeviceError("raw kernels are not there yet");
}
int CudaRaw::max_blocks_per_processor(const LoadedKernel&, int, std::int64_t) const {
    throw DeviceError("raw kernels are not there yet");
}
int CudaRaw::max_clusters(const LoadedKernel&, const LaunchConfig&) const {
    throw DeviceError("raw kernels are not there yet");
}
SuggestedLaunch CudaRaw::suggested_launch(const LoadedKernel&, std::int64_t, int) const {
    throw DeviceError("raw kernels are not there yet");
}

}  // namespace kgen
