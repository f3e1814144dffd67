// SPDX-License-Identifier: MIT
//
// The part of the fake CUDA driver for libraries, kernels, launches and occupancy.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "support/fake_cuda_code.hpp"
#include "support/fake_cuda_state.hpp"

namespace {

using namespace fake_cuda;

// Never destroyed, and entries are never removed. Unloading is only counted.
auto& libraries = *new std::map<CUlibrary, FakeLibrary>;
auto& kernels = *new std::map<CUkernel, FakeKernel>;
auto& kernels_by_name = *new std::map<std::pair<CUlibrary, std::string>, CUkernel>;
auto& functions = *new std::map<CUfunction, CUkernel>;
auto& text_kernels = *new std::set<CUkernel>;  // kernels whose parameters come from a text

// Returns true if parameter sizes are read from the code. For processes that cannot change the record.
bool reads_code() {
    return number("FAKE_CUDA_READS_CODE", 0) != 0;
}

FakeKernel& kernel_of(CUfunction function) {
    return kernels.at(functions.at(function));
}

int attribute_of(const FakeKernel& kernel, const char* name, int otherwise) {
    const auto found = kernel.attributes.find(name);
    return found == kernel.attributes.end() ? otherwise : found->second;
}

FAKE(cuLibraryLoadData,
     CUlibrary* library,
     const void* code,
     CUjit_option*,
     void** values,
     unsigned count,
     CUlibraryOption*,
     void**,
     unsigned) {
    if (const CUresult result = enter("cuLibraryLoadData"); result != CUDA_SUCCESS) {
        if (count > 0) std::strcpy(static_cast<char*>(values[0]), "ptxas: line 1: it is wrong\n");
        return result;
    }
    *library = make_handle<CUlibrary>();
    const std::lock_guard lock(mutex);
    record.loaded_code = code;
    std::memset(record.loaded_text, 0, sizeof record.loaded_text);
    std::strncpy(record.loaded_text, static_cast<const char*>(code), sizeof record.loaded_text - 1);
    libraries[*library] = read_fake_library(code);
    return CUDA_SUCCESS;
}
FAKE(cuLibraryUnload, CUlibrary) {
    ENTER(cuLibraryUnload);
    return CUDA_SUCCESS;
}
FAKE(cuLibraryGetKernel, CUkernel* kernel, CUlibrary handle, const char* name) {
    ENTER(cuLibraryGetKernel);
    if (std::strcmp(name, "absent") == 0) return CUDA_ERROR_NOT_FOUND;
    auto* const fresh = make_handle<CUkernel>();
    const std::lock_guard lock(mutex);
    const FakeLibrary& library = libraries[handle];
    CUkernel& known = kernels_by_name[{handle, name}];
    if (known == nullptr) {
        FakeKernel found;
        found.name = name;
        if (library.is_read) {
            const auto read = library.kernels.find(name);
            if (read == library.kernels.end()) return CUDA_ERROR_NOT_FOUND;
            found = read->second;
        }
        known = fresh;
        kernels[known] = found;
        if (library.is_text) text_kernels.insert(known);
    }
    *kernel = known;
    return CUDA_SUCCESS;
}
FAKE(cuLibraryGetModule, CUmodule* module, CUlibrary handle) {
    ENTER(cuLibraryGetModule);
    *module = reinterpret_cast<CUmodule>(handle);
    return CUDA_SUCCESS;
}
FAKE(cuLibraryGetKernelCount, unsigned* count, CUlibrary handle) {
    ENTER(cuLibraryGetKernelCount);
    const std::lock_guard lock(mutex);
    *count = static_cast<unsigned>(libraries[handle].kernels.size());
    return CUDA_SUCCESS;
}
FAKE(cuLibraryEnumerateKernels, CUkernel* found, unsigned count, CUlibrary handle) {
    ENTER(cuLibraryEnumerateKernels);
    std::vector<std::string> names;
    {
        const std::lock_guard lock(mutex);
        for (const auto& [name, kernel] : libraries[handle].kernels) names.push_back(name);
    }
    for (unsigned k = 0; k < count && k < names.size(); ++k)
        fake_cuLibraryGetKernel(&found[k], handle, names[k].c_str());
    return CUDA_SUCCESS;
}
FAKE(cuKernelGetName, const char** name, CUkernel kernel) {
    ENTER(cuKernelGetName);
    const std::lock_guard lock(mutex);
    *name = kernels.at(kernel).name.c_str();
    return CUDA_SUCCESS;
}
CUresult give_variable(std::map<std::string, std::vector<unsigned char>>& variables,
                       const char* name,
                       CUdeviceptr* pointer,
                       std::size_t* bytes) {
    const auto found = variables.find(name);
    if (found == variables.end()) return CUDA_ERROR_NOT_FOUND;
    *pointer = reinterpret_cast<CUdeviceptr>(found->second.data());
    *bytes = found->second.size();
    return CUDA_SUCCESS;
}
FAKE(cuLibraryGetGlobal,
     CUdeviceptr* pointer,
     std::size_t* bytes,
     CUlibrary library,
     const char* name) {
    ENTER(cuLibraryGetGlobal);
    const std::lock_guard lock(mutex);
    return give_variable(libraries[library].globals, name, pointer, bytes);
}
FAKE(cuLibraryGetManaged,
     CUdeviceptr* pointer,
     std::size_t* bytes,
     CUlibrary library,
     const char* name) {
    ENTER(cuLibraryGetManaged);
    const std::lock_guard lock(mutex);
    return give_variable(libraries[library].managed, name, pointer, bytes);
}
FAKE(cuKernelGetFunction, CUfunction* function, CUkernel kernel) {
    ENTER(cuKernelGetFunction);
    *function = make_handle<CUfunction>();
    const std::lock_guard lock(mutex);
    functions[*function] = kernel;
    return CUDA_SUCCESS;
}
FAKE(cuKernelGetParamInfo,
     CUkernel handle,
     std::size_t index,
     std::size_t* offset,
     std::size_t* size) {
    ENTER(cuKernelGetParamInfo);
    const std::lock_guard lock(mutex);
    const FakeKernel& kernel = kernels.at(handle);
    if (text_kernels.count(handle) != 0 || record.parameter_size == 0 || reads_code()) {
        if (index >= kernel.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
        *offset = kernel.parameters[index].offset;
        *size = kernel.parameters[index].bytes;
    } else {
        *offset = 0;
        *size = kernel.name == "accumulator" ? record.accumulator_size : record.parameter_size;
        if (index > 0) return CUDA_ERROR_INVALID_VALUE;
    }
    return *size == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
FAKE(cuFuncLoad, CUfunction) {
    ENTER(cuFuncLoad);
    return CUDA_SUCCESS;
}
FAKE(cuFuncGetAttribute, int* value, CUfunction_attribute attribute, CUfunction function) {
    ENTER(cuFuncGetAttribute);
    const std::lock_guard lock(mutex);
    const FakeKernel& kernel = kernel_of(function);
    const int shared = attribute_of(kernel, "shared", 0);
    const std::pair<CUfunction_attribute, int> values[] = {
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, attribute_of(kernel, "threads", 1024)},
        {CU_FUNC_ATTRIBUTE_NUM_REGS, attribute_of(kernel, "registers", 32)},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shared},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, attribute_of(kernel, "local", 0)},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, attribute_of(kernel, "constant", 0)},
        {CU_FUNC_ATTRIBUTE_PTX_VERSION, 90},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 90},
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
         attribute_of(kernel, "dynamic", 48 * 1024 - shared)},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, attribute_of(kernel, "carveout", -1)},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, kernel.cluster[0]},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, kernel.cluster[1]},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, kernel.cluster[2]},
        {CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET,
         attribute_of(kernel, "must_be_given_cluster", 0)},
    };
    return give_attribute(values, attribute, value);
}
FAKE(cuFuncSetAttribute, CUfunction function, CUfunction_attribute attribute, int value) {
    ENTER(cuFuncSetAttribute);
    const std::lock_guard lock(mutex);
    FakeKernel& kernel = kernel_of(function);
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            kernel.attributes["dynamic"] = value;
            break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            kernel.attributes["carveout"] = value;
            break;
        case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
            kernel.attributes["large_clusters"] = value;
            break;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

// --- Launches -----------------------------------------------------------------------------------

// Records a launch for both launch functions. Refuses what the driver refuses, with the same result.
CUresult note_launch(CUfunction function,
                     const CUlaunchConfig& config,
                     void** addresses,
                     void** extra) {
    const std::lock_guard lock(mutex);
    const FakeKernel& kernel = kernel_of(function);
    std::strncpy(record.kernel, kernel.name.c_str(), sizeof record.kernel - 1);
    record.grid = config.gridDimX;
    record.block = config.blockDimX;
    record.shared_bytes = config.sharedMemBytes;
    record.stream = config.hStream;
    record.context = current_context;
    record.launch = {};
    record.launch.grid[0] = config.gridDimX;
    record.launch.grid[1] = config.gridDimY;
    record.launch.grid[2] = config.gridDimZ;
    record.launch.block[0] = config.blockDimX;
    record.launch.block[1] = config.blockDimY;
    record.launch.block[2] = config.blockDimZ;
    for (unsigned k = 0; k < config.numAttrs; ++k) {
        const CUlaunchAttributeValue& value = config.attrs[k].value;
        switch (config.attrs[k].id) {
            case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
                record.launch.cluster[0] = value.clusterDim.x;
                record.launch.cluster[1] = value.clusterDim.y;
                record.launch.cluster[2] = value.clusterDim.z;
                break;
            case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
                record.launch.is_cooperative = value.cooperative != 0;
                break;
            case CU_LAUNCH_ATTRIBUTE_PRIORITY:
                record.launch.has_priority = true;
                record.launch.priority = value.priority;
                break;
            case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
                record.launch.is_programmatic = value.programmaticStreamSerializationAllowed != 0;
                break;
            default:
                return CUDA_ERROR_INVALID_VALUE;
        }
    }
    const int dynamic = attribute_of(kernel, "dynamic", 48 * 1024);
    if (config.sharedMemBytes > static_cast<unsigned>(dynamic)) return CUDA_ERROR_INVALID_VALUE;
    const void* parameters = nullptr;
    record.parameters_bytes = 0;
    for (std::size_t k = 0; addresses != nullptr && k < kernel.parameters.size(); ++k) {
        const auto& each = kernel.parameters[k];
        record.parameters_bytes = each.offset + each.bytes;
        if (record.parameters_bytes <= sizeof record.parameters)
            std::memcpy(record.parameters + each.offset, addresses[k], each.bytes);
    }
    for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            record.parameters_bytes = *static_cast<std::size_t*>(extra[1]);
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            parameters = extra[1];
        }
    }
    if (parameters != nullptr)
        std::memcpy(record.parameters,
                    parameters,
                    std::min(record.parameters_bytes, sizeof record.parameters));
    return CUDA_SUCCESS;
}
FAKE(cuLaunchKernel,
     CUfunction function,
     unsigned grid_x,
     unsigned grid_y,
     unsigned grid_z,
     unsigned block_x,
     unsigned block_y,
     unsigned block_z,
     unsigned shared_bytes,
     CUstream stream,
     void** addresses,
     void** extra) {
    ENTER_ON(cuLaunchKernel, stream);
    CUlaunchConfig config = {};
    config.gridDimX = grid_x;
    config.gridDimY = grid_y;
    config.gridDimZ = grid_z;
    config.blockDimX = block_x;
    config.blockDimY = block_y;
    config.blockDimZ = block_z;
    config.sharedMemBytes = shared_bytes;
    config.hStream = stream;
    return note_launch(function, config, addresses, extra);
}
FAKE(cuLaunchKernelEx,
     const CUlaunchConfig* config,
     CUfunction function,
     void** addresses,
     void** extra) {
    ENTER_ON(cuLaunchKernelEx, config->hStream);
    // A cooperative launch cannot be captured with a block of parameters (measured on an H100, driver 580.159).
    for (unsigned k = 0; k < config->numAttrs; ++k) {
        const CUlaunchAttribute& each = config->attrs[k];
        if (each.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && each.value.cooperative != 0 &&
            extra != nullptr && is_fake_captured(config->hStream))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return note_launch(function, *config, addresses, extra);
}

// --- Occupancy ----------------------------------------------------------------------------------

FAKE(cuOccupancyMaxActiveBlocksPerMultiprocessor, int* count, CUfunction, int block, std::size_t) {
    ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    *count = 2048 / block;
    return CUDA_SUCCESS;
}
FAKE(cuOccupancyMaxActiveClusters, int* count, CUfunction function, const CUlaunchConfig* config) {
    ENTER(cuOccupancyMaxActiveClusters);
    const std::lock_guard lock(mutex);
    const FakeKernel& kernel = kernel_of(function);
    unsigned cluster = 1;
    for (unsigned k = 0; k < config->numAttrs; ++k) {
        const CUlaunchAttributeValue& value = config->attrs[k].value;
        if (config->attrs[k].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            cluster = value.clusterDim.x * value.clusterDim.y * value.clusterDim.z;
    }
    if (kernel.cluster[0] != 0)
        cluster = static_cast<unsigned>(kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2]);
    if (cluster > 8 && attribute_of(kernel, "large_clusters", 0) == 0)
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *count = cluster > record.largest_cluster ? 0 : static_cast<int>(132 / cluster);
    return CUDA_SUCCESS;
}
FAKE(cuOccupancyMaxPotentialClusterSize, int* size, CUfunction, const CUlaunchConfig*) {
    ENTER(cuOccupancyMaxPotentialClusterSize);
    *size = static_cast<int>(record.largest_cluster);
    return CUDA_SUCCESS;
}
FAKE(cuOccupancyMaxPotentialBlockSize,
     int* grid,
     int* block,
     CUfunction,
     CUoccupancyB2DSize,
     std::size_t,
     int most) {
    ENTER(cuOccupancyMaxPotentialBlockSize);
    *block = most == 0 ? 768 : std::min(768, most);
    *grid = 132 * (2048 / *block);
    return CUDA_SUCCESS;
}
FAKE(cuCtxGetStreamPriorityRange, int* least, int* greatest) {
    ENTER(cuCtxGetStreamPriorityRange);
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

}  // namespace
