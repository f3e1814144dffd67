// SPDX-License-Identifier: MIT
// kgen: the CUDA functions in which threads wait for each other: barriers and warp functions.
enum {  // in the same order as WaitKind in src/host/run/fiber_block.hpp
    kgen_sync, kgen_sync_count, kgen_sync_and, kgen_sync_or,
    kgen_shuffle, kgen_shuffle_up, kgen_shuffle_down, kgen_shuffle_xor,
    kgen_sync_warp, kgen_ballot, kgen_any, kgen_all, kgen_match_any, kgen_match_all,
    kgen_reduce_add, kgen_reduce_min, kgen_reduce_max, kgen_reduce_unsigned_min, kgen_reduce_unsigned_max,
    kgen_reduce_and, kgen_reduce_or, kgen_reduce_xor,
};
#define KGEN_CALLER int line = __builtin_LINE(), const char* file = __builtin_FILE()
KGEN_INLINE kgen_block* kgen_barrier(int kind, bool counts, int line, const char* file) {
    kgen_block* block = kgen_now.kgen_fibers;
    kgen_fiber* fiber = kgen_now.kgen_self;
    kgen_give_way(fiber, kgen_now.kgen_launch->kgen_calls->kgen_arrive(block, fiber, kind, counts, line, file));
    return block;
}
KGEN_INLINE void __syncthreads(KGEN_CALLER) { kgen_barrier(kgen_sync, false, line, file); }
KGEN_INLINE int __syncthreads_count(int x, KGEN_CALLER) {
    return (int)kgen_barrier(kgen_sync_count, x != 0, line, file)->kgen_counted;
}
KGEN_INLINE int __syncthreads_and(int x, KGEN_CALLER) {
    const kgen_block* block = kgen_barrier(kgen_sync_and, x != 0, line, file);
    return block->kgen_counted == block->kgen_total;
}
KGEN_INLINE int __syncthreads_or(int x, KGEN_CALLER) {
    return kgen_barrier(kgen_sync_or, x != 0, line, file)->kgen_counted != 0;
}
KGEN_INLINE unsigned long long kgen_together(int kind, unsigned mask, unsigned long long value, int argument, int line,
                                             const char* file) {
    kgen_fiber* fiber = kgen_now.kgen_self;
    fiber->kgen_value = value;
    kgen_give_way(fiber, kgen_now.kgen_launch->kgen_calls->kgen_join(kgen_now.kgen_fibers, fiber, kind, mask, argument,
                                                                     line, file));
    return fiber->kgen_value;
}
KGEN_INLINE void __syncwarp(unsigned mask = 0xffffffff, KGEN_CALLER) {
    kgen_together(kgen_sync_warp, mask, 0, 0, line, file);
}
// Returns the lanes that are in this call when no lane of the warp can continue.
inline unsigned __activemask(KGEN_CALLER) {
    kgen_fiber* fiber = kgen_now.kgen_self;
    kgen_give_way(fiber, kgen_now.kgen_launch->kgen_calls->kgen_ask(kgen_now.kgen_fibers, fiber, line, file));
    return (unsigned)fiber->kgen_value;
}

// Shuffles like shfl of PTX, in segments of lanes `first` to `last`. If the source lies behind `last` (for shuffles up,
// before `first`), a lane gets its own value.
template <class T> KGEN_INLINE T kgen_shuffled(int kind, unsigned mask, T x, int by, int width, int line, const char* file) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles take types of 4 and 8 bytes");
    const int lane = (int)kgen_now.kgen_self->kgen_lane, segment = (32 - width) & 31;
    const int first = lane & segment, last = first | (31 & ~segment);
    by &= 31;
    int from = kind == kgen_shuffle        ? first | (by & ~segment)
               : kind == kgen_shuffle_up   ? (lane - by >= first ? lane - by : lane)
               : kind == kgen_shuffle_down ? lane + by
                                           : lane ^ by;
    if (from > last) from = lane;
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &x, sizeof x);
    bits = kgen_together(kind, mask, bits, from, line, file);
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
// Narrow integers become int, as in CUDA. Pointers and structs have no overload.
#define KGEN_SHUFFLE(name, kind, by) \
    template <class T> \
    KGEN_INLINE typename kgen_if<kgen_kind<T>::value != 0, decltype(+T())>::type name( \
        unsigned mask, T x, by n, int width = 32, KGEN_CALLER) { \
        return kgen_shuffled(kind, mask, +x, (int)n, width, line, file); \
    }
KGEN_SHUFFLE(__shfl_sync, kgen_shuffle, int) KGEN_SHUFFLE(__shfl_up_sync, kgen_shuffle_up, unsigned)
KGEN_SHUFFLE(__shfl_down_sync, kgen_shuffle_down, unsigned) KGEN_SHUFFLE(__shfl_xor_sync, kgen_shuffle_xor, int)

#define KGEN_VOTE(R, name, kind) \
    KGEN_INLINE R name(unsigned mask, int x, KGEN_CALLER) { \
        return (R)kgen_together(kind, mask, x != 0, 0, line, file); \
    }
KGEN_VOTE(unsigned, __ballot_sync, kgen_ballot) KGEN_VOTE(int, __any_sync, kgen_any) KGEN_VOTE(int, __all_sync, kgen_all)

template <class T> KGEN_INLINE unsigned long long kgen_bits_of(T x) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &x, sizeof x);
    return bits;
}
template <class T>
KGEN_INLINE typename kgen_if<kgen_kind<T>::value != 0, unsigned>::type __match_any_sync(unsigned mask, T x, KGEN_CALLER) {
    return (unsigned)kgen_together(kgen_match_any, mask, kgen_bits_of(+x), 0, line, file);
}
template <class T>
KGEN_INLINE typename kgen_if<kgen_kind<T>::value != 0, unsigned>::type __match_all_sync(unsigned mask, T x, int* same,
                                                                                       KGEN_CALLER) {
    const unsigned lanes = (unsigned)kgen_together(kgen_match_all, mask, kgen_bits_of(+x), 0, line, file);
    *same = lanes != 0;
    return lanes;
}
#define KGEN_REDUCE(T, name, kind) \
    KGEN_INLINE T name(unsigned mask, T x, KGEN_CALLER) { \
        return (T)kgen_together(kind, mask, (unsigned)x, 0, line, file); \
    }
KGEN_REDUCE(int, __reduce_add_sync, kgen_reduce_add) KGEN_REDUCE(unsigned, __reduce_add_sync, kgen_reduce_add)
KGEN_REDUCE(int, __reduce_min_sync, kgen_reduce_min) KGEN_REDUCE(unsigned, __reduce_min_sync, kgen_reduce_unsigned_min)
KGEN_REDUCE(int, __reduce_max_sync, kgen_reduce_max) KGEN_REDUCE(unsigned, __reduce_max_sync, kgen_reduce_unsigned_max)
KGEN_REDUCE(unsigned, __reduce_and_sync, kgen_reduce_and) KGEN_REDUCE(unsigned, __reduce_or_sync, kgen_reduce_or)
KGEN_REDUCE(unsigned, __reduce_xor_sync, kgen_reduce_xor)

// The entry point of a kernel whose threads wait.
template <class F, F function, bool fibers, class Types, class Numbers> struct kgen_entry;
template <class F, F function, class... A, int... k>
struct kgen_entry<F, function, true, kgen_types<A...>, kgen_numbers<k...>> {
    static void kgen_thread(const char* parameters) {
        function(kgen_slot<A>::kgen_load(parameters + kgen_offset<A...>(k))...);
    }
    static void kgen_run(const kgen_raw_launch* launch, long long count) {
        kgen_run_fibers(launch, count, kgen_thread);
    }
};
