// SPDX-License-Identifier: MIT
//
// The binary interface between kgen and compiled raw programs on the host. A raw program is CUDA C++ that the
// user wrote in full (RawKernel, RawModule). The interface consists of the table of a program's kernels and
// variables, the arguments of a launch, and the functions that decide which thread of a block runs.
// kernel_templates/skeletons/{raw_host,fibers_host,raw_entry_host}.cuh declare the same structs.
#pragma once

#include <cstdint>

namespace kgen {

inline constexpr unsigned host_raw_version = 2;  // tables of other versions are refused

struct HostIndex {
    unsigned x = 0;
    unsigned y = 0;
    unsigned z = 0;
};

// A parameter of a kernel: its place in the parameter block in bytes, and its type.
struct HostRawParameter {
    unsigned offset;
    unsigned bytes;
    unsigned kind;  // a ParameterKind
    // Alignment of the type. It took the place of padding, so tables of older kgen have 0 here.
    unsigned alignment;
    // Text of __PRETTY_FUNCTION__ in a function template that is instantiated with the parameter's type. It
    // ends with "T = TYPE]".
    const char* type_name;
};

struct HostRawLaunch;

// A row of the table: a kernel, or a variable if `run` is null.
struct HostRawRow {
    const char* name;
    // Runs `count` blocks, beginning with launch->first.
    void (*run)(const HostRawLaunch* launch, long long count);
    void* variable;
    unsigned long long variable_bytes;
    const HostRawParameter* parameters;
    int parameter_count;
    bool uses_fibers;
    void* const* function;  // points to the address of the kernel
};

// Stack use of a program. kgen finds the mark in the compiled object and writes the two sizes behind it.
struct HostStackUse {
    char mark[24];
    // Size of the frames of all functions together; the largest number if unknown.
    unsigned long long all_bytes;
    // Size of the largest frame of one function; 0 if unknown.
    unsigned long long largest_bytes;
};

// The table of a program. The program exports it under the name kgen_table.
struct HostRawTable {
    unsigned version;
    bool fibers_by_context;
    bool has_shared_arrays;  // uses extern __shared__
    // Stack size of a fiber in bytes. The size of the frames is added to it if they are large.
    unsigned long stack_bytes;
    const HostStackUse* frames;
    const HostRawRow* const* begin;  // rows in [begin, end); some are null
    const HostRawRow* const* end;
};

// A thread of a block. It runs as a fiber, which has a stack of its own.
struct HostFiber {
    void* stack_pointer = nullptr;  // points to a ucontext_t if the program switches by contexts
    void* resume = nullptr;         // instruction at which the fiber continues
    HostIndex thread;
    unsigned lane = 0;
    unsigned long long value = 0;  // its argument to a warp function, then the result
};

// A thread block whose threads run as fibers of one CPU thread.
struct HostFiberBlock {
    HostFiber* main = nullptr;  // the CPU thread that runs the block, as a fiber
    // Result of the last barrier: the number of threads that passed true to it, and of all its threads.
    unsigned counted = 0;
    unsigned total = 0;
};

// Functions that return a fiber return the one that runs next, or nullptr if the caller continues. All but
// `start`, `begin` and `finish` are called on a fiber and throw nothing.
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

// A failure that the program itself reports. It does not report deadlocks, because kgen detects these.
struct HostRawFailure {
    enum What : int { division, assertion, trap };
    int what;
    HostIndex block;
    HostIndex thread;
    const char* text;  // the assertion's text
    const char* file;
    unsigned line;
    unsigned column;
    // Whether `left` and `right`, the operands of a division, are signed numbers.
    bool is_signed;
    unsigned long long left;
    unsigned long long right;
};

// The arguments of a launch, for one CPU thread.
struct HostRawLaunch {
    const HostFiberCalls* calls;
    // Throws HostRawError. If `block` is not null, the error is stored instead and `finish` throws it.
    void (*failed)(HostFiberBlock* block, const HostRawFailure* failure);
    const void* parameters;
    // Dynamic shared memory of the CPU thread that runs the blocks.
    void* shared;
    // The fibers of the CPU thread that runs the blocks.
    HostFiberBlock* fibers;
    unsigned grid[3];
    unsigned block[3];
    HostIndex first;  // index of the first block that HostRawRow::run runs
};

}  // namespace kgen
