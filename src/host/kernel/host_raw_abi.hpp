// SPDX-License-Identifier: MIT
//
// What compiled programs of the user's own and kgen share on the host: the table that names a
// program's kernels and variables, what a launch passes, and who decides which thread of a block runs.
// kernel_templates/skeletons/{raw_host,fibers_host,raw_entry_host}.cuh have the same structs.
#pragma once

#include <cstdint>

namespace kgen {

inline constexpr unsigned host_raw_version = 2;  // of all below: a table of another is refused

struct HostIndex {
    unsigned x = 0;
    unsigned y = 0;
    unsigned z = 0;
};

struct HostRawParameter {
    unsigned offset;
    unsigned bytes;
    unsigned kind;          // ParameterKind
    const char* type_name;  // the compiler's name of a function, which ends with "T = TYPE]"
};

struct HostRawLaunch;

// A kernel, or a variable where `run` is null.
struct HostRawRow {
    const char* name;
    void (*run)(const HostRawLaunch* launch, long long count);  // so many blocks from `first`
    void* variable;
    unsigned long long variable_bytes;
    const HostRawParameter* parameters;
    int parameter_count;
    bool uses_fibers;
    void* const* function;  // where the kernel's own address stands
};

struct HostStackUse {
    char mark[24];
    unsigned long long
        all_bytes;  // of the frames of all functions; the largest number if not known
    unsigned long long largest_bytes;  // of one function's frame; 0 if not known
};

struct HostRawTable {
    unsigned version;
    bool fibers_by_context;
    bool has_shared_arrays;     // extern __shared__
    unsigned long stack_bytes;  // of a thread, beside the frames if these are large
    const HostStackUse* frames;
    const HostRawRow* const* begin;  // some are null
    const HostRawRow* const* end;
};

// One thread of a block.
struct HostFiber {
    void* stack_pointer = nullptr;  // a ucontext_t where the program switches by contexts
    void* resume = nullptr;
    HostIndex thread;
    unsigned lane = 0;
    unsigned long long value = 0;  // what it brings to a warp's function, then what it gets
};

struct HostFiberBlock {
    HostFiber* main = nullptr;  // the worker itself
    unsigned counted = 0;       // of the last barrier: threads that brought true, and all
    unsigned total = 0;
};

// They return the fiber that runs next, nullptr where the caller goes on. All but `start`, `begin`
// and `finish` are called on a fiber and throw nothing.
struct HostFiberCalls {
    void (*start)(HostFiberBlock* block, const HostRawLaunch* launch, void (*fiber_main)());
    HostFiber* (*begin)(HostFiberBlock* block, const HostIndex* index);
    HostFiber* (*arrive)(
        HostFiberBlock* block, HostFiber* fiber, int kind, bool counts, int line, const char* file);
    HostFiber* (*join)(HostFiberBlock* block,
                       HostFiber* fiber,
                       int kind,
                       unsigned mask,
                       int argument,
                       int line,
                       const char* file);
    HostFiber* (*ask)(HostFiberBlock* block, HostFiber* fiber, int line, const char* file);
    HostFiber* (*leave)(HostFiberBlock* block, HostFiber* fiber);
    void (*finish)(HostFiberBlock* block);
    void (*swap)(void* from, void* to);
};

// What the code itself reports: waits that do not end are found by kgen.
struct HostRawFailure {
    enum What : int { division, assertion, trap };
    int what;
    HostIndex block;
    HostIndex thread;
    const char* text;  // of the assertion
    const char* file;
    unsigned line;
    unsigned column;
    bool is_signed;
    unsigned long long left;
    unsigned long long right;
};

struct HostRawLaunch {
    const HostFiberCalls* calls;
    // Throws HostRawError, unless there is a block: then it is kept for `finish`.
    void (*failed)(HostFiberBlock* block, const HostRawFailure* failure);
    const void* parameters;
    void* shared;            // dynamic shared memory, this worker's own
    HostFiberBlock* fibers;  // this worker's own
    unsigned grid[3];
    unsigned block[3];
    HostIndex first;
};

}  // namespace kgen
