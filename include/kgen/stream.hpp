// SPDX-License-Identifier: MIT
//
// Streams and events: the order of work on a device. On the host every call is complete on return, so its
// streams are always idle.
#pragma once

#include <cstdint>
#include <functional>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <memory>

struct CUstream_st;  // the driver's CUstream is CUstream_st*

namespace kgen {

class Event;

struct StreamOptions {
    // Smaller numbers run first. Values outside the device's range are clamped to it.
    int priority = 0;
    // Whether this stream and the legacy default stream wait for each other.
    enum class Order { non_blocking, blocking } order = Order::non_blocking;
};

// A queue of work on one device. A copyable handle: copies refer to the same stream. A stream of create() is
// destroyed with its last copy, after its work has finished. Thread-safe.
class KGEN_EXPORT Stream {
public:
    // Returns a new stream, which does not wait for the legacy default stream unless StreamOptions::order is
    // blocking. Throws DeviceError.
    static Stream create(Device device = current_device());
    static Stream create(const StreamOptions& options, Device device = current_device());
    // Returns the legacy default stream, which PyTorch and the CUDA runtime also use by default.
    static Stream legacy(Device device = current_device());
    // Returns a handle of a stream that another library owns and keeps alive, at least until end_use(). Throws
    // DeviceError for CUDA's per-thread default stream, because its handle means a different stream on each
    // thread.
    static Stream view(CUstream_st* handle, Device device = current_device());

    // Must be called before another library destroys a stream that kgen has used, unless no array and no image
    // remembers the stream any more. Waits until the work in the stream is done, so that no memory, image or
    // scratch memory of kgen refers to the stream afterwards. Memory that was allocated in it is then freed in
    // the order of the legacy default stream.
    //
    // During and after the call no thread may use the stream: no view of it, no bound launch, and not as the
    // current stream. A later view() of a new stream with the same address is a stream of its own. Throws
    // DeviceError if the stream is kgen's own (create(), legacy()), is being captured, or its work failed; the
    // stream must then be kept as before. Does nothing on the host. Thread-safe.
    void end_use() const;

    Device device() const noexcept { return device_; }
    CUstream_st* handle() const noexcept { return handle_; }
    // Whether this copy keeps the driver's stream alive: true for streams of create() and the legacy default
    // stream.
    bool keeps_handle() const noexcept { return owner_ != nullptr || handle_ == nullptr; }

    // Waits until all work in the stream has finished. Throws DeviceError if that work failed.
    void synchronize() const;
    bool is_idle() const;
    // Makes work that is queued in this stream from now on wait for the event.
    void wait(const Event& event) const;
    // Makes work that is queued from now on wait for all work queued in the other stream so far.
    void wait(const Stream& other) const;
    // Calls `function` on a thread of the driver after all earlier work in the stream; later work waits for
    // it. The function must not call kgen or CUDA; an exception that it throws ends the program. It may own
    // arrays, because a later call of kgen destroys it. On the host it is called immediately. If captured
    // into a graph, it is called at each launch of the graph.
    void call_on_host(std::function<void()> function) const;
    // The priority that the stream was created with; 0 by default and on the host.
    int priority() const;

    friend bool operator==(const Stream& a, const Stream& b) noexcept {
        return a.device_ == b.device_ && a.handle_ == b.handle_;
    }

private:
    Stream(Device device, CUstream_st* handle, std::shared_ptr<void> owner)
        : device_(device), handle_(handle), owner_(std::move(owner)) {}
    Device device_;
    friend struct StreamEnds;  // src/device/stream_ends.hpp
    CUstream_st* handle_ = nullptr;
    std::shared_ptr<void> owner_;
    std::uint64_t age_ = 0;  // of a view: the number of end_use() calls before it was made
};

// Returns this thread's current stream for the device, in which kgen queues work; initially the legacy
// default stream.
KGEN_EXPORT Stream current_stream(Device device = current_device());
// Sets this thread's current stream for stream.device().
KGEN_EXPORT void set_current_stream(const Stream& stream);

// Makes a stream current for this thread until the end of the scope, then restores the previous one.
class StreamScope {
public:
    explicit StreamScope(const Stream& stream) : previous_(current_stream(stream.device())) {
        set_current_stream(stream);
    }
    ~StreamScope() { set_current_stream(previous_); }
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;

private:
    Stream previous_;
};

// A point in a stream. A copyable handle.
class KGEN_EXPORT Event {
public:
    explicit Event(Device device = current_device());
    Device device() const noexcept { return device_; }
    void record(const Stream& stream);
    void record() { record(current_stream(device_)); }
    void synchronize() const;
    bool is_done() const;
    // Returns the milliseconds from `earlier` to this event. Both must be recorded and done.
    double elapsed_ms(const Event& earlier) const;
    void* handle() const noexcept { return handle_.get(); }

private:
    Device device_;
    std::shared_ptr<void> handle_;
};

}  // namespace kgen
