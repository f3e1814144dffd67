// SPDX-License-Identifier: MIT
//
// A CUDA driver for machines without a GPU: a shared library with the entry points that kgen calls,
// whose devices are plain memory and whose kernels do nothing. It counts its calls, and environment
// variables, read at each call, tell it what to be:
//
//     FAKE_CUDA_VERSION  12080                    what cuDriverGetVersion says (13000)
//     FAKE_CUDA_DEVICES  2                        number of GPUs (1)
//     FAKE_CUDA_CAPABILITY  80                    compute capability of the GPUs (90)
//     FAKE_CUDA_COOPERATIVE  0                    whether they have cooperative launches (1)
//     FAKE_CUDA_FAIL     cuLaunchKernel:700       this call fails so; cuLaunchKernel:700:2 twice
//     FAKE_CUDA_MISSING  cuFuncLoad               this entry point is not there
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// How a kernel was launched.
struct FakeCudaLaunch {
    unsigned grid[3] = {};
    unsigned block[3] = {};
    unsigned cluster[3] = {};  // 0: not asked for
    bool is_cooperative = false;
    bool is_programmatic = false;
    bool has_priority = false;
    int priority = 0;
};

// What the fake saw; its addresses come from fake_cuda_record().
struct FakeCudaRecord {
    const void* loaded_code = nullptr;  // of the last cuLibraryLoadData
    char loaded_text[64] = {};          // its first bytes
    unsigned grid = 0;                  // of the last launch, along x
    unsigned block = 0;
    unsigned shared_bytes = 0;
    const void* stream = nullptr;
    const void* context = nullptr;       // that was current
    unsigned char parameters[256] = {};  // the first ones
    std::size_t parameters_bytes = 0;
    std::size_t live_blocks = 0;      // allocated and not freed
    std::size_t live_bytes = 0;       // all of them together
    std::size_t last_allocation = 0;  // bytes
    std::size_t most_live_bytes = 0;  // that there ever were
    int pointer_ordinal = 0;          // settable: which GPU all memory is said to be of
    int capture_mode = 0;             // of the calling thread, as last set
    bool is_capturing = false;        // settable: what cuStreamIsCapturing says
    bool is_out_of_memory = false;    // settable: allocations fail until the pool is trimmed
    // Settable: what cuKernelGetParamInfo says; 0: what the loaded cubin says of itself.
    std::size_t parameter_size = 16;
    std::size_t memory_bytes = SIZE_MAX;  // settable: how many bytes can be allocated at once
    std::size_t accumulator_size = 24;    // settable: the same for a kernel named "accumulator"
    std::size_t last_fill = 0;            // bytes of the last cuMemsetD8Async
    const void* last_fill_stream = nullptr;
    unsigned texture_flags = 0;  // of the last cuTexObjectCreate, and the following
    int texture_filter = -1;
    int texture_address = -1;      // of the third axis
    float texture_border = 0;      // the fourth number
    FakeCudaLaunch launch = {};    // the last one
    char kernel[128] = {};         // that it was of
    unsigned largest_cluster = 8;  // settable: of how many blocks one fits
    const void* graph = nullptr;   // settable: what is captured into; none: an invalidated capture
    unsigned stream_flags = 0;     // of the last stream that was created
    int begun_mode = -1;           // of the last cuStreamBeginCapture
    // Settable: what cuCtxGetId says; 0: that the context is destroyed.
    unsigned long long context_id = 1;
    bool graph_launches_clash = false;  // two launches of graphs ran at once
};

// The fake of this process, set back to its initial state.
#ifdef KGEN_FAKE_CUDA
class FakeCuda {
public:
    FakeCuda() : library_(::dlopen(path(), RTLD_NOW | RTLD_LOCAL)) {
        reinterpret_cast<void (*)()>(::dlsym(library_, "fake_cuda_reset"))();
    }
    static const char* path() { return KGEN_FAKE_CUDA; }
    FakeCudaRecord& record() const {
        return *reinterpret_cast<FakeCudaRecord* (*)()>(::dlsym(library_, "fake_cuda_record"))();
    }
    // How often a function was called since the reset, or all of them.
    int calls(const char* function = nullptr) const {
        return reinterpret_cast<int (*)(const char*)>(::dlsym(library_, "fake_cuda_calls"))(
            function);
    }
    // A capture of another library's. The modes are those of CUstreamCaptureMode. end_capture() gives the
    // driver's result and, if it is 0, a graph for destroy_graph().
    int begin_capture(void* stream, int mode) const {
        return reinterpret_cast<int (*)(void*, int)>(::dlsym(library_, "fake_cuda_begin_capture"))(
            stream, mode);
    }
    int end_capture(void* stream, void** graph) const {
        return reinterpret_cast<int (*)(void*, void**)>(::dlsym(library_, "fake_cuda_end_capture"))(
            stream, graph);
    }
    // Of the calling thread.
    void*& current_context() const {
        return *reinterpret_cast<void** (*)()>(::dlsym(library_, "fake_cuda_current_context"))();
    }
    // What the driver does when the last of a graph and what was made from it is gone.
    void destroy_graph(const void* graph) const {
        reinterpret_cast<void (*)(const void*)>(::dlsym(library_, "fake_cuda_destroy_graph"))(
            graph);
    }

private:
    void* library_;
};
#endif
