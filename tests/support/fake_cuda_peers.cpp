// SPDX-License-Identifier: MIT
#include "support/fake_cuda_peers.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "support/fake_cuda_state.hpp"

using namespace fake_cuda;

namespace {

std::map<CUmemoryPool, int> gpus_of_pools;  // guarded by the mutex of the state, as all below
std::map<CUevent, CUstream> streams_of_events;
std::map<const void*, CUcontext> owners;  // of streams and events

bool has_several_gpus() {
    return number("FAKE_CUDA_DEVICES", 1) > 1;
}

template <std::size_t Size>
void append(char (&log)[Size], const std::string& text) {
    const std::size_t used = std::strlen(log);
    std::snprintf(log + used, Size - used, "%s; ", text.c_str());
}

std::string text_of(CUstream stream) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", static_cast<const void*>(stream));
    return text;
}

// Whether the variable's list of pairs of GPUs has this pair.
bool names_pair(const char* list, int first, int second) {
    return std::strstr(list, (std::to_string(first) + std::to_string(second)).c_str()) != nullptr;
}

FAKE(cuDeviceCanAccessPeer, int* can, CUdevice device, CUdevice peer) {
    ENTER(cuDeviceCanAccessPeer);
    const char* peers = std::getenv("FAKE_CUDA_PEERS");
    *can = peers == nullptr || names_pair(peers, device, peer) ? 1 : 0;
    return CUDA_SUCCESS;
}
FAKE(cuMemPoolCreate, CUmemoryPool* pool, const CUmemPoolProps* properties) {
    ENTER(cuMemPoolCreate);
    *pool = make_handle<CUmemoryPool>();
    if (!has_several_gpus()) return CUDA_SUCCESS;
    const std::lock_guard lock(mutex);
    gpus_of_pools[*pool] = properties->location.id;
    append(record.pool_log, "create " + std::to_string(properties->location.id));
    return CUDA_SUCCESS;
}
FAKE(cuMemPoolSetAccess, CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
    ENTER(cuMemPoolSetAccess);
    const std::lock_guard lock(mutex);
    std::string text = "open " + std::to_string(gpus_of_pools.at(pool)) + " to";
    for (std::size_t k = 0; k < count; ++k) {
        if (access[k].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
            access[k].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        text += " " + std::to_string(access[k].location.id);
        const char* closed = std::getenv("FAKE_CUDA_CLOSED_POOLS");
        if (closed != nullptr && names_pair(closed, gpus_of_pools.at(pool), access[k].location.id))
            return CUDA_ERROR_INVALID_VALUE;
    }
    append(record.pool_log, text);
    return CUDA_SUCCESS;
}
FAKE(cuMemcpyPeerAsync,
     CUdeviceptr to,
     CUcontext to_context,
     CUdeviceptr from,
     CUcontext from_context,
     std::size_t bytes,
     CUstream stream) {
    ENTER_ON(cuMemcpyPeerAsync, stream);
    if (to_context == from_context) return CUDA_ERROR_INVALID_VALUE;
    // cuDevicePrimaryCtxRetain returns 0x10 for cuda:0, 0x11 for cuda:1.
    const auto gpu_of = [](CUcontext context) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(context) - 0x10);
    };
    const char* lost = std::getenv("FAKE_CUDA_LOST_COPIES");
    const std::lock_guard lock(mutex);
    append(record.order_log, "copy in " + text_of(stream));
    if (lost != nullptr && names_pair(lost, gpu_of(from_context), gpu_of(to_context)))
        return CUDA_SUCCESS;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}

}  // namespace

void note_fake_allocation(CUmemoryPool pool) {
    if (has_several_gpus())
        append(record.pool_log, "allocate " + std::to_string(gpus_of_pools.at(pool)));
}

void note_fake_record(CUevent event, CUstream stream) {
    if (!has_several_gpus()) return;
    const std::lock_guard lock(mutex);
    streams_of_events[event] = stream;
}

void note_fake_owner(const void* handle) {
    if (!has_several_gpus()) return;
    const std::lock_guard lock(mutex);
    owners[handle] = current_context;
}

CUcontext fake_owner_of(const void* handle) {
    if (!has_several_gpus() || handle == CU_STREAM_LEGACY) return current_context;
    const std::lock_guard lock(mutex);
    const auto owner = owners.find(handle);
    return owner == owners.end() ? current_context : owner->second;
}

void note_fake_wait(CUstream stream, CUevent event) {
    if (!has_several_gpus()) return;
    const std::lock_guard lock(mutex);
    append(record.order_log,
           text_of(stream) + " waits for " + text_of(streams_of_events.at(event)));
}
