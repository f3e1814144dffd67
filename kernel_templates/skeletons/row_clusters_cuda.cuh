// SPDX-License-Identifier: MIT
// kgen: clusters of thread blocks, which sm_90 and later have. All blocks of a cluster run at the same time and reach each other's
// shared memory.
__device__ void kgen_meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ unsigned kgen_load_of_block(const void* here, int block) {
    unsigned address, value;
    const unsigned local = (unsigned)__cvta_generic_to_shared(here);
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(local), "r"(block));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}
// Reads a fold from the shared memory of a block of the cluster.
template <class Fold> __device__ __forceinline__ Fold kgen_fold_of_block(const Fold* here, int block) {
    enum { words = sizeof(Fold) / 4 };
    static_assert(sizeof(Fold) % 4 == 0, "an accumulator of a row kernel consists of words");
    union room {
        Fold kgen_fold;
        unsigned kgen_at[words];
        __device__ __forceinline__ room() {}
    };
    room read;
#pragma unroll
    for (int k = 0; k < words; ++k) read.kgen_at[k] = kgen_load_of_block((const unsigned*)here + k, block);
    return read.kgen_fold;
}
template <int blocks, class Fold, class Reduce> __device__ __forceinline__ void kgen_fold_cluster(Fold& fold, const Reduce& reduce) {
    __shared__ alignas(16) char kgen_shared[sizeof(Fold)];
    if (kgen_thread() == 0) *(Fold*)kgen_shared = fold;
    kgen_meet_cluster();
    fold = kgen_fold_of_block((const Fold*)kgen_shared, (int)(kgen_thread() % blocks));
    kgen_fold_lanes(fold, blocks, reduce);
}
