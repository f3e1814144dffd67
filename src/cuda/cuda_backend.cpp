// SPDX-License-Identifier: MIT
#include "cuda/cuda_backend.hpp"

#include <fmt/format.h>

#include <array>

#include "cuda/kernel/cuda_kernel.hpp"
#include "cuda/stream/captured_stream.hpp"
#include "device/late_errors.hpp"
#include "text/log.hpp"

namespace kgen {

// --- Properties ---------------------------------------------------------------------------------

CudaBackend::CudaBackend(const DriverLibrary& driver, int ordinal) : context_(driver, ordinal) {
    std::array<char, 128> name = {};
    context_.check(
        api().device_get_name(name.data(), static_cast<int>(name.size()) - 1, context_.handle()),
        "cuDeviceGetName");
    name_ = name.data();
    const auto attribute = [this](CUdevice_attribute each) { return context_.attribute(each); };
    target_ = {.kind = DeviceKind::cuda,
               .arch = fmt::format("sm_{}{}",
                                   attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                   attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR))};
    std::size_t memory_bytes = 0;
    context_.check(api().device_total_mem(&memory_bytes, context_.handle()), "cuDeviceTotalMem");
    limits_ = {.processor_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
               .memory_bytes = static_cast<std::int64_t>(memory_bytes),
               .max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
               .max_grid_x = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
               // The clock is in kHz, the bus in bits, and memory passes data twice in a cycle.
               .memory_speed = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) * 2e-6 *
                               attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) / 8};
}

std::string CudaBackend::description() const {
    return fmt::format("{}, {}, {:.1f} GiB, driver for CUDA {}",
                       name_,
                       target_.arch,
                       static_cast<double>(limits_.memory_bytes) / (1 << 30),
                       cuda_version_text(context_.driver().version()));
}

DeviceInfo CudaBackend::info() const {
    return {.name = name_,
            .multiprocessors = limits_.processor_count,
            .memory_bytes = limits_.memory_bytes,
            .capability = {context_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                           context_.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)},
            .clock_khz = context_.attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)};
}

// --- Kernels ------------------------------------------------------------------------------------

std::shared_ptr<const LoadedKernel> CudaBackend::load(const Image& image) const {
    const CudaContext::Entered entered = context_.enter();
    context_.unload_dropped();
    CudaLoadResult loaded = load_cuda_image(api(), image);
    if (loaded.result != CUDA_SUCCESS) {
        context_.fail(loaded.result,
                      loaded.call,
                      fmt::format("{}: loading '{}' for {}{}{}",
                                  context_.text(),
                                  image.symbol,
                                  image.target.arch,
                                  loaded.log.empty() ? "" : ": ",
                                  loaded.log));
    }
    auto kernel = std::make_shared<CudaKernel>();
    kernel->library = std::make_shared<const CudaLibrary>(context_, loaded.library.release());
    kernel->function = loaded.function;
    kernel->parameter_bytes = loaded.parameter_bytes;
    kernel->bytes_of_accumulator = loaded.accumulator_bytes;
    kernel->name = context_.fault().intern(image.symbol);
    // Large accumulators have static memory beside the dynamic one.
    if (loaded.accumulator_bytes > 0) {
        int static_bytes = 0;
        context_.check(context_.api().function_get_attribute(
                           &static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function),
                       "cuFuncGetAttribute");
        kernel->note_shared_bytes_limit(usual_shared_bytes - static_bytes);
    }
    return kernel;
}

namespace {

// Launches a kernel whose blocks all run at the same time. The parameter block is its only parameter. It is passed by its
// address, because the driver refuses to capture a cooperative launch with CU_LAUNCH_PARAM_BUFFER_POINTER:
// CUDA_ERROR_INVALID_VALUE (driver 580, H100).
CUresult launch_cooperatively(const DriverApi& api,
                              CUfunction function,
                              const LaunchShape& shape,
                              const void* parameters,
                              CUstream stream) {
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    const CUlaunchConfig config = {.gridDimX = static_cast<unsigned>(shape.grid),
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = static_cast<unsigned>(shape.block),
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = static_cast<unsigned>(shape.shared_bytes),
                                   .hStream = stream,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    void* parameter = const_cast<void*>(parameters);
    return api.launch_kernel_extended(&config, function, &parameter, nullptr);
}

}  // namespace

void CudaBackend::launch(const LoadedKernel& loaded,
                         const LaunchShape& shape,
                         const void* parameters,
                         std::size_t parameters_bytes,
                         StreamHandle stream,
                         const std::string& kernel_name) const {
    if (shape.grid == 0) return;
    const auto& kernel = static_cast<const CudaKernel&>(loaded);
    const CudaContext::Entered entered = context_.enter();
    const auto context = [&] {
        return fmt::format("kernel '{}' on {}, grid {}, block {}, {} bytes of shared memory",
                           kernel_name,
                           context_.text(),
                           shape.grid,
                           shape.block,
                           shape.shared_bytes);
    };
    if (shape.grid < 0 || shape.grid > limits_.max_grid_x) {
        throw DeviceError(fmt::format("{}: the grid is too large: got {}, expected at most {}",
                                      context(),
                                      shape.grid,
                                      limits_.max_grid_x));
    }
    // If the parameter block is too short, the driver would read past its end.
    if (parameters_bytes != kernel.parameter_bytes) {
        throw DeviceError(fmt::format("{}: got {} bytes of parameters, the code expects {}",
                                      context(),
                                      parameters_bytes,
                                      kernel.parameter_bytes));
    }
    require_captured_along(*entered, device(), stream);
    const CUresult allowed = kernel.allow_shared_bytes(api(), shape.shared_bytes);
    if (allowed != CUDA_SUCCESS) context_.fail(allowed, "cuFuncSetAttribute", context());

    // The driver copies the parameters as one block of bytes, so its work does not grow with their number.
    std::array<void*, 5> block = {CU_LAUNCH_PARAM_BUFFER_POINTER,
                                  const_cast<void*>(parameters),
                                  CU_LAUNCH_PARAM_BUFFER_SIZE,
                                  &parameters_bytes,
                                  CU_LAUNCH_PARAM_END};
    const CUresult result =
        shape.cooperative ? launch_cooperatively(api(), kernel.function, shape, parameters, stream)
                          : api().launch_kernel(kernel.function,
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
    entered->scratch->end_launch(stream);
    if (result == CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) {
        context_.fail(result,
                      "cuLaunchKernelEx",
                      fmt::format("{}: its blocks wait for each other, so all of them must run at "
                                  "the same time, but the stream may not use all {} "
                                  "multiprocessors; launch it on another stream",
                                  context(),
                                  limits_.processor_count));
    }
    if (result != CUDA_SUCCESS)
        context_.fail(result, shape.cooperative ? "cuLaunchKernelEx" : "cuLaunchKernel", context());
    kernel.keep_for_capture(context_, stream);
    context_.launched(kernel.name,
                      {static_cast<std::uint32_t>(shape.grid), 1, 1},
                      {static_cast<std::uint32_t>(shape.block), 1, 1},
                      stream);
}

// --- Memory -------------------------------------------------------------------------------------

void* CudaBackend::allocate(std::size_t bytes, StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    return context_.remembering_loss([&] {
        CudaMemory::Outcome outcome = entered->memory->allocate(bytes, stream);
        if (outcome.result == CUDA_ERROR_OUT_OF_MEMORY) {
            free_what_waited();
            context_.unload_dropped();  // loaded code takes device memory, above all its variables
            outcome = entered->memory->allocate(bytes, stream);
        }
        if (outcome.result != CUDA_SUCCESS) entered->memory->fail(outcome.result, bytes, {});
        return outcome.pointer;
    });
}

void CudaBackend::free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept {
    if (pointer == nullptr) return;
    context_.release("memory was not freed", [&](const CudaContext::Entered& entered) {
        entered->memory->free(pointer, bytes, stream);
    });
}

void CudaBackend::copy(void* destination,
                       const void* source,
                       std::size_t bytes,
                       CopyDirection direction,
                       StreamHandle stream) const {
    if (bytes == 0) return;
    const CudaContext::Entered entered = context_.enter();
    if (direction != CopyDirection::device_to_device) require_not_captured(context_, stream);
    // A copy to the host is allowed while this thread captures another stream, so that results can be read.
    if (direction != CopyDirection::device_to_host)
        require_captured_along(*entered, device(), stream);
    enqueue_copy(context_, destination, source, bytes, direction, stream);
    // Copies to and from the host wait until they are done, because host memory may be pageable and the
    // caller may reuse it at once. The synchronous calls would ignore the stream's order.
    if (direction != CopyDirection::device_to_device) {
        context_.check(api().stream_synchronize(stream), "cuStreamSynchronize");
        LateErrors::rethrow(device());
    }
}

Scratch CudaBackend::scratch(std::size_t counters, std::size_t bytes, StreamHandle stream) const {
    // Most launches return here without a call of the driver. If the device is lost, the launch itself
    // reports it.
    if (const CudaContext::State* known = context_.known_state();
        known != nullptr && CudaMemory::is_legacy(stream)) {
        const Scratch found = known->scratch->find_legacy(counters, bytes);
        if (found.counters != nullptr) return found;
    }
    const CudaContext::Entered entered = context_.enter();
    return context_.remembering_loss(
        [&] { return entered->scratch->take(counters, bytes, stream); });
}

void CudaBackend::fill_bytes(void* destination,
                             unsigned char value,
                             std::size_t bytes,
                             StreamHandle stream) const {
    if (bytes == 0) return;
    const CudaContext::Entered entered = context_.enter();
    require_captured_along(*entered, device(), stream);
    context_.check(api().fill_bytes_async(address_of(destination), value, bytes, stream),
                   "cuMemsetD8Async");
}

void CudaBackend::zero_for_launches(void* destination,
                                    std::size_t bytes,
                                    StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    const CUresult result = entered->memory->is_capturing(stream)
                                ? entered->memory->zero_at_once(destination, bytes)
                                : api().fill_bytes_async(address_of(destination), 0, bytes, stream);
    context_.check(result, "cuMemsetD8Async");
}

void CudaBackend::copy_from_peer(void* destination,
                                 const void* source,
                                 std::size_t bytes,
                                 const Backend& source_backend,
                                 StreamHandle source_stream,
                                 StreamHandle stream) const {
    if (bytes == 0) return;
    const CudaContext& source_context = static_cast<const CudaBackend&>(source_backend).context_;
    peer_copies_.copy(destination, source, bytes, source_context, source_stream, stream);
}

void CudaBackend::require_peer(const Backend& source) const {
    peer_copies_.is_sound(static_cast<const CudaBackend&>(source).context_);
}

}  // namespace kgen
