// SPDX-License-Identifier: MIT
// kgen: runs the threads of a thread block as fibers of one CPU thread if they wait for each other. kgen decides
// which fiber runs next (src/host/run/fiber_block.cpp). The switch is inlined here, because the CPU then predicts
// the jump of each waiting call separately.
struct kgen_fiber {
    void* kgen_sp;
    void* kgen_pc;
    uint3 kgen_thread;
    unsigned kgen_lane;
    unsigned long long kgen_value;  // its argument to a warp function, then the result
};
struct kgen_block {
    kgen_fiber* kgen_main;              // the CPU thread that runs the thread block, as a fiber
    unsigned kgen_counted, kgen_total;  // threads that passed true to the last barrier, and all its threads
};
// Functions that return a fiber return the one that runs next, or nullptr if the caller continues.
struct kgen_fiber_calls {
    void (*kgen_start)(kgen_block*, const kgen_raw_launch*, void (*fiber_main)());
    kgen_fiber* (*kgen_begin)(kgen_block*, const uint3* index);
    kgen_fiber* (*kgen_arrive)(kgen_block*, kgen_fiber*, int kind, bool counts, int line, const char* file);
    kgen_fiber* (*kgen_join)(kgen_block*, kgen_fiber*, int kind, unsigned mask, int argument, int line, const char* file);
    kgen_fiber* (*kgen_ask)(kgen_block*, kgen_fiber*, int line, const char* file);
    kgen_fiber* (*kgen_leave)(kgen_block*, kgen_fiber*);
    void (*kgen_finish)(kgen_block*);         // throws if a thread has failed
    void (*kgen_swap)(void* from, void* to);  // swaps ucontexts, for CPUs that kgen_switch does not support
};
#define threadIdx kgen_now.kgen_self->kgen_thread
struct kgen_plain_thread {  // the only fiber of a kernel whose threads do not wait
    kgen_fiber kgen_only = {};
    kgen_plain_thread() { kgen_now.kgen_self = &kgen_only; }
};
static uint3 kgen_here() { return threadIdx; }

// Saves the place of `from` and continues `to`. The compiler saves all registers in use, because they are clobbered.
// The two that may address the stack frame are pushed instead, on x86-64 below the red zone. Rounding modes are not
// saved, because no kernel changes them.
static KGEN_INLINE void kgen_switch(kgen_fiber* from, kgen_fiber* to) {
    kgen_now.kgen_self = to;
#ifdef KGEN_FIBERS_BY_CONTEXT
    kgen_now.kgen_launch->kgen_calls->kgen_swap(from->kgen_sp, to->kgen_sp);
#elif defined(__x86_64__)
    asm volatile(
        "leaq -128(%%rsp), %%rsp\n\t"
        "pushq %%rbp\n\t"
        "pushq %%rbx\n\t"
        "leaq 1f(%%rip), %%rdx\n\t"
        "movq %%rsp, (%%rax)\n\t"
        "movq %%rdx, 8(%%rax)\n\t"
        "movq (%%rcx), %%rsp\n\t"
        "jmpq *8(%%rcx)\n"
        "1:\tpopq %%rbx\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp"
        : "+a"(from), "+c"(to)
        :
        : "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
          "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st",
          "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)",
#ifdef __AVX512F__
          "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
          "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
          "memory", "cc");
#else
    register kgen_fiber* from_register asm("x0") = from;
    register kgen_fiber* to_register asm("x1") = to;
    asm volatile(
        "stp x29, x19, [sp, #-16]!\n\t"
        "mov x3, sp\n\t"
        "adr x2, 1f\n\t"
        "stp x3, x2, [x0]\n\t"
        "ldp x3, x16, [x1]\n\t"
        "mov sp, x3\n\t"
        "br x16\n"
        "1:\thint #36\n\t"  // bti j
        "ldp x29, x19, [sp], #16"
        : "+r"(from_register), "+r"(to_register)
        :
        : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x20",
          "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",
          "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
          "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
#endif
}

// Stores the failure and continues the main fiber, because an exception cannot leave a fiber. kgen_finish throws it.
static void kgen_raw_fail(kgen_raw_failure& failure) {
    kgen_block* block = kgen_now.kgen_fibers;
    kgen_now.kgen_launch->kgen_failed(block, &failure);
    kgen_switch(kgen_now.kgen_self, block->kgen_main);
    __builtin_unreachable();
}
KGEN_INLINE void kgen_give_way(kgen_fiber* fiber, kgen_fiber* next) {
    if (next) kgen_switch(fiber, next);
}
__attribute__((noinline)) static void kgen_fiber_main() {
    for (;;) {  // once for each thread block
        const kgen_raw_launch* launch = kgen_now.kgen_launch;
        kgen_now.kgen_thread_body(launch->kgen_parameters);
        kgen_fiber* fiber = kgen_now.kgen_self;
        kgen_switch(fiber, launch->kgen_calls->kgen_leave(kgen_now.kgen_fibers, fiber));
    }
}
static void kgen_run_fibers(const kgen_raw_launch* launch, long long count, void (*body)(const char*)) {
    kgen_begin(launch);
    kgen_block* block = launch->kgen_fibers;
    kgen_now.kgen_fibers = block;
    kgen_now.kgen_thread_body = body;
    launch->kgen_calls->kgen_start(block, launch, kgen_fiber_main);
    uint3 index = launch->kgen_first;
    for (; count > 0; --count) {
        kgen_now.kgen_block_index = index;
        kgen_switch(block->kgen_main, launch->kgen_calls->kgen_begin(block, &index));
        launch->kgen_calls->kgen_finish(block);
        kgen_next_block(index, launch->kgen_grid_extents);
    }
    kgen_now.kgen_fibers = nullptr;
}
