// SPDX-License-Identifier: MIT
#include "cuda/stream/captured_stream.hpp"

#include <fmt/format.h>

namespace kgen {

void require_not_captured(const CudaContext& context, CUstream stream, const char* call) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = context.api().stream_is_capturing(stream, &status);
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        throw DeviceError(
            fmt::format("{}: cannot wait for the legacy default stream, because it waits for a "
                        "blocking stream that is being captured; wait before the capture, or "
                        "capture a non-blocking stream, which Stream::create() returns",
                        context.text()),
            call,
            result);
    }
    context.check(result, "cuStreamIsCapturing");
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) throw waits_for_capture(context.device(), call);
}

}  // namespace kgen
