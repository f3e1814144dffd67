// SPDX-License-Identifier: MIT
#include <cstdint>
#include <kgen/error.hpp>
#include <kgen/stream.hpp>
#include <utility>
#include <vector>

#include "device/chosen_stream.hpp"
#include "device/registry.hpp"
#include "device/stream_ends.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The streams that set_current_stream chose on this thread, one for each device. They are few, so they are in
// a plain list. The variable is a bare pointer because a thread_local vector would be checked for
// initialization at each use. It is nullptr before the first choice and after the thread's end.
constinit thread_local std::vector<Stream>* chosen_streams = nullptr;

struct ChosenStreamsOwner {
    ~ChosenStreamsOwner() { delete std::exchange(chosen_streams, nullptr); }
};

}  // namespace

Stream Stream::create(Device device) {
    return create(StreamOptions(), device);
}

Stream Stream::create(const StreamOptions& options, Device device) try {
    // Backends are never destroyed, so the last copy of the stream may be destroyed at any time.
    const Backend& owner = backend(device);
    StreamHandle handle = owner.create_stream(options);
    return Stream(device, handle, std::shared_ptr<void>(handle, [&owner](void* stream) {
                      owner.destroy_stream(static_cast<StreamHandle>(stream));
                  }));
} catch (...) {
    rethrow_as_error();
}

Stream Stream::legacy(Device device) {
    return Stream(device, nullptr, nullptr);
}

Stream Stream::view(CUstream_st* handle, Device device) try {
    // The memory pool could not tell the streams of such a handle apart, so the stream order of its memory
    // would be wrong.
    if (handle != nullptr &&
        reinterpret_cast<std::uintptr_t>(handle) == traits(device).per_thread_stream) {
        throw DeviceError(
            "the per-thread default stream is a different stream on each thread; pass a stream "
            "that was created");
    }
    Stream stream(device, handle, nullptr);
    StreamEnds::set_age(stream);
    return stream;
} catch (...) {
    rethrow_as_error();
}

void Stream::synchronize() const try { backend(device_).synchronize_stream(handle_); } catch (...) {
    rethrow_as_error();
}

bool Stream::is_idle() const {
    return backend(device_).is_stream_idle(handle_);
}

void Stream::wait(const Event& event) const try {
    if (event.device().kind() == device_.kind()) {
        backend(device_).wait_event(handle_, event.handle());
    } else if (traits(event.device()).is_asynchronous) {
        event.synchronize();  // now, because streams wait only for events of their kind
    }
} catch (...) {
    rethrow_as_error();
}

void Stream::wait(const Stream& other) const try {
    if (*this == other) return;
    Event reached(other.device_);
    reached.record(other);
    wait(reached);
} catch (...) {
    rethrow_as_error();
}

void Stream::call_on_host(std::function<void()> function) const {
    backend(device_).call_on_host(handle_, std::move(function));
}

int Stream::priority() const {
    return backend(device_).stream_priority(handle_);
}

const Stream* chosen_stream(Device device) noexcept {
    if (chosen_streams == nullptr) return nullptr;
    for (const Stream& stream : *chosen_streams) {
        if (stream.device() == device) return &stream;
    }
    return nullptr;
}

Stream current_stream(Device device) try {
    const Stream* chosen = chosen_stream(device);
    return chosen != nullptr ? *chosen : Stream::legacy(device);
} catch (...) {
    rethrow_as_error();
}

void set_current_stream(const Stream& stream) try {
    if (chosen_streams == nullptr) {
        static thread_local ChosenStreamsOwner owner;
        static_cast<void>(owner);
        chosen_streams = new std::vector<Stream>;
    }
    for (Stream& chosen : *chosen_streams) {
        if (chosen.device() == stream.device()) {
            chosen = stream;
            return;
        }
    }
    chosen_streams->push_back(stream);
} catch (...) {
    rethrow_as_error();
}

Event::Event(Device device) try : device_(device) {
    const Backend& owner = backend(device);
    handle_ = std::shared_ptr<void>(owner.create_event(),
                                    [&owner](void* event) { owner.destroy_event(event); });
} catch (...) {
    rethrow_as_error();
}

void Event::record(const Stream& stream) try {
    if (stream.device() != device_) {
        refuse<DeviceError>(
            {ErrorKind::device, "stream", to_text(device_), to_text(stream.device())},
            "an event on {} cannot be recorded in a stream on {}: create the event "
            "with Event(stream.device())",
            to_text(device_),
            to_text(stream.device()));
    }
    backend(device_).record_event(handle_.get(), stream.handle());
} catch (...) {
    rethrow_as_error();
}

void Event::synchronize() const try {
    backend(device_).synchronize_event(handle_.get());
} catch (...) {
    rethrow_as_error();
}

bool Event::is_done() const {
    return backend(device_).is_event_done(handle_.get());
}

double Event::elapsed_ms(const Event& earlier) const try {
    if (earlier.device_ != device_) {
        refuse<DeviceError>(
            {ErrorKind::device, {}, to_text(device_), to_text(earlier.device_)},
            "cannot measure the time from an event on {} to one on {}: both must be on one device",
            to_text(earlier.device_),
            to_text(device_));
    }
    return backend(device_).elapsed_ms(earlier.handle_.get(), handle_.get());
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
