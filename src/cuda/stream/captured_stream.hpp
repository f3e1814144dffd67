// SPDX-License-Identifier: MIT
//
// Checks for calls that are not allowed while a stream is being captured. kgen throws before it calls the
// driver, because a call that the driver refuses would invalidate the capture (CUDA Driver API,
// cuStreamBeginCapture).
//
// Also gives objects to a graph that is being captured, so that the graph owns them. This uses the driver's
// user objects, so it also works if another library began the capture (CUDA Driver API,
// cuGraphRetainUserObject).
#pragma once

#include "cuda/driver/cuda_context.hpp"
#include "device/capture_record.hpp"

namespace kgen {

// Throws DeviceError if the stream is being captured, or if it is the legacy default stream and would wait
// for a stream that is being captured. `call` is the driver call that is about to wait for the stream.
// The check calls the driver, so it is for calls that wait anyway.
void require_not_captured(const CudaContext& context,
                          CUstream stream,
                          const char* call = "cuStreamSynchronize");

// Must be called before work is given to the stream. Throws DeviceError if this thread captures another
// stream but not this one, because the work would then be missing in the graph (see
// CaptureRecord::require_none()).
inline void require_captured_along(const CudaContext::State& state,
                                   Device device,
                                   CUstream stream) {
    if (CaptureRecord::of_this_thread() != nullptr && !state.memory->is_capturing(stream))
        [[unlikely]]
        CaptureRecord::require_none(device);
}

// Calls `run`, a driver call on the event, and returns its result: success or not ready. Throws DeviceError
// if the event was recorded in a capture, whether kgen or only the driver knows this.
template <typename Run>
CUresult ask_event(const CudaContext& context, const void* event, const char* call, Run run) {
    const CudaContext::Entered entered = context.enter();
    if (CaptureRecord::has_captured_event(event)) throw recorded_in_capture(context.device(), call);
    const CUresult result = run();
    // The driver of CUDA 13 returns INVALID_VALUE for events of captures that have ended.
    if (result == CUDA_ERROR_CAPTURED_EVENT || result == CUDA_ERROR_INVALID_VALUE)
        throw recorded_in_capture(context.device(), call);
    if (result != CUDA_ERROR_NOT_READY) context.check(result, call);
    return result;
}

// Returns the graph that `stream` is being captured into, or nullptr if it is not being captured. Also
// returns nullptr if the driver lacks user objects, because then no graph can own anything. Throws
// DeviceError if the capture is no longer valid.
CUgraph captured_graph(const DriverLibrary& driver,
                       CUstream stream,
                       const std::string& device_text);

// Makes the graph an owner of `object`. The driver calls `destroy(object)` once, after the graph and
// everything made from it are destroyed and their work has finished. It does so on a thread of its own, where
// `destroy` must not call the driver. If give_to_graph throws DeviceError, `destroy` was already called.
void give_to_graph(const DriverLibrary& driver,
                   CUgraph graph,
                   void* object,
                   CUhostFn destroy,
                   const std::string& device_text);

}  // namespace kgen
