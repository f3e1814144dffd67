// SPDX-License-Identifier: MIT
// kgen: reductions on the host. A band holds accumulators that do not see each other, so that the compiler folds
// many at once; several become one by a binary tree that depends on their number alone.
template <int value> struct kgen_number {};
// g++ would unroll short loops first and then not vectorise them.
#define KGEN_KEEP_LOOP _Pragma("GCC unroll 1")

// Accumulators as bytes: g++ does not tell the elements of an array of unions apart.
template <class A, int most> struct kgen_values {
    alignas(alignof(A) < 64 ? 64 : alignof(A)) char kgen_bytes[sizeof(A) * most];
    KGEN_INLINE kgen_values() {}
    KGEN_INLINE A kgen_get(long long k) const { return ((A*)kgen_bytes)[k]; }
    KGEN_INLINE void kgen_set(long long k, const A& value) { ((A*)kgen_bytes)[k] = value; }
};
// Sums apart from what they have lost, as vectors need them.
template <class T, int most> struct kgen_values<kgen_compensated<T>, most> {
    kgen_values<T, most> kgen_sums, kgen_losses;
    KGEN_INLINE kgen_compensated<T> kgen_get(long long k) const {
        kgen_compensated<T> value;
        value.kgen_sum = kgen_sums.kgen_get(k);
        value.kgen_lost = kgen_losses.kgen_get(k);
        return value;
    }
    KGEN_INLINE void kgen_set(long long k, const kgen_compensated<T>& value) {
        kgen_sums.kgen_set(k, value.kgen_sum);
        kgen_losses.kgen_set(k, value.kgen_lost);
    }
};
template <class Values, class Reduce> KGEN_INLINE void kgen_halve(Values&, kgen_number<0>, const Reduce&) {}
template <class Values, int half, class Reduce>
KGEN_INLINE void kgen_halve(Values& values, kgen_number<half>, const Reduce& reduce) {
    KGEN_KEEP_LOOP
    for (int k = 0; k < half; ++k) values.kgen_set(k, reduce(values.kgen_get(k), values.kgen_get(k + half)));
    kgen_halve(values, kgen_number<half / 2>(), reduce);
}

// Up to `most` accumulators, a power of two; `starts` says that they start from an identity, else from elements.
template <class A, int most, bool starts> struct kgen_band {
    enum { kgen_most = most, kgen_few = most < 16 ? most : 16 };
    kgen_values<A, most> kgen_at;
    long long kgen_used;
    KGEN_INLINE kgen_band() : kgen_used(0) {}
    KGEN_INLINE void kgen_start(long long count, const A& identity) {
        for (long long k = 0; k < count; ++k) kgen_at.kgen_set(k, identity);
        kgen_used = count;
    }
    // Element k to accumulator k, for up to `most` elements, of a band that starts for as many as it has started with.
    template <class Element, class Reduce>
    KGEN_INLINE void kgen_add(long long count, const Element& element, const Reduce& reduce) {
        const long long folded = !starts && kgen_used < count ? kgen_used : count;
        for (long long k = 0; k < folded; ++k) kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), element(k)));
        if (starts || folded == count) return;
        for (long long k = folded; k < count; ++k) kgen_at.kgen_set(k, element(k));
        kgen_used = count;
    }
    // Any number of elements: whole bands, then by few, then one by one, each time from the first accumulator on.
    template <class Element, class Reduce>
    KGEN_INLINE void kgen_add_row(long long count, const Element& element, const Reduce& reduce) {
        long long first = 0, lane = 0;
        if (!starts && kgen_used < most) {
            first = count < most ? count : most;
            kgen_add(first, element, reduce);
        }
        for (; first + most <= count; first += most) {
            for (int k = 0; k < most; ++k) kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), element(first + k)));
        }
        for (; kgen_few < most && first + kgen_few <= count; first += kgen_few, lane += kgen_few) {
            KGEN_KEEP_LOOP
            for (int k = 0; k < kgen_few; ++k)
                kgen_at.kgen_set(lane + k, reduce(kgen_at.kgen_get(lane + k), element(first + k)));
        }
        for (; first < count; ++first, ++lane) {
            __asm__ volatile("");  // fewer than a vector is worth
            kgen_at.kgen_set(lane, reduce(kgen_at.kgen_get(lane), element(first)));
        }
    }
    template <class Reduce> KGEN_INLINE void kgen_join(const kgen_band& later, const Reduce& reduce) {
        kgen_add(later.kgen_used, [&](long long k) { return later.kgen_at.kgen_get(k); }, reduce);
    }
    // Bytes, as scratch memory may be aligned to less than an accumulator.
    KGEN_INLINE void kgen_store(char* to, long long count) const {
        for (long long k = 0; k < count; ++k) {
            kgen_slot<A> slot;
            slot.kgen_value = kgen_at.kgen_get(k);
            __builtin_memcpy(to + k * sizeof(A), &slot, sizeof(A));
        }
    }
    KGEN_INLINE void kgen_load(const char* from, long long count) {
        for (long long k = 0; k < count; ++k) {
            kgen_slot<A> slot;
            __builtin_memcpy(&slot, from + k * sizeof(A), sizeof(A));
            kgen_at.kgen_set(k, slot.kgen_value);
        }
        kgen_used = count;
    }
    // Accumulators k, k + columns, k + 2 columns.. to accumulator k, for k < columns.
    template <class Reduce> KGEN_INLINE void kgen_fold(long long columns, const Reduce& reduce) {
        for (int half = most / 2; half > 0; half /= 2) {
            const long long from = half * columns;
            if (from >= kgen_used) continue;
            for (long long k = 0; k < kgen_used - from; ++k)
                kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), kgen_at.kgen_get(k + from)));
            kgen_used = from;
        }
    }
    // All that were started, in one.
    template <class Reduce> KGEN_INLINE A kgen_total(const Reduce& reduce) {
        if (starts || kgen_used == most) kgen_halve(kgen_at, kgen_number<most / 2>(), reduce);
        else kgen_fold(1, reduce);
        return kgen_at.kgen_get(0);
    }
};
template <class A> struct kgen_single {
    kgen_slot<A> kgen_at;
    KGEN_INLINE kgen_single() {}
    KGEN_INLINE explicit kgen_single(const A& value) { kgen_at.kgen_value = value; }
    KGEN_INLINE void kgen_store(char* to, long long) const { __builtin_memcpy(to, &kgen_at, sizeof(A)); }
    KGEN_INLINE void kgen_load(const char* from, long long) { __builtin_memcpy(&kgen_at, from, sizeof(A)); }
    template <class Reduce> KGEN_INLINE void kgen_join(const kgen_single& later, const Reduce& reduce) {
        kgen_at.kgen_value = reduce(kgen_at.kgen_value, later.kgen_at.kgen_value);
    }
};

// Parts come one after the other, and neighbours of as many parts each are joined: bit k of `kgen_there` stands for
// 2^k parts in one. Large parts would not fit on the stack, and are joined one by one.
template <class Part> struct kgen_tree {
    enum { kgen_levels = sizeof(Part) <= 4352 ? 20 : 1 };
    Part kgen_at[kgen_levels];
    unsigned kgen_there;
    KGEN_INLINE kgen_tree() : kgen_there(0) {}
    template <class Reduce> KGEN_INLINE void kgen_push(const Part& part, const Reduce& reduce) {
        const Part* later = &part;
        int level = 0;
        for (; level < kgen_levels && (kgen_there >> level & 1); ++level) {
            kgen_at[level].kgen_join(*later, reduce);
            later = &kgen_at[level];
            kgen_there &= ~(1u << level);
        }
        if (level == kgen_levels) --level;
        else kgen_at[level] = *later;
        kgen_there |= 1u << level;
    }
    // Of at least one part.
    template <class Reduce> KGEN_INLINE Part& kgen_total(const Reduce& reduce) {
        Part* later = &kgen_at[__builtin_ctz(kgen_there)];
        for (unsigned rest = kgen_there & (kgen_there - 1); rest != 0; rest &= rest - 1) {
            Part& earlier = kgen_at[__builtin_ctz(rest)];
            earlier.kgen_join(*later, reduce);
            later = &earlier;
        }
        return *later;
    }
};

// So many as stay in registers, and so many columns as stay in the L1 cache beside what is read.
template <class A> struct kgen_lane_count {
    enum { kgen_count = sizeof(A) <= 4 ? 64 : sizeof(A) <= 8 ? 32 : sizeof(A) <= 16 ? 16 : sizeof(A) <= 64 ? 4 : 1 };
};
template <class A> struct kgen_column_count {
    enum { kgen_count = sizeof(A) <= 16 ? 256 : sizeof(A) <= 64 ? 64 : sizeof(A) <= 256 ? 16 : 1 };
};

// The chunks of an output in up to `most` pieces of equally many, a power of two: a piece is a subtree.
struct kgen_cutting {
    long long kgen_each, kgen_count;
    KGEN_INLINE kgen_cutting(long long chunks, long long most) : kgen_each(1) {
        while ((chunks + kgen_each - 1) / kgen_each > most) kgen_each *= 2;
        kgen_count = chunks > 0 ? (chunks + kgen_each - 1) / kgen_each : 1;
    }
};
// A range of the work stands for the units that begin in it, counted as if all were of one size.
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
// Leaves a piece's part, of `count` accumulators, for the last of `pieces` to be ready: that one gets the part of all,
// and true. Piece k has its accumulators at partials + k * apart. The counter is 0 again then.
template <class Part, class Reduce>
KGEN_INLINE bool kgen_join_pieces(Part& part, long long count, long long piece, long long pieces, char* partials,
                                  long long apart, unsigned* counter, const Reduce& reduce) {
    part.kgen_store(partials + piece * apart, count);
    if (__atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL) != (unsigned)pieces - 1u) return false;
    __atomic_store_n(counter, 0u, __ATOMIC_RELAXED);
    kgen_tree<Part> all;
    for (long long k = 0; k < pieces; ++k) {
        part.kgen_load(partials + k * apart, count);
        all.kgen_push(part, reduce);
    }
    part = all.kgen_total(reduce);
    return true;
}
