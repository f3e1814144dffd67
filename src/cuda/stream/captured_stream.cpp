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

CUgraph captured_graph(const DriverLibrary& driver,
                       CUstream stream,
                       const std::string& device_text) {
    const DriverApi& api = driver.api();
    if (api.stream_get_capture_info == nullptr || api.user_object_create == nullptr ||
        api.user_object_release == nullptr || api.graph_retain_user_object == nullptr) {
        return nullptr;
    }
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = nullptr;
    CUresult result =
        api.stream_get_capture_info(stream, &status, nullptr, &graph, nullptr, nullptr);
    if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
        result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    driver.check(result, "cuStreamGetCaptureInfo", device_text);
    return status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? graph : nullptr;
}

void give_to_graph(const DriverLibrary& driver,
                   CUgraph graph,
                   void* object,
                   CUhostFn destroy,
                   const std::string& device_text) {
    const DriverApi& api = driver.api();
    CUuserObject owner = nullptr;
    const CUresult created =
        api.user_object_create(&owner, object, destroy, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (created != CUDA_SUCCESS) {
        destroy(object);
        driver.fail(created, "cuUserObjectCreate", device_text);
    }
    const CUresult retained =
        api.graph_retain_user_object(graph, owner, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (retained != CUDA_SUCCESS) {
        api.user_object_release(owner, 1);  // calls `destroy`
        driver.fail(retained, "cuGraphRetainUserObject", device_text);
    }
}

}  // namespace kgen
