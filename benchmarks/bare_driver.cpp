// SPDX-License-Identifier: MIT
#include "benchmarks/bare_driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <kgen/device.hpp>
#include <kgen/error.hpp>

namespace kgen::bench {

namespace {

using DevicePointer = unsigned long long;

void check(const char* call, int result) {
    if (result == 0) return;
    throw DeviceError(fmt::format("{} returned {}", call, result), call, result);
}

// The functions of the driver that are used, as cuda.h declares them.
struct DriverCalls {
    int (*device_get)(int* device, int ordinal) = nullptr;
    int (*retain_primary_context)(void** context, int device) = nullptr;
    int (*set_current_context)(void* context) = nullptr;
    int (*allocate_host)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
    int (*free_host)(void* memory) = nullptr;
    int (*set_bytes)(DevicePointer, unsigned char, std::size_t, CUstream_st*) = nullptr;
    int (*copy)(DevicePointer, DevicePointer, std::size_t, CUstream_st*) = nullptr;
    int (*can_access_peer)(int* can, int device, int peer) = nullptr;
    int (*copy_peer)(DevicePointer, void*, DevicePointer, void*, std::size_t, CUstream_st*) =
        nullptr;
    void (*launch_kernel)() = nullptr;  // its type is BareLaunch::Launch
    int (*begin_capture)(CUstream_st*, int mode) = nullptr;
    int (*end_capture)(CUstream_st*, void** graph) = nullptr;
    int (*instantiate_graph)(void** executable, void* graph, unsigned long long flags) = nullptr;
    int (*launch_graph)(void* executable, CUstream_st*) = nullptr;
    int (*destroy_graph)(void* graph) = nullptr;
    int (*destroy_executable)(void* executable) = nullptr;
};

// cuGetProcAddress of CUDA 12, which returns each function as cuda.h of the given version declares it.
using GetEntry = int(const char* name, void** entry, int version, std::uint64_t flags, int* status);
constexpr int cuda_version = 12040;

template <typename Function>
void find(GetEntry* get_entry, const char* name, Function*& entry) {
    void* found = nullptr;
    int status = 0;
    const int result = get_entry(name, &found, cuda_version, 0, &status);
    if (result != 0 || found == nullptr) {
        throw DeviceError(fmt::format("the CUDA driver has no {}", name), name, result);
    }
    entry = reinterpret_cast<Function*>(found);
}

int handle_of(const DriverCalls& calls, Device device) {
    int handle = 0;
    check("cuDeviceGet", calls.device_get(&handle, device.ordinal()));
    return handle;
}

// The context is never released, because kgen also keeps it until the process ends.
void* primary_context(const DriverCalls& calls, Device device) {
    void* context = nullptr;
    check("cuDevicePrimaryCtxRetain",
          calls.retain_primary_context(&context, handle_of(calls, device)));
    return context;
}

DriverCalls open_driver() {
    const char* path = std::getenv("KGEN_CUDA_PATH");
    void* library = ::dlopen(path != nullptr ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw DeviceError(::dlerror(), "dlopen");
    auto* get_entry = reinterpret_cast<GetEntry*>(::dlsym(library, "cuGetProcAddress_v2"));
    if (get_entry == nullptr) throw DeviceError("the CUDA driver is older than 12.0");
    DriverCalls calls;
    find(get_entry, "cuDeviceGet", calls.device_get);
    find(get_entry, "cuDevicePrimaryCtxRetain", calls.retain_primary_context);
    find(get_entry, "cuCtxSetCurrent", calls.set_current_context);
    find(get_entry, "cuMemHostAlloc", calls.allocate_host);
    find(get_entry, "cuMemFreeHost", calls.free_host);
    find(get_entry, "cuMemsetD8Async", calls.set_bytes);
    find(get_entry, "cuMemcpyAsync", calls.copy);
    find(get_entry, "cuDeviceCanAccessPeer", calls.can_access_peer);
    find(get_entry, "cuMemcpyPeerAsync", calls.copy_peer);
    find(get_entry, "cuLaunchKernel", calls.launch_kernel);
    find(get_entry, "cuStreamBeginCapture", calls.begin_capture);
    find(get_entry, "cuStreamEndCapture", calls.end_capture);
    find(get_entry, "cuGraphInstantiateWithFlags", calls.instantiate_graph);
    find(get_entry, "cuGraphLaunch", calls.launch_graph);
    find(get_entry, "cuGraphDestroy", calls.destroy_graph);
    find(get_entry, "cuGraphExecDestroy", calls.destroy_executable);
    void* const context = primary_context(calls, current_device());
    check("cuCtxSetCurrent", calls.set_current_context(context));
    return calls;
}

const DriverCalls& driver() {
    static const DriverCalls calls = open_driver();
    return calls;
}

}  // namespace

PinnedFlag::PinnedFlag() {
    void* memory = nullptr;
    constexpr unsigned portable_and_mapped = 1 | 2;
    check("cuMemHostAlloc", driver().allocate_host(&memory, sizeof *value_, portable_and_mapped));
    value_ = static_cast<volatile std::int32_t*>(memory);
    set(0);
}

PinnedFlag::~PinnedFlag() {
    driver().free_host(address());
}

BareLaunch::BareLaunch(const NativeLaunch& native)
    : native_(native), launch_(reinterpret_cast<Launch*>(driver().launch_kernel)) {
    // CU_LAUNCH_PARAM_BUFFER_POINTER is 1, _BUFFER_SIZE is 2 and _END is 0 in cuda.h.
    const auto label = [](std::uintptr_t number) { return reinterpret_cast<void*>(number); };
    extra_ = {label(1),
              const_cast<void*>(native_.parameters),
              label(2),
              &native_.parameter_bytes,
              label(0)};
}

BareGraph::BareGraph(CUstream_st* stream, const std::function<void()>& work) : stream_(stream) {
    constexpr int relaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
    check("cuStreamBeginCapture", driver().begin_capture(stream, relaxed));
    work();
    check("cuStreamEndCapture", driver().end_capture(stream, &graph_));
    check("cuGraphInstantiate", driver().instantiate_graph(&executable_, graph_, 0));
}

BareGraph::~BareGraph() {
    driver().destroy_executable(executable_);
    driver().destroy_graph(graph_);
}

void BareGraph::launch() const {
    check("cuGraphLaunch", driver().launch_graph(executable_, stream_));
}

void bare_copy(void* destination, const void* source, std::size_t count, CUstream_st* stream) {
    check("cuMemcpyAsync",
          driver().copy(reinterpret_cast<DevicePointer>(destination),
                        reinterpret_cast<DevicePointer>(source),
                        count,
                        stream));
}

bool are_peers(Device one, Device other) {
    const auto reaches = [](Device device, Device peer) {
        int can = 0;
        check(
            "cuDeviceCanAccessPeer",
            driver().can_access_peer(&can, handle_of(driver(), device), handle_of(driver(), peer)));
        return can != 0;
    };
    return reaches(one, other) && reaches(other, one);
}

BarePeerCopy::BarePeerCopy(Device to, Device from)
    : to_(primary_context(driver(), to)), from_(primary_context(driver(), from)) {}

void BarePeerCopy::operator()(void* destination,
                              const void* source,
                              std::size_t count,
                              CUstream_st* stream) const {
    check("cuMemcpyPeerAsync",
          driver().copy_peer(reinterpret_cast<DevicePointer>(destination),
                             to_,
                             reinterpret_cast<DevicePointer>(source),
                             from_,
                             count,
                             stream));
}

void bare_memset(void* destination, int byte, std::size_t count, CUstream_st* stream) {
    check("cuMemsetD8Async",
          driver().set_bytes(reinterpret_cast<DevicePointer>(destination),
                             static_cast<unsigned char>(byte),
                             count,
                             stream));
}

}  // namespace kgen::bench
