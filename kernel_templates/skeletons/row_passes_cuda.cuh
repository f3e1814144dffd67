// SPDX-License-Identifier: MIT
// kgen: folds of which all threads of a team get the result.
template <class A> __device__ __forceinline__ A kgen_shuffle(const A& value, int from, int width) {
    kgen_words<A> words;
    words.kgen_value = value;
#pragma unroll kgen_words<A>::unrolled
    for (int k = 0; k < kgen_words<A>::count; ++k)
        words.kgen_at[k] = (typename kgen_words<A>::word)__shfl_sync(0xffffffffu, (unsigned)words.kgen_at[k], from, width);
    return words.kgen_value;
}
// Returns which elements of an access belong to the row, a bit for each. The empty assembly hides that several elements have
// one condition, for which the compiler would make a branch.
__device__ __forceinline__ unsigned kgen_hidden(unsigned elements) {
    asm("" : "+r"(elements));
    return elements;
}
// Folds a value if it is one of the row. The new accumulator is computed in either case: a branch would keep the compiler from
// using what it depends on in later passes.
template <class A, class Reduce>
__device__ __forceinline__ void kgen_add_if(bool is_of_row, kgen_fold<A, true>& sum, const A& value, const Reduce& reduce) {
    const A next = reduce(sum.kgen_at.kgen_value, value);
    sum.kgen_at.kgen_value = is_of_row ? next : sum.kgen_at.kgen_value;
}
template <class A, class Reduce>
__device__ __forceinline__ void kgen_add_if(bool is_of_row, kgen_fold<A, false>& sum, const A& value, const Reduce& reduce) {
    if (is_of_row) sum.kgen_add(value, reduce);
}
// Starts the folds of a thread.
template <class Pass, class Fold> __device__ __forceinline__ void kgen_start_pass(const Pass& pass, Fold* sums, int count) {
    if constexpr (Pass::kgen_has_identity) {
#pragma unroll
        for (int e = 0; e < count; ++e) sums[e].kgen_at.kgen_value = pass.kgen_identity();
    }
}

// Defined in row_clusters_cuda.cuh, for kernels whose rows a cluster of thread blocks shares.
__device__ void kgen_meet_cluster();
template <class Fold> __device__ __forceinline__ Fold kgen_fold_of_block(const Fold* here, int block);
template <int blocks, class Fold, class Reduce> __device__ __forceinline__ void kgen_fold_cluster(Fold& fold, const Reduce& reduce);
// The thread blocks that share a row, if blocks of the whole grid do. Defined in row_grids_cuda.cuh.
template <class P, bool = P::kgen_spread> struct kgen_meeting {
    template <class Parameters> __device__ __forceinline__ kgen_meeting(const Parameters&, int, int) {}
};
template <class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_grid(Fold& fold, const Pass& pass, Meeting& meeting);
template <int threads, int width, int height, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_grid_down(Fold* room, const Pass& pass, Meeting& meeting);

// The size of the largest of some types.
template <int... sizes> struct kgen_largest;
template <int size> struct kgen_largest<size> { enum { kgen_bytes = size }; };
template <int size, int... more> struct kgen_largest<size, more...> {
    enum { rest = kgen_largest<more...>::kgen_bytes, kgen_bytes = (int)size > (int)rest ? (int)size : (int)rest };
};
// The distance between accumulators of any pass in scratch memory.
template <class... A> struct kgen_partial_size { enum { kgen_bytes = (kgen_largest<sizeof(A)...>::kgen_bytes + 15) / 16 * 16 }; };

// Folds the values of a team: `team` threads of a warp, or whole thread blocks.
template <class P, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_team(Fold& fold, int team, const Pass& pass, Meeting& meeting) {
    const auto& reduce = pass.kgen_reduce;
    if constexpr (P::kgen_block_team) {
        typedef kgen_room<Fold, 32> room;
        static_assert(room::count == 32, "an accumulator of a row kernel has at most 1280 bytes");
        __shared__ typename room::type kgen_shared;
        Fold* const folds = (Fold*)&kgen_shared;
        enum { warps = P::kgen_block_bound / 32 };
        kgen_fold_lanes(fold, 32, reduce);
        if (kgen_thread() % 32 == 0) folds[kgen_thread() / 32] = fold;
        __syncthreads();
        fold = folds[kgen_thread() % warps];
        team = warps;
    }
    kgen_fold_lanes(fold, team, reduce);
    if constexpr (P::kgen_block_team && P::kgen_blocks > 1) {
        fold = kgen_shuffle(fold, 0, 32);
        kgen_fold_cluster<P::kgen_blocks>(fold, reduce);
        team = P::kgen_blocks;
    }
    if constexpr (P::kgen_spread) kgen_fold_grid(fold, pass, meeting);
    else fold = kgen_shuffle(fold, 0, team);
}

// Folds the columns of each thread over the threads that have the same columns: those whose numbers differ by multiples of
// P::kgen_across, a power of two, in all blocks that share the columns. `room` of the team has a place for each fold of the rows of threads that no
// warp folds alone, and one more row.
template <class P, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_down(Fold* sums, Fold* room, const Pass& pass, Meeting& meeting) {
    const auto& reduce = pass.kgen_reduce;
    enum {
        across = P::kgen_across,
        pack = P::kgen_pack,
        width = across * pack,
        rows = across < 32 ? P::kgen_team / 32 : P::kgen_team / across
    };
    const int thread = kgen_thread() % P::kgen_team;
    const int column = thread % across, row = across < 32 ? thread / 32 : thread / across;
#pragma unroll
    for (int by = 16; by >= across; by /= 2) {
#pragma unroll
        for (int e = 0; e < pack; ++e) kgen_merge(sums[e], kgen_shuffle_down(sums[e], by, 32), reduce);
    }
    // The pass before has read the room.
    if constexpr (P::kgen_blocks > 1) kgen_meet_cluster();
    else __syncthreads();
    if (thread % 32 < across) {
#pragma unroll
        for (int e = 0; e < pack; ++e) room[row * width + column * pack + e] = sums[e];
    }
    __syncthreads();
    Fold* folded = room;
    if constexpr (rows > 1) {
        for (int k = thread; k < width; k += P::kgen_team) {
            Fold fold = room[k];
#pragma unroll
            for (int r = 1; r < rows; ++r) kgen_merge(fold, room[r * width + k], reduce);
            room[k] = fold;
        }
        if constexpr (P::kgen_blocks == 1 && !P::kgen_spread) __syncthreads();
    }
    if constexpr (P::kgen_spread) kgen_fold_grid_down<P::kgen_team, width, rows + 1>(room, pass, meeting);
    if constexpr (P::kgen_blocks > 1) {
        kgen_meet_cluster();
        folded = room + rows * width;
        for (int k = thread; k < width; k += P::kgen_team) {
            Fold folds[P::kgen_blocks];
#pragma unroll
            for (int b = 0; b < P::kgen_blocks; ++b) folds[b] = kgen_fold_of_block(room + k, b);
#pragma unroll
            for (int b = 1; b < P::kgen_blocks; ++b) kgen_merge(folds[0], folds[b], reduce);
            folded[k] = folds[0];
        }
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < pack; ++e) sums[e] = folded[column * pack + e];
}
