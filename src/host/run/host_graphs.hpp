// SPDX-License-Identifier: MIT
//
// Capture and replay on the CPU: the calls themselves are kept, and made again in their order. Between
// begin and end of a capture, calls of the capturing thread that go to its stream are kept instead of
// made; so are those to streams that wait for an event of the captured one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "device/graph_backend.hpp"

namespace kgen {

class HostScratch;

// One capture on this thread, of which each function that takes a stream asks:
//
//     if (HostCapture* capture = HostCapture::of(stream)) return capture->add([=] { ... });
//
// What a call needs later it must own, or the arrays be kept by the CaptureRecord. An exception of a
// call ends the replay and is thrown by the graph's launch.
class HostCapture {
public:
    // The capture that calls to the stream belong to; nullptr: they are made at once.
    static HostCapture* of(StreamHandle stream) noexcept {
        return innermost == nullptr ? nullptr : find(stream);
    }
    ~HostCapture();
    HostCapture(const HostCapture&) = delete;
    HostCapture& operator=(const HostCapture&) = delete;

    void add(std::function<void()> call);
    // For one call of the graph; no other has it.
    Scratch scratch(std::size_t counters, std::size_t bytes);
    // `stream` is captured too, from now on.
    void join(StreamHandle stream);
    // Never 0, and of no other capture: what an event remembers that is recorded in it.
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

class HostGraphs : public GraphBackend {
public:
    bool is_capturing(StreamHandle stream) const override;
    void begin_capture(StreamHandle stream) const override;
    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const override;
    void abandon_capture(StreamHandle stream) const noexcept override;
    void launch(const LoadedGraph& graph, StreamHandle stream) const override;

private:
    // Captures nest: the innermost ends first.
    static std::unique_ptr<HostCapture> take_innermost();
};

}  // namespace kgen
