// SPDX-License-Identifier: MIT
// kgen: folds of the threads of a warp, a block, and several blocks. The order is fixed, so that results are too.
struct kgen_row_teams {
    long long kgen_row, kgen_segments, kgen_segments_each, kgen_slots_each;
    int kgen_segment_pieces, kgen_slot_pieces, kgen_team, kgen_lanes;
};
struct kgen_staged_rows {
    long long kgen_row;
    int kgen_rows, kgen_room;
};
struct kgen_column_tiles {
    long long kgen_columns, kgen_rows, kgen_rows_each, kgen_tiles;
    int kgen_pieces, kgen_across, kgen_height, kgen_period;
};

// Moves bytes between threads and through memory by words of the type's alignment.
template <class A> struct kgen_words {
    enum { unit = alignof(A) >= 4 ? 4 : alignof(A) };
    typedef typename kgen_word<unit>::type word;
    enum { count = sizeof(A) / unit };
    union {
        A kgen_value;
        word kgen_at[count];
    };
    __device__ __forceinline__ kgen_words() {}
};
template <class A> __device__ __forceinline__ A kgen_shuffle_down(const A& value, int by, int width) {
    kgen_words<A> words;
    words.kgen_value = value;
#pragma unroll
    for (int k = 0; k < kgen_words<A>::count; ++k)
        words.kgen_at[k] = (typename kgen_words<A>::word)__shfl_down_sync(0xffffffffu, (unsigned)words.kgen_at[k], by, width);
    return words.kgen_value;
}
// Reads what other blocks have written: not from the L1 cache.
template <class A> __device__ __forceinline__ A kgen_load_partial(const A* pointer) {
    typedef typename kgen_words<A>::word word;
    kgen_words<A> words;
#pragma unroll
    for (int k = 0; k < kgen_words<A>::count; ++k) words.kgen_at[k] = __ldcg((const word*)pointer + k);
    return words.kgen_value;
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

// Thread 0 gets the fold of all threads of the block, of which there are a multiple of 32.
template <class Fold, class Reduce> __device__ __forceinline__ void kgen_fold_block(Fold& fold, const Reduce& reduce) {
    typedef kgen_room<Fold, 32> room;
    __shared__ typename room::type kgen_shared;
    Fold* const kgen_folds = (Fold*)&kgen_shared;
    kgen_fold_lanes(fold, 32, reduce);
    const int warp = kgen_thread() / 32;
    const int warps = kgen_block_size() / 32;
    for (int first = 1; first < warps; first += room::count) {
        __syncthreads();
        if (kgen_thread() % 32 == 0 && warp >= first && warp < first + room::count) kgen_folds[warp - first] = fold;
        __syncthreads();
        if (kgen_thread() == 0) {
            for (int k = 0; k < room::count && first + k < warps; ++k) kgen_merge(fold, kgen_folds[k], reduce);
        }
    }
}

// Whether this block is the last of `pieces` to come here with that counter, which then is 0 again. What a thread has
// written before, the last block's threads may read with kgen_load_partial.
__device__ __forceinline__ bool kgen_is_last(unsigned* counter, int pieces) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (kgen_thread() == 0) {
        last = atomicAdd(counter, 1u) == (unsigned)pieces - 1u;
        if (last) *counter = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}
