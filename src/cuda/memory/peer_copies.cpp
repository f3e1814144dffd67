// SPDX-License-Identifier: MIT
#include "cuda/memory/peer_copies.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "cuda/driver/unique_handle.hpp"
#include "cuda/memory/cuda_memory_backend.hpp"
#include "cuda/stream/captured_stream.hpp"

namespace kgen {

namespace {

constexpr std::size_t test_bytes = 256;
constexpr std::size_t staged_bytes = 16 << 20;  // copies through the host go in parts of this size

// A block of the pool, for the test copy.
class TestBlock {
public:
    explicit TestBlock(const CudaContext& context) : context_(context) {
        const CudaContext::Entered entered = context_.enter();
        const CudaMemory::Outcome outcome = entered->memory->allocate_at_once(test_bytes);
        if (outcome.result != CUDA_SUCCESS)
            entered->memory->fail(outcome.result, test_bytes, "a test copy between GPUs");
        pointer_ = outcome.pointer;
    }
    ~TestBlock() {
        context_.release("memory was not freed", [&](const CudaContext::Entered& entered) {
            context_.check(entered->memory->free_at_once(pointer_), "cuMemFreeAsync");
        });
    }
    TestBlock(const TestBlock&) = delete;
    TestBlock& operator=(const TestBlock&) = delete;

    void* get() const noexcept { return pointer_; }

private:
    const CudaContext& context_;
    void* pointer_ = nullptr;
};

// Copies between this GPU and the host, and waits.
void copy_and_wait(const CudaContext& context,
                   void* destination,
                   const void* source,
                   std::size_t bytes,
                   CopyDirection direction,
                   CUstream stream) {
    const CudaContext::Entered entered = context.enter();
    enqueue_copy(context, destination, source, bytes, direction, stream);
    context.check(context.api().stream_synchronize(stream), "cuStreamSynchronize");
}

void enqueue_peer_copy(const CudaContext& context,
                       void* destination,
                       const void* source,
                       std::size_t bytes,
                       const CudaContext& source_context,
                       CUstream stream) {
    const CUcontext source_handle = source_context.enter()->context;
    const CudaContext::Entered entered = context.enter();
    context.check(context.api().copy_peer_async(address_of(destination),
                                                entered->context,
                                                address_of(source),
                                                source_handle,
                                                bytes,
                                                stream),
                  "cuMemcpyPeerAsync");
}

// Throws DeviceError if the GPU was to have access to the source's pool, and a driver call failed.
void require_access(const CudaContext& context, const CudaContext& source_context) {
    const auto& failures = source_context.enter()->memory->peer_access().failures;
    const auto failure = failures.find(context.device().ordinal());
    if (failure == failures.end()) return;
    throw DeviceError(
        fmt::format("{0}: cannot copy from {1}, whose memory pool cannot be opened to {0}: {2}"
                    "\nuse other GPUs, or set KGEN_PEER_ACCESS=0 to copy between GPUs "
                    "through the host",
                    context.text(),
                    source_context.text(),
                    failure->second));
}

// Returns whether a copy from one pool to the other arrives.
bool test_copy_arrives(const CudaContext& context, const CudaContext& source_context) {
    std::array<unsigned char, test_bytes> sent = {};
    for (std::size_t k = 0; k < sent.size(); ++k) sent[k] = static_cast<unsigned char>(k * 37 + 11);
    std::array<unsigned char, test_bytes> received = {};
    const TestBlock from(source_context);
    const TestBlock to(context);
    const CUstream stream = context.enter()->memory->side_stream();
    copy_and_wait(source_context,
                  from.get(),
                  sent.data(),
                  test_bytes,
                  CopyDirection::host_to_device,
                  source_context.enter()->memory->side_stream());
    // The block may have the bytes of an earlier test.
    copy_and_wait(
        context, to.get(), received.data(), test_bytes, CopyDirection::host_to_device, stream);
    enqueue_peer_copy(context, to.get(), from.get(), test_bytes, source_context, stream);
    copy_and_wait(
        context, received.data(), to.get(), test_bytes, CopyDirection::device_to_host, stream);
    return received == sent;
}

void copy_through_host(const CudaContext& context,
                       void* destination,
                       const void* source,
                       std::size_t bytes,
                       const CudaContext& source_context,
                       CUstream source_stream,
                       CUstream stream) {
    const auto part = std::make_unique_for_overwrite<std::byte[]>(std::min(bytes, staged_bytes));
    for (std::size_t done = 0; done < bytes; done += staged_bytes) {
        const std::size_t count = std::min(bytes - done, staged_bytes);
        copy_and_wait(source_context,
                      part.get(),
                      static_cast<const std::byte*>(source) + done,
                      count,
                      CopyDirection::device_to_host,
                      source_stream);
        copy_and_wait(context,
                      static_cast<std::byte*>(destination) + done,
                      part.get(),
                      count,
                      CopyDirection::host_to_device,
                      stream);
    }
}

// Makes later work of the stream wait for the work that was given to the other stream so far.
void let_wait(const CudaContext& context,
              CUstream stream,
              const CudaContext& other_context,
              CUstream other) {
    const DriverApi& api = context.api();
    const CudaContext::Entered entered_other = other_context.enter();
    CUevent event = nullptr;
    other_context.check(api.event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    // The driver keeps the event until the wait is done.
    const UniqueHandle<CUevent, decltype(DriverApi::event_destroy)> owner(event,
                                                                          {api.event_destroy});
    other_context.check(api.event_record(event, other), "cuEventRecord");
    const CudaContext::Entered entered = context.enter();
    context.check(api.stream_wait_event(stream, event, CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent");
}

void require_outside_captures(const CudaContext& context, CUstream stream) {
    const CudaContext::Entered entered = context.enter();
    require_not_captured(context, stream, "cuMemcpyPeerAsync");
    require_captured_along(*entered, context.device(), stream);
}

}  // namespace

bool PeerCopies::is_sound(const CudaContext& source) const {
    const std::lock_guard lock(
        mutex_);  // held during the test, so that no other thread copies before
    const auto known = sound_.find(source.device().ordinal());
    if (known != sound_.end()) return known->second;
    require_access(context_, source);
    const bool arrives = test_copy_arrives(context_, source);
    if (!arrives) {
        log().warn(
            "a test copy from {} to {} did not arrive, although the driver reported success; "
            "copies from {} "
            "to {} go through the host; try another driver, or KGEN_PEER_ACCESS=0",
            source.text(),
            context_.text(),
            source.text(),
            context_.text());
    }
    sound_.emplace(source.device().ordinal(), arrives);
    return arrives;
}

void PeerCopies::copy(void* destination,
                      const void* source,
                      std::size_t bytes,
                      const CudaContext& source_context,
                      CUstream source_stream,
                      CUstream stream) const {
    require_outside_captures(source_context, source_stream);
    require_outside_captures(context_, stream);
    if (!is_sound(source_context)) {
        copy_through_host(
            context_, destination, source, bytes, source_context, source_stream, stream);
        return;
    }
    let_wait(context_, stream, source_context, source_stream);
    enqueue_peer_copy(context_, destination, source, bytes, source_context, stream);
    let_wait(source_context, source_stream, context_, stream);
}

}  // namespace kgen
