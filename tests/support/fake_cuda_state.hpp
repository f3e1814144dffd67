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

namespace fake_cuda {

extern std::mutex mutex;
extern FakeCudaRecord record;

// Of an environment variable.
int number(const char* name, int otherwise);

// Counts the call; the result that FAKE_CUDA_FAIL asks for, else success.
CUresult enter(const char* name);

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
