// SPDX-License-Identifier: MIT
//
// The stream and event functions of CudaBackend.
#include <algorithm>
#include <optional>

#include "cuda/cuda_backend.hpp"
#include "cuda/stream/captured_stream.hpp"
#include "device/capture_record.hpp"
#include "device/late_errors.hpp"

namespace kgen {

namespace {

CUevent event_of(void* event) noexcept {
    return static_cast<CUevent>(event);
}

}  // namespace

StreamHandle CudaBackend::create_stream(const StreamOptions& options) const {
    const CudaContext::Entered entered = context_.enter();
    const unsigned flags = options.order == StreamOptions::Order::blocking ? CU_STREAM_DEFAULT
                                                                           : CU_STREAM_NON_BLOCKING;
    CUstream stream = nullptr;
    if (options.priority == 0) {  // every device supports priority 0
        context_.check(api().stream_create(&stream, flags), "cuStreamCreate");
    } else {
        int least = 0;
        int greatest = 0;  // numerically smaller than `least`
        context_.check(api().context_get_priority_range(&least, &greatest),
                       "cuCtxGetStreamPriorityRange");
        context_.check(api().stream_create_with_priority(
                           &stream, flags, std::clamp(options.priority, greatest, least)),
                       "cuStreamCreateWithPriority");
    }
    entered->memory->add_stream(stream);
    entered->scratch->add_stream(stream);
    return stream;
}

void CudaBackend::destroy_stream(StreamHandle stream) const noexcept {
    context_.release("a stream was not destroyed", [&](const CudaContext::Entered& entered) {
        entered->scratch->release_stream(stream);
        entered->memory->release_stream(stream);
        context_.check(api().stream_destroy(stream), "cuStreamDestroy");
    });
}

int CudaBackend::stream_priority(StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    int priority = 0;
    context_.check(api().stream_get_priority(stream, &priority), "cuStreamGetPriority");
    return priority;
}

void CudaBackend::call_on_host(StreamHandle stream, std::function<void()> function) const {
    host_functions_.call(stream, std::move(function));
}

void CudaBackend::synchronize_stream(StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    require_not_captured(context_, stream);
    context_.check(api().stream_synchronize(stream), "cuStreamSynchronize");
    free_what_waited();
    LateErrors::rethrow(device());
}

void CudaBackend::settle_stream(StreamHandle stream) const {
    synchronize_stream(stream);
    const CudaContext::Entered entered = context_.enter();
    entered->scratch->release_foreign_stream(stream);
    entered->memory->release_stream(stream);
}

bool CudaBackend::is_stream_idle(StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    require_not_captured(context_, stream, "cuStreamQuery");
    const CUresult result = api().stream_query(stream);
    if (result == CUDA_ERROR_NOT_READY) return false;
    context_.check(result, "cuStreamQuery");
    return true;
}

void* CudaBackend::create_event() const {
    const CudaContext::Entered entered = context_.enter();
    CUevent event = nullptr;
    context_.check(api().event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return event;
}

void CudaBackend::destroy_event(void* event) const noexcept {
    context_.release("an event was not destroyed", [&](const CudaContext::Entered&) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread())
            record->note_event(event, false);
        context_.check(api().event_destroy(event_of(event)), "cuEventDestroy");
    });
}

void CudaBackend::record_event(void* event, StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    context_.check(api().event_record(event_of(event), stream), "cuEventRecord");
    if (CaptureRecord* record = CaptureRecord::of_this_thread())
        record->note_event(event, entered->memory->is_capturing(stream));
}

void CudaBackend::wait_event(StreamHandle stream, void* event) const {
    const CudaContext::Entered entered = context_.enter();
    context_.check(api().stream_wait_event(stream, event_of(event), CU_EVENT_WAIT_DEFAULT),
                   "cuStreamWaitEvent");
}

void CudaBackend::synchronize_event(void* event) const {
    ask_event(context_, event, "cuEventSynchronize", [&] {
        return api().event_synchronize(event_of(event));
    });
    free_what_waited();
}

bool CudaBackend::is_event_done(void* event) const {
    const CUresult result = ask_event(
        context_, event, "cuEventQuery", [&] { return api().event_query(event_of(event)); });
    return result == CUDA_SUCCESS;
}

double CudaBackend::elapsed_ms(void* earlier, void* later) const {
    constexpr const char* call = "cuEventElapsedTime";
    float elapsed = 0;
    const CUresult result = ask_event(context_, earlier, call, [&] {
        return api().event_elapsed_time(&elapsed, event_of(earlier), event_of(later));
    });
    context_.check(result, call);
    return elapsed;
}

void CudaBackend::free_what_waited() const {
    host_functions_.destroy_finished();
    CaptureRecord::free_dropped();
}

void CudaBackend::synchronize() const {
    const CudaContext::Entered entered = context_.enter();
    if (CaptureRecord::is_active_on(device()))
        throw waits_for_capture(device(), "cuCtxSynchronize");
    const std::optional<CUresult> waited = entered->memory->wait_for_context();
    if (!waited) throw waits_beside_capture(device(), "cuCtxSynchronize");
    context_.check(*waited, "cuCtxSynchronize");
    free_what_waited();
    context_.unload_dropped();
    LateErrors::rethrow(device());
}

void CudaBackend::call_on_device(const std::function<void()>& work) const {
    const CudaContext::Entered entered = context_.enter();
    work();
}

}  // namespace kgen
