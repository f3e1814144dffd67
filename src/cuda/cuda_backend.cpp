// SPDX-License-Identifier: MIT
#include "cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <array>

#include "cuda/cuda_kernel.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

CUdeviceptr address_of(const void* pointer) noexcept {
    return reinterpret_cast<CUdeviceptr>(pointer);
}

CUevent event_of(void* event) noexcept {
    return static_cast<CUevent>(event);
}

}  // namespace

struct CudaBackend::State {
    CUcontext context = nullptr;
    std::unique_ptr<CudaMemory> memory;
    std::unique_ptr<CudaScratch> scratch;
};

// --- Properties ---------------------------------------------------------------------------------

CudaBackend::CudaBackend(const DriverLibrary& driver, int ordinal)
    : driver_(driver), api_(driver.api()), device_(Device::cuda(ordinal)), text_(to_text(device_)) {
    if (ordinal < 0 || ordinal >= driver.device_count()) {
        throw DeviceError(fmt::format(
            "{} is not there: this process can use {} CUDA device{} (cuda:0{})",
            text_,
            driver.device_count(),
            driver.device_count() == 1 ? "" : "s",
            driver.device_count() == 1 ? std::string()
                                       : fmt::format(" to cuda:{}", driver.device_count() - 1)));
    }
    check(api_.device_get(&handle_, ordinal), "cuDeviceGet");
    std::array<char, 128> name = {};
    check(api_.device_get_name(name.data(), static_cast<int>(name.size()) - 1, handle_),
          "cuDeviceGetName");
    name_ = name.data();
    target_ = {.kind = DeviceKind::cuda,
               .arch = fmt::format("sm_{}{}",
                                   attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                   attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))};
    std::size_t memory_bytes = 0;
    check(api_.device_total_mem(&memory_bytes, handle_), "cuDeviceTotalMem");
    limits_ = {
        .processor_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .threads_per_processor = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .memory_bytes = static_cast<std::int64_t>(memory_bytes),
        .max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .max_grid_x = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)};
}

CudaBackend::~CudaBackend() {
    delete state_.load(std::memory_order_acquire);
}

int CudaBackend::attribute(CUdevice_attribute name) const {
    int value = 0;
    check(api_.device_get_attribute(&value, name, handle_), "cuDeviceGetAttribute");
    return value;
}

std::string CudaBackend::description() const {
    return fmt::format("{}, {}, {:.1f} GiB, driver for CUDA {}",
                       name_,
                       target_.arch,
                       static_cast<double>(limits_.memory_bytes) / (1 << 30),
                       cuda_version_text(driver_.version()));
}

// --- Context and errors -------------------------------------------------------------------------

CudaBackend::State& CudaBackend::make_state() const {
    const std::lock_guard lock(mutex_);
    if (State* state = state_.load(std::memory_order_acquire)) return *state;
    auto state = std::make_unique<State>();
    check(api_.primary_context_retain(&state->context, handle_), "cuDevicePrimaryCtxRetain");
    check(api_.context_set_current(state->context), "cuCtxSetCurrent");
    state->memory = std::make_unique<CudaMemory>(driver_, handle_, text_);
    state->scratch = std::make_unique<CudaScratch>(driver_, *state->memory, text_);
    State* made = state.release();
    state_.store(made, std::memory_order_release);
    return *made;
}

CudaBackend::State& CudaBackend::enter() const {
    fault_.throw_if_lost();
    State* state = state_.load(std::memory_order_acquire);
    if (state == nullptr) state = &make_state();
    // Asked each time, since other libraries change it too; the driver answers from the thread's own
    // memory in nanoseconds.
    CUcontext current = nullptr;
    if (api_.context_get_current(&current) != CUDA_SUCCESS || current != state->context) {
        check(api_.context_set_current(state->context), "cuCtxSetCurrent");
    }
    return *state;
}

void CudaBackend::fail(CUresult result, const char* call, const std::string& context) const {
    if (!DeviceFault::is_sticky(result)) driver_.fail(result, call, context);
    const std::string failure =
        fmt::format("{}: {} failed: {}", context, call, driver_.describe(result));
    fault_.lose(failure, call, result, text_);
}

template <typename Run>
auto CudaBackend::remembering_loss(Run run) const {
    try {
        return run();
    } catch (const DeviceError& error) {
        if (DeviceFault::is_sticky(error.code()))
            fail(static_cast<CUresult>(error.code()), error.call().c_str(), text_);
        throw;
    }
}

template <typename Release>
void CudaBackend::release(const char* what, Release release) const noexcept {
    if (fault_.is_lost()) return;  // all of it is gone with the process
    try {
        release(enter());
    } catch (const DeviceError& error) {
        if (DeviceFault::is_sticky(error.code())) return;  // the next call that may throw says it
        // At exit the driver may have been shut down before the last handle: nothing is lost then.
        if (error.code() == CUDA_ERROR_DEINITIALIZED) return;
        try {
            log().error("{}: {}", what, error.what());
        } catch (...) {  // a destructor has no other place to report to
        }
    } catch (...) {
    }
}

// --- Kernels ------------------------------------------------------------------------------------

std::shared_ptr<const LoadedKernel> CudaBackend::load(const Image& image) const {
    enter();
    CudaLoadResult loaded = load_cuda_image(api_, image);
    if (loaded.result != CUDA_SUCCESS) {
        fail(loaded.result,
             loaded.call,
             fmt::format("{}: loading '{}' for {}{}{}",
                         text_,
                         image.symbol,
                         image.target.arch,
                         loaded.log.empty() ? "" : ": ",
                         loaded.log));
    }
    auto kernel = std::make_shared<CudaKernel>();
    kernel->function = loaded.function;
    kernel->parameter_bytes = loaded.parameter_bytes;
    kernel->bytes_of_accumulator = loaded.accumulator_bytes;
    kernel->name = fault_.intern(image.symbol);
    return kernel;
}

void CudaBackend::launch(const LoadedKernel& loaded,
                         const LaunchShape& shape,
                         const void* parameters,
                         std::size_t parameters_bytes,
                         StreamHandle stream,
                         const std::string& kernel_name) const {
    if (shape.grid == 0) return;
    const auto& kernel = static_cast<const CudaKernel&>(loaded);
    State& state = enter();
    const auto context = [&] {
        return fmt::format("kernel '{}' on {}, grid {}, block {}, {} bytes of shared memory",
                           kernel_name,
                           text_,
                           shape.grid,
                           shape.block,
                           shape.shared_bytes);
    };
    if (shape.grid < 0 || shape.grid > limits_.max_grid_x) {
        throw DeviceError(fmt::format("{}: the grid is too large: got {}, at most {}",
                                      context(),
                                      shape.grid,
                                      limits_.max_grid_x));
    }
    // The driver would read past the end of a block that is too short.
    if (parameters_bytes != kernel.parameter_bytes) {
        throw DeviceError(fmt::format("{}: got {} bytes of parameters, the code expects {}",
                                      context(),
                                      parameters_bytes,
                                      kernel.parameter_bytes));
    }
    const CUresult allowed = kernel.allow_shared_bytes(api_, shape.shared_bytes);
    if (allowed != CUDA_SUCCESS) fail(allowed, "cuFuncSetAttribute", context());

    // One block of bytes, copied by the driver as it is: its work does not grow with the arguments.
    std::array<void*, 5> block = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                                  const_cast<void*>(parameters),
                                  CU_LAUNCH_PARAM_BUFFER_SIZE,
                                  &parameters_bytes,
                                  CU_LAUNCH_PARAM_END};
    const CUresult result = api_.launch_kernel(kernel.function,
                                               static_cast<unsigned>(shape.grid),
                                               1,
                                               1,
                                               static_cast<unsigned>(shape.block),
                                               1,
                                               1,
                                               static_cast<unsigned>(shape.shared_bytes),
                                               stream,
                                               nullptr,
                                               parameters_bytes == 0 ? nullptr : block.data());
    state.scratch->end_launch(stream);
    if (result != CUDA_SUCCESS) fail(result, "cuLaunchKernel", context());
    fault_.note_launch(kernel.name);
}

// --- Memory -------------------------------------------------------------------------------------

void* CudaBackend::allocate(std::size_t bytes, StreamHandle stream) const {
    const State& state = enter();
    return remembering_loss([&] {
        const CudaMemory::Outcome outcome = state.memory->allocate(bytes, stream);
        if (outcome.result != CUDA_SUCCESS) state.memory->fail(outcome.result, bytes, {});
        return outcome.pointer;
    });
}

void CudaBackend::free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept {
    if (pointer == nullptr) return;
    release("memory was not freed",
            [&](State& state) { state.memory->free(pointer, bytes, stream); });
}

void CudaBackend::copy(void* destination,
                       const void* source,
                       std::size_t bytes,
                       CopyDirection direction,
                       StreamHandle stream) const {
    if (bytes == 0) return;
    enter();
    // Host memory may be pageable, and the caller may reuse it at once: wait. The asynchronous calls
    // are used because they follow the order of the stream, which the synchronous ones do not.
    switch (direction) {
        case CopyDirection::host_to_device:
            check(api_.copy_host_to_device_async(address_of(destination), source, bytes, stream),
                  "cuMemcpyHtoDAsync");
            check(api_.stream_synchronize(stream), "cuStreamSynchronize");
            break;
        case CopyDirection::device_to_host:
            check(api_.copy_device_to_host_async(destination, address_of(source), bytes, stream),
                  "cuMemcpyDtoHAsync");
            check(api_.stream_synchronize(stream), "cuStreamSynchronize");
            break;
        case CopyDirection::device_to_device:
            check(api_.copy_device_to_device_async(
                      address_of(destination), address_of(source), bytes, stream),
                  "cuMemcpyDtoDAsync");
            break;
    }
}

Scratch CudaBackend::scratch(int counters, std::size_t bytes, StreamHandle stream) const {
    const auto count = static_cast<std::size_t>(counters);
    // Most launches go here, without a call of the driver: that of the launch tells of a lost device.
    if (const State* known = state_.load(std::memory_order_acquire);
        known != nullptr && CudaMemory::is_legacy(stream)) {
        const Scratch found = known->scratch->find_legacy(count, bytes);
        if (found.counters != nullptr) return found;
    }
    const State& state = enter();
    return remembering_loss([&] { return state.scratch->take(count, bytes, stream); });
}

void CudaBackend::fill_bytes(void* destination,
                             unsigned char value,
                             std::size_t bytes,
                             StreamHandle stream) const {
    if (bytes == 0) return;
    enter();
    check(api_.fill_bytes_async(address_of(destination), value, bytes, stream), "cuMemsetD8Async");
}

CUcontext CudaBackend::peer_context(int ordinal) const {
    const std::lock_guard lock(mutex_);
    CUcontext& context = peers_[ordinal];
    if (context == nullptr) {
        CUdevice peer = 0;
        check(api_.device_get(&peer, ordinal), "cuDeviceGet");
        check(api_.primary_context_retain(&context, peer), "cuDevicePrimaryCtxRetain");
    }
    return context;
}

void CudaBackend::copy_from_peer(void* destination,
                                 const void* source,
                                 Device source_device,
                                 std::size_t bytes,
                                 StreamHandle stream) const {
    if (source_device == device_) {
        copy(destination, source, bytes, CopyDirection::device_to_device, stream);
        return;
    }
    if (bytes == 0) return;
    State& state = enter();
    check(api_.copy_peer_async(address_of(destination),
                               state.context,
                               address_of(source),
                               peer_context(source_device.ordinal()),
                               bytes,
                               stream),
          "cuMemcpyPeerAsync");
}

// --- Streams and events -------------------------------------------------------------------------

StreamHandle CudaBackend::create_stream() const {
    State& state = enter();
    CUstream stream = nullptr;
    check(api_.stream_create(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    state.memory->add_stream(stream);
    state.scratch->add_stream(stream);
    return stream;
}

void CudaBackend::destroy_stream(StreamHandle stream) const noexcept {
    release("a stream was not destroyed", [&](State& state) {
        state.scratch->release_stream(stream);
        state.memory->release_stream(stream);
        check(api_.stream_destroy(stream), "cuStreamDestroy");
    });
}

void CudaBackend::synchronize_stream(StreamHandle stream) const {
    enter();
    check(api_.stream_synchronize(stream), "cuStreamSynchronize");
}

bool CudaBackend::is_stream_idle(StreamHandle stream) const {
    enter();
    const CUresult result = api_.stream_query(stream);
    if (result == CUDA_ERROR_NOT_READY) return false;
    check(result, "cuStreamQuery");
    return true;
}

void* CudaBackend::create_event() const {
    enter();
    CUevent event = nullptr;
    check(api_.event_create(&event, CU_EVENT_DEFAULT), "cuEventCreate");
    return event;
}

void CudaBackend::destroy_event(void* event) const noexcept {
    release("an event was not destroyed",
            [&](State&) { check(api_.event_destroy(event_of(event)), "cuEventDestroy"); });
}

void CudaBackend::record_event(void* event, StreamHandle stream) const {
    enter();
    check(api_.event_record(event_of(event), stream), "cuEventRecord");
}

void CudaBackend::wait_event(StreamHandle stream, void* event) const {
    enter();
    check(api_.stream_wait_event(stream, event_of(event), CU_EVENT_WAIT_DEFAULT),
          "cuStreamWaitEvent");
}

void CudaBackend::synchronize_event(void* event) const {
    enter();
    check(api_.event_synchronize(event_of(event)), "cuEventSynchronize");
}

bool CudaBackend::is_event_done(void* event) const {
    enter();
    const CUresult result = api_.event_query(event_of(event));
    if (result == CUDA_ERROR_NOT_READY) return false;
    check(result, "cuEventQuery");
    return true;
}

double CudaBackend::elapsed_ms(void* earlier, void* later) const {
    enter();
    float elapsed = 0;
    check(api_.event_elapsed_time(&elapsed, event_of(earlier), event_of(later)),
          "cuEventElapsedTime");
    return elapsed;
}

void CudaBackend::synchronize() const {
    enter();
    check(api_.context_synchronize(), "cuCtxSynchronize");
}

}  // namespace kgen
