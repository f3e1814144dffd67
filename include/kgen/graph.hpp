// SPDX-License-Identifier: MIT
//
// Graph: work that was captured once and is replayed as a whole.
#pragma once

#include <functional>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>

namespace kgen {

// Owns what its work needs: the arrays that it reads and writes, also those that were made and dropped
// in the capture, textures and surfaces, scratch memory, host functions, the kernels. Memory that came of
// the capture is free again when the last copy of the graph is gone. A copyable handle, safe to use from
// several threads; launches of one graph run one after the other, also in different streams. On the host it
// makes the same calls again, and launch() throws what they throw.
//
//     Graph step = capture(stream, [&] {
//         kernel(x, y, out(z));
//         total(z, out(sum));
//     });
//     for (int k = 0; k < 1000; ++k) step.launch(stream);
class KGEN_EXPORT Graph {
public:
    // Gives all the work to the stream. Throws DeviceError.
    void launch(const Stream& stream) const;
    void launch() const;  // in current_stream() of its device
    void operator()() const { launch(); }

    Device device() const noexcept;
    // Kernels, copies, fills and host functions.
    int node_count() const noexcept;
    // CUgraphExec, for other libraries; nullptr on the host.
    void* native() const noexcept;

private:
    friend KGEN_EXPORT Graph capture(const Stream& stream, const std::function<void()>& work);
    struct Impl;  // src/api/graph.cpp
    explicit Graph(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

// Runs `work` with `stream` as the current stream, and takes down what this thread gives to the stream
// instead of running it; so too for other streams that `work` makes wait for it, and that it waits for
// at the end. Kernels that are not compiled yet are compiled. Each launch uses the same memory: an array
// that is made in `work` has its elements once the graph was launched, and other ones after the next.
//
// What needs a result at once (item(), to_vector(), to_text(), synchronize()) and copies from the host
// are refused with a DeviceError; `work` may catch it and go on. So is work for streams that are not being
// captured, as of a BoundLaunch that was bound to another: it would run at once and be missing in the
// graph. What `work` throws is thrown, and the stream is then as before. Also throws DeviceError for the
// legacy default stream, for one that is being captured already, where nothing was taken down, and where
// a call of another library made the capture invalid.
KGEN_EXPORT Graph capture(const Stream& stream, const std::function<void()>& work);

}  // namespace kgen
