// SPDX-License-Identifier: MIT
//
// The fake CUDA driver, for tests on machines without a GPU: a shared library with the entry points that kgen
// calls. Its device memory is plain host memory, and its kernels do nothing. It counts its calls. Environment
// variables, read at each call, configure it (examples of values, with the default in parentheses):
//
//     FAKE_CUDA_VERSION  12080                    version that cuDriverGetVersion returns (13000)
//     FAKE_CUDA_DEVICES  2                        number of GPUs (1)
//     FAKE_CUDA_PEERS    10 20                    "10" if cuda:1 can access memory of cuda:0 (all can)
//     FAKE_CUDA_CLOSED_POOLS  01                  the pool of cuda:0 cannot be opened to cuda:1 (none)
//     FAKE_CUDA_LOST_COPIES  01                   copies from cuda:0 to cuda:1 succeed and write nothing (none)
//     FAKE_CUDA_CAPABILITY  80                    compute capability of the GPUs (90)
//     FAKE_CUDA_COOPERATIVE  0                    1 if the GPUs support cooperative launches (1)
//     FAKE_CUDA_FAIL     cuLaunchKernel:700       this call returns 700; with :700:2 only twice
//     FAKE_CUDA_MISSING  cuFuncLoad               this entry point is missing
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <string>

// The attributes of a launch.
struct FakeCudaLaunch {
    unsigned grid[3] = {};
    unsigned block[3] = {};
    unsigned cluster[3] = {};  // 0 if not requested
    bool is_cooperative = false;
    bool is_programmatic = false;
    bool has_priority = false;
    int priority = 0;
};

// What the fake driver has recorded, and settings that a test may change. fake_cuda_record() returns its
// address.
struct FakeCudaRecord {
    const void* loaded_code = nullptr;  // argument of the last cuLibraryLoadData
    char loaded_text[64] = {};          // the first bytes of that code
    unsigned grid = 0;                  // extent along x of the last launch, and the following
    unsigned block = 0;
    unsigned shared_bytes = 0;
    const void* stream = nullptr;
    const void* context = nullptr;       // the current context
    unsigned char parameters[256] = {};  // the first bytes of the parameter block
    std::size_t parameters_bytes = 0;
    std::size_t live_blocks = 0;      // number of blocks allocated and not freed
    std::size_t live_bytes = 0;       // their size
    std::size_t last_allocation = 0;  // size in bytes
    std::size_t most_live_bytes = 0;  // the maximum of live_bytes
    int pointer_ordinal = 0;          // settable: GPU that all memory is reported to belong to
    int capture_mode = 0;             // mode that a thread set last
    bool is_capturing = false;        // settable: answer of cuStreamIsCapturing
    bool is_out_of_memory = false;    // settable: allocations fail until the pool is trimmed
    // Settable: parameter size that cuKernelGetParamInfo returns; 0 to read it from the loaded cubin.
    std::size_t parameter_size = 16;
    std::size_t memory_bytes = SIZE_MAX;  // settable: size of the device memory
    std::size_t accumulator_size = 24;  // settable: parameter size of a kernel named "accumulator"
    std::size_t last_fill = 0;          // bytes of the last cuMemsetD8Async
    const void* last_fill_stream = nullptr;
    unsigned texture_flags = 0;  // argument of the last cuTexObjectCreate, and the following
    int texture_filter = -1;
    int texture_address = -1;      // address mode of the third axis
    float texture_border = 0;      // fourth number of the border colour
    FakeCudaLaunch launch = {};    // the last launch
    char kernel[128] = {};         // kernel of the last launch
    unsigned largest_cluster = 8;  // settable: largest cluster that fits, in thread blocks
    const void* graph = nullptr;   // settable: graph of the capture; nullptr if it was invalidated
    unsigned stream_flags = 0;     // flags of the last stream that was created
    int begun_mode = -1;           // mode of the last cuStreamBeginCapture
    // Settable: answer of cuCtxGetId; 0 to report that the context is destroyed.
    unsigned long long context_id = 1;
    bool graph_launches_clash = false;  // two launches of graphs ran at once
    // If there are several GPUs: what was done with their pools ("create 0; open 0 to 1 2; allocate 0; "), and
    // the order of their streams ("0x1200 waits for 0x1100; copy in 0x1200; "), as far as there is room.
    char pool_log[256] = {};
    char order_log[256] = {};
};

// The fake driver of this process. The constructor resets it to its initial state.
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
    // Returns the number of calls of a function since the reset; of all functions for nullptr.
    int calls(const char* function = nullptr) const {
        return reinterpret_cast<int (*)(const char*)>(::dlsym(library_, "fake_cuda_calls"))(
            function);
    }
    // Begins a capture like another library would. `mode` is a CUstreamCaptureMode. end_capture() returns the
    // driver's result and, if that is 0, a graph for destroy_graph().
    int begin_capture(void* stream, int mode) const {
        return reinterpret_cast<int (*)(void*, int)>(::dlsym(library_, "fake_cuda_begin_capture"))(
            stream, mode);
    }
    int end_capture(void* stream, void** graph) const {
        return reinterpret_cast<int (*)(void*, void**)>(::dlsym(library_, "fake_cuda_end_capture"))(
            stream, graph);
    }
    // The current context of the calling thread.
    void*& current_context() const {
        return *reinterpret_cast<void** (*)()>(::dlsym(library_, "fake_cuda_current_context"))();
    }
    // Does what the driver does after a graph and everything made from it are destroyed.
    void destroy_graph(const void* graph) const {
        reinterpret_cast<void (*)(const void*)>(::dlsym(library_, "fake_cuda_destroy_graph"))(
            graph);
    }

private:
    void* library_;
};
#endif
