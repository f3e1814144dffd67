// SPDX-License-Identifier: MIT
//
// Capture and replay on the CPU. During a capture, calls of the capturing thread on the captured stream are
// recorded instead of made. So are calls on streams that wait for an event of the captured stream. A replay
// makes the calls in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device/graph_backend.hpp"

namespace kgen {

class HostScratch;

// One capture on this thread. Each function that takes a stream asks for it:
//
//     if (HostCapture* capture = HostCapture::of(stream)) return capture->add([=] { ... });
//
// A recorded call must own what it needs later, or the CaptureRecord must keep the arrays. If a call throws,
// the replay ends and the graph's launch throws the exception.
class HostCapture {
public:
    // Returns the capture that calls on the stream belong to, or nullptr if they are made at once.
    static HostCapture* of(StreamHandle stream) noexcept {
        return innermost == nullptr ? nullptr : find(stream);
    }
    ~HostCapture();
    HostCapture(const HostCapture&) = delete;
    HostCapture& operator=(const HostCapture&) = delete;

    void add(std::function<void()> call);
    // Returns scratch memory for one call of the graph, shared with no other call.
    Scratch scratch(std::size_t counters, std::size_t bytes);
    // Captures `stream` too from now on.
    void join(StreamHandle stream);
    // Never 0 and unique among captures. An event that is recorded in the capture stores it.
    std::uint64_t number() const noexcept { return number_; }
    static HostCapture* numbered(std::uint64_t number) noexcept;

private:
    friend class HostGraphs;
    HostCapture(StreamHandle stream, HostCapture* outer);
    static HostCapture* find(StreamHandle stream) noexcept;
    static constinit thread_local HostCapture* innermost;

    std::vector<StreamHandle> streams_;  // the captured one first
    std::vector<std::function<void()>> calls_;
    std::vector<std::unique_ptr<HostScratch>> scratch_;
    std::uint64_t number_;
    HostCapture* outer_;
};

const GraphBackend& host_graphs();

}  // namespace kgen
