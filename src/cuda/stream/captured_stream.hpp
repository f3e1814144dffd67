// SPDX-License-Identifier: MIT
//
// What is refused while streams are being captured, before the driver would refuse it: that would
// invalidate the capture (CUDA Driver API, cuStreamBeginCapture). For calls that wait anyway.
#pragma once

#include "cuda/driver/cuda_context.hpp"
#include "device/capture_record.hpp"

namespace kgen {

// Throws DeviceError if the stream is being captured, or is the legacy default stream and would wait
// for one that is. `call` is what is about to wait for it.
void require_not_captured(const CudaContext& context,
                          CUstream stream,
                          const char* call = "cuStreamSynchronize");

// Before work is given to the stream: throws DeviceError if this thread captures others and not this one,
// as CaptureRecord::require_none() does.
inline void require_captured_along(const CudaContext::State& state,
                                   Device device,
                                   CUstream stream) {
    if (CaptureRecord::of_this_thread() != nullptr && !state.memory->is_capturing(stream))
        [[unlikely]]
        CaptureRecord::require_none(device);
}

// Calls `run`, which gives a result of the driver's, unless the event was recorded in a capture: then it
// throws DeviceError, also where only the driver knows it. Gives the result, success or not ready.
template <typename Run>
CUresult ask_event(const CudaContext& context, const void* event, const char* call, Run run) {
    const CudaContext::Entered entered = context.enter();
    if (CaptureRecord::has_captured_event(event)) throw recorded_in_capture(context.device(), call);
    const CUresult result = run();
    // The driver of CUDA 13 has the second for events of captures that have ended.
    if (result == CUDA_ERROR_CAPTURED_EVENT || result == CUDA_ERROR_INVALID_VALUE)
        throw recorded_in_capture(context.device(), call);
    if (result != CUDA_ERROR_NOT_READY) context.check(result, call);
    return result;
}

}  // namespace kgen
