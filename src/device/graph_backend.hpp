// SPDX-License-Identifier: MIT
//
// GraphBackend: capture of a stream's work, and its replay. Thread safe; throws DeviceError.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>

#include "device/backend.hpp"

namespace kgen {

// Captured work, ready to be launched; freed with its last copy, without waiting for replays that
// still run (the driver keeps what they need).
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
    // Whether work that is no part of a graph must not be given to it now: it is being captured, or would wait
    // for a stream that is. By default never: captures are of their thread alone.
    virtual bool is_blocked(StreamHandle) const { return false; }
    // While it is held, no capture of kgen's begins on the device, so that a stream which is not blocked can be
    // given work from any thread. A thread takes it once.
    virtual std::shared_lock<std::shared_mutex> hold_captures() const { return {}; }
    // The graph that the stream is being captured into keeps the object, also where another library captures. By
    // default nothing: only kgen captures.
    virtual void keep(StreamHandle, std::shared_ptr<const void>) const {}
    virtual void begin_capture(StreamHandle stream) const = 0;
    // Ends it and makes the graph. Throws DeviceError if something invalidated the capture; the
    // stream is no longer captured in any case.
    virtual std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const = 0;
    // Ends it and drops what was captured. Never throws.
    virtual void abandon_capture(StreamHandle stream) const noexcept = 0;
    virtual void launch(const LoadedGraph& graph, StreamHandle stream) const = 0;
};

}  // namespace kgen
