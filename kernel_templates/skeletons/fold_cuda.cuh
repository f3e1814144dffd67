// SPDX-License-Identifier: MIT
// kgen: folds of the threads of a warp, a block, and several blocks. The order is fixed, so that results are too.
// Moves bytes between threads and through memory by words of the type's alignment.
template <class A> struct kgen_words {
    enum { unit = alignof(A) >= 4 ? 4 : alignof(A) };
    typedef typename kgen_word<unit>::type word;
    enum { count = sizeof(A) / unit, unrolled = count <= 16 ? count : 1 };
    union {
        A kgen_value;
        word kgen_at[count];
    };
    __device__ __forceinline__ kgen_words() {}
};
template <class A> __device__ __forceinline__ A kgen_shuffle_down(const A& value, int by, int width) {
    kgen_words<A> words;
    words.kgen_value = value;
#pragma unroll kgen_words<A>::unrolled
    for (int k = 0; k < kgen_words<A>::count; ++k)
        words.kgen_at[k] = (typename kgen_words<A>::word)__shfl_down_sync(0xffffffffu, (unsigned)words.kgen_at[k], by, width);
    return words.kgen_value;
}
// Reads what other blocks have written: not from the L1 cache.
template <class A> __device__ __forceinline__ A kgen_load_partial(const A* pointer) {
    typedef typename kgen_words<A>::word word;
    kgen_words<A> words;
#pragma unroll kgen_words<A>::unrolled
    for (int k = 0; k < kgen_words<A>::count; ++k) words.kgen_at[k] = __ldcg((const word*)pointer + k);
    return words.kgen_value;
}

// Folds the partials number first, first + step, .. below `count`, which lie `pitch` apart: eight loads at a time.
template <class Fold, class A, class Reduce>
__device__ __forceinline__ void kgen_fold_partials(Fold& fold, const kgen_slot<A>* from, int first, int count, int step,
                                                   int pitch, const Reduce& reduce) {
    enum { together = sizeof(A) <= 16 ? 8 : sizeof(A) <= 64 ? 2 : 1 };
    for (int k = first; k < count; k += together * step) {
        kgen_slot<A> loaded[together];
#pragma unroll
        for (int u = 0; u < together; ++u) {
            if (k + u * step < count) loaded[u] = kgen_load_partial(from + (long long)(k + u * step) * pitch);
        }
#pragma unroll
        for (int u = 0; u < together; ++u) {
            if (k + u * step < count) fold.kgen_add(loaded[u].kgen_value, reduce);
        }
    }
}

// The first of each `width` threads gets the fold of all of them. All threads of the warp must call it.
template <class Fold, class Reduce>
__device__ __forceinline__ void kgen_fold_lanes(Fold& fold, int width, const Reduce& reduce) {
    for (int by = width / 2; by > 0; by /= 2) {
        const Fold other = kgen_shuffle_down(fold, by, width);
        kgen_merge(fold, other, reduce);
    }
}

// Shared memory for so many folds at once, at least for one.
template <class Fold, int wanted> struct kgen_room {
    enum { count = sizeof(Fold) * wanted <= 40960 ? wanted : sizeof(Fold) <= 40960 ? 40960 / sizeof(Fold) : 1 };
    struct alignas(alignof(Fold) < 16 ? 16 : alignof(Fold)) type { char kgen_bytes[sizeof(Fold) * count]; };
};

// Thread 0 gets the fold of all threads of the block, 32 times a power of two: `threads`, or 0 where that is not known yet.
template <int threads, class Fold, class Reduce>
__device__ __forceinline__ void kgen_fold_block(Fold& fold, const Reduce& reduce) {
    typedef kgen_room<Fold, 32> room;
    __shared__ typename room::type kgen_shared;
    Fold* const folds = (Fold*)&kgen_shared;
    kgen_fold_lanes(fold, 32, reduce);
    const int warp = kgen_thread() / 32, lane = kgen_thread() % 32;
    const int warps = (threads > 0 ? threads : kgen_block_size()) / 32;
    if (room::count == 32) {
        __syncthreads();
        if (lane == 0) folds[warp] = fold;
        __syncthreads();
        if (warp > 0) return;
        fold = folds[lane % warps];
        kgen_fold_lanes(fold, warps, reduce);
        return;
    }
    // Large accumulators: as many at a time as there is room for.
    for (int first = 1; first < warps; first += room::count) {
        __syncthreads();
        if (lane == 0 && warp >= first && warp < first + room::count) folds[warp - first] = fold;
        __syncthreads();
        if (kgen_thread() > 0) continue;
        for (int k = 0; k < room::count && first + k < warps; ++k) kgen_merge(fold, folds[k], reduce);
    }
}

// Each thread of a block has `count` folds in `sums`; the one numbered e stands for column place(e) % period of
// place(e) / period copies, a place below `total`, or for none (-1). Afterwards sums[k] of thread t is column
// t + k * block size, folded over all copies. `folds` has room for `room`; `most` bounds `total`.
template <int room, int most, class Fold, class Place, class Reduce>
__device__ __forceinline__ void kgen_fold_columns(Fold* folds, Fold* sums, int count, int total, int period,
                                                  const Place& place, const Reduce& reduce) {
    const int threads = kgen_block_size(), thread = kgen_thread();
    if (room >= most || total <= room) {
        __syncthreads();
#pragma unroll
        for (int e = 0; e < count; ++e) {
            if (place(e) >= 0) folds[place(e)] = sums[e];
        }
        __syncthreads();
        for (int copies = total / period; copies > 1;) {
            const int half = (copies + 1) / 2;
            for (int k = thread; k < (copies - half) * period; k += threads)
                kgen_merge(folds[k], folds[k + half * period], reduce);
            __syncthreads();
            copies = half;
        }
#pragma unroll
        for (int e = 0; e < count; ++e) {
            if (thread + e * threads < period) sums[e] = folds[thread + e * threads];
        }
        return;
    }
    // Large accumulators: as many at a time as there is room for.
    Fold mine[most / 32 < 16 ? most / 32 : 16];
    for (int first = 0; first < total; first += room) {
        __syncthreads();
        for (int e = 0; e < count; ++e) {
            const int at = place(e) - first;
            if (place(e) >= 0 && at >= 0 && at < room) folds[at] = sums[e];
        }
        __syncthreads();
        const int end = total - first < room ? total - first : room;
        for (int k = 0; k < end; ++k) {
            const int column = (first + k) % period;
            if (column % threads != thread) continue;
            Fold& fold = mine[column / threads];
            if (first + k < period) fold = folds[k];
            else kgen_merge(fold, folds[k], reduce);
        }
    }
    for (int e = 0; e < count && thread + e * threads < period; ++e) sums[e] = mine[e];
}

// Whether this block is the last of `pieces` to come here with that counter, which then is 0 again. What threads have
// written and fenced before, the last block's threads may read with kgen_load_partial.
__device__ __forceinline__ bool kgen_is_last(unsigned* counter, int pieces) {
    __shared__ bool last;
    __syncthreads();
    if (kgen_thread() == 0) {
        last = atomicAdd(counter, 1u) == (unsigned)pieces - 1u;
        if (last) {
            *counter = 0;
            __threadfence();
        }
    }
    __syncthreads();
    return last;
}

// Types of which some hundred values have a sum that is an int.
template <class T> struct kgen_is_narrow { enum { value = 0 }; };
template <> struct kgen_is_narrow<bool> { enum { value = 1 }; };
template <> struct kgen_is_narrow<char> { enum { value = 1 }; };
template <> struct kgen_is_narrow<signed char> { enum { value = 1 }; };
template <> struct kgen_is_narrow<unsigned char> { enum { value = 1 }; };
template <> struct kgen_is_narrow<short> { enum { value = 1 }; };
template <> struct kgen_is_narrow<unsigned short> { enum { value = 1 }; };
// Whether mapped values of type M may be added as int first: half the instructions in a plain sum of integers.
template <class P, class M> struct kgen_adds_narrow { enum { value = P::kgen_is_integer_sum && kgen_is_narrow<M>::value }; };

// A mapped value as an accumulator.
template <class P, class M> __device__ __forceinline__ typename P::kgen_accumulator_type kgen_accumulated(const M& value) {
    return typename P::kgen_accumulator_type(typename P::kgen_value_type(value));
}
// Folds as they start.
template <class P, int count, class Fold, class Identity>
__device__ __forceinline__ void kgen_start(Fold* sums, const Identity& identity) {
    if constexpr (P::kgen_has_identity) {
#pragma unroll
        for (int e = 0; e < count; ++e) sums[e].kgen_at.kgen_value = identity();
    }
}
