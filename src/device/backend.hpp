// SPDX-License-Identifier: MIT
//
// Backend: what one device can do. Implementations: CudaBackend (src/cuda), HostBackend (src/host).
// All functions are thread safe and throw DeviceError, naming the call that failed and the device.
// Functions that take a stream only enqueue where the device is asynchronous.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <kgen/device.hpp>
#include <kgen/stream.hpp>
#include <memory>
#include <span>
#include <string>

#include "device/device_limits.hpp"
#include "device/image.hpp"

struct CUstream_st;

namespace kgen {

using StreamHandle = CUstream_st*;  // nullptr: the legacy default stream; ignored by the host

class GraphBackend;    // device/graph_backend.hpp
class MemoryBackend;   // device/memory_backend.hpp
class TextureBackend;  // device/texture_backend.hpp
class RawBackend;      // device/raw_backend.hpp

// What is known of the type of a kernel's parameter. `unknown` where the image does not tell.
enum class ParameterKind : std::uint8_t { unknown, integer, floating, pointer, aggregate };

// Where a parameter lies in the block of parameters.
struct KernelParameter {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    ParameterKind kind = ParameterKind::unknown;
    std::string type = {};  // in C++, where the code tells more than its symbol does; or empty
    friend bool operator==(const KernelParameter&, const KernelParameter&) = default;
};

// One entry point, ready to launch. Owns its code, which is unloaded after the last of its holders has
// gone and launches under way have ended; a launch that is captured makes the graph a holder. Immutable.
class LoadedKernel : public std::enable_shared_from_this<LoadedKernel> {
public:
    virtual ~LoadedKernel() = default;
    // The driver's function; nullptr where there is no driver.
    virtual void* native_function() const noexcept { return nullptr; }
    // sizeof of what Image::accumulator_symbol stands for; 0 where the image names none.
    virtual std::size_t accumulator_bytes() const noexcept { return 0; }
    // Of a kernel of a LoadedModule, in order; empty for generated kernels.
    virtual std::span<const KernelParameter> parameters() const noexcept { return {}; }
};

// How a kernel is launched. On the host `count` is the number of iterations, cut into chunks of
// at least `grain` for the threads; the entry point is
//     extern "C" void symbol(const void* parameters, const HostCalls* calls,
//                            long long begin, long long end)
// On CUDA the kernel takes the parameter block as its one (by-value struct) parameter.
struct LaunchShape {
    std::int64_t grid = 1;
    int block = 1;
    int shared_bytes = 0;
    std::int64_t count = 0;
    std::int64_t grain = 0;
};

// Memory for one launch. Between launches the counters are zero: a kernel leaves them so.
struct Scratch {
    std::uint32_t* counters = nullptr;
    void* partials = nullptr;  // aligned to 256 bytes (64 on the host)
};

enum class CopyDirection : std::uint8_t { host_to_device, device_to_host, device_to_device };

class Backend {
public:
    virtual ~Backend() = default;

    virtual Device device() const noexcept = 0;
    virtual std::string description() const = 0;  // "NVIDIA H200, driver 580.159, ..."
    virtual const Target& target() const = 0;
    virtual const Limits& limits() const = 0;

    // Makes the entry point `image.symbol` ready: nothing is left for its first launch.
    virtual std::shared_ptr<const LoadedKernel> load(const Image& image) const = 0;
    // `parameters` is copied before the call returns. `kernel_name` is for messages.
    virtual void launch(const LoadedKernel& kernel,
                        const LaunchShape& shape,
                        const void* parameters,
                        std::size_t parameters_bytes,
                        StreamHandle stream,
                        const std::string& kernel_name) const = 0;

    // Memory of the device's pool, aligned to at least 256 bytes (64 on the host), in stream order.
    virtual void* allocate(std::size_t bytes, StreamHandle stream) const = 0;
    // Returns memory; work already given to `stream` may still use it. Never throws.
    virtual void free(void* pointer, std::size_t bytes, StreamHandle stream) const noexcept = 0;

    // For the next launch of this thread on `stream`, and nothing else that runs at the same time: at
    // least so many counters and bytes. The memory is the backend's and stays valid while the launch
    // runs; each launch asks anew, right before it. A stream that is being captured gets memory of its
    // own, which lives as long as the graph and what is instantiated from it.
    virtual Scratch scratch(int counters, std::size_t bytes, StreamHandle stream) const = 0;

    // Copies between this device's memory and the host's, or within this device's.
    // Device-to-host and host-to-device copies are complete on return.
    virtual void copy(void* destination,
                      const void* source,
                      std::size_t bytes,
                      CopyDirection direction,
                      StreamHandle stream) const = 0;
    // Sets every byte.
    virtual void fill_bytes(void* destination,
                            unsigned char value,
                            std::size_t bytes,
                            StreamHandle stream) const = 0;
    // Zeros memory that was just allocated for launches on the stream: once, also where that is being captured.
    virtual void zero_for_launches(void* destination,
                                   std::size_t bytes,
                                   StreamHandle stream) const = 0;
    // Copies from another device of the same kind; complete in the order of `stream`.
    virtual void copy_from_peer(void* destination,
                                const void* source,
                                Device source_device,
                                std::size_t bytes,
                                StreamHandle stream) const = 0;

    // Kernels of the user's own; capture and replay.
    virtual const RawBackend& raw() const = 0;
    virtual const GraphBackend& graphs() const = 0;
    // nullptr where the device's memory is the host's.
    virtual const MemoryBackend* memory() const noexcept { return nullptr; }
    // nullptr where the device has no textures.
    virtual const TextureBackend* textures() const noexcept { return nullptr; }

    // Streams and events. Handles are opaque; on the host they are markers.
    virtual StreamHandle create_stream(const StreamOptions& options) const = 0;
    virtual int stream_priority(StreamHandle stream) const = 0;
    // Calls it once all work before it is done; see Stream::call_on_host.
    virtual void call_on_host(StreamHandle stream, std::function<void()> function) const = 0;
    virtual void destroy_stream(StreamHandle stream) const noexcept = 0;
    virtual void synchronize_stream(StreamHandle stream) const = 0;
    virtual bool is_stream_idle(StreamHandle stream) const = 0;
    virtual void* create_event() const = 0;
    virtual void destroy_event(void* event) const noexcept = 0;
    virtual void record_event(void* event, StreamHandle stream) const = 0;
    virtual void wait_event(StreamHandle stream, void* event) const = 0;
    virtual void synchronize_event(void* event) const = 0;
    virtual bool is_event_done(void* event) const = 0;
    virtual double elapsed_ms(void* earlier, void* later) const = 0;
    virtual void synchronize() const = 0;
};

}  // namespace kgen
