// SPDX-License-Identifier: MIT
// kgen: reductions on the host. A band holds independent accumulators, so that the compiler can fold many at once.
// They are then folded into one by a binary tree that depends only on their number.
template <int value> struct kgen_number {};
// Without this, g++ unrolls short loops first and then does not vectorise them.
#define KGEN_KEEP_LOOP _Pragma("GCC unroll 1")

// An array of accumulators. It stores bytes, because g++ cannot tell the elements of an array of unions apart.
template <class A, int most> struct kgen_values {
    alignas(alignof(A) < 64 ? 64 : alignof(A)) char kgen_bytes[sizeof(A) * most];
    KGEN_INLINE kgen_values() {}
    KGEN_INLINE A kgen_get(long long k) const { return ((A*)kgen_bytes)[k]; }
    KGEN_INLINE void kgen_set(long long k, const A& value) { ((A*)kgen_bytes)[k] = value; }
};
// As bytes, because g++ does not vectorise loads of bool that select a value.
template <int most> struct kgen_values<bool, most> {
    alignas(64) unsigned char kgen_bytes[most];
    KGEN_INLINE kgen_values() {}
    KGEN_INLINE bool kgen_get(long long k) const { return kgen_bytes[k] != 0; }
    KGEN_INLINE void kgen_set(long long k, bool value) { kgen_bytes[k] = value; }
};
// Sums and lost parts are in separate arrays, so that the compiler can use vectors.
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

// Up to `most` accumulators; `most` is a power of two. They start with an identity if `starts`, otherwise with the
// first elements.
template <class A, int most, bool starts> struct kgen_band {
    enum { kgen_most = most, kgen_few = most < 16 ? most : 16 };
    kgen_values<A, most> kgen_at;
    long long kgen_used;
    KGEN_INLINE kgen_band() : kgen_used(0) {}
    KGEN_INLINE void kgen_start(long long count, const A& identity) {
        for (long long k = 0; k < count; ++k) kgen_at.kgen_set(k, identity);
        kgen_used = count;
    }
    // Folds element k into accumulator k. `count` is at most `most`; if `starts`, at most the count of kgen_start.
    template <class Element, class Reduce>
    KGEN_INLINE void kgen_add(long long count, const Element& element, const Reduce& reduce) {
        const long long folded = !starts && kgen_used < count ? kgen_used : count;
        for (long long k = 0; k < folded; ++k) kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), A(element(k))));
        if (starts || folded == count) return;
        for (long long k = folded; k < count; ++k) kgen_at.kgen_set(k, A(element(k)));
        kgen_used = count;
    }
    // Folds any number of elements: first whole bands, then groups of kgen_few elements, then single elements. Groups
    // and single elements go to successive accumulators from the first one on.
    template <class Element, class Reduce>
    KGEN_INLINE void kgen_add_row(long long count, const Element& element, const Reduce& reduce) {
        long long first = 0, lane = 0;
        if (!starts && kgen_used < most) {
            first = count < most ? count : most;
            kgen_add(first, element, reduce);
        }
        for (; first + most <= count; first += most) {
            for (int k = 0; k < most; ++k) kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), A(element(first + k))));
        }
        for (; kgen_few < most && first + kgen_few <= count; first += kgen_few, lane += kgen_few) {
            KGEN_KEEP_LOOP
            for (int k = 0; k < kgen_few; ++k)
                kgen_at.kgen_set(lane + k, reduce(kgen_at.kgen_get(lane + k), A(element(first + k))));
        }
        for (; first < count; ++first, ++lane) {
            __asm__ volatile("");  // prevents vectorisation, which costs more than it saves here
            kgen_at.kgen_set(lane, reduce(kgen_at.kgen_get(lane), A(element(first))));
        }
    }
    template <class Reduce> KGEN_INLINE void kgen_join(const kgen_band& later, const Reduce& reduce) {
        kgen_add(later.kgen_used, [&](long long k) { return later.kgen_at.kgen_get(k); }, reduce);
    }
    // These copy bytes, because scratch memory may be less aligned than an accumulator.
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
    // Folds accumulators k, k + columns, k + 2 * columns, ... into accumulator k, for k < columns.
    template <class Reduce> KGEN_INLINE void kgen_fold(long long columns, const Reduce& reduce) {
        for (int half = most / 2; half > 0; half /= 2) {
            const long long from = half * columns;
            if (from >= kgen_used) continue;
            for (long long k = 0; k < kgen_used - from; ++k)
                kgen_at.kgen_set(k, reduce(kgen_at.kgen_get(k), kgen_at.kgen_get(k + from)));
            kgen_used = from;
        }
    }
    // Folds all accumulators that have a value into one.
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

// Joins parts in the order in which they are pushed. Neighbours that stand for equally many parts are joined: bit k of
// kgen_there is set if kgen_at[k] stands for 2^k parts. Large parts are joined one by one, because several would not
// fit on the stack.
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
    // Returns all parts as one. At least one part must have been pushed.
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

// The type in which the values of a chunk are folded, if that is narrower than the accumulator (narrow_fold_host.cuh).
template <class P, class M, bool is_integer = P::kgen_narrow != 0> struct kgen_lane { enum { some = false }; };
template <class P, class T, class Reduce, class Identity>
KGEN_INLINE typename P::kgen_accumulator_type kgen_widened(const T& folded, const Reduce& reduce, const Identity& identity) {
    typedef typename P::kgen_accumulator_type accumulator;
    if constexpr (P::kgen_has_identity) return reduce(identity(), accumulator(folded));
    else return accumulator(folded);
}

// Folds a chunk of `count` columns into `sums` by fold(band, step).
template <class P, class Lane, class Band, class Fold, class Reduce, class Identity>
KGEN_INLINE void kgen_fold_chunk(Band& sums, long long count, const Fold& fold, const Reduce& reduce, const Identity& identity) {
    sums.kgen_used = 0;
    if constexpr (Lane::some) {
        kgen_band<typename Lane::type, Band::kgen_most, false> lanes;
        fold(lanes, Lane::kgen_step);
        for (long long k = 0; k < lanes.kgen_used; ++k)
            sums.kgen_at.kgen_set(k, kgen_widened<P>(lanes.kgen_at.kgen_get(k), reduce, identity));
        sums.kgen_used = lanes.kgen_used;
    } else {
        if constexpr (P::kgen_has_identity) sums.kgen_start(count, identity());
        fold(sums, reduce);
    }
}

// Number of accumulators that stay in registers, and of columns whose accumulators stay in the L1 cache besides the
// elements that are read.
template <class A> struct kgen_lane_count {
    enum { kgen_count = sizeof(A) <= 4 ? 64 : sizeof(A) <= 8 ? 32 : sizeof(A) <= 16 ? 16 : sizeof(A) <= 64 ? 4 : 1 };
};
template <class A> struct kgen_column_count {
    enum { kgen_count = sizeof(A) <= 16 ? 256 : sizeof(A) <= 64 ? 64 : sizeof(A) <= 256 ? 16 : 1 };
};

// The elements of an output form chunks, and chunks form pieces. All pieces but the last have the same number of
// chunks. It is a power of two, so that a piece is a subtree of the fold.
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
    // The first chunk of a piece, and the one after its last.
    KGEN_INLINE long long kgen_begin(long long piece) const { return piece * kgen_each; }
    KGEN_INLINE long long kgen_end(long long piece) const {
        const long long first = kgen_begin(piece);
        return kgen_each < kgen_chunks - first ? first + kgen_each : kgen_chunks;
    }
    // Stores the part of a piece: `count` accumulators, for the outputs from `output` on. The call for the piece that is
    // ready last folds all pieces into `part` and returns true. It resets their counter, the one numbered `counter`.
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
// Returns the number of elements along a reduced axis: the innermost one, or axis P::kgen_rank - `from_end`.
template <class P, int from_end = 1, class Parameters> KGEN_INLINE long long kgen_row_length(const Parameters& p) {
    if constexpr (P::kgen_rank > P::kgen_kept) return p.kgen_extents[P::kgen_rank - from_end];
    else return 1;
}
