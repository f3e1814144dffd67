// SPDX-License-Identifier: MIT
//
// Streams and events: the order of work on a device. On the host every call is complete on return,
// so that its streams are always idle.
#pragma once

#include <functional>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <memory>

struct CUstream_st;  // the driver's stream: CUstream is CUstream_st*

namespace kgen {

class Event;

struct StreamOptions {
    // Smaller numbers run first; what is out of the device's range counts as its nearest end.
    int priority = 0;
    // Whether it waits for the legacy default stream, and that for it.
    enum class Order { non_blocking, blocking } order = Order::non_blocking;
};

// A queue of work on one device. A copyable handle: copies are the same stream; one that create()
// made is destroyed with its last copy, after its work is done. Safe to use from several threads.
class KGEN_EXPORT Stream {
public:
    // A new stream that does not wait for the legacy default stream unless asked to. Throws
    // DeviceError.
    static Stream create(Device device = current_device());
    static Stream create(const StreamOptions& options, Device device = current_device());
    // The legacy default stream, which PyTorch and the CUDA runtime use too.
    static Stream legacy(Device device = current_device());
    // A stream that another library owns and keeps alive. Throws DeviceError for CUDA's per-thread
    // default stream, whose handle means another stream on each thread.
    static Stream view(CUstream_st* handle, Device device = current_device());

    Device device() const noexcept { return device_; }
    CUstream_st* handle() const noexcept { return handle_; }
    // Whether the driver's stream stays as long as this copy: of create(), and the legacy default stream.
    bool keeps_handle() const noexcept { return owner_ != nullptr || handle_ == nullptr; }

    // Waits until all work in the stream is done. Throws DeviceError if that work failed.
    void synchronize() const;
    bool is_idle() const;
    // Work given to this stream from now on waits for the event.
    void wait(const Event& event) const;
    // Likewise for all work that the other stream was given so far.
    void wait(const Stream& other) const;
    // Calls `function` on a thread of the driver when all work before it is done; work after it waits.
    // It must not call kgen or CUDA, and what it throws ends the program; it may own arrays, as a later
    // call of kgen destroys it. On the host it is called at once. A graph calls it at each launch.
    void call_on_host(std::function<void()> function) const;
    // 0 unless the stream was made with another; 0 on the host.
    int priority() const;

    friend bool operator==(const Stream& a, const Stream& b) noexcept {
        return a.device_ == b.device_ && a.handle_ == b.handle_;
    }

private:
    Stream(Device device, CUstream_st* handle, std::shared_ptr<void> owner)
        : device_(device), handle_(handle), owner_(std::move(owner)) {}
    Device device_;
    CUstream_st* handle_ = nullptr;
    std::shared_ptr<void> owner_;
};

// The stream of this thread that work on the device goes to: at first the legacy default stream.
KGEN_EXPORT Stream current_stream(Device device = current_device());
// Chooses the stream of this thread for stream.device().
KGEN_EXPORT void set_current_stream(const Stream& stream);

// Makes a stream current for a block of code.
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
    // Milliseconds from `earlier` to this event; both must be recorded and done.
    double elapsed_ms(const Event& earlier) const;
    void* handle() const noexcept { return handle_.get(); }

private:
    Device device_;
    std::shared_ptr<void> handle_;
};

}  // namespace kgen
