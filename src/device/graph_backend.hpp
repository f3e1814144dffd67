// SPDX-License-Identifier: MIT
//
// GraphBackend: interface for capturing the work of a stream as a graph, and for launching graphs. Thread
// safe. Functions throw DeviceError.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>

#include "device/backend.hpp"

namespace kgen {

// Captured work, ready to be launched. It is freed with its last owner, without waiting for launches in
// flight, because the driver keeps what they need.
class LoadedGraph {
public:
    virtual ~LoadedGraph() = default;
    virtual int node_count() const noexcept = 0;
    virtual void* native() const noexcept { return nullptr; }
};

class GraphBackend {
public:
    virtual ~GraphBackend() = default;
    virtual bool is_capturing(StreamHandle stream) const = 0;
    // Returns whether work that is not meant for a graph must not be submitted to the stream now, because the
    // stream is being captured or would wait for a stream that is being captured. The default is false, for
    // devices whose captures affect only the capturing thread.
    virtual bool is_blocked(StreamHandle) const { return false; }
    // While the returned lock is held, kgen begins no capture on the device. So any thread can give work to a
    // stream after is_blocked returned false. Not recursive: a thread may hold only one such lock.
    virtual std::shared_lock<std::shared_mutex> hold_captures() const { return {}; }
    // Makes the graph that is being captured from the stream an owner of the object, even if another library
    // captures it. The default does nothing, for devices on which only kgen captures.
    virtual void keep(StreamHandle, std::shared_ptr<const void>) const {}
    virtual void begin_capture(StreamHandle stream) const = 0;
    // Ends the capture and makes the graph. Throws DeviceError if the capture was invalidated. In either case
    // the stream is no longer being captured.
    virtual std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const = 0;
    // Ends the capture and discards the captured work. Never throws.
    virtual void abandon_capture(StreamHandle stream) const noexcept = 0;
    virtual void launch(const LoadedGraph& graph, StreamHandle stream) const = 0;
};

}  // namespace kgen
