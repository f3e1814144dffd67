// SPDX-License-Identifier: MIT
//
// CudaBackend: the Backend of one GPU, implemented with the CUDA driver API. It works in the primary context,
// so it can use memory and streams of the CUDA runtime, PyTorch or RMM. The primary context is current during
// a call; afterwards the thread's previous context is current again (CudaContext::Entered). The first call
// that needs the context creates it; target() and limits() do not need it. Nothing is released at exit.
#pragma once

#include <memory>
#include <string>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/kernel/cuda_raw.hpp"
#include "cuda/memory/cuda_memory_backend.hpp"
#include "cuda/memory/cuda_textures.hpp"
#include "cuda/memory/peer_copies.hpp"
#include "cuda/stream/cuda_graphs.hpp"
#include "cuda/stream/host_functions.hpp"
#include "device/backend.hpp"

namespace kgen {

class CudaBackend : public Backend {
public:
    // Throws DeviceError if the driver has no such device. `driver` must outlive this.
    CudaBackend(const DriverLibrary& driver, int ordinal);

    Device device() const noexcept override { return context_.device(); }
    std::string description() const override;
    DeviceInfo info() const override;
    const Target& target() const override { return target_; }
    const Limits& limits() const override { return limits_; }

    // If the driver rejects the image, DeviceError::code() is 200, 209, 218, 222, 300 or 301. Any other code
    // means that the device failed.
    std::shared_ptr<const LoadedKernel> load(const Image& image) const override;
    void launch(const LoadedKernel& kernel,
                const LaunchShape& shape,
                const void* parameters,
                std::size_t parameters_bytes,
                StreamHandle stream,
                const std::string& kernel_name) const override;

    void* allocate(std::size_t bytes, StreamHandle stream) const override;
    void free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept override;
    Scratch scratch(std::size_t counters, std::size_t bytes, StreamHandle stream) const override;
    void copy(void* destination,
              const void* source,
              std::size_t bytes,
              CopyDirection direction,
              StreamHandle stream) const override;
    void fill_bytes(void* destination,
                    unsigned char value,
                    std::size_t bytes,
                    StreamHandle stream) const override;
    void zero_for_launches(void* destination,
                           std::size_t bytes,
                           StreamHandle stream) const override;
    void copy_from_peer(void* destination,
                        const void* source,
                        std::size_t bytes,
                        const Backend& source_backend,
                        StreamHandle source_stream,
                        StreamHandle stream) const override;
    void require_peer(const Backend& source) const override;

    const RawBackend& raw() const override { return raw_; }
    const GraphBackend& graphs() const override { return graphs_; }
    const MemoryBackend* memory() const noexcept override { return &memory_; }
    const TextureBackend* textures() const noexcept override { return &textures_; }

    // Streams and events: implemented in src/cuda/stream/cuda_streams.cpp.
    StreamHandle create_stream(const StreamOptions& options) const override;
    int stream_priority(StreamHandle stream) const override;
    void call_on_host(StreamHandle stream, std::function<void()> function) const override;
    void destroy_stream(StreamHandle stream) const noexcept override;
    void synchronize_stream(StreamHandle stream) const override;
    void settle_stream(StreamHandle stream) const override;
    bool is_stream_idle(StreamHandle stream) const override;
    void* create_event() const override;
    void destroy_event(void* event) const noexcept override;
    void record_event(void* event, StreamHandle stream) const override;
    void wait_event(StreamHandle stream, void* event) const override;
    void synchronize_event(void* event) const override;
    bool is_event_done(void* event) const override;
    double elapsed_ms(void* earlier, void* later) const override;
    void synchronize() const override;
    void call_on_device(const std::function<void()>& work) const override;

private:
    const DriverApi& api() const noexcept { return context_.api(); }
    // Frees objects of destroyed graphs, and objects whose release was postponed because of a capture.
    void free_what_waited() const;

    CudaContext context_;
    CudaRaw raw_{context_};
    HostFunctions host_functions_{context_};
    CudaGraphs graphs_{context_, host_functions_};
    CudaMemoryBackend memory_{context_};
    CudaTextures textures_{context_};
    PeerCopies peer_copies_{context_};
    std::string name_;
    Target target_;
    Limits limits_;
};

}  // namespace kgen
