// SPDX-License-Identifier: MIT
//
// Capture and replay on the CPU: the calls themselves are kept.
#pragma once

#include "device/graph_backend.hpp"

namespace kgen {

class HostGraphs : public GraphBackend {
public:
    bool is_capturing(StreamHandle stream) const override;
    void begin_capture(StreamHandle stream) const override;
    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle stream) const override;
    void abandon_capture(StreamHandle stream) const noexcept override;
    void launch(const LoadedGraph& graph, StreamHandle stream) const override;
};

}  // namespace kgen
