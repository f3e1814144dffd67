// SPDX-License-Identifier: MIT
#include "cuda/cuda_context.hpp"

#include <fmt/format.h>

namespace kgen {

CudaContext::CudaContext(const DriverLibrary& driver, int ordinal)
    : driver_(driver), device_(Device::cuda(ordinal)), text_(to_text(device_)) {
    if (ordinal < 0 || ordinal >= driver.device_count()) {
        throw DeviceError(fmt::format(
            "{} is not there: this process can use {} CUDA device{} (cuda:0{})",
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

CudaContext::State& CudaContext::make_state() const {
    const std::lock_guard lock(mutex_);
    if (State* state = state_.load(std::memory_order_acquire)) return *state;
    auto state = std::make_unique<State>();
    check(api().primary_context_retain(&state->context, handle_), "cuDevicePrimaryCtxRetain");
    check(api().context_set_current(state->context), "cuCtxSetCurrent");
    state->memory = std::make_unique<CudaMemory>(driver_, handle_, text_);
    state->scratch = std::make_unique<CudaScratch>(driver_, *state->memory, text_);
    State* made = state.release();
    state_.store(made, std::memory_order_release);
    return *made;
}

CudaContext::State& CudaContext::enter() const {
    fault_.throw_if_lost();
    State* state = state_.load(std::memory_order_acquire);
    if (state == nullptr) state = &make_state();
    // Asked each time, since other libraries change it too; the driver answers from the thread's own
    // memory in nanoseconds.
    CUcontext current = nullptr;
    if (api().context_get_current(&current) != CUDA_SUCCESS || current != state->context) {
        check(api().context_set_current(state->context), "cuCtxSetCurrent");
    }
    return *state;
}

void CudaContext::fail(CUresult result, const char* call, const std::string& context) const {
    if (!DeviceFault::is_sticky(result)) driver_.fail(result, call, context);
    const std::string failure =
        fmt::format("{}: {} failed: {}", context, call, driver_.describe(result));
    fault_.lose(failure, call, result, text_);
}

}  // namespace kgen
