// SPDX-License-Identifier: MIT
// kgen: folds over a warp and a thread block, in a fixed order, so that results are reproducible.

template <class A> struct kgen_handed;  // handed_cuda.cuh, where thread blocks fold pieces of outputs

// A value as words of up to 4 bytes, which can be moved between threads and through memory.
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
// Moves a value by moving each of its words.
template <class A, class Move> __device__ __forceinline__ A kgen_move_words(const A& value, const Move& move) {
    kgen_words<A> words;
    words.kgen_value = value;
#pragma unroll kgen_words<A>::unrolled
    for (int k = 0; k < kgen_words<A>::count; ++k)
        words.kgen_at[k] = (typename kgen_words<A>::word)move((unsigned)words.kgen_at[k]);
    return words.kgen_value;
}
// Returns the value. What is computed of it is not computed earlier: compilers convert a value where it is loaded, and later loads then
// wait for it.
template <class A> __device__ __forceinline__ A kgen_held_back(const A& value) {
    return kgen_move_words(value, [](unsigned word) {
#ifndef KGEN_ON_HOST
        asm volatile("" : "+r"(word));
#endif
        return word;
    });
}
template <class A> __device__ __forceinline__ A kgen_shuffle_down(const A& value, int by, int width) {
    return kgen_move_words(value, [&](unsigned word) { return __shfl_down_sync(0xffffffffu, word, by, width); });
}

// Folds the values of each `width` threads into the first of them. All threads of the warp must call it.
template <class Fold, class Reduce>
__device__ __forceinline__ void kgen_fold_lanes(Fold& fold, int width, const Reduce& reduce) {
    if constexpr (sizeof(Fold) > 8) {
        // Unrolled, this loop would take a sixth of the compile time of a variance, and it would not be faster.
#pragma unroll 1
        for (int by = width / 2; by > 0; by /= 2) kgen_merge(fold, kgen_shuffle_down(fold, by, width), reduce);
    } else {
#pragma unroll
        for (int by = 16; by > 0; by /= 2) {
            if (by < width) kgen_merge(fold, kgen_shuffle_down(fold, by, width), reduce);
        }
    }
}

// Returns in lane 0 the sum of an integer of each lane of a warp. From compute capability 8.0 on, one instruction adds the words of
// all lanes. 64 bits are added in three parts, whose sums fit into words.
template <class A> __device__ __forceinline__ A kgen_add_lanes(A value) {
#if __CUDA_ARCH__ >= 800 || defined(KGEN_ON_HOST)
    const auto add = [](unsigned word) { return __reduce_add_sync(0xffffffffu, word); };
    if constexpr (sizeof(A) <= 4) {
        value = A(add((unsigned)value));
    } else {
        const unsigned long long bits = (unsigned long long)value, low = add((unsigned)bits & 0x3fffffu);
        const unsigned long long middle = add((unsigned)(bits >> 22) & 0x3fffffu), high = add((unsigned)(bits >> 44));
        value = A(low + (middle << 22) + (high << 44));
    }
#else
    for (int by = 16; by > 0; by /= 2) value = A(value + kgen_shuffle_down(value, by, 32));
#endif
    return value;
}

// Shared memory for `wanted` folds, or for as many as fit into `most` bytes, but at least for one.
template <class Fold, int wanted, int most = 40960> struct kgen_room {
    enum { count = sizeof(Fold) * wanted <= most ? wanted : sizeof(Fold) <= most ? most / sizeof(Fold) : 1 };
    struct alignas(alignof(Fold) < 16 ? 16 : alignof(Fold)) type { char kgen_bytes[sizeof(Fold) * count]; };
};

// Folds the values of all threads of the thread block into thread 0. Their number is 32 times a power of two. `adds` says that the
// fold is a sum of integers, and `most` bounds the bytes of shared memory, as in kgen_room. Between two calls the threads must wait for each other (__syncthreads).
template <int threads, bool adds, int most = 40960, class Fold, class Reduce>
__device__ __forceinline__ void kgen_fold_block(Fold& fold, const Reduce& reduce) {
    typedef kgen_room<Fold, 32, most> room;
    __shared__ typename room::type kgen_shared;
    Fold* const folds = (Fold*)&kgen_shared;
    const auto fold_lanes = [&](int width) {
        if constexpr (adds) fold.kgen_at.kgen_value = kgen_add_lanes(fold.kgen_at.kgen_value);
        else kgen_fold_lanes(fold, width, reduce);
    };
    fold_lanes(32);
    const int warp = kgen_thread() / 32, lane = kgen_thread() % 32;
    constexpr int warps = threads / 32;
    if (room::count == 32) {
        if (lane == 0) folds[warp] = fold;
        __syncthreads();
        if (warp > 0) return;
        fold = folds[lane & (warps - 1)];
        if constexpr (adds) fold.kgen_at.kgen_value *= lane < warps;
        fold_lanes(warps);
        return;
    }
    // Accumulators are large: each pass stores as many as there is room for.
    for (int first = 1; first < warps; first += room::count) {
        __syncthreads();
        if (lane == 0 && warp >= first && warp < first + room::count) folds[warp - first] = fold;
        __syncthreads();
        if (kgen_thread() > 0) continue;
        for (int k = 0; k < room::count && first + k < warps; ++k) kgen_merge(fold, folds[k], reduce);
    }
}

// Where fold k lies among folds of which each thread stores `pack` neighbours. The places of two threads differ by an odd number,
// so that a warp's stores reach all banks of shared memory.
template <int pack> __device__ __forceinline__ int kgen_spread(int k) { return pack > 1 ? k + k / pack : k; }

// Folds columns over the threads of a thread block. Each thread passes `count` folds in `sums`. Number e is copy
// place(e) / period of column place(e) % period, and is ignored if place(e) is -1. There are `copies` of each column,
// together at most `most`. Afterwards sums[k] of thread t is the fold of all copies of column t + k * (threads of the block).
// `folds` has room for `room` folds. A thread's folds are `pack` neighbours, or apart if that is 1; those of
// merged columns lie apart too, and then only reach fewer banks. Between two calls the threads
// must wait for each other (__syncthreads).
template <int room, int most, int pack, class Fold, class Place, class Reduce>
__device__ __forceinline__ void kgen_fold_columns(Fold* folds, Fold* sums, int count, int copies, int period,
                                                  const Place& place, const Reduce& reduce) {
    const int threads = kgen_block_size(), thread = kgen_thread(), total = copies * period;
    if (room >= kgen_spread<pack>(most) || kgen_spread<pack>(total) <= room) {
#pragma unroll
        for (int e = 0; e < count; ++e) {
            if (place(e) >= 0) folds[kgen_spread<pack>(place(e))] = sums[e];
        }
        __syncthreads();
        // Rounds halve the number of copies, or quarter it if that leaves no rest: fewer rounds wait less often.
        while (copies > 1) {
            const bool quarters = sizeof(Fold) <= 16 && copies % 4 == 0;
            const int kept = quarters ? copies / 4 : (copies + 1) / 2, apart = kept * period;
            for (int k = thread; k < (quarters ? apart : (copies - kept) * period); k += threads) {
                const auto at = [&](int copy) -> Fold& { return folds[kgen_spread<pack>(k + copy * apart)]; };
                if (quarters) {
                    Fold fold = at(0);
                    const Fold second = at(1), third = at(2), fourth = at(3);  // read together
                    kgen_merge(fold, second, reduce);
                    kgen_merge(fold, third, reduce);
                    kgen_merge(fold, fourth, reduce);
                    at(0) = fold;
                } else {
                    kgen_merge(at(0), at(1), reduce);
                }
            }
            __syncthreads();
            copies = kept;
        }
#pragma unroll
        for (int e = 0; e < count; ++e) {
            if (thread + e * threads < period) sums[e] = folds[kgen_spread<pack>(thread + e * threads)];
        }
        return;
    }
    // Accumulators are large: each round moves as many as there is room for. Threads keep theirs.
    const auto store = [&](int first, int end) {
        __syncthreads();
#pragma unroll
        for (int e = 0; e < count; ++e) {
            const int at = place(e) - first;
            if (place(e) >= 0 && place(e) < end && at >= 0 && at < room) folds[at] = sums[e];
        }
        __syncthreads();
    };
    while (copies > 1) {
        const int begin = (copies + 1) / 2 * period, end = copies * period;
        for (int first = begin; first < end; first += room) {
            store(first, end);
#pragma unroll
            for (int e = 0; e < count; ++e) {
                const int at = place(e) + begin - first;
                if (place(e) >= 0 && place(e) + begin < end && at >= 0 && at < room) kgen_merge(sums[e], folds[at], reduce);
            }
        }
        copies = (copies + 1) / 2;
    }
    Fold mine[most / 32 < 16 ? most / 32 : 16];
    for (int first = 0; first < period; first += room) {
        store(first, period);
#pragma unroll
        for (int e = 0; e < count; ++e) {
            const int at = thread + e * threads - first;
            if (at >= 0 && at < room && at + first < period) mine[e] = folds[at];
        }
    }
#pragma unroll
    for (int e = 0; e < count; ++e) {
        if (thread + e * threads < period) sums[e] = mine[e];
    }
}

// Returns the number of rows or slots that are left, or a smaller one of 32 bits, whose comparisons are cheaper.
__device__ __forceinline__ int kgen_left(int count) { return count; }
__device__ __forceinline__ int kgen_left(long long count) { return count < 1 << 30 ? (int)count : 1 << 30; }

// A fold of narrow integers in 32 bits, of each column or of all elements. `some` says whether it takes values of type M. This
// one takes none; the other one is part of a source whose accumulator is an integer.
template <class P, class M, bool by_column, bool = (P::kgen_narrow > 0)> struct kgen_narrow_fold {
    enum { some = 0, by_words = 0 };
    template <class Fold, class Reduce> __device__ __forceinline__ void kgen_leave(Fold*, const Reduce&) {}
    template <class Fold, class Reduce> __device__ __forceinline__ void kgen_make_room(int, Fold*, const Reduce&) {}
};

// Converts a value of the map to an accumulator.
template <class P, class M> __device__ __forceinline__ typename P::kgen_accumulator_type kgen_accumulated(const M& value) {
    return typename P::kgen_accumulator_type(typename P::kgen_value_type(value));
}
// Whether the elements that a thread reads together are folded with each other before they join its accumulator: user-defined
// accumulators are, unless they are large. Often they hold a number of elements, which then is a constant: of moments, all
// elements that are read together need one quotient.
template <class P> struct kgen_batch {
    enum { some = P::kgen_own_accumulator && sizeof(typename P::kgen_accumulator_type) <= 32 };
};
// Folds the values first to first + count - 1 with each other, neighbours first.
template <class P, int first, int count, class Value, class Reduce>
__device__ __forceinline__ typename P::kgen_accumulator_type kgen_fold_batch(const Value& value, const Reduce& reduce) {
    if constexpr (count == 1) {
        return kgen_accumulated<P>(value(first));
    } else {
        const typename P::kgen_accumulator_type half = kgen_fold_batch<P, first, count / 2>(value, reduce);
        return reduce(half, kgen_fold_batch<P, first + count / 2, count - count / 2>(value, reduce));
    }
}
// Sets accumulators to the identity, if there is one.
template <class P, int count, class Fold, class Identity>
__device__ __forceinline__ void kgen_start(Fold* sums, const Identity& identity) {
    if constexpr (P::kgen_has_identity) {
#pragma unroll
        for (int e = 0; e < count; ++e) sums[e].kgen_at.kgen_value = identity();
    }
}
