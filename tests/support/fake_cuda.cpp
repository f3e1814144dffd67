// SPDX-License-Identifier: MIT
#include "support/fake_cuda.hpp"

#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "support/fake_cuda_code.hpp"
#include "support/fake_cuda_graphs.hpp"
#include "support/fake_cuda_peers.hpp"
#include "support/fake_cuda_state.hpp"

namespace fake_cuda {

std::mutex mutex;
FakeCudaRecord record;
std::map<std::string, int, std::less<>> counts;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
thread_local CUcontext current_context = nullptr;

int number(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::atoi(value);
}

CUresult enter(const char* name) {
    if (const CUresult refused = fake_capture_rule(name); refused != CUDA_SUCCESS) return refused;
    const std::lock_guard lock(mutex);
    const auto counted = counts.find(std::string_view(name));  // allocates nothing for a known name
    const int calls = ++(counted == counts.end() ? counts[name] : counted->second);
    const char* fail = std::getenv("FAKE_CUDA_FAIL");
    const std::size_t length = std::strlen(name);
    if (fail != nullptr && std::strncmp(fail, name, length) == 0 && fail[length] == ':') {
        const char* first_calls = std::strchr(fail + length + 1, ':');
        if (first_calls == nullptr || calls <= std::atoi(first_calls + 1))
            return static_cast<CUresult>(std::atoi(fail + length + 1));
    }
    return CUDA_SUCCESS;
}

std::map<std::string, void*>& entries() {
    static std::map<std::string, void*> all;
    return all;
}

std::uintptr_t next_handle() {
    static std::atomic<std::uintptr_t> last = 0x1000;
    return last += 0x100;
}

}  // namespace fake_cuda

using namespace fake_cuda;

namespace {

// Never destroyed, so that what tests leave behind, in graphs too, is not reported as leaks of kgen.
auto& blocks = *new std::map<void*, std::size_t>;  // sizes of device blocks by address
auto& pinned = *new std::map<void*, std::size_t>;  // sizes of pinned host blocks by address

struct UserObject {
    void* pointer;
    CUhostFn destroy;
    unsigned references;
};
auto& user_objects = *new std::map<CUuserObject, UserObject>;
auto& objects_of_graphs = *new std::map<const void*, std::vector<CUuserObject>>;

FAKE(cuInit, unsigned) {
    ENTER(cuInit);
    return CUDA_SUCCESS;
}
struct ErrorTexts {
    CUresult error;
    const char* name;
    const char* text;  // nullptr if no test reads it
};
constexpr ErrorTexts errors[] = {
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU", nullptr},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", nullptr},
    {CUDA_ERROR_ILLEGAL_ADDRESS,
     "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
     "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {CUDA_ERROR_ASSERT, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", nullptr},
};
CUresult find_error(CUresult error, const char* ErrorTexts::*part, const char** text) {
    const auto* found = std::find_if(std::begin(errors),
                                     std::end(errors),
                                     [&](const ErrorTexts& each) { return each.error == error; });
    *text = found == std::end(errors) ? nullptr : found->*part;
    return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
FAKE(cuGetErrorName, CUresult error, const char** text) {
    return find_error(error, &ErrorTexts::name, text);
}
FAKE(cuGetErrorString, CUresult error, const char** text) {
    return find_error(error, &ErrorTexts::text, text);
}

// --- Devices and contexts -----------------------------------------------------------------------

FAKE(cuDeviceGetCount, int* count) {
    ENTER(cuDeviceGetCount);
    *count = number("FAKE_CUDA_DEVICES", 1);
    return CUDA_SUCCESS;
}
FAKE(cuDeviceGet, CUdevice* device, int ordinal) {
    ENTER(cuDeviceGet);
    *device = ordinal;
    return CUDA_SUCCESS;
}
FAKE(cuDeviceGetName, char* name, int size, CUdevice) {
    ENTER(cuDeviceGetName);
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
}
FAKE(cuDeviceGetAttribute, int* value, CUdevice_attribute attribute, CUdevice) {
    ENTER(cuDeviceGetAttribute);
    const int capability = number("FAKE_CUDA_CAPABILITY", 90);
    const std::pair<CUdevice_attribute, int> values[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, capability / 10},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, capability % 10},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
        {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
        {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
        {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, number("FAKE_CUDA_COOPERATIVE", 1)},
    };
    return give_attribute(values, attribute, value);
}
FAKE(cuDeviceTotalMem, std::size_t* bytes, CUdevice) {
    ENTER(cuDeviceTotalMem);
    *bytes = std::size_t{80} << 30;
    return CUDA_SUCCESS;
}
FAKE(cuDevicePrimaryCtxRetain, CUcontext* context, CUdevice device) {
    ENTER(cuDevicePrimaryCtxRetain);
    *context = reinterpret_cast<CUcontext>(std::uintptr_t{0x10} + static_cast<unsigned>(device));
    return CUDA_SUCCESS;
}
FAKE(cuCtxGetCurrent, CUcontext* context) {
    ENTER(cuCtxGetCurrent);
    *context = current_context;
    return CUDA_SUCCESS;
}
FAKE(cuCtxSetCurrent, CUcontext context) {
    ENTER(cuCtxSetCurrent);
    current_context = context;
    return CUDA_SUCCESS;
}
FAKE(cuCtxGetId, CUcontext, unsigned long long* id) {
    ENTER(cuCtxGetId);
    *id = record.context_id;
    return *id == 0 ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}
FAKE(cuCtxSynchronize) {
    ENTER(cuCtxSynchronize);
    return CUDA_SUCCESS;
}

// --- Memory -------------------------------------------------------------------------------------

FAKE(cuMemPoolSetAttribute, CUmemoryPool, CUmemPool_attribute, void*) {
    ENTER(cuMemPoolSetAttribute);
    return CUDA_SUCCESS;
}
FAKE(cuMemPoolTrimTo, CUmemoryPool, std::size_t) {
    ENTER(cuMemPoolTrimTo);
    record.is_out_of_memory = false;
    return CUDA_SUCCESS;
}
FAKE(cuMemPoolGetAttribute, CUmemoryPool, CUmemPool_attribute attribute, void* value) {
    ENTER(cuMemPoolGetAttribute);
    const std::lock_guard lock(mutex);
    // The fake pool reserves nothing beyond the memory in use.
    const bool is_high = attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ||
                         attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH;
    *static_cast<cuuint64_t*>(value) = is_high ? record.most_live_bytes : record.live_bytes;
    return CUDA_SUCCESS;
}
FAKE(cuPointerGetAttributes,
     unsigned count,
     CUpointer_attribute* attributes,
     void** values,
     CUdeviceptr pointer) {
    ENTER(cuPointerGetAttributes);
    const std::lock_guard lock(mutex);
    unsigned type = 0;
    CUdeviceptr begin = 0;
    std::size_t bytes = 0;
    const auto find_in = [&](const auto& memory, unsigned type_of_memory) {
        for (const auto& [block, size] : memory) {
            const auto address = reinterpret_cast<CUdeviceptr>(block);
            if (pointer < address || pointer >= address + size) continue;
            type = type_of_memory;
            begin = address;
            bytes = size;
        }
    };
    find_in(blocks, CU_MEMORYTYPE_DEVICE);
    find_in(pinned, CU_MEMORYTYPE_HOST);
    for (unsigned k = 0; k < count; ++k) {
        switch (attributes[k]) {
            case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
                *static_cast<unsigned*>(values[k]) = type;
                break;
            case CU_POINTER_ATTRIBUTE_IS_MANAGED:
                *static_cast<unsigned*>(values[k]) = 0;
                break;
            case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
                *static_cast<int*>(values[k]) = record.pointer_ordinal;
                break;
            case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
                *static_cast<CUdeviceptr*>(values[k]) = begin;
                break;
            case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
                *static_cast<std::size_t*>(values[k]) = bytes;
                break;
            default:
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}
FAKE(cuMemGetInfo, std::size_t* free_bytes, std::size_t* total) {
    ENTER(cuMemGetInfo);
    *free_bytes = std::size_t{2} << 30;
    *total = std::size_t{80} << 30;
    return CUDA_SUCCESS;
}
FAKE(cuMemAllocFromPoolAsync,
     CUdeviceptr* pointer,
     std::size_t bytes,
     CUmemoryPool pool,
     CUstream stream) {
    ENTER_ON(cuMemAllocFromPoolAsync, stream);
    const std::lock_guard lock(mutex);
    note_fake_allocation(pool);
    if (record.is_out_of_memory || bytes > record.memory_bytes ||
        record.live_bytes > record.memory_bytes - bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    void* block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    std::memset(block, 0xa5, std::min(bytes, std::size_t{1} << 20));  // new memory is not zero
    blocks.emplace(block, bytes);
    record.live_bytes += bytes;
    record.live_blocks = blocks.size();
    record.most_live_bytes = std::max(record.most_live_bytes, record.live_bytes);
    record.last_allocation = bytes;
    *pointer = reinterpret_cast<CUdeviceptr>(block);
    return CUDA_SUCCESS;
}
FAKE(cuMemFreeAsync, CUdeviceptr pointer, CUstream stream) {
    ENTER_ON(cuMemFreeAsync, stream);
    void* block = reinterpret_cast<void*>(pointer);
    const std::lock_guard lock(mutex);
    const auto found = blocks.find(block);
    if (found == blocks.end()) return CUDA_ERROR_INVALID_VALUE;
    record.live_bytes -= found->second;
    blocks.erase(found);
    record.live_blocks = blocks.size();
    std::free(block);
    return CUDA_SUCCESS;
}
FAKE(cuMemcpyHtoDAsync, CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    ENTER_ON(cuMemcpyHtoDAsync, stream);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}
FAKE(cuMemcpyDtoHAsync, void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ENTER_ON(cuMemcpyDtoHAsync, stream);
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
FAKE(cuMemcpyDtoDAsync, CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ENTER_ON(cuMemcpyDtoDAsync, stream);
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
FAKE(cuMemcpyAsync, CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    ENTER_ON(cuMemcpyAsync, stream);
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
#include "support/fake_cuda_textures.hpp"

FAKE(cuMemsetD8Async, CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    ENTER_ON(cuMemsetD8Async, stream);
    {
        const std::lock_guard lock(mutex);
        record.last_fill = count;
        record.last_fill_stream = stream;
    }
    std::memset(reinterpret_cast<void*>(to), value, count);
    return CUDA_SUCCESS;
}

FAKE(cuMemHostAlloc, void** memory, std::size_t bytes, unsigned) {
    ENTER(cuMemHostAlloc);
    const std::lock_guard lock(mutex);
    if (record.is_out_of_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    pinned.emplace(*memory, bytes);
    return CUDA_SUCCESS;
}
FAKE(cuMemFreeHost, void* memory) {
    ENTER(cuMemFreeHost);
    const std::lock_guard lock(mutex);
    if (pinned.erase(memory) == 0) return CUDA_ERROR_INVALID_VALUE;
    std::free(memory);
    return CUDA_SUCCESS;
}

// --- Streams and events -------------------------------------------------------------------------

FAKE(cuStreamCreate, CUstream* stream, unsigned flags) {
    ENTER(cuStreamCreate);
    record.stream_flags = flags;
    *stream = make_handle<CUstream>();
    note_fake_owner(*stream);
    note_fake_stream(*stream, flags);
    return CUDA_SUCCESS;
}
FAKE(cuStreamDestroy, CUstream stream) {
    ENTER_ON(cuStreamDestroy, stream);
    return CUDA_SUCCESS;
}
FAKE(cuStreamSynchronize, CUstream stream) {
    ENTER_ON(cuStreamSynchronize, stream);
    return CUDA_SUCCESS;
}
FAKE(cuStreamQuery, CUstream stream) {
    ENTER_ON(cuStreamQuery, stream);
    return CUDA_SUCCESS;
}
FAKE(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned) {
    ENTER_ON(cuStreamWaitEvent, stream);
    note_fake_wait(stream, event);
    return wait_for_fake_event(stream, event);
}
FAKE(cuStreamGetId, CUstream stream, unsigned long long* id) {
    ENTER_ON(cuStreamGetId, stream);
    static std::atomic<unsigned long long> threads = 0;
    thread_local const unsigned long long thread = ++threads;
    *id = stream == CU_STREAM_PER_THREAD ? thread : reinterpret_cast<std::uintptr_t>(stream);
    return CUDA_SUCCESS;
}
FAKE(cuStreamIsCapturing, CUstream stream, CUstreamCaptureStatus* status) {
    ENTER_ON(cuStreamIsCapturing, stream);
    *status =
        is_fake_captured(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
FAKE(cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode* mode) {
    ENTER(cuThreadExchangeStreamCaptureMode);
    std::swap(*mode, capture_mode);
    const std::lock_guard lock(mutex);
    record.capture_mode = capture_mode;
    return CUDA_SUCCESS;
}
// The version of CUDA 11.3, which kgen requests.
FAKE(cuStreamGetCaptureInfo,
     CUstream stream,
     CUstreamCaptureStatus* status,
     cuuint64_t*,
     CUgraph* graph,
     const CUgraphNode**,
     std::size_t*) {
    ENTER_ON(cuStreamGetCaptureInfo, stream);
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (is_fake_captured(stream)) {
        *graph = fake_graph_of(stream);
        *status = *graph == nullptr ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                    : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    }
    return CUDA_SUCCESS;
}
FAKE(cuUserObjectCreate,
     CUuserObject* object,
     void* pointer,
     CUhostFn destroy,
     unsigned references,
     unsigned flags) {
    ENTER(cuUserObjectCreate);
    if (flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) return CUDA_ERROR_INVALID_VALUE;
    *object = make_handle<CUuserObject>();
    const std::lock_guard lock(mutex);
    user_objects[*object] = {pointer, destroy, references};
    return CUDA_SUCCESS;
}
FAKE(cuUserObjectRelease, CUuserObject object, unsigned count) {
    ENTER(cuUserObjectRelease);
    UserObject gone = {};
    {
        const std::lock_guard lock(mutex);
        UserObject& found = user_objects.at(object);
        found.references -= count;
        if (found.references != 0) return CUDA_SUCCESS;
        gone = found;
        user_objects.erase(object);
    }
    gone.destroy(gone.pointer);
    return CUDA_SUCCESS;
}
FAKE(cuGraphRetainUserObject, CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    ENTER(cuGraphRetainUserObject);
    if (graph == nullptr || count != 1 || flags != CU_GRAPH_USER_OBJECT_MOVE)
        return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(mutex);
    objects_of_graphs[graph].push_back(object);
    return CUDA_SUCCESS;
}
FAKE(cuEventCreate, CUevent* event, unsigned) {
    ENTER(cuEventCreate);
    *event = make_handle<CUevent>();
    note_fake_owner(*event);
    return CUDA_SUCCESS;
}
FAKE(cuEventDestroy, CUevent) {
    ENTER(cuEventDestroy);
    return CUDA_SUCCESS;
}
FAKE(cuEventRecord, CUevent event, CUstream stream) {
    ENTER_ON(cuEventRecord, stream);
    if (fake_owner_of(event) != fake_owner_of(stream)) return CUDA_ERROR_INVALID_HANDLE;
    note_fake_record(event, stream);
    note_fake_event(event, stream);
    return CUDA_SUCCESS;
}
FAKE(cuEventSynchronize, CUevent event) {
    ENTER(cuEventSynchronize);
    return ask_fake_event(event);
}
FAKE(cuEventQuery, CUevent event) {
    ENTER(cuEventQuery);
    return ask_fake_event(event);
}
FAKE(cuEventElapsedTime, float* elapsed, CUevent, CUevent) {
    ENTER(cuEventElapsedTime);
    *elapsed = 1.5f;
    return CUDA_SUCCESS;
}

}  // namespace

// --- Exported functions -------------------------------------------------------------------------

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CUresult cuDriverGetVersion(int* version) {
    const CUresult result = enter("cuDriverGetVersion");
    *version = number("FAKE_CUDA_VERSION", 13000);
    return result;
}

// cuda.h renames this function to cuGetProcAddress_v2.
EXPORT CUresult cuGetProcAddress(const char* name,
                                 void** address,
                                 int version,
                                 cuuint64_t,
                                 CUdriverProcAddressQueryResult* status) {
    const auto found = entries().find(name);
    void* entry = found == entries().end() ? nullptr : found->second;
    const char* missing = std::getenv("FAKE_CUDA_MISSING");
    // Other versions of these functions have other parameters.
    const bool is_of_11_3 = std::strcmp(name, "cuStreamGetCaptureInfo") == 0 ||
                            std::strcmp(name, "cuStreamUpdateCaptureDependencies") == 0;
    const bool is_other = is_of_11_3 && version != 11030;
    const bool is_there =
        entry != nullptr && !is_other && (missing == nullptr || std::strcmp(missing, name) != 0);
    *address = is_there ? entry : nullptr;
    if (status != nullptr) {
        *status = is_there ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return is_there ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

EXPORT FakeCudaRecord* fake_cuda_record() {
    return &record;
}
EXPORT int fake_cuda_calls(const char* name) {
    const std::lock_guard lock(mutex);
    if (name == nullptr) {
        int all = 0;
        for (const auto& [function, count] : counts) all += count;
        return all;
    }
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
}
void fake_release_graph(const void* graph) {
    std::vector<CUuserObject> owned;
    {
        const std::lock_guard lock(mutex);
        owned = std::move(objects_of_graphs[graph]);
        objects_of_graphs.erase(graph);
    }
    for (CUuserObject object : owned) fake_cuUserObjectRelease(object, 1);
}
EXPORT void fake_cuda_destroy_graph(const void* graph) {
    fake_release_graph(graph);
}
EXPORT int fake_cuda_begin_capture(CUstream stream, int mode) {
    return begin_fake_capture(stream, static_cast<CUstreamCaptureMode>(mode));
}
EXPORT int fake_cuda_end_capture(CUstream stream, CUgraph* graph) {
    return end_fake_capture(stream, graph);
}
EXPORT CUcontext* fake_cuda_current_context() {
    return &current_context;
}
EXPORT void fake_cuda_reset() {
    reset_fake_graphs();
    const std::lock_guard lock(mutex);
    counts.clear();
    const std::size_t live_bytes = record.live_bytes;
    record = FakeCudaRecord();
    record.live_blocks = blocks.size();
    record.live_bytes = live_bytes;
    current_context = nullptr;
}
