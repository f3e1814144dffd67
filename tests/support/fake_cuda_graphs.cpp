// SPDX-License-Identifier: MIT
#include "support/fake_cuda_graphs.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

std::mutex mutex;  // of all below

struct HostCall {
    CUhostFn function;
    void* argument;
};

struct FakeGraph {
    std::vector<HostCall> host_calls;
    int nodes = 0;
    std::vector<CUgraph> children;
    int owners = 1;  // itself, what was instantiated from it, and those that it is a part of
};

std::map<CUgraph, FakeGraph> graphs;
std::map<CUgraphExec, CUgraph> executables;
std::map<CUstream, int> priorities;
std::uintptr_t next_handle = 0x900000;

// What is being captured; one stream at a time.
CUstream captured_stream = nullptr;
CUgraph captured_graph = nullptr;

template <typename Handle>
Handle make_handle() {
    return reinterpret_cast<Handle>(next_handle += 0x100);
}

#define ENTER(name) \
    if (const CUresult result = fake_enter(#name); result != CUDA_SUCCESS) return result

CUresult fake_cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    ENTER(cuCtxGetStreamPriorityRange);
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    ENTER(cuStreamCreateWithPriority);
    const std::lock_guard lock(mutex);
    *stream = make_handle<CUstream>();
    priorities[*stream] = priority;
    fake_record().stream_flags = flags;
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamGetPriority(CUstream stream, int* priority) {
    ENTER(cuStreamGetPriority);
    const std::lock_guard lock(mutex);
    const auto found = priorities.find(stream);
    *priority = found == priorities.end() ? 0 : found->second;
    return CUDA_SUCCESS;
}
CUresult fake_cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
    ENTER(cuLaunchHostFunc);
    if (is_fake_captured(stream)) {
        const std::lock_guard lock(mutex);
        graphs[captured_graph].host_calls.push_back({function, argument});
    } else {
        function(argument);
    }
    return CUDA_SUCCESS;
}

CUresult fake_cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    ENTER(cuStreamBeginCapture);
    const std::lock_guard lock(mutex);
    FakeCudaRecord& record = fake_record();
    if (stream == nullptr || captured_stream != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    captured_stream = stream;
    captured_graph = make_handle<CUgraph>();
    graphs[captured_graph] = {};
    record.begun_mode = mode;
    record.is_capturing = true;
    record.graph = captured_graph;
    return CUDA_SUCCESS;
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
CUresult fake_cuGraphDestroy(CUgraph graph) {
    ENTER(cuGraphDestroy);
    drop_owner(graph);
    return CUDA_SUCCESS;
}
CUresult fake_cuGraphAddChildGraphNode(
    CUgraphNode* node, CUgraph graph, const CUgraphNode*, std::size_t, CUgraph child) {
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
CUresult fake_cuStreamUpdateCaptureDependencies(CUstream, CUgraphNode*, std::size_t, unsigned) {
    ENTER(cuStreamUpdateCaptureDependencies);
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    CUgraph ended = nullptr;
    bool is_valid = false;
    {
        const std::lock_guard lock(mutex);
        FakeCudaRecord& record = fake_record();
        if (stream != captured_stream) return CUDA_ERROR_ILLEGAL_STATE;
        is_valid = record.graph != nullptr;
        ended = captured_graph;
        captured_stream = nullptr;
        captured_graph = nullptr;
        record.is_capturing = false;
        record.graph = nullptr;
    }
    *graph = nullptr;
    const CUresult asked_for = fake_enter("cuStreamEndCapture");
    if (is_valid && asked_for == CUDA_SUCCESS) {
        *graph = ended;
        return CUDA_SUCCESS;
    }
    fake_cuGraphDestroy(ended);
    return asked_for != CUDA_SUCCESS ? asked_for : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}
CUresult fake_cuGraphGetNodes(CUgraph graph, CUgraphNode*, std::size_t* count) {
    ENTER(cuGraphGetNodes);
    const std::lock_guard lock(mutex);
    *count = static_cast<std::size_t>(graphs.at(graph).nodes);
    return CUDA_SUCCESS;
}
CUresult fake_cuGraphInstantiateWithFlags(CUgraphExec* executable,
                                          CUgraph graph,
                                          unsigned long long) {
    ENTER(cuGraphInstantiateWithFlags);
    const std::lock_guard lock(mutex);
    *executable = make_handle<CUgraphExec>();
    executables[*executable] = graph;
    ++graphs.at(graph).owners;
    return CUDA_SUCCESS;
}
CUresult fake_cuGraphUpload(CUgraphExec, CUstream) {
    ENTER(cuGraphUpload);
    return CUDA_SUCCESS;
}
CUresult fake_cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    ENTER(cuGraphLaunch);
    static std::atomic<int> running = 0;
    if (running.fetch_add(1) != 0) fake_record().graph_launches_clash = true;
    std::vector<HostCall> calls;
    {
        const std::lock_guard lock(mutex);
        calls = graphs.at(executables.at(executable)).host_calls;
        fake_record().stream = stream;
    }
    for (const HostCall& call : calls) call.function(call.argument);
    --running;
    return CUDA_SUCCESS;
}
CUresult fake_cuGraphExecDestroy(CUgraphExec executable) {
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
    if (captured_stream == nullptr) return fake_record().is_capturing;
    return stream == captured_stream;
}

CUresult invalidate_fake_capture() {
    const std::lock_guard lock(mutex);
    if (captured_stream != nullptr) fake_record().graph = nullptr;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

void note_fake_node(const char* name) {
    static const std::set<std::string> nodes = {"cuLaunchKernel",
                                                "cuLaunchKernelEx",
                                                "cuLaunchHostFunc",
                                                "cuMemsetD8Async",
                                                "cuMemcpyDtoDAsync",
                                                "cuMemcpyHtoDAsync",
                                                "cuMemcpyDtoHAsync",
                                                "cuMemcpy3DAsync"};
    const std::lock_guard lock(mutex);
    if (captured_graph != nullptr && nodes.contains(name)) ++graphs[captured_graph].nodes;
}

void reset_fake_graphs() {
    const std::lock_guard lock(mutex);
    captured_stream = nullptr;
    captured_graph = nullptr;
}

void* find_fake_graph_entry(const char* name) {
#define ENTRY(name) \
    { #name, reinterpret_cast < void*>(&fake_##name) }
    static const std::map<std::string, void*> table = {
        ENTRY(cuCtxGetStreamPriorityRange),
        ENTRY(cuStreamCreateWithPriority),
        ENTRY(cuStreamGetPriority),
        ENTRY(cuLaunchHostFunc),
        ENTRY(cuStreamBeginCapture),
        ENTRY(cuStreamEndCapture),
        ENTRY(cuGraphAddChildGraphNode),
        ENTRY(cuGraphDestroy),
        ENTRY(cuStreamUpdateCaptureDependencies),
        ENTRY(cuGraphGetNodes),
        ENTRY(cuGraphInstantiateWithFlags),
        ENTRY(cuGraphUpload),
        ENTRY(cuGraphLaunch),
        ENTRY(cuGraphExecDestroy),
    };
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}
