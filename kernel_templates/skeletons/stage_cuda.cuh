// SPDX-License-Identifier: MIT
// kgen: runs of elements that threads copy to shared memory, where they lie as in global memory.

// Copies into shared memory. From compute capability 8.0 on, they bypass registers (PTX ISA, "cp.async").
__device__ __forceinline__ void kgen_copy_16(char* to, const char* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *(uint4*)to = *(const uint4*)from;
#endif
}
__device__ __forceinline__ void kgen_wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
// Returns the place of a copy of `from`. Modulo 16, its address equals that of `from`, so `to` needs room for 16 more bytes.
template <class T> __device__ __forceinline__ T* kgen_staged_at(char* to, const T* from) {
    return (T*)(to + (int)((unsigned long long)from % 16));
}
// Returns the number of elements, of `count`, that lie before the first whole vector of 16 bytes.
template <class T> __device__ __forceinline__ int kgen_staged_head(const T* from, int count) {
    const int shift = (int)((unsigned long long)from % 16);
    const int head = shift == 0 ? 0 : (16 - shift) / (int)sizeof(T);
    return head < count ? head : count;
}
// Starts a copy by `threads` threads, of which this is number `thread`. Both addresses are equal modulo 16.
template <class T> __device__ __forceinline__ void kgen_stage(T* to, const T* from, int count, int thread, int threads) {
    const int head = kgen_staged_head(from, count);
    const int whole = (count - head) * (int)sizeof(T) / 16;
    for (int k = thread; k < whole; k += threads)
        kgen_copy_16((char*)(to + head) + 16 * k, (const char*)(from + head) + 16 * k);
    const int tail = head + whole * 16 / (int)sizeof(T);
    for (int k = thread; k < head + count - tail; k += threads) {
        const int element = k < head ? k : k - head + tail;
        kgen_store(to + element, kgen_load(from + element));
    }
}
__device__ __forceinline__ int kgen_room_of(int bytes) { return (bytes + 31) / 16 * 16; }
