// SPDX-License-Identifier: MIT
#include "cuda/cuda_graphs.hpp"

#include <fmt/format.h>

#include <mutex>

#include "cuda/capture_mode.hpp"
#include "device/capture_record.hpp"

namespace kgen {

namespace {

class CudaGraph final : public LoadedGraph {
public:
    CudaGraph(const CudaContext& context, CUgraphExec executable, int node_count)
        : context_(context), executable_(executable), node_count_(node_count) {}
    ~CudaGraph() override {
        context_.release("a graph was not destroyed", [this](CudaContext::State&) {
            context_.check(context_.api().graph_executable_destroy(executable_),
                           "cuGraphExecDestroy");
        });
    }
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    int node_count() const noexcept override { return node_count_; }
    void* native() const noexcept override { return executable_; }

    // The driver runs launches of one graph one after the other, also on different streams, but its
    // graph objects are not thread safe (CUDA Driver API, cuGraphLaunch; "Graph object thread safety").
    CUresult launch(CUstream stream) const {
        const std::lock_guard lock(mutex_);
        return context_.api().graph_launch(executable_, stream);
    }

private:
    const CudaContext& context_;
    CUgraphExec executable_;
    int node_count_;
    mutable std::mutex mutex_;
};

// The graph that was captured, which is needed no longer than until it is instantiated.
struct Template {
    const DriverApi& api;
    CUgraph graph = nullptr;
    ~Template() {
        if (graph != nullptr) api.graph_destroy(graph);
    }
};

}  // namespace

bool CudaGraphs::is_capturing(StreamHandle stream) const {
    return context_.enter().memory->is_capturing(stream);
}

void CudaGraphs::begin_capture(StreamHandle stream) const {
    const CudaContext::State& state = context_.enter();
    if (CudaMemory::is_legacy(stream)) throw cannot_capture_legacy(context_.device());
    if (state.memory->is_capturing(stream)) throw is_captured_already(context_.device());
    context_.check(context_.api().stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                   "cuStreamBeginCapture");
}

std::shared_ptr<const LoadedGraph> CudaGraphs::end_capture(StreamHandle stream) const {
    context_.enter();
    const DriverApi& api = context_.api();
    Template captured{.api = api};
    const CUresult ended = api.stream_end_capture(stream, &captured.graph);
    if (ended != CUDA_SUCCESS) fail_capture(ended);
    std::size_t node_count = 0;
    context_.check(api.graph_get_nodes(captured.graph, nullptr, &node_count), "cuGraphGetNodes");
    const RelaxedCapture relaxed(api);  // for captures of other threads
    CUgraphExec executable = nullptr;
    const auto text = [&] {
        return fmt::format("{}: a graph of {} nodes", context_.text(), node_count);
    };
    const CUresult made = api.graph_instantiate(&executable, captured.graph, 0);
    if (made != CUDA_SUCCESS) context_.fail(made, "cuGraphInstantiate", text());
    auto graph =
        std::make_shared<const CudaGraph>(context_, executable, static_cast<int>(node_count));
    // So that the first launch costs what all cost.
    const CUresult uploaded = api.graph_upload(executable, stream);
    if (uploaded != CUDA_SUCCESS) context_.fail(uploaded, "cuGraphUpload", text());
    return graph;
}

void CudaGraphs::fail_capture(CUresult result) const {
    constexpr const char* call = "cuStreamEndCapture";
    if (result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED) {
        const CaptureRecord* record = CaptureRecord::of_this_thread();
        const bool is_known = record != nullptr && !record->failure().empty();
        throw DeviceError(
            fmt::format("{}: the capture was invalidated by a call that cannot be part of a graph: "
                        "{}",
                        context_.text(),
                        is_known ? record->failure()
                                 : "no call of kgen failed, so that it was another library's; make "
                                   "it before the capture"),
            call,
            result);
    }
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED) {
        throw DeviceError(
            fmt::format("{}: the capture has work in another stream that the captured stream does "
                        "not wait for: end the work with wait(other) on the captured one",
                        context_.text()),
            call,
            result);
    }
    context_.check(result, call);
    throw DeviceError(fmt::format("{}: {} gave no graph", context_.text(), call), call);
}

void CudaGraphs::abandon_capture(StreamHandle stream) const noexcept {
    context_.release("a capture was not ended", [&](CudaContext::State&) {
        Template captured{.api = context_.api()};
        // That it was invalidated matters to nobody any more.
        static_cast<void>(context_.api().stream_end_capture(stream, &captured.graph));
    });
}

void CudaGraphs::launch(const LoadedGraph& graph, StreamHandle stream) const {
    context_.enter();
    const CUresult result = static_cast<const CudaGraph&>(graph).launch(stream);
    if (result == CUDA_SUCCESS) return;
    context_.fail(result,
                  "cuGraphLaunch",
                  fmt::format("{}: a graph of {} nodes", context_.text(), graph.node_count()));
}

}  // namespace kgen
