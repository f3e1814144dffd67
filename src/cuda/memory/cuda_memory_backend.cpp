// SPDX-License-Identifier: MIT
#include "cuda/memory/cuda_memory_backend.hpp"

#include <fmt/format.h>

#include <array>
#include <kgen/error.hpp>

#include "cuda/memory/cuda_memory.hpp"
#include "cuda/stream/captured_stream.hpp"

namespace kgen {

void enqueue_copy(const CudaContext& context,
                  void* destination,
                  const void* source,
                  std::size_t bytes,
                  CopyDirection direction,
                  CUstream stream) {
    const DriverApi& api = context.api();
    if (direction == CopyDirection::host_to_device) {
        context.check(api.copy_host_to_device_async(address_of(destination), source, bytes, stream),
                      "cuMemcpyHtoDAsync");
    } else if (direction == CopyDirection::device_to_host) {
        context.check(api.copy_device_to_host_async(destination, address_of(source), bytes, stream),
                      "cuMemcpyDtoHAsync");
    } else {
        context.check(api.copy_device_to_device_async(
                          address_of(destination), address_of(source), bytes, stream),
                      "cuMemcpyDtoDAsync");
    }
}

AddressFacts CudaMemoryBackend::look_up(const void* address) const {
    const CudaContext::Entered entered = context_.enter();
    // The driver leaves attributes that do not apply to the address as 0.
    unsigned type = 0;
    unsigned is_managed = 0;
    int ordinal = 0;
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    std::array<CUpointer_attribute, 5> wanted = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                 CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                                 CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                                 CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    std::array<void*, 5> answers = {&type, &is_managed, &ordinal, &begin, &bytes};
    context_.check(context_.api().pointer_get_attributes(
                       wanted.size(), wanted.data(), answers.data(), address_of(address)),
                   "cuPointerGetAttributes");
    AddressFacts facts{.ordinal = ordinal, .begin = begin, .bytes = bytes};
    if (is_managed != 0) {
        facts.kind = MemoryKind::managed;
    } else if (type == CU_MEMORYTYPE_DEVICE) {
        facts.kind = MemoryKind::device;
    } else if (type == CU_MEMORYTYPE_HOST) {
        facts.kind = MemoryKind::host;
    }
    return facts;
}

void* CudaMemoryBackend::allocate_pinned(std::size_t bytes) const {
    const CudaContext::Entered entered = context_.enter();
    void* memory = nullptr;
    // PORTABLE: the memory is pinned for all devices of the process.
    const CUresult result =
        context_.api().allocate_pinned(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        throw DeviceError(
            fmt::format("host: out of memory: cannot pin {} bytes; the system limits pinned memory",
                        bytes),
            "cuMemHostAlloc",
            result);
    }
    context_.check(result, "cuMemHostAlloc");
    return memory;
}

void CudaMemoryBackend::free_pinned(void* pointer) const noexcept {
    context_.release("pinned memory", [&](const CudaContext::Entered&) {
        context_.check(context_.api().free_pinned(pointer), "cuMemFreeHost");
    });
}

void CudaMemoryBackend::copy_pinned(void* destination,
                                    const void* source,
                                    std::size_t bytes,
                                    CopyDirection direction,
                                    StreamHandle stream) const {
    if (bytes == 0) return;
    const CudaContext::Entered entered = context_.enter();
    require_captured_along(*entered, context_.device(), stream);
    enqueue_copy(context_, destination, source, bytes, direction, stream);
}

MemoryPoolStatistics CudaMemoryBackend::pool_statistics() const {
    return context_.enter()->memory->statistics();
}

void CudaMemoryBackend::set_pool_limit(std::uint64_t bytes) const {
    context_.enter()->memory->set_limit(bytes);
}

void CudaMemoryBackend::trim_pool(std::uint64_t keep_bytes) const {
    context_.remembering_loss([&] { context_.enter()->memory->trim(keep_bytes); });
}

}  // namespace kgen
