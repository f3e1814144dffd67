// SPDX-License-Identifier: MIT
// kgen: places along axes, ranges of the work, and the inner loop, on the host.
template <class T> KGEN_INLINE T kgen_load(const T* pointer) { return *pointer; }
// g++ vectorises comparisons of bytes, but not loads of bool that select a value.
KGEN_INLINE bool kgen_load(const bool* pointer) { return *(const unsigned char*)pointer != 0; }
template <class T> KGEN_INLINE void kgen_store(T* pointer, const T& value) { *pointer = value; }

// The places along the axes [first, last). `x`, a kgen_operands, moves with them.
template <int first, int last> struct kgen_places {
    long long kgen_at[last > first ? last - first : 1];
    template <class Parameters, class Operands>
    KGEN_INLINE void kgen_begin(const Parameters& p, Operands& x, long long index) {
        if constexpr (last > first) {
            for (int axis = last - 1; axis >= first; --axis) {
                const long long extent = p.kgen_extents[axis];
                const long long over = index > 0 ? index / extent : 0;
                kgen_at[axis - first] = index - over * extent;
                x.kgen_move(axis, kgen_at[axis - first]);
                index = over;
            }
        }
    }
    // Moves one step along the innermost axis. At its end, it goes back to the begin, and one step along the next axis.
    template <class Parameters, class Operands> KGEN_INLINE void kgen_next(const Parameters& p, Operands& x) {
        if constexpr (last > first) {
            for (int axis = last - 1; axis >= first; --axis) {
                x.kgen_move(axis, 1);
                if (++kgen_at[axis - first] < p.kgen_extents[axis]) break;
                kgen_at[axis - first] = 0;
                x.kgen_move(axis, -p.kgen_extents[axis]);
            }
        }
    }
};
// The units [kgen_first, kgen_last) that begin in the range [begin, end) of the work, as if all had the same size.
struct kgen_units {
    long long kgen_first, kgen_last;
    KGEN_INLINE kgen_units(long long units, long long work, long long begin, long long end) {
        const long long each = (work - 1) / units + 1;
        kgen_first = begin / each + (begin % each != 0);
        kgen_last = end < work ? end / each + (end % each != 0) : units;
        if (kgen_first > units) kgen_first = units;
        if (kgen_last > units) kgen_last = units;
    }
};
// Calls element(k) for k in [from, to). `independent` promises that no call reads what another call stores.
template <bool independent, class Element>
KGEN_INLINE void kgen_each(const long long from, const long long to, const Element& element) {
    if constexpr (independent) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
        for (long long k = from; k < to; ++k) element(k);
    } else {
        for (long long k = from; k < to; ++k) element(k);
    }
}
// Calls element(k) or drawn(k, first, place), where first + place is `at` + k and `first` a multiple of 4, for k in [from, to).
// The calls are independent. The four elements of a step share the blocks of their random numbers.
template <class Element, class Drawn>
KGEN_INLINE void kgen_each_drawn(const long long from, const long long to, const long long at,
                                 const Element& element, const Drawn& drawn) {
    const long long last = (at + to) >> 2;
    const long long first = (at + from + 3) >> 2;
    const long long begin = first <= last ? first * 4 - at : to;
    const long long end = first <= last ? last * 4 - at : to;
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (long long step = first; step < last; ++step) {
        const long long k = step * 4 - at;
        drawn(k, step * 4, 0);
        drawn(k + 1, step * 4, 1);
        drawn(k + 2, step * 4, 2);
        drawn(k + 3, step * 4, 3);
    }
    // At most six elements before and behind, in one loop, which compiles in less time than two.
    for (long long k = from < begin ? from : end; k < to; k = k + 1 == begin ? end : k + 1) element(k);
}
