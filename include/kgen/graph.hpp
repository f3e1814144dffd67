// SPDX-License-Identifier: MIT
//
// Graph: work that was captured once and is replayed as a whole.
#pragma once

#include <functional>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <memory>

namespace kgen {

// Owns what its work needs: the arrays that it reads and writes, scratch memory, the kernels. A
// copyable handle; two launches of one graph run one after the other. On the host it replays the
// same calls.
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

// Runs `work` with `stream` as the current stream, and takes down what it gives to the stream instead
// of running it. Calls of kernels that were prepared or used before are recorded as they are; one
// that must be compiled first is compiled. What needs a result at once (item(), to_vector(),
// synchronize()) is refused with a DeviceError, and the capture ends. Throws DeviceError for the
// legacy default stream, for a stream that is being captured already, and what `work` throws; the
// stream is then as before.
KGEN_EXPORT Graph capture(const Stream& stream, const std::function<void()>& work);

}  // namespace kgen
