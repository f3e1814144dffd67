// SPDX-License-Identifier: MIT
#include "support/fake_cuda.hpp"

#include <cuda.h>
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace {

std::mutex mutex;
std::map<std::string, int> counts;
FakeCudaRecord record;
// Never destroyed: blocks that a test leaves behind are not leaks of kgen.
auto& blocks = *new std::set<void*>;
thread_local CUcontext current_context = nullptr;
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
std::uintptr_t next_handle = 0x1000;
std::size_t loaded_parameter_bytes = 0;

int number(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value == nullptr ? otherwise : std::atoi(value);
}

// Counts the call; the result that FAKE_CUDA_FAIL asks for, else success.
CUresult enter(const char* name) {
    const std::lock_guard lock(mutex);
    ++counts[name];
    const char* fail = std::getenv("FAKE_CUDA_FAIL");
    const std::size_t length = std::strlen(name);
    if (fail != nullptr && std::strncmp(fail, name, length) == 0 && fail[length] == ':') {
        return static_cast<CUresult>(std::atoi(fail + length + 1));
    }
    return CUDA_SUCCESS;
}

template <typename Handle>
Handle make_handle() {
    const std::lock_guard lock(mutex);
    return reinterpret_cast<Handle>(next_handle += 0x100);
}

// Counts the call and obeys FAKE_CUDA_FAIL.
#define ENTER(name) \
    if (const CUresult result = enter(#name); result != CUDA_SUCCESS) return result

CUresult fake_cuInit(unsigned) {
    ENTER(cuInit);
    return CUDA_SUCCESS;
}
CUresult fake_cuGetErrorName(CUresult error, const char** text) {
    switch (error) {
        case CUDA_ERROR_INVALID_VALUE:
            *text = "CUDA_ERROR_INVALID_VALUE";
            break;
        case CUDA_ERROR_OUT_OF_MEMORY:
            *text = "CUDA_ERROR_OUT_OF_MEMORY";
            break;
        case CUDA_ERROR_NOT_INITIALIZED:
            *text = "CUDA_ERROR_NOT_INITIALIZED";
            break;
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
            *text = "CUDA_ERROR_NO_BINARY_FOR_GPU";
            break;
        case CUDA_ERROR_ILLEGAL_ADDRESS:
            *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
            break;
        case CUDA_ERROR_UNKNOWN:
            *text = "CUDA_ERROR_UNKNOWN";
            break;
        default:
            *text = nullptr;
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
CUresult fake_cuGetErrorString(CUresult error, const char** text) {
    switch (error) {
        case CUDA_ERROR_INVALID_VALUE:
            *text = "invalid argument";
            break;
        case CUDA_ERROR_OUT_OF_MEMORY:
            *text = "out of memory";
            break;
        case CUDA_ERROR_NOT_INITIALIZED:
            *text = "initialization error";
            break;
        case CUDA_ERROR_ILLEGAL_ADDRESS:
            *text = "an illegal memory access was encountered";
            break;
        default:
            *text = nullptr;
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

// --- Devices and contexts -----------------------------------------------------------------------

CUresult fake_cuDeviceGetCount(int* count) {
    ENTER(cuDeviceGetCount);
    *count = number("FAKE_CUDA_DEVICES", 1);
    return CUDA_SUCCESS;
}
CUresult fake_cuDeviceGet(CUdevice* device, int ordinal) {
    ENTER(cuDeviceGet);
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUresult fake_cuDeviceGetName(char* name, int size, CUdevice) {
    ENTER(cuDeviceGetName);
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
    return CUDA_SUCCESS;
}
CUresult fake_cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
    ENTER(cuDeviceGetAttribute);
    switch (attribute) {
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            *value = 9;
            break;
        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            *value = 0;
            break;
        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
            *value = 132;
            break;
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
            *value = 2048;
            break;
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            *value = 1024;
            break;
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
            *value = 2147483647;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
CUresult fake_cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
    ENTER(cuDeviceTotalMem);
    *bytes = std::size_t{80} << 30;
    return CUDA_SUCCESS;
}
CUresult fake_cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    ENTER(cuDevicePrimaryCtxRetain);
    *context = reinterpret_cast<CUcontext>(std::uintptr_t{0x10} + static_cast<unsigned>(device));
    return CUDA_SUCCESS;
}
CUresult fake_cuCtxGetCurrent(CUcontext* context) {
    ENTER(cuCtxGetCurrent);
    *context = current_context;
    return CUDA_SUCCESS;
}
CUresult fake_cuCtxSetCurrent(CUcontext context) {
    ENTER(cuCtxSetCurrent);
    current_context = context;
    return CUDA_SUCCESS;
}
CUresult fake_cuCtxSynchronize() {
    ENTER(cuCtxSynchronize);
    return CUDA_SUCCESS;
}

// --- Code ---------------------------------------------------------------------------------------

// Whether a process without access to the record wants the parameters' size of the code.
bool reads_code() {
    return number("FAKE_CUDA_READS_CODE", 0) != 0;
}

// The size of the parameters that a cubin's one kernel takes: the attribute 0x19, of 16 bits, in the
// section .nv.info.NAME (what cuobjdump -elf shows as EIATTR_CBANK_PARAM_SIZE).
std::size_t parameter_bytes_of(const void* code) {
    const auto* bytes = static_cast<const unsigned char*>(code);
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
    const auto section = [&](unsigned index) {
        Elf64_Shdr found;
        std::memcpy(&found, bytes + header.e_shoff + index * sizeof found, sizeof found);
        return found;
    };
    const Elf64_Shdr names = section(header.e_shstrndx);
    for (unsigned k = 0; k < header.e_shnum; ++k) {
        const Elf64_Shdr info = section(k);
        const auto* name = reinterpret_cast<const char*>(bytes + names.sh_offset + info.sh_name);
        if (std::strncmp(name, ".nv.info.", 9) != 0) continue;
        for (std::size_t at = 0; at + 4 <= info.sh_size;) {
            const unsigned char* attribute = bytes + info.sh_offset + at;
            const std::size_t value = attribute[2] + (std::size_t{attribute[3]} << 8);
            if (attribute[0] == 3 && attribute[1] == 0x19) return value;
            at += 4 + (attribute[0] == 4 ? value : 0);  // format 4: that many bytes follow
        }
    }
    return 0;
}

CUresult fake_cuLibraryLoadData(CUlibrary* library,
                                const void* code,
                                CUjit_option*,
                                void**,
                                unsigned,
                                CUlibraryOption*,
                                void**,
                                unsigned) {
    ENTER(cuLibraryLoadData);
    record.loaded_code = code;
    if (record.parameter_size == 0 || reads_code())
        loaded_parameter_bytes = parameter_bytes_of(code);
    std::memset(record.loaded_text, 0, sizeof record.loaded_text);
    std::strncpy(record.loaded_text, static_cast<const char*>(code), sizeof record.loaded_text - 1);
    *library = make_handle<CUlibrary>();
    return CUDA_SUCCESS;
}
CUresult fake_cuLibraryUnload(CUlibrary) {
    ENTER(cuLibraryUnload);
    return CUDA_SUCCESS;
}
CUresult fake_cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char*) {
    ENTER(cuLibraryGetKernel);
    *kernel = make_handle<CUkernel>();
    return CUDA_SUCCESS;
}
CUresult fake_cuKernelGetFunction(CUfunction* function, CUkernel) {
    ENTER(cuKernelGetFunction);
    *function = make_handle<CUfunction>();
    return CUDA_SUCCESS;
}
CUresult fake_cuKernelGetParamInfo(CUkernel, std::size_t, std::size_t* offset, std::size_t* size) {
    ENTER(cuKernelGetParamInfo);
    *offset = 0;
    *size = record.parameter_size != 0 && !reads_code() ? record.parameter_size
                                                        : loaded_parameter_bytes;
    return CUDA_SUCCESS;
}
CUresult fake_cuFuncLoad(CUfunction) {
    ENTER(cuFuncLoad);
    return CUDA_SUCCESS;
}
CUresult fake_cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
    ENTER(cuFuncSetAttribute);
    return CUDA_SUCCESS;
}
CUresult fake_cuLaunchKernel(CUfunction,
                             unsigned grid,
                             unsigned,
                             unsigned,
                             unsigned block,
                             unsigned,
                             unsigned,
                             unsigned shared_bytes,
                             CUstream stream,
                             void**,
                             void** extra) {
    ENTER(cuLaunchKernel);
    record.grid = grid;
    record.block = block;
    record.shared_bytes = shared_bytes;
    record.stream = stream;
    const void* parameters = nullptr;
    for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            record.parameters_bytes = *static_cast<std::size_t*>(extra[1]);
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            parameters = extra[1];
        }
    }
    std::memcpy(
        record.parameters, parameters, std::min(record.parameters_bytes, sizeof record.parameters));
    return CUDA_SUCCESS;
}

// --- Memory -------------------------------------------------------------------------------------

CUresult fake_cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps*) {
    ENTER(cuMemPoolCreate);
    *pool = make_handle<CUmemoryPool>();
    return CUDA_SUCCESS;
}
CUresult fake_cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, void*) {
    ENTER(cuMemPoolSetAttribute);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemPoolTrimTo(CUmemoryPool, std::size_t) {
    ENTER(cuMemPoolTrimTo);
    record.is_out_of_memory = false;
    return CUDA_SUCCESS;
}
CUresult fake_cuMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    ENTER(cuMemGetInfo);
    *free_bytes = std::size_t{2} << 30;
    *total = std::size_t{80} << 30;
    return CUDA_SUCCESS;
}
CUresult fake_cuMemAllocFromPoolAsync(CUdeviceptr* pointer,
                                      std::size_t bytes,
                                      CUmemoryPool,
                                      CUstream) {
    ENTER(cuMemAllocFromPoolAsync);
    if (record.is_out_of_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    void* block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    const std::lock_guard lock(mutex);
    blocks.insert(block);
    record.live_blocks = blocks.size();
    record.last_allocation = bytes;
    *pointer = reinterpret_cast<CUdeviceptr>(block);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
    ENTER(cuMemFreeAsync);
    void* block = reinterpret_cast<void*>(pointer);
    const std::lock_guard lock(mutex);
    if (blocks.erase(block) == 0) return CUDA_ERROR_INVALID_VALUE;
    record.live_blocks = blocks.size();
    std::free(block);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
    ENTER(cuMemcpyHtoDAsync);
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
    ENTER(cuMemcpyDtoHAsync);
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
    ENTER(cuMemcpyDtoDAsync);
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemcpyPeerAsync(CUdeviceptr to,
                                CUcontext to_context,
                                CUdeviceptr from,
                                CUcontext from_context,
                                std::size_t bytes,
                                CUstream) {
    ENTER(cuMemcpyPeerAsync);
    if (to_context == from_context) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream) {
    ENTER(cuMemsetD8Async);
    std::memset(reinterpret_cast<void*>(to), value, count);
    return CUDA_SUCCESS;
}

CUresult fake_cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
    ENTER(cuMemHostAlloc);
    *memory = std::malloc(bytes);
    return CUDA_SUCCESS;
}
CUresult fake_cuMemFreeHost(void* memory) {
    ENTER(cuMemFreeHost);
    std::free(memory);
    return CUDA_SUCCESS;
}

// --- Streams and events -------------------------------------------------------------------------

CUresult fake_cuStreamCreate(CUstream* stream, unsigned) {
    ENTER(cuStreamCreate);
    *stream = make_handle<CUstream>();
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamDestroy(CUstream) {
    ENTER(cuStreamDestroy);
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamSynchronize(CUstream) {
    ENTER(cuStreamSynchronize);
    if (record.is_capturing && capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamQuery(CUstream) {
    ENTER(cuStreamQuery);
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamWaitEvent(CUstream, CUevent, unsigned) {
    ENTER(cuStreamWaitEvent);
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamGetId(CUstream stream, unsigned long long* id) {
    ENTER(cuStreamGetId);
    *id = reinterpret_cast<std::uintptr_t>(stream);
    return CUDA_SUCCESS;
}
CUresult fake_cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
    ENTER(cuStreamIsCapturing);
    *status = record.is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}
CUresult fake_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    ENTER(cuThreadExchangeStreamCaptureMode);
    std::swap(*mode, capture_mode);
    record.capture_mode = capture_mode;
    return CUDA_SUCCESS;
}
CUresult fake_cuEventCreate(CUevent* event, unsigned) {
    ENTER(cuEventCreate);
    *event = make_handle<CUevent>();
    return CUDA_SUCCESS;
}
CUresult fake_cuEventDestroy(CUevent) {
    ENTER(cuEventDestroy);
    return CUDA_SUCCESS;
}
CUresult fake_cuEventRecord(CUevent, CUstream) {
    ENTER(cuEventRecord);
    return CUDA_SUCCESS;
}
CUresult fake_cuEventSynchronize(CUevent) {
    ENTER(cuEventSynchronize);
    return CUDA_SUCCESS;
}
CUresult fake_cuEventQuery(CUevent) {
    ENTER(cuEventQuery);
    return CUDA_SUCCESS;
}
CUresult fake_cuEventElapsedTime(float* elapsed, CUevent, CUevent) {
    ENTER(cuEventElapsedTime);
    *elapsed = 1.5f;
    return CUDA_SUCCESS;
}

const std::map<std::string, void*>& entries() {
#define ENTRY(name) \
    { #name, reinterpret_cast < void*>(&fake_##name) }
    static const std::map<std::string, void*> table = {
        ENTRY(cuInit),
        ENTRY(cuGetErrorName),
        ENTRY(cuGetErrorString),
        ENTRY(cuDeviceGetCount),
        ENTRY(cuDeviceGet),
        ENTRY(cuDeviceGetName),
        ENTRY(cuDeviceGetAttribute),
        ENTRY(cuDeviceTotalMem),
        ENTRY(cuDevicePrimaryCtxRetain),
        ENTRY(cuCtxGetCurrent),
        ENTRY(cuCtxSetCurrent),
        ENTRY(cuCtxSynchronize),
        ENTRY(cuLibraryLoadData),
        ENTRY(cuLibraryUnload),
        ENTRY(cuLibraryGetKernel),
        ENTRY(cuKernelGetFunction),
        ENTRY(cuKernelGetParamInfo),
        ENTRY(cuFuncLoad),
        ENTRY(cuFuncSetAttribute),
        ENTRY(cuLaunchKernel),
        ENTRY(cuMemPoolCreate),
        ENTRY(cuMemPoolSetAttribute),
        ENTRY(cuMemPoolTrimTo),
        ENTRY(cuMemGetInfo),
        ENTRY(cuMemAllocFromPoolAsync),
        ENTRY(cuMemFreeAsync),
        ENTRY(cuMemcpyHtoDAsync),
        ENTRY(cuMemcpyDtoHAsync),
        ENTRY(cuMemcpyDtoDAsync),
        ENTRY(cuMemcpyPeerAsync),
        ENTRY(cuMemsetD8Async),
        ENTRY(cuMemHostAlloc),
        ENTRY(cuMemFreeHost),
        ENTRY(cuStreamCreate),
        ENTRY(cuStreamDestroy),
        ENTRY(cuStreamSynchronize),
        ENTRY(cuStreamQuery),
        ENTRY(cuStreamWaitEvent),
        ENTRY(cuStreamGetId),
        ENTRY(cuStreamIsCapturing),
        ENTRY(cuThreadExchangeStreamCaptureMode),
        ENTRY(cuEventCreate),
        ENTRY(cuEventDestroy),
        ENTRY(cuEventRecord),
        ENTRY(cuEventSynchronize),
        ENTRY(cuEventQuery),
        ENTRY(cuEventElapsedTime),
    };
    return table;
}

}  // namespace

// --- What is exported ---------------------------------------------------------------------------

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT CUresult cuDriverGetVersion(int* version) {
    const CUresult result = enter("cuDriverGetVersion");
    *version = number("FAKE_CUDA_VERSION", 13000);
    return result;
}

// cuda.h renames it to cuGetProcAddress_v2.
EXPORT CUresult cuGetProcAddress(
    const char* name, void** address, int, cuuint64_t, CUdriverProcAddressQueryResult* status) {
    const auto found = entries().find(name);
    const char* missing = std::getenv("FAKE_CUDA_MISSING");
    const bool is_there =
        found != entries().end() && (missing == nullptr || std::strcmp(missing, name) != 0);
    *address = is_there ? found->second : nullptr;
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
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
}
EXPORT void fake_cuda_reset() {
    const std::lock_guard lock(mutex);
    counts.clear();
    const std::size_t live = blocks.size();
    record = FakeCudaRecord();
    record.live_blocks = live;
    current_context = nullptr;
}
