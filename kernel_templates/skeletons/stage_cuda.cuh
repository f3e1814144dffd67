// SPDX-License-Identifier: MIT
// kgen: copies into shared memory that pass no register (PTX ISA, "cp.async"), from compute capability 8.0 on.
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
// Where the block's copy of `from` begins: as far behind 16 bytes as it does. `to` has room for 16 bytes more.
template <class T> __device__ __forceinline__ T* kgen_stage(char* to, const T* from, int count) {
    const int shift = (int)((unsigned long long)from % 16);
    T* const at = (T*)(to + shift);
    int head = shift == 0 ? 0 : (16 - shift) / (int)sizeof(T);
    if (head > count) head = count;
    const int whole = (count - head) * (int)sizeof(T) / 16;
    for (int k = kgen_thread(); k < whole; k += kgen_block_size())
        kgen_copy_16((char*)(at + head) + 16 * k, (const char*)(from + head) + 16 * k);
    const int tail = head + whole * 16 / (int)sizeof(T);
    for (int k = kgen_thread(); k < head + count - tail; k += kgen_block_size()) {
        const int element = k < head ? k : k - head + tail;
        kgen_store(at + element, kgen_load(from + element));
    }
    return at;
}
__device__ __forceinline__ int kgen_room_of(int bytes) { return (bytes + 31) / 16 * 16; }
