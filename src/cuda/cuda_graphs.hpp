// SPDX-License-Identifier: MIT
//
// Capture and replay by the driver.
#pragma once

#include "cuda/cuda_context.hpp"
#include "device/graph_backend.hpp"

namespace kgen {

class CudaGraphs : public GraphBackend {
public:
    explicit CudaGraphs(const CudaContext& context) : context_(context) {}

    bool is_capturing(StreamHandle stream) const override;
    void begin_capture(StreamHandle stream) const override;
    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const override;
    void abandon_capture(StreamHandle stream) const noexcept override;
    void launch(const LoadedGraph& graph, StreamHandle stream) const override;

private:
    const CudaContext& context_;
};

}  // namespace kgen
