// SPDX-License-Identifier: MIT
// kgen: folds of which all threads of a team get the result.
template <class A> __device__ __forceinline__ A kgen_shuffle(const A& value, int from, int width) {
    return kgen_move_words(value, [&](unsigned word) { return __shfl_sync(0xffffffffu, word, from, width); });
}
// The elements of an access that belong to the row: those before kgen_end, or if kgen_from, the others. Some of them are missing
// only at one end of a row.
struct kgen_row_part {
    int kgen_end;
    bool kgen_from;
    __device__ __forceinline__ bool kgen_has(int e) const { return (e < kgen_end) != kgen_from; }
};
// Hides from the compiler what it knows of a value. Otherwise it would put several elements with one condition behind a branch.
__device__ __forceinline__ int kgen_hidden(int value) {
    asm("" : "+r"(value));
    return value;
}

// What a thread has of a row: the accesses number kgen_lane, kgen_lane + kgen_lanes, ... An access begins at an element of the
// row, or kgen_shift elements before. If P::kgen_held is not 0, the thread reads its accesses once and keeps them; otherwise each
// pass reads them again. If blocks of the whole grid share a row (P::kgen_spread), it keeps the first ones. A thread that has fewer accesses than others reads the last one too, and ignores it. There is no branch
// around the user's text, so that the compiler keeps what several passes compute of an element.
template <class P, class Operands> struct kgen_row_accesses {
    typedef typename P::kgen_number number;
    typedef typename Operands::kgen_values values;
    enum { most = P::kgen_held > 0 ? (int)P::kgen_held : 1 };
    struct alignas(alignof(values) < 4 ? 4 : alignof(values)) held { values kgen_at[most]; };
    held kgen_kept;
    number kgen_lane, kgen_lanes, kgen_count, kgen_row;
    number kgen_lowest, kgen_highest;  // the accesses that lie wholly within the arrays
    int kgen_shift;
    bool kgen_backwards;  // every other pass, so that it begins with what the cache still has
    __device__ __forceinline__ void kgen_begin_row(Operands& x, number row) {
        kgen_row = row;
        kgen_backwards = false;
        kgen_shift = x.kgen_shift();
        kgen_count = (row + kgen_shift + P::kgen_along - 1) / P::kgen_along;
        kgen_lowest = P::kgen_shifted && !x.kgen_is_within(-kgen_shift, 0) ? 1 : 0;
        kgen_highest = kgen_count - 1;
        if (P::kgen_shifted && !x.kgen_is_within(0, kgen_first(kgen_count))) --kgen_highest;
        if constexpr (P::kgen_held > 0) kgen_load<P::kgen_held>(x, kgen_kept.kgen_at, kgen_lane);
    }
    // Returns the place of an access in the row.
    __device__ __forceinline__ number kgen_first(number access) const { return access * P::kgen_along - kgen_shift; }
    // Whether access number u of those that are read together may be the first one of the row, or the last one or behind it.
    static __device__ __forceinline__ bool kgen_may_begin(int u) { return P::kgen_shifted && (P::kgen_held == 0 || u == 0); }
    static __device__ __forceinline__ bool kgen_may_end(int u) {
        return !P::kgen_whole && (P::kgen_held == 0 || P::kgen_spread || u >= P::kgen_held - 1 - P::kgen_shifted);
    }
    // Takes accesses that are read again. `inner` says that all their elements belong to the row.
    template <int together, bool inner, class Take>
    __device__ __forceinline__ void kgen_take_again(Operands& x, number access, const Take& take) const {
        values read[together];
        if constexpr (inner) {
#pragma unroll
            for (int u = 0; u < together; ++u) x.kgen_load_values(read[u], kgen_first(access + u * kgen_lanes), kgen_row);
#pragma unroll
            for (int u = 0; u < together; ++u) x.kgen_draw_values(read[u], kgen_first(access + u * kgen_lanes));
        } else {
            kgen_load<together>(x, read, access);
        }
#pragma unroll
        for (int u = 0; u < together; ++u) {
            const number at = access + u * kgen_lanes;
            take(read[u], kgen_first(at), inner ? kgen_row_part{P::kgen_pack, false} : kgen_part(u, at));
        }
    }
    // Reads accesses. The branches for those that are not within the arrays stand behind all loads, which therefore need not wait
    // for each other.
    template <int count> __device__ __forceinline__ void kgen_load(Operands& x, values* to, number access) const {
#pragma unroll
        for (int u = 0; u < count; ++u) {
            number at = access + u * kgen_lanes;
            if (kgen_may_begin(u) && at < kgen_lowest) at = kgen_lowest;
            if (kgen_may_end(u) && at > kgen_highest) at = kgen_highest;
            x.kgen_load_values(to[u], kgen_first(at), kgen_row);
        }
        if constexpr (P::kgen_shifted) {
#pragma unroll
            for (int u = 0; u < count; ++u) {
                const number at = access + u * kgen_lanes;
                if ((kgen_may_begin(u) && at < kgen_lowest) || (kgen_may_end(u) && at > kgen_highest && at < kgen_count))
                    x.kgen_load_elements(to[u], kgen_first(at), kgen_row);
            }
        }
#pragma unroll
        for (int u = 0; u < count; ++u) x.kgen_draw_values(to[u], kgen_first(access + u * kgen_lanes));
    }
    // Has the compiler keep narrow elements as they were read, not what a pass computed of them, which needs more registers. ptxas
    // sees through the empty asm and keeps some of the computed values. With kgen_forgets a word is therefore changed by
    // gridDim.z - 1, which is 0, because a grid's extent along z is 1, but ptxas does not know it.
    __device__ __forceinline__ void kgen_keep() {
        if constexpr (P::kgen_packed) {
            kgen_words<held> words;
            words.kgen_value = kgen_kept;
#pragma unroll
            for (int k = 0; k < kgen_words<held>::count; ++k) {
                if constexpr (P::kgen_forgets) words.kgen_at[k] ^= (typename kgen_words<held>::word)(gridDim.z - 1);
                else asm volatile("" : "+r"(words.kgen_at[k]));
            }
            kgen_kept = words.kgen_value;
        }
    }
    __device__ __forceinline__ kgen_row_part kgen_part(int u, number access) const {
        kgen_row_part part = {P::kgen_pack, false};
        const number first = kgen_first(access);
        if (kgen_may_end(u)) {
            if (access >= kgen_count) part.kgen_end = 0;
            else if (P::kgen_shifted && kgen_row - first < P::kgen_pack) part.kgen_end = (int)(kgen_row - first);
        }
        if (kgen_may_begin(u) && first < 0) part = {(int)-first, true};
        if (kgen_may_begin(u) || kgen_may_end(u)) part.kgen_end = kgen_hidden(part.kgen_end);
        return part;
    }
    // Calls take(values, place of the access, its part of the row).
    template <class Take> __device__ __forceinline__ void kgen_each(Operands& x, const Take& take) {
        if constexpr (P::kgen_held > 0) {
#pragma unroll
            for (int u = 0; u < P::kgen_held; ++u) {
                const number access = kgen_lane + u * kgen_lanes;
                take(kgen_kept.kgen_at[u], kgen_first(access), kgen_part(u, access));
            }
        }
        if constexpr (P::kgen_held == 0 || P::kgen_spread) {
            enum { together = P::kgen_pack > 1 ? 4 : 8 };
            const number kept = kgen_lanes * P::kgen_held, step = kgen_lanes * together;
            const number steps = kept < kgen_count ? (kgen_count - kept + step - 1) / step : 0;
#pragma unroll 1
            for (number k = 0; k < steps; ++k) {
                const number access = kept + (kgen_backwards ? steps - 1 - k : k) * step + kgen_lane;
                const number last = access + (together - 1) * kgen_lanes;
                // What a spread team keeps leaves too few registers for two loops.
                if (!P::kgen_spread && access >= (int)P::kgen_shifted && last < kgen_count - (int)P::kgen_shifted)
                    kgen_take_again<together, true>(x, access, take);
                else kgen_take_again<together, false>(x, access, take);
            }
            kgen_backwards = !kgen_backwards;
        }
    }
};
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

// Folds the values of a team: P::kgen_team threads of a warp, or whole thread blocks.
template <class P, class Fold, class Pass, class Meeting>
__device__ __forceinline__ void kgen_fold_team(Fold& fold, const Pass& pass, Meeting& meeting) {
    const auto& reduce = pass.kgen_reduce;
    enum { is_block = P::kgen_team > 32, lanes = is_block ? P::kgen_team / 32 : P::kgen_team };
    if constexpr (is_block) {
        typedef kgen_room<Fold, 32> room;
        static_assert(room::count == 32, "an accumulator of a row kernel has at most 1280 bytes");
        __shared__ typename room::type kgen_shared;
        Fold* const folds = (Fold*)&kgen_shared;
        kgen_fold_lanes(fold, 32, reduce);
        if (kgen_thread() % 32 == 0) folds[kgen_thread() / 32] = fold;
        __syncthreads();
        fold = folds[kgen_thread() % lanes];
    }
    kgen_fold_lanes(fold, lanes, reduce);
    if constexpr (P::kgen_blocks > 1) {
        fold = kgen_shuffle(fold, 0, 32);
        kgen_fold_cluster<P::kgen_blocks>(fold, reduce);
    }
    if constexpr (P::kgen_spread) kgen_fold_grid(fold, pass, meeting);
    else fold = kgen_shuffle(fold, 0, P::kgen_blocks > 1 ? (int)P::kgen_blocks : (int)lanes);
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

// Reads what another thread block wrote. The load bypasses the L1 cache, which may hold old data.
template <class A> __device__ __forceinline__ A kgen_load_partial(const A* pointer) {
    typedef typename kgen_words<A>::word word;
    kgen_words<A> words;
#pragma unroll kgen_words<A>::unrolled
    for (int k = 0; k < kgen_words<A>::count; ++k) words.kgen_at[k] = __ldcg((const word*)pointer + k);
    return words.kgen_value;
}

// Folds the partials number first, first + step, ... below `count`, several loads at a time. `pitch` is the distance between partials.
template <class Fold, class A, class Reduce>
__device__ __forceinline__ void kgen_fold_partials(Fold& fold, const kgen_slot<A>* from, int first, int count, int step,
                                                   int pitch, const Reduce& reduce) {
    enum { together = sizeof(A) <= 4 ? 16 : sizeof(A) <= 16 ? 8 : sizeof(A) <= 64 ? 2 : 1 };
#pragma unroll 1
    for (int k = first; k < count; k += together * step) {
        kgen_slot<A> loaded[together];
        // The first partial takes the place of missing ones, because branches around loads take time to compile.
        const kgen_slot<A>* const at = from + (long long)k * pitch;
#pragma unroll
        for (int u = 0; u < together; ++u) loaded[u] = kgen_load_partial(k + u * step < count ? at + (long long)step * pitch * u : at);
#pragma unroll
        for (int u = 0; u < together; ++u) {
            if (k + u * step < count) fold.kgen_add(loaded[u].kgen_value, reduce);
        }
    }
}
