// SPDX-License-Identifier: MIT
#include "support/fake_cuda_graphs.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_cuda_peers.hpp"
#include "support/fake_cuda_state.hpp"

using fake_cuda::make_handle;

namespace {

std::mutex mutex;  // guards all variables below

struct HostCall {
    CUhostFn function;
    void* argument;
};

struct FakeGraph {
    std::vector<HostCall> host_calls;
    int nodes = 0;
    std::vector<CUgraph> children;
    int owners = 1;  // the graph itself, its executable graphs, and the graphs that contain it
};

std::map<CUgraph, FakeGraph> graphs;
std::map<CUgraphExec, CUgraph> executables;
std::map<CUstream, int> priorities;

std::set<CUstream> blocking_streams;  // streams that wait for the legacy default stream
std::set<CUstream> destroyed_streams;

// A capture of a stream and of the streams that were made to wait for it.
struct Capture {
    CUgraph graph = nullptr;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id thread;
    bool is_valid = true;
    std::set<CUstream> streams;
    std::set<CUevent> events;
    bool is_strict() const {
        return mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
               (mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
                thread == std::this_thread::get_id());
    }
};
std::map<CUstream, Capture> captures;  // by the stream that the capture began with
CUstream last_captured = nullptr;
std::set<CUevent> events_of_ended_captures;

// A test can invalidate the last capture by setting `graph` of the record to nullptr.
bool is_valid(CUstream begun, const Capture& capture) {
    return capture.is_valid && (begun != last_captured || fake_cuda::record.graph != nullptr);
}

Capture* capture_of(CUstream stream) {
    for (auto& [begun, capture] : captures) {
        if (capture.streams.contains(stream)) return &capture;
    }
    return nullptr;
}

// Invalidates the captures for which `is_meant` is true. Returns true if there are any.
template <typename Meant>
bool invalidate(Meant is_meant) {
    bool found = false;
    for (auto& [begun, capture] : captures) {
        if (!is_meant(begun, capture)) continue;
        capture.is_valid = false;
        found = true;
    }
    return found;
}

CUresult invalidate(Capture& capture, CUresult why) {
    capture.is_valid = false;
    return why;
}

bool is_legacy(CUstream stream) {
    return stream == nullptr || stream == CU_STREAM_LEGACY;
}

FAKE(cuStreamCreateWithPriority, CUstream* stream, unsigned flags, int priority) {
    ENTER(cuStreamCreateWithPriority);
    *stream = make_handle<CUstream>();
    note_fake_owner(*stream);
    const std::lock_guard lock(mutex);
    priorities[*stream] = priority;
    if (flags == CU_STREAM_DEFAULT) blocking_streams.insert(*stream);
    fake_cuda::record.stream_flags = flags;
    return CUDA_SUCCESS;
}
FAKE(cuStreamGetPriority, CUstream stream, int* priority) {
    ENTER(cuStreamGetPriority);
    const std::lock_guard lock(mutex);
    const auto found = priorities.find(stream);
    *priority = found == priorities.end() ? 0 : found->second;
    return CUDA_SUCCESS;
}
FAKE(cuLaunchHostFunc, CUstream stream, CUhostFn function, void* argument) {
    ENTER_ON(cuLaunchHostFunc, stream);
    if (is_fake_captured(stream)) {
        const std::lock_guard lock(mutex);
        if (const Capture* capture = capture_of(stream))
            graphs[capture->graph].host_calls.push_back({function, argument});
    } else {
        function(argument);
    }
    return CUDA_SUCCESS;
}

FAKE(cuStreamBeginCapture, CUstream stream, CUstreamCaptureMode mode) {
    ENTER(cuStreamBeginCapture);
    return begin_fake_capture(stream, mode);
}
void drop_owner(CUgraph graph) {
    std::vector<CUgraph> children;
    {
        const std::lock_guard lock(mutex);
        if (--graphs.at(graph).owners > 0) return;
        children = graphs.at(graph).children;
        graphs.erase(graph);
    }
    for (CUgraph child : children) drop_owner(child);
    fake_release_graph(graph);
}
FAKE(cuGraphDestroy, CUgraph graph) {
    ENTER(cuGraphDestroy);
    drop_owner(graph);
    return CUDA_SUCCESS;
}
FAKE(cuGraphAddChildGraphNode,
     CUgraphNode* node,
     CUgraph graph,
     const CUgraphNode*,
     std::size_t,
     CUgraph child) {
    ENTER(cuGraphAddChildGraphNode);
    const std::lock_guard lock(mutex);
    *node = make_handle<CUgraphNode>();
    FakeGraph& outer = graphs.at(graph);
    FakeGraph& inner = graphs.at(child);
    outer.host_calls.insert(
        outer.host_calls.end(), inner.host_calls.begin(), inner.host_calls.end());
    outer.children.push_back(child);
    ++outer.nodes;
    ++inner.owners;
    return CUDA_SUCCESS;
}
FAKE(cuStreamUpdateCaptureDependencies, CUstream, CUgraphNode*, std::size_t, unsigned) {
    ENTER(cuStreamUpdateCaptureDependencies);
    return CUDA_SUCCESS;
}
FAKE(cuStreamEndCapture, CUstream stream, CUgraph* graph) {
    const CUresult ended = end_fake_capture(stream, graph);
    const CUresult asked_for = fake_cuda::enter("cuStreamEndCapture");
    if (asked_for == CUDA_SUCCESS || *graph == nullptr) return ended;
    drop_owner(std::exchange(*graph, nullptr));
    return asked_for;
}
FAKE(cuGraphGetNodes, CUgraph graph, CUgraphNode*, std::size_t* count) {
    ENTER(cuGraphGetNodes);
    const std::lock_guard lock(mutex);
    *count = static_cast<std::size_t>(graphs.at(graph).nodes);
    return CUDA_SUCCESS;
}
FAKE(cuGraphInstantiateWithFlags, CUgraphExec* executable, CUgraph graph, unsigned long long) {
    ENTER(cuGraphInstantiateWithFlags);
    const std::lock_guard lock(mutex);
    *executable = make_handle<CUgraphExec>();
    executables[*executable] = graph;
    ++graphs.at(graph).owners;
    return CUDA_SUCCESS;
}
FAKE(cuGraphUpload, CUgraphExec, CUstream) {
    ENTER(cuGraphUpload);
    return CUDA_SUCCESS;
}
FAKE(cuGraphLaunch, CUgraphExec executable, CUstream stream) {
    ENTER_ON(cuGraphLaunch, stream);
    static std::atomic<int> running = 0;
    if (running.fetch_add(1) != 0) fake_cuda::record.graph_launches_clash = true;
    std::vector<HostCall> calls;
    {
        const std::lock_guard lock(mutex);
        calls = graphs.at(executables.at(executable)).host_calls;
        fake_cuda::record.stream = stream;
    }
    for (const HostCall& call : calls) call.function(call.argument);
    --running;
    return CUDA_SUCCESS;
}
FAKE(cuGraphExecDestroy, CUgraphExec executable) {
    ENTER(cuGraphExecDestroy);
    CUgraph graph = nullptr;
    {
        const std::lock_guard lock(mutex);
        graph = executables.at(executable);
        executables.erase(executable);
    }
    drop_owner(graph);
    return CUDA_SUCCESS;
}

}  // namespace

bool is_fake_captured(CUstream stream) {
    const std::lock_guard lock(mutex);
    return captures.empty() ? fake_cuda::record.is_capturing : capture_of(stream) != nullptr;
}

CUgraph fake_graph_of(CUstream stream) {
    const std::lock_guard lock(mutex);
    for (const auto& [begun, capture] : captures) {
        if (capture.streams.contains(stream))
            return is_valid(begun, capture) ? capture.graph : nullptr;
    }
    return static_cast<CUgraph>(const_cast<void*>(fake_cuda::record.graph));
}

CUresult begin_fake_capture(CUstream stream, CUstreamCaptureMode mode) {
    const std::lock_guard lock(mutex);
    using fake_cuda::record;
    if (is_legacy(stream) || capture_of(stream) != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    const auto graph = make_handle<CUgraph>();
    captures[stream] = {.graph = graph,
                        .mode = mode,
                        .thread = std::this_thread::get_id(),
                        .streams = {stream},
                        .events = {}};
    graphs[graph] = {};
    last_captured = stream;
    record.begun_mode = mode;
    record.is_capturing = true;
    record.graph = graph;
    return CUDA_SUCCESS;
}

CUresult end_fake_capture(CUstream stream, CUgraph* graph) {
    *graph = nullptr;
    CUgraph ended = nullptr;
    {
        const std::lock_guard lock(mutex);
        using fake_cuda::record;
        const auto found = captures.find(stream);
        if (found == captures.end()) return CUDA_ERROR_ILLEGAL_STATE;
        ended = found->second.graph;
        if (is_valid(stream, found->second)) *graph = ended;
        events_of_ended_captures.merge(found->second.events);
        captures.erase(found);
        record.is_capturing = !captures.empty();
        if (stream == last_captured) record.graph = nullptr;
    }
    if (*graph != nullptr) return CUDA_SUCCESS;
    drop_owner(ended);
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult fake_capture_rule(const char* name) {
    static const std::set<std::string_view> potentially_unsafe = {
        "cuStreamSynchronize",     "cuStreamQuery",
        "cuEventSynchronize",      "cuEventQuery",
        "cuMemPoolCreate",         "cuMemPoolGetAttribute",
        "cuMemPoolTrimTo",         "cuMemFreeAsync",
        "cuMemAllocFromPoolAsync", "cuMemHostAlloc",
        "cuMemFreeHost",           "cuArray3DCreate",
        "cuArrayDestroy",          "cuTexObjectCreate",
        "cuTexObjectDestroy",      "cuSurfObjectCreate",
        "cuSurfObjectDestroy",     "cuLibraryUnload",
        "cuGraphExecDestroy",      "cuGraphInstantiateWithFlags"};
    const std::lock_guard lock(mutex);
    const bool waits_for_all = std::string_view(name) == "cuCtxSynchronize";
    const bool is_unsafe = fake_cuda::capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
                           potentially_unsafe.contains(name);
    const bool disturbs = invalidate([&](CUstream, const Capture& capture) {
        return waits_for_all || (is_unsafe && capture.is_strict());
    });
    return disturbs ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult fake_capture_rule(const char* name, CUstream stream) {
    static const std::set<std::string_view> nodes = {"cuLaunchKernel",
                                                     "cuLaunchKernelEx",
                                                     "cuLaunchHostFunc",
                                                     "cuMemsetD8Async",
                                                     "cuMemcpyDtoDAsync",
                                                     "cuMemcpyHtoDAsync",
                                                     "cuMemcpyDtoHAsync",
                                                     "cuMemcpy3DAsync"};
    static const std::set<std::string_view> refused = {
        "cuStreamSynchronize", "cuStreamQuery", "cuStreamGetId"};
    const std::lock_guard lock(mutex);
    if (destroyed_streams.contains(stream)) {  // the real driver may crash, too
        std::fprintf(stderr, "%s: the stream is destroyed\n", name);
        std::abort();
    }
    if (std::string_view(name) == "cuStreamDestroy") destroyed_streams.insert(stream);
    if (is_legacy(stream)) {
        const bool only_asks = std::string_view(name) == "cuStreamIsCapturing";
        bool is_awaited = false;
        invalidate([&](CUstream begun, const Capture&) {
            is_awaited |= blocking_streams.contains(begun);
            return blocking_streams.contains(begun) && !only_asks;
        });
        return is_awaited ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
    }
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return CUDA_SUCCESS;
    if (refused.contains(name)) return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    // A graph cannot free memory that was allocated outside of it.
    if (std::string_view(name) == "cuMemFreeAsync") return CUDA_ERROR_INVALID_VALUE;
    if (!nodes.contains(name)) return CUDA_SUCCESS;
    if (!capture->is_valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    ++graphs[capture->graph].nodes;
    return CUDA_SUCCESS;
}

void note_fake_stream(CUstream stream, unsigned flags) {
    const std::lock_guard lock(mutex);
    if (flags == CU_STREAM_DEFAULT) blocking_streams.insert(stream);
}

void note_fake_event(CUevent event, CUstream stream) {
    const std::lock_guard lock(mutex);
    events_of_ended_captures.erase(event);
    for (auto& [begun, capture] : captures) capture.events.erase(event);
    if (Capture* capture = capture_of(stream)) capture->events.insert(event);
}

CUresult wait_for_fake_event(CUstream stream, CUevent event) {
    const std::lock_guard lock(mutex);
    Capture* const waiting = capture_of(stream);
    for (auto& [begun, capture] : captures) {
        if (!capture.events.contains(event)) continue;
        capture.streams.insert(stream);
        return CUDA_SUCCESS;
    }
    if (waiting != nullptr) return invalidate(*waiting, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    return CUDA_SUCCESS;
}

CUresult ask_fake_event(CUevent event) {
    const std::lock_guard lock(mutex);
    const bool is_captured = invalidate(
        [&](CUstream, const Capture& capture) { return capture.events.contains(event); });
    if (is_captured) return CUDA_ERROR_CAPTURED_EVENT;
    return events_of_ended_captures.contains(event) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

void reset_fake_graphs() {
    const std::lock_guard lock(mutex);
    captures.clear();
    events_of_ended_captures.clear();
}
