// SPDX-License-Identifier: MIT
//
// State and functions that the files of the fake CUDA driver share.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "support/fake_cuda.hpp"
#include "support/fake_cuda_graphs.hpp"

namespace fake_cuda {

extern std::mutex mutex;
extern FakeCudaRecord record;
extern thread_local CUstreamCaptureMode capture_mode;
extern thread_local CUcontext current_context;

// Returns the number in an environment variable, or `otherwise` if it is not set.
int number(const char* name, int otherwise);

// Counts the call. Returns the result that FAKE_CUDA_FAIL sets for it, else success.
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

// The fake functions by name. FAKE adds them when the library is loaded.
std::map<std::string, void*>& entries();
struct Entry {
    Entry(const char* name, void* function) { entries()[name] = function; }
};

// Allocates nothing, because tests count allocations.
template <typename Attribute, std::size_t Count>
CUresult give_attribute(const std::pair<Attribute, int> (&values)[Count],
                        Attribute attribute,
                        int* value) {
    for (const auto& [known, known_value] : values) {
        if (known != attribute) continue;
        *value = known_value;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace fake_cuda

// FAKE(name, parameters...) { ... } defines the function that cuGetProcAddress returns for the name. `name`
// must not be expanded, because cuda.h renames some functions.
#define FAKE(name, ...)                                                                \
    CUresult fake_##name(__VA_ARGS__);                                                 \
    const fake_cuda::Entry entry_##name(#name, reinterpret_cast<void*>(&fake_##name)); \
    CUresult fake_##name(__VA_ARGS__)

// Begins each fake function: counts the call, and returns early if FAKE_CUDA_FAIL or a capture rule refuses
// it.
#define ENTER(name) \
    if (const CUresult result = fake_cuda::enter(#name); result != CUDA_SUCCESS) return result

// Does the same for a function with a stream.
#define ENTER_ON(name, stream)                                                              \
    if (const CUresult result = fake_cuda::enter_on(#name, stream); result != CUDA_SUCCESS) \
    return result
