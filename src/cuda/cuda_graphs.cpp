// SPDX-License-Identifier: MIT
#include "cuda/cuda_graphs.hpp"

namespace kgen {

bool CudaGraphs::is_capturing(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
void CudaGraphs::begin_capture(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
std::shared_ptr<const LoadedGraph> CudaGraphs::end_capture(StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}
void CudaGraphs::abandon_capture(StreamHandle) const noexcept {}
void CudaGraphs::launch(const LoadedGraph&, StreamHandle) const {
    throw DeviceError("graphs are not there yet");
}

}  // namespace kgen
