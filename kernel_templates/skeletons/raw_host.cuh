// SPDX-License-Identifier: MIT
// kgen: the start of raw programs on the host: the structs that kgen and the program share
// (src/host/kernel/host_raw_abi.hpp describes them), and CUDA's built-in variables.

// Stack size of each thread of a thread block in bytes. kgen adds room for large local variables, not for recursion.
#ifndef KGEN_HOST_STACK_BYTES
#define KGEN_HOST_STACK_BYTES 65536
#endif
static_assert(KGEN_HOST_STACK_BYTES >= 16384 && (KGEN_HOST_STACK_BYTES & 4095) == 0,
              "KGEN_HOST_STACK_BYTES: expected at least 16384, in multiples of 4096");
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(KGEN_FIBERS_BY_CONTEXT)
#define KGEN_FIBERS_BY_CONTEXT 1
#endif
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 700
#define __maxnreg__(...)
#define __block_size__(...)
#ifndef KGEN_VECTOR_TYPES
struct uint3 {
    unsigned x, y, z;
};
constexpr dim3::dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
constexpr dim3::operator uint3() const { return {x, y, z}; }
#endif
struct kgen_raw_parameter {
    unsigned kgen_offset, kgen_bytes, kgen_kind, kgen_alignment;
    const char* kgen_type_name;
};
struct kgen_raw_failure {
    int kgen_what;  // 0: a division, 1: an assertion, 2: a trap
    uint3 kgen_block, kgen_thread;
    const char* kgen_text;  // the assertion's text
    const char* kgen_file;
    unsigned kgen_line, kgen_column;
    bool kgen_signed;
    unsigned long long kgen_left, kgen_right;
};
struct kgen_fiber;
struct kgen_block;
struct kgen_raw_launch {
    const struct kgen_fiber_calls* kgen_calls;
    void (*kgen_failed)(kgen_block*, const kgen_raw_failure*);  // throws if the block is null
    const char* kgen_parameters;
    void* kgen_shared;  // dynamic shared memory of this CPU thread
    kgen_block* kgen_fibers;
    unsigned kgen_grid_extents[3], kgen_block_extents[3];
    uint3 kgen_first;
};
struct kgen_raw_row {  // a kernel, or a variable if kgen_run is null
    const char* kgen_name;
    void (*kgen_run)(const kgen_raw_launch*, long long count);  // runs `count` thread blocks from kgen_first on
    void* kgen_variable;
    unsigned long long kgen_bytes;  // size of the variable
    const kgen_raw_parameter* kgen_parameters;
    int kgen_count;  // number of parameters
    bool kgen_fibers;
    const void* kgen_function;  // points to the address of the kernel
};
struct kgen_raw_now {
    const kgen_raw_launch* kgen_launch;
    kgen_fiber* kgen_self;    // the current thread, in programs with fibers
    kgen_block* kgen_fibers;  // nullptr if the kernel runs without fibers
    void (*kgen_thread_body)(const char* parameters);
    uint3 kgen_thread;  // index of the current thread, in programs without fibers
    uint3 kgen_block_index;
    dim3 kgen_block_dim, kgen_grid_dim;
    void* kgen_shared;
};
static __thread kgen_raw_now kgen_now = {};
#define blockIdx kgen_now.kgen_block_index
#define blockDim kgen_now.kgen_block_dim
#define gridDim kgen_now.kgen_grid_dim
static constexpr int warpSize = 32;
#define __shared__ static __thread

// `extern __shared__ T s[]` becomes `T(*s) = kgen_dynamic_shared()` in a function, elsewhere a kgen_shared_array<T>.
struct kgen_shared_memory {
    template <class T> KGEN_INLINE operator T*() const { return (T*)kgen_now.kgen_shared; }
};
KGEN_INLINE kgen_shared_memory kgen_dynamic_shared() { return {}; }
template <class T> struct kgen_shared_array {
    KGEN_INLINE operator T*() const { return (T*)kgen_now.kgen_shared; }
};

// Reports a failure, which ends the launch.
[[noreturn]] static void kgen_raw_fail(kgen_raw_failure& failure);
static uint3 kgen_here();
[[noreturn]] __attribute__((noinline, cold)) static void kgen_fail_at(int what, const char* text, const char* file,
                                                                     unsigned line) {
    kgen_raw_failure failure = {what, kgen_now.kgen_block_index, kgen_here(), text, file, line, 0, false, 0, 0};
    kgen_raw_fail(failure);
}
#define __assert_fail(text, file, line, function) kgen_fail_at(1, text, file, (unsigned)(line))
#undef __trap
[[noreturn]] inline void __trap(unsigned line = __builtin_LINE(), const char* file = __builtin_FILE()) {
    kgen_fail_at(2, "", file, line);
}
inline void __brkpt() {}
// These do nothing, because a launch starts after the work before it has finished.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}

static void kgen_raw_division_failed(const char* file, unsigned line, unsigned column, bool is_signed,
                                     unsigned long long left, unsigned long long right) {
    kgen_raw_failure failure = {0, kgen_now.kgen_block_index, kgen_here(), "", file, line, column, is_signed, left, right};
    kgen_raw_fail(failure);
}
static const kgen_host_calls kgen_raw_calls = {kgen_raw_division_failed};
KGEN_INLINE void kgen_begin(const kgen_raw_launch* launch) {
    __atomic_store_n(&kgen_calls, &kgen_raw_calls, __ATOMIC_RELAXED);
    kgen_now.kgen_launch = launch;
    kgen_now.kgen_fibers = nullptr;
    kgen_now.kgen_shared = launch->kgen_shared;
    kgen_now.kgen_block_dim = dim3(launch->kgen_block_extents[0], launch->kgen_block_extents[1], launch->kgen_block_extents[2]);
    kgen_now.kgen_grid_dim = dim3(launch->kgen_grid_extents[0], launch->kgen_grid_extents[1], launch->kgen_grid_extents[2]);
}
KGEN_INLINE void kgen_next_block(uint3& block, const unsigned* grid) {
    if (++block.x != grid[0]) return;
    block.x = 0;
    if (++block.y != grid[1]) return;
    block.y = 0;
    ++block.z;
}
