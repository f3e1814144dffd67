// SPDX-License-Identifier: MIT
//
// DriverApi: a table of pointers to the CUDA driver functions that kgen calls, with the types of cuda.h.
// kgen does not link the driver; DriverLibrary opens it at run time and fills the table.
#pragma once

#include <cuda.h>

#include <cstddef>

namespace kgen {

// Converts a pointer to device memory to the driver's address type.
inline CUdeviceptr address_of(const void* pointer) noexcept {
    return reinterpret_cast<CUdeviceptr>(pointer);
}

// A driver function that is unsafe during other libraries' captures. The driver refuses such a call, and the
// capture becomes invalid, if any thread captures in the global mode or this thread in the thread-local mode.
// The wrapper puts this thread into the relaxed mode during the call, which the driver then accepts (CUDA
// Driver API, cuThreadExchangeStreamCaptureMode). The list of these functions was measured on an H200 with
// driver 580.159. kgen's own captures are always relaxed.
template <typename Function>
class RelaxedEntry;
template <typename... Arguments>
class RelaxedEntry<CUresult(CUDAAPI*)(Arguments...)> {
public:
    using Function = CUresult(CUDAAPI*)(Arguments...);
    using Exchange = decltype(&::cuThreadExchangeStreamCaptureMode);

    void set(Function function, Exchange exchange) noexcept {
        function_ = function;
        exchange_ = exchange;
    }
    CUresult operator()(Arguments... arguments) const {
        CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
        exchange_(&mode);
        const CUresult result = function_(arguments...);
        exchange_(&mode);
        return result;
    }

private:
    Function function_ = nullptr;
    Exchange exchange_ = nullptr;
};

// Lists of functions as entry(member, function). cuda.h renames some functions to a later version
// (cuStreamDestroy is cuStreamDestroy_v2). The member then has the type of the later version; the text stays
// the plain name, which cuGetProcAddress expects together with a version number.
//
// Required in every driver.
// clang-format off
#define KGEN_DRIVER_ENTRIES(entry)                                                  \
    entry(get_error_name, cuGetErrorName)                                           \
    entry(get_error_string, cuGetErrorString)                                       \
    entry(device_get_count, cuDeviceGetCount)                                       \
    entry(device_get, cuDeviceGet)                                                  \
    entry(device_get_name, cuDeviceGetName)                                         \
    entry(device_get_attribute, cuDeviceGetAttribute)                               \
    entry(device_total_mem, cuDeviceTotalMem)                                       \
    entry(device_can_access_peer, cuDeviceCanAccessPeer)                            \
    entry(context_get_current, cuCtxGetCurrent)                                     \
    entry(context_set_current, cuCtxSetCurrent)                                     \
    entry(context_synchronize, cuCtxSynchronize)                                    \
    entry(kernel_get_param_info, cuKernelGetParamInfo)                              \
    entry(function_set_attribute, cuFuncSetAttribute)                               \
    entry(launch_kernel, cuLaunchKernel)                                            \
    entry(pointer_get_attributes, cuPointerGetAttributes)                           \
    entry(memory_get_info, cuMemGetInfo)                                            \
    entry(copy_host_to_device_async, cuMemcpyHtoDAsync)                             \
    entry(copy_device_to_host_async, cuMemcpyDtoHAsync)                             \
    entry(copy_device_to_device_async, cuMemcpyDtoDAsync)                           \
    entry(copy_peer_async, cuMemcpyPeerAsync)                                       \
    entry(fill_bytes_async, cuMemsetD8Async)                                        \
    entry(stream_create, cuStreamCreate)                                            \
    entry(stream_destroy, cuStreamDestroy)                                          \
    entry(stream_wait_event, cuStreamWaitEvent)                                     \
    entry(stream_get_id, cuStreamGetId)                                             \
    entry(stream_is_capturing, cuStreamIsCapturing)                                 \
    entry(exchange_capture_mode, cuThreadExchangeStreamCaptureMode)                 \
    entry(event_create, cuEventCreate)                                              \
    entry(event_destroy, cuEventDestroy)                                            \
    entry(event_record, cuEventRecord)                                              \
    entry(event_elapsed_time, cuEventElapsedTime)                                   \
    entry(copy_3d_async, cuMemcpy3DAsync)                                           \
    entry(library_get_module, cuLibraryGetModule)                                   \
    entry(function_get_attribute, cuFuncGetAttribute)                               \
    entry(launch_kernel_extended, cuLaunchKernelEx)                                 \
    entry(occupancy_max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    entry(occupancy_max_active_clusters, cuOccupancyMaxActiveClusters)              \
    entry(occupancy_max_potential_block_size, cuOccupancyMaxPotentialBlockSize)     \
    entry(occupancy_max_potential_cluster_size, cuOccupancyMaxPotentialClusterSize) \
    entry(stream_create_with_priority, cuStreamCreateWithPriority)                  \
    entry(stream_get_priority, cuStreamGetPriority)                                 \
    entry(context_get_priority_range, cuCtxGetStreamPriorityRange)                  \
    entry(launch_host_function, cuLaunchHostFunc)                                   \
    entry(stream_begin_capture, cuStreamBeginCapture)                               \
    entry(stream_end_capture, cuStreamEndCapture)                                   \
    entry(graph_get_nodes, cuGraphGetNodes)                                         \
    entry(graph_add_child, cuGraphAddChildGraphNode)                                \
    entry(graph_destroy, cuGraphDestroy)                                            \
    entry(graph_upload, cuGraphUpload)                                              \
    entry(graph_launch, cuGraphLaunch)

// Required. Called through RelaxedEntry, because the driver treats them as "potentially unsafe" during
// captures.
#define KGEN_RELAXED_DRIVER_ENTRIES(entry)                  \
    entry(primary_context_retain, cuDevicePrimaryCtxRetain) \
    entry(library_load_data, cuLibraryLoadData)             \
    entry(library_get_kernel, cuLibraryGetKernel)           \
    entry(library_get_global, cuLibraryGetGlobal)           \
    entry(kernel_get_function, cuKernelGetFunction)         \
    entry(library_unload, cuLibraryUnload)                  \
    entry(function_load, cuFuncLoad)                        \
    entry(memory_pool_create, cuMemPoolCreate)              \
    entry(memory_pool_set_attribute, cuMemPoolSetAttribute) \
    entry(memory_pool_set_access, cuMemPoolSetAccess)       \
    entry(memory_pool_get_attribute, cuMemPoolGetAttribute) \
    entry(memory_pool_trim, cuMemPoolTrimTo)                \
    entry(memory_allocate_async, cuMemAllocFromPoolAsync)   \
    entry(memory_free_async, cuMemFreeAsync)                \
    entry(allocate_pinned, cuMemHostAlloc)                  \
    entry(free_pinned, cuMemFreeHost)                       \
    entry(stream_synchronize, cuStreamSynchronize)          \
    entry(stream_query, cuStreamQuery)                      \
    entry(event_synchronize, cuEventSynchronize)            \
    entry(event_query, cuEventQuery)                        \
    entry(array_create, cuArray3DCreate)                    \
    entry(array_destroy, cuArrayDestroy)                    \
    entry(texture_create, cuTexObjectCreate)                \
    entry(texture_destroy, cuTexObjectDestroy)              \
    entry(surface_create, cuSurfObjectCreate)               \
    entry(surface_destroy, cuSurfObjectDestroy)             \
    entry(graph_instantiate, cuGraphInstantiateWithFlags)   \
    entry(graph_executable_destroy, cuGraphExecDestroy)

// Optional: nullptr if the driver lacks them.
#define KGEN_OPTIONAL_DRIVER_ENTRIES(entry)                     \
    entry(context_get_id, cuCtxGetId)                           \
    entry(user_object_create, cuUserObjectCreate)               \
    entry(user_object_release, cuUserObjectRelease)             \
    entry(graph_retain_user_object, cuGraphRetainUserObject)    \
    entry(library_get_managed, cuLibraryGetManaged)             \
    entry(library_get_kernel_count, cuLibraryGetKernelCount)    \
    entry(library_enumerate_kernels, cuLibraryEnumerateKernels) \
    entry(kernel_get_name, cuKernelGetName)

// clang-format on

struct DriverApi {
#define KGEN_DECLARE(member, function) decltype(&::function) member = nullptr;
#define KGEN_DECLARE_RELAXED(member, function) RelaxedEntry<decltype(&::function)> member;
    KGEN_DRIVER_ENTRIES(KGEN_DECLARE)
    KGEN_RELAXED_DRIVER_ENTRIES(KGEN_DECLARE_RELAXED)
    KGEN_OPTIONAL_DRIVER_ENTRIES(KGEN_DECLARE)
#undef KGEN_DECLARE_RELAXED
#undef KGEN_DECLARE

    // cuStreamGetCaptureInfo in its version of CUDA 11.3, which every later driver has. It is declared here
    // because its type in cuda.h depends on the toolkit. Optional.
    using StreamGetCaptureInfo = CUresult(CUDAAPI*)(
        CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*, const CUgraphNode**, std::size_t*);
    static constexpr int stream_get_capture_info_version = 11030;
    StreamGetCaptureInfo stream_get_capture_info = nullptr;
    // cuStreamUpdateCaptureDependencies in the same version, for the same reason. Optional.
    using StreamUpdateCaptureDependencies = CUresult(CUDAAPI*)(CUstream,
                                                               CUgraphNode*,
                                                               std::size_t,
                                                               unsigned);
    StreamUpdateCaptureDependencies stream_update_capture_dependencies = nullptr;
};

}  // namespace kgen
