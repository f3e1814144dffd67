// SPDX-License-Identifier: MIT
//
// CudaGraphs: the GraphBackend of one GPU; the driver captures and replays. Captures use the relaxed mode:
// other calls by any thread during a capture, such as loading a kernel or allocating memory, do not fail and
// do not invalidate the capture. If another stream takes part in the capture through events, its work is
// captured too.
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
