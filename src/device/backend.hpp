// SPDX-License-Identifier: MIT
//
// Backend: the interface to one device. CudaBackend (src/cuda) and HostBackend (src/host) implement it.
// All functions are thread safe. They throw DeviceError, which names the failed call and the device.
// Functions that take a stream only enqueue the work if the device is asynchronous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/device.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "device/device_limits.hpp"
#include "device/image.hpp"

namespace kgen {

// A stream, opaque outside its backend. It has the type of Stream::handle(); a backend of another type casts.
// nullptr is the legacy default stream; the host ignores it.
using StreamHandle = decltype(std::declval<Stream>().handle());

class GraphBackend;    // device/graph_backend.hpp
class MemoryBackend;   // device/memory_backend.hpp
class TextureBackend;  // device/texture_backend.hpp
class RawBackend;      // device/raw_backend.hpp

// Kind of the type of a kernel's parameter; `unknown` if the image does not contain it.
enum class ParameterKind : std::uint8_t { unknown, integer, floating, pointer, aggregate };

// A parameter of a kernel, and its place in the parameter block.
struct KernelParameter {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    ParameterKind kind = ParameterKind::unknown;
    std::string type = {};  // C++ type, if the code tells more than the kernel's symbol; else empty
    std::size_t alignment = 0;  // of the type; 0 if the image does not contain it
    friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

// One entry point, ready to launch. Immutable. Owns its code, which is unloaded after the last holder of the
// LoadedKernel is gone and all launches in flight have finished. A graph that captures a launch is a holder.
class LoadedKernel : public std::enable_shared_from_this<LoadedKernel> {
public:
    virtual ~LoadedKernel() = default;
    // The driver's function handle; nullptr on the host.
    virtual void* native_function() const noexcept { return nullptr; }
    // Size in bytes of the accumulator that Image::accumulator_symbol describes; 0 if the image has no such
    // symbol.
    virtual std::size_t accumulator_bytes() const noexcept { return 0; }
    // The parameters, in order, of a kernel of a LoadedModule; empty for generated kernels.
    virtual std::span<const KernelParameter> parameters() const noexcept { return {}; }
};

// Sizes of a launch. CUDA uses `grid`, `block` and `shared_bytes`; the kernel takes the parameter block as
// its only parameter, a struct by value. The host uses `count`, the number of iterations, which is divided
// among the threads in chunks of at least `grain`; the entry point is
//     extern "C" void symbol(const void* parameters, const HostCalls* calls,
//                            long long begin, long long end)
struct LaunchShape {
    std::int64_t grid = 1;
    int block = 1;
    int shared_bytes = 0;
    bool cooperative =
        false;  // CUDA: all blocks run at the same time, because they wait for each other
    std::int64_t count = 0;
    std::int64_t grain = 0;
};

// Scratch memory of a launch. The counters are zero before each launch, because every kernel resets them to
// zero before it ends. Kernels also use them for other words that have to be zero (kgen_handed).
struct Scratch {
    std::uint32_t* counters = nullptr;
    void* partials = nullptr;  // aligned to 256 bytes (64 on the host)
};

enum class CopyDirection : std::uint8_t { host_to_device, device_to_host, device_to_device };

class Backend {
public:
    virtual ~Backend() = default;

    virtual Device device() const noexcept = 0;
    virtual std::string description() const = 0;  // for example "NVIDIA H200, driver 580.159, ..."
    virtual DeviceInfo info() const = 0;
    virtual const Target& target() const = 0;
    virtual const Limits& limits() const = 0;

    // Loads the entry point `image.symbol` completely, so that its first launch has nothing left to load.
    virtual std::shared_ptr<const LoadedKernel> load(const Image& image) const = 0;
    // Launches a kernel. `parameters` is copied before the call returns. `kernel_name` is for messages.
    virtual void launch(const LoadedKernel& kernel,
                        const LaunchShape& shape,
                        const void* parameters,
                        std::size_t parameters_bytes,
                        StreamHandle stream,
                        const std::string& kernel_name) const = 0;

    // Allocates from the device's pool in stream order. The memory is aligned to at least 256 bytes (64 on
    // the host).
    virtual void* allocate(std::size_t bytes, StreamHandle stream) const = 0;
    // Frees memory in stream order, so work that was given to `stream` before may still use it. Never throws.
    virtual void free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept = 0;

    // Returns scratch memory of at least so many counters and bytes for the next launch of this thread on
    // `stream`. No work that runs at the same time gets the same memory. The backend owns it and keeps it
    // valid while the launch runs. Call it right before each launch. If the stream is being captured, the
    // memory belongs to the graph and lives as long as the graph and its instances.
    virtual Scratch scratch(std::size_t counters, std::size_t bytes, StreamHandle stream) const = 0;

    // Copies between this device's memory and the host's, or within this device's memory.
    // Device-to-host and host-to-device copies are complete on return.
    virtual void copy(void* destination,
                      const void* source,
                      std::size_t bytes,
                      CopyDirection direction,
                      StreamHandle stream) const = 0;
    virtual void fill_bytes(void* destination,
                            unsigned char value,
                            std::size_t bytes,
                            StreamHandle stream) const = 0;
    // Zeros newly allocated memory before later launches on the stream. If the stream is being captured, it
    // is zeroed at once, so the graph does not zero it again in each replay.
    virtual void zero_for_launches(void* destination,
                                   std::size_t bytes,
                                   StreamHandle stream) const = 0;
    // Copies from another device of the same kind, in the order of both streams: the copy waits for their
    // earlier work, and their later work waits for it. The caller need not wait. Throws DeviceError if one of
    // the streams is being captured.
    virtual void copy_from_peer(void* destination,
                                const void* source,
                                std::size_t bytes,
                                const Backend& source_backend,
                                StreamHandle source_stream,
                                StreamHandle stream) const = 0;
    // Throws DeviceError, which names both devices, if copies from the other device of the same kind cannot work.
    virtual void require_peer(const Backend&) const {}

    // Kernels that the user writes whole; capture and replay of graphs.
    virtual const RawBackend& raw() const = 0;
    virtual const GraphBackend& graphs() const = 0;
    // nullptr if the device uses the host's memory.
    virtual const MemoryBackend* memory() const noexcept { return nullptr; }
    // nullptr if the device has no textures.
    virtual const TextureBackend* textures() const noexcept { return nullptr; }

    // Streams and events. Handles are opaque. A host stream has no queue: calls are complete on return.
    virtual StreamHandle create_stream(const StreamOptions& options) const = 0;
    virtual int stream_priority(StreamHandle stream) const = 0;
    // Calls the function after all earlier work of the stream is done. See Stream::call_on_host.
    virtual void call_on_host(StreamHandle stream, std::function<void()> function) const = 0;
    virtual void destroy_stream(StreamHandle stream) const noexcept = 0;
    virtual void synchronize_stream(StreamHandle stream) const = 0;
    // Waits for a stream of another library, and gives back the freed memory and the scratch memory that are
    // kept for it. Throws DeviceError if the stream is being captured.
    virtual void settle_stream(StreamHandle stream) const { synchronize_stream(stream); }
    virtual bool is_stream_idle(StreamHandle stream) const = 0;
    virtual void* create_event() const = 0;
    virtual void destroy_event(void* event) const noexcept = 0;
    virtual void record_event(void* event, StreamHandle stream) const = 0;
    virtual void wait_event(StreamHandle stream, void* event) const = 0;
    virtual void synchronize_event(void* event) const = 0;
    virtual bool is_event_done(void* event) const = 0;
    virtual double elapsed_ms(void* earlier, void* later) const = 0;
    virtual void synchronize() const = 0;
    // Calls `work`, which calls another library that works on this thread's current device, such as NCCL.
    virtual void call_on_device(const std::function<void()>& work) const { work(); }
};

}  // namespace kgen
