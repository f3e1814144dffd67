// SPDX-License-Identifier: MIT
//
// Capture and replay by the driver. Captures are relaxed: what this or another thread does beside the
// captured stream (kgen loading a kernel, a library that allocates on first use) neither fails nor
// invalidates them. Streams that the captured one is made to wait for are captured with it.
#pragma once

#include <string>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/stream/host_functions.hpp"
#include "device/graph_backend.hpp"

namespace kgen {

class CudaGraphs : public GraphBackend {
public:
    CudaGraphs(const CudaContext& context, const HostFunctions& host_functions)
        : context_(context), host_functions_(host_functions) {}

    bool is_capturing(StreamHandle stream) const override;
    bool is_blocked(StreamHandle stream) const override;
    std::shared_lock<std::shared_mutex> hold_captures() const override;
    void keep(StreamHandle stream, std::shared_ptr<const void> object) const override;
    void begin_capture(StreamHandle stream) const override;
    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const override;
    void abandon_capture(StreamHandle stream) const noexcept override;
    void launch(const LoadedGraph& graph, StreamHandle stream) const override;

private:
    [[noreturn]] void fail_capture(CUresult result) const;
    [[noreturn]] void fail_graph(CUresult result, const char* call, const std::string& name) const;

    const CudaContext& context_;
    const HostFunctions& host_functions_;
};

}  // namespace kgen
