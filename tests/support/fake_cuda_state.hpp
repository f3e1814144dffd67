// SPDX-License-Identifier: MIT
//
// What the files of the fake CUDA driver share.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "support/fake_cuda.hpp"
#include "support/fake_cuda_graphs.hpp"

namespace fake_cuda {

extern std::mutex mutex;
extern FakeCudaRecord record;
extern thread_local CUstreamCaptureMode capture_mode;
extern thread_local CUcontext current_context;

// Of an environment variable.
int number(const char* name, int otherwise);

// Counts the call; the result that FAKE_CUDA_FAIL asks for, else success.
CUresult enter(const char* name);
inline CUresult enter_on(const char* name, CUstream stream) {
    const CUresult result = enter(name);
    return result != CUDA_SUCCESS ? result : fake_capture_rule(name, stream);
}

std::uintptr_t next_handle();
template <typename Handle>
Handle make_handle() {
    return reinterpret_cast<Handle>(next_handle());
}

// The functions of fake_cuda_kernels.cpp, by name.
const std::map<std::string, void*>& kernel_entries();

}  // namespace fake_cuda

// Counts the call and obeys FAKE_CUDA_FAIL.
#define ENTER(name) \
    if (const CUresult result = fake_cuda::enter(#name); result != CUDA_SUCCESS) return result

// The same for a call that is given a stream. (cuda.h renames some functions: `name` must not be expanded.)
#define ENTER_ON(name, stream)                                                              \
    if (const CUresult result = fake_cuda::enter_on(#name, stream); result != CUDA_SUCCESS) \
    return result
