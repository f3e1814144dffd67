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

// An output's elements as chunks, and these as pieces of equally many, a power of two: a piece is a subtree.
template <class P> struct kgen_cutting {
    long long kgen_chunks, kgen_each, kgen_count;
    template <class Parameters>
    KGEN_INLINE kgen_cutting(const Parameters& p, long long elements, long long chunk)
        : kgen_chunks(elements / chunk + (elements % chunk != 0)), kgen_each(1), kgen_count(1) {
        if constexpr (P::kgen_split) {
            while ((kgen_chunks + kgen_each - 1) / kgen_each > p.kgen_pieces) kgen_each *= 2;
        } else {
            while (kgen_each < kgen_chunks) kgen_each *= 2;
        }
        if (kgen_chunks > 0) kgen_count = (kgen_chunks + kgen_each - 1) / kgen_each;
    }
    // The chunks of a piece.
    KGEN_INLINE long long kgen_begin(long long piece) const { return piece * kgen_each; }
    KGEN_INLINE long long kgen_end(long long piece) const {
        const long long first = kgen_begin(piece);
        return kgen_each < kgen_chunks - first ? first + kgen_each : kgen_chunks;
    }
    // Leaves a piece's part, of `count` accumulators for the outputs from `output` on, for the last of the pieces to be
    // ready: that one gets the part of all, and true. The pieces have a counter, which is 0 again then.
    template <class Parameters, class Part, class Reduce>
    KGEN_INLINE bool kgen_join(const Parameters& p, Part& part, long long count, long long output, long long counter,
                               long long piece, const Reduce& reduce) const {
        if constexpr (P::kgen_split) {
            if (kgen_count == 1) return true;
            const long long bytes = sizeof(typename P::kgen_accumulator_type);
            char* const partials = (char*)p.kgen_partials + output * bytes;
            unsigned* const there = p.kgen_counters + counter;
            part.kgen_store(partials + piece * p.kgen_count * bytes, count);
            if (__atomic_fetch_add(there, 1u, __ATOMIC_ACQ_REL) != (unsigned)kgen_count - 1u) return false;
            __atomic_store_n(there, 0u, __ATOMIC_RELAXED);
            kgen_tree<Part> all;
            for (long long k = 0; k < kgen_count; ++k) {
                part.kgen_load(partials + k * p.kgen_count * bytes, count);
                all.kgen_push(part, reduce);
            }
            part = all.kgen_total(reduce);
        }
        return true;
    }
};
// Elements along the innermost reduced axis.
template <class P, class Parameters> KGEN_INLINE long long kgen_row_length(const Parameters& p) {
    if constexpr (P::kgen_rank > P::kgen_kept) return p.kgen_extents[P::kgen_rank - 1];
    else return 1;
}
