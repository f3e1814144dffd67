// SPDX-License-Identifier: MIT
#include "cuda/stream/cuda_graphs.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "cuda/driver/unique_handle.hpp"
#include "device/capture_record.hpp"

namespace kgen {

namespace {

// A captured graph, from which the executable graph is made.
using Template = UniqueHandle<CUgraph, decltype(DriverApi::graph_destroy)>;

class CudaGraph final : public LoadedGraph {
public:
    CudaGraph(const CudaContext& context, Template captured, int node_count)
        : context_(context),
          captured_(std::move(captured)),
          node_count_(node_count),
          name_(context.fault().intern(
              fmt::format("graph of {} node{}", node_count, node_count == 1 ? "" : "s"))) {}
    ~CudaGraph() override {
        context_.release("a graph was not destroyed", [this](const CudaContext::Entered&) {
            const Template captured = std::move(captured_);
            if (executable_ == nullptr) return;
            context_.check(context_.api().graph_executable_destroy(executable_),
                           "cuGraphExecDestroy");
        });
        // If the device is lost, the graph is not destroyed.
        static_cast<void>(captured_.release());
    }

    CUresult instantiate() {
        return context_.api().graph_instantiate(&executable_, captured_.get(), 0);
    }
    int node_count() const noexcept override { return node_count_; }
    void* native() const noexcept override { return executable_; }
    const std::string& name() const noexcept { return *name_; }

    // The driver runs launches of one graph one after the other, even on different streams. But its graph
    // objects are not thread-safe, hence the lock (CUDA Driver API, cuGraphLaunch; "Graph object thread
    // safety").
    CUresult launch(CUstream stream) const {
        const std::lock_guard lock(mutex_);
        return context_.api().graph_launch(executable_, stream);
    }
    void note_launch(CUstream stream) const { context_.launched(name_, {}, {}, stream); }

    // Adds this graph as a node to the graph that `stream` is being captured into. The outer graph gets a
    // copy of this one and shares the objects that this one owns.
    void add_to_capture(CUstream stream) const {
        const std::lock_guard lock(mutex_);
        const DriverApi& api = context_.api();
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        CUgraph outer = nullptr;
        const CUgraphNode* before = nullptr;
        std::size_t count = 0;
        if (api.stream_get_capture_info == nullptr ||
            api.stream_update_capture_dependencies == nullptr) {
            throw DeviceError(
                fmt::format("{}: the driver cannot add a graph to another graph; install NVIDIA's "
                            "driver 550 or newer",
                            context_.text()));
        }
        context_.check(
            api.stream_get_capture_info(stream, &status, nullptr, &outer, &before, &count),
            "cuStreamGetCaptureInfo");
        if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
            context_.check(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "cuStreamGetCaptureInfo");
        CUgraphNode node = nullptr;
        context_.check(api.graph_add_child(&node, outer, before, count, captured_.get()),
                       "cuGraphAddChildGraphNode");
        context_.check(api.stream_update_capture_dependencies(
                           stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                       "cuStreamUpdateCaptureDependencies");
    }

private:
    const CudaContext& context_;
    Template captured_;
    CUgraphExec executable_ = nullptr;
    int node_count_;
    const std::string* name_;  // owned by the DeviceFault of the context
    mutable std::mutex mutex_;
};

}  // namespace

bool CudaGraphs::is_capturing(StreamHandle stream) const {
    return context_.enter()->memory->is_capturing(stream);
}

bool CudaGraphs::is_blocked(StreamHandle stream) const {
    return context_.enter()->memory->is_blocked(stream);
}

std::shared_lock<std::shared_mutex> CudaGraphs::hold_captures() const {
    return context_.enter()->memory->hold_captures();
}

void CudaGraphs::keep(StreamHandle stream, std::shared_ptr<const void> object) const {
    host_functions_.keep(stream, std::move(object));
}

void CudaGraphs::begin_capture(StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    if (CudaMemory::is_legacy(stream)) throw cannot_capture_legacy(context_.device());
    if (entered->memory->is_capturing(stream)) throw is_captured_already(context_.device());
    context_.check(entered->memory->begin_capture(stream), "cuStreamBeginCapture");
}

std::shared_ptr<const LoadedGraph> CudaGraphs::end_capture(StreamHandle stream) const {
    const CudaContext::Entered entered = context_.enter();
    const DriverApi& api = context_.api();
    CUgraph graph_of_stream = nullptr;
    const CUresult ended = api.stream_end_capture(stream, &graph_of_stream);
    Template captured(graph_of_stream, {api.graph_destroy});
    entered->memory->note_end_of_capture();
    if (ended != CUDA_SUCCESS) fail_capture(ended);
    std::size_t node_count = 0;
    context_.check(api.graph_get_nodes(captured.get(), nullptr, &node_count), "cuGraphGetNodes");
    auto graph =
        std::make_shared<CudaGraph>(context_, std::move(captured), static_cast<int>(node_count));
    const auto check = [&](CUresult result, const char* call) {
        if (result != CUDA_SUCCESS) fail_graph(result, call, graph->name());
    };
    check(graph->instantiate(), "cuGraphInstantiate");
    // The upload is done here, so that the first launch takes no longer than others.
    check(api.graph_upload(static_cast<CUgraphExec>(graph->native()), stream), "cuGraphUpload");
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
                                 : "no call of kgen failed, so another library made it; make it "
                                   "before the capture"),
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
    throw DeviceError(fmt::format("{}: {} returned no graph", context_.text(), call), call);
}

void CudaGraphs::abandon_capture(StreamHandle stream) const noexcept {
    context_.release("a capture was not ended", [&](const CudaContext::Entered& entered) {
        CUgraph graph = nullptr;
        // The result is ignored: an invalidated capture is no error when it is abandoned.
        static_cast<void>(context_.api().stream_end_capture(stream, &graph));
        const Template captured(graph, {context_.api().graph_destroy});
        entered->memory->note_end_of_capture();
    });
}

void CudaGraphs::launch(const LoadedGraph& graph, StreamHandle stream) const {
    const auto& launched = static_cast<const CudaGraph&>(graph);
    const CudaContext::Entered entered = context_.enter();
    if (entered->memory->is_capturing(stream)) {
        launched.add_to_capture(stream);
        return;
    }
    CaptureRecord::require_none(context_.device());
    const CUresult result = launched.launch(stream);
    if (result != CUDA_SUCCESS) fail_graph(result, "cuGraphLaunch", launched.name());
    launched.note_launch(stream);
}

void CudaGraphs::fail_graph(CUresult result, const char* call, const std::string& name) const {
    context_.fail(result, call, fmt::format("{} on {}", name, context_.text()));
}

}  // namespace kgen
