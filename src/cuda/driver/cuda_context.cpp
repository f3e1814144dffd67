// SPDX-License-Identifier: MIT
#include "cuda/driver/cuda_context.hpp"

#include <fmt/format.h>

#include <atomic>

#include "device/capture_record.hpp"
#include "text/setting.hpp"

namespace kgen {

namespace {

bool read_sync_setting() {
    static std::atomic<bool> is_told = false;
    return read_switch("KGEN_SYNC", is_told);
}

}  // namespace

CudaContext::CudaContext(const DriverLibrary& driver, int ordinal)
    : driver_(driver),
      device_(Device::cuda(ordinal)),
      text_(to_text(device_)),
      waits_for_launches_(read_sync_setting()) {
    if (ordinal < 0 || ordinal >= driver.device_count()) {
        throw DeviceError(fmt::format(
            "{} does not exist: this process can use {} CUDA device{} (cuda:0{})",
            text_,
            driver.device_count(),
            driver.device_count() == 1 ? "" : "s",
            driver.device_count() == 1 ? std::string()
                                       : fmt::format(" to cuda:{}", driver.device_count() - 1)));
    }
    check(api().device_get(&handle_, ordinal), "cuDeviceGet");
}

CudaContext::~CudaContext() {
    delete state_.load(std::memory_order_acquire);
}

int CudaContext::attribute(CUdevice_attribute name) const {
    int value = 0;
    check(api().device_get_attribute(&value, name, handle_), "cuDeviceGetAttribute");
    return value;
}

void CudaContext::make_current(Entered& entered, CUcontext context) const {
    check(api().context_set_current(context), "cuCtxSetCurrent");
    entered.is_changed_ = entered.previous_ != nullptr || device_.ordinal() != 0;
}

CudaContext::State& CudaContext::make_state(Entered& entered) const {
    const std::lock_guard lock(mutex_);
    if (State* state = known_state()) {
        make_current(entered, state->context);
        return *state;
    }
    auto state = std::make_unique<State>();
    check(api().primary_context_retain(&state->context, handle_), "cuDevicePrimaryCtxRetain");
    make_current(entered, state->context);
    if (api().context_get_id == nullptr ||
        api().context_get_id(state->context, &state->id) != CUDA_SUCCESS) {
        state->id = 0;
    }
    state->memory =
        std::make_unique<CudaMemory>(driver_, handle_, text_, SuppliedMemory::of(device_));
    state->scratch = std::make_unique<CudaScratch>(driver_, *state->memory, text_);
    State* made = state.release();
    state_.store(made, std::memory_order_release);
    return *made;
}

// Called only after a driver call has failed, because a check before each launch would slow it down.
bool CudaContext::is_context_gone() const noexcept {
    const State* state = known_state();
    if (state == nullptr || state->id == 0) return false;
    unsigned long long id = 0;
    const CUresult result = api().context_get_id(state->context, &id);
    // Other errors do not mean that the context is gone. They occur in a forked child or while the process
    // exits.
    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED || result == CUDA_ERROR_INVALID_CONTEXT)
        return true;
    return result == CUDA_SUCCESS && id != state->id;
}

CudaContext::Entered::Entered(const CudaContext& context) : Entered(context.api()) {
    context.fault_.throw_if_lost();
    // The current context is read each time, because other libraries change it too. The driver keeps it per
    // thread and answers in nanoseconds.
    if (api_.context_get_current(&previous_) != CUDA_SUCCESS) previous_ = nullptr;
    state_ = context.known_state();
    if (state_ == nullptr) {
        state_ = &context.make_state(*this);
    } else if (previous_ != state_->context) {
        context.make_current(*this, state_->context);
    }
}

void CudaContext::fail(CUresult result, const char* call, const std::string& context) const {
    const bool is_sticky = DeviceFault::is_sticky(result);
    const bool is_gone = !is_sticky && is_context_gone();
    if (!is_sticky && !is_gone) driver_.fail(result, call, context);
    std::string failure = fmt::format("{}: {} failed: {}", context, call, driver_.describe(result));
    if (!is_gone) fault_.lose(failure, call, result, text_);
    failure +=
        "\n"
        "its context was reset or destroyed by other code in this process (cudaDeviceReset, "
        "cuDevicePrimaryCtxReset), and with it all arrays, streams and loaded kernels";
    fault_.lose(failure, call, result, text_, DeviceFault::Culprit::named);
}

void CudaContext::unload_later(CUlibrary library) const noexcept {
    try {
        const std::lock_guard lock(libraries_mutex_);
        dropped_libraries_.push_back(library);
    } catch (...) {  // if there is no memory for the queue, the library stays loaded
    }
}

bool CudaContext::unload_dropped() const noexcept {
    if (CaptureRecord::is_any_active()) return false;
    std::vector<CUlibrary> dropped;
    {
        const std::lock_guard lock(libraries_mutex_);
        dropped.swap(dropped_libraries_);
    }
    if (dropped.empty()) return false;
    release("code was not unloaded", [&](const Entered&) {
        for (CUlibrary library : dropped) check(api().library_unload(library), "cuLibraryUnload");
    });
    return true;
}

void CudaContext::never_unload(std::shared_ptr<const void> library) const {
    const std::lock_guard lock(libraries_mutex_);
    kept_libraries_.push_back(std::move(library));
}

void CudaContext::wait_for_launch(const std::string& what,
                                  LaunchExtents grid,
                                  LaunchExtents block,
                                  CUstream stream) const {
    // Nothing runs yet on a stream that is being captured, and waiting for it would invalidate the capture.
    // For the legacy stream the driver returns CAPTURE_IMPLICIT while a blocking stream is being captured.
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult asked = api().stream_is_capturing(stream, &status);
    if (asked == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT || status != CU_STREAM_CAPTURE_STATUS_NONE)
        return;
    const CUresult result = api().stream_synchronize(stream);
    if (result == CUDA_SUCCESS) return;
    std::string failure = fmt::format("'{}' on {}", what, text_);
    if (grid != LaunchExtents()) {
        failure = fmt::format(
            "kernel {}, grid {}, block {}", failure, extents_text(grid), extents_text(block));
    }
    if (!DeviceFault::is_sticky(result)) driver_.fail(result, "cuStreamSynchronize", failure);
    failure += fmt::format(": cuStreamSynchronize failed: {}", driver_.describe(result));
    fault_.lose(failure, "cuStreamSynchronize", result, text_, DeviceFault::Culprit::named);
}

}  // namespace kgen
