// SPDX-License-Identifier: MIT
//
// Graph: work on a stream that is captured once and launched as a whole any number of times.
#pragma once

#include <functional>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>

namespace kgen {

// A copyable, thread-safe handle to captured work. The graph keeps alive everything that its work needs:
// kernels, arrays that it reads or writes (also arrays created and dropped during the capture), textures,
// surfaces, scratch memory and host functions. Memory allocated during the capture is freed when the last
// copy of the graph is destroyed. Launches of one graph run one after the other, even on different streams.
// On the host a launch repeats the captured calls, and launch() throws any exception of theirs.
//
//     Graph step = capture(stream, [&] {
//         kernel(x, y, out(z));
//         total(z, out(sum));
//     });
//     for (int k = 0; k < 1000; ++k) step.launch(stream);
class KGEN_EXPORT Graph {
public:
    // Submits all the work to the stream. Throws DeviceError.
    void launch(const Stream& stream) const;
    void launch() const;  // on current_stream() of the graph's device
    void operator()() const { launch(); }

    Device device() const noexcept;
    // Returns the number of kernels, copies, fills and host functions in the graph.
    int node_count() const noexcept;
    // Returns the CUgraphExec for other libraries; nullptr on the host.
    void* handle() const noexcept;
    [[deprecated("use handle")]] void* native() const noexcept { return handle(); }

private:
    friend KGEN_EXPORT Graph capture(const Stream& stream, const std::function<void()>& work);
    struct Impl;  // src/api/graph.cpp
    explicit Graph(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

// Calls `work` with `stream` as the current stream, and records what this thread submits to the stream
// instead of running it. Another stream is recorded too if `work` makes it wait for `stream`; at the end of
// `work`, `stream` must wait for it. Kernels that are not compiled yet are compiled. Each launch uses the
// same memory, so an array created in `work` has no values before the first launch, and each launch
// overwrites them.
//
// During the capture, functions that need a result at once (item(), to_vector(), to_text(), synchronize())
// and copies from the host throw DeviceError. So does work for a stream that is not being captured, such as a
// BoundLaunch bound to another stream, because it would run at once and be missing from the graph. `work` may
// catch these exceptions and continue.
//
// Throws DeviceError if the stream is the legacy default stream or is already being captured, if nothing was
// recorded, or if a call of another library invalidated the capture. An exception thrown by `work` ends the
// capture and is rethrown; the stream is then usable as before.
KGEN_EXPORT Graph capture(const Stream& stream, const std::function<void()>& work);

}  // namespace kgen
