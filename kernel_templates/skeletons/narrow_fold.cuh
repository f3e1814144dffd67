// SPDX-License-Identifier: MIT
// kgen: folds of narrow integers in 32 bits. A thread folds the elements of many accesses there before it adds the result to
// its accumulator of 64 bits. All results are integers and exact, so they have the same bits as a fold one by one.

// The value that changes no other.
template <int op, class W> __device__ __forceinline__ W kgen_narrow_neutral() {
    const W least = W(-1) < W(0) ? W(1u << 31) : W(0);
    return op == kgen_takes_largest ? least : op == kgen_takes_least ? W(~least) : op == kgen_intersects ? W(-1) : W(0);
}

// Folds values of a map, of type M. `columns` values have a result each; if there are 0, all have one.
template <class P, class M, int op, int columns> struct kgen_narrow_values {
    typedef typename kgen_either<int(kgen_integer<M>::bits) == 32, unsigned, int>::type word;
    // A sum of 2047 accesses of 16 values below 65536 fits into an int, and so does one of 32767 values.
    enum { ways = columns > 0 ? columns : P::kgen_pack < 4 ? P::kgen_pack : 4, most = columns > 0 ? 32767 : 2047 };
    word kgen_at[ways];
    __device__ __forceinline__ void kgen_clear() {
#pragma unroll
        for (int e = 0; e < ways; ++e) kgen_at[e] = kgen_narrow_neutral<op, word>();
    }
    template <class Operands, class Values, class Call>
    __device__ __forceinline__ void kgen_take(const Operands&, const Values&, const Call& call) {
#pragma unroll
        for (int e = 0; e < P::kgen_pack; ++e) kgen_at[e % ways] = kgen_narrow_step<op, word>(kgen_at[e % ways], word(call(e)));
    }
    template <class Leave> __device__ __forceinline__ void kgen_results(int, const Leave& leave) {
        if constexpr (columns == 0) {
            for (int e = 1; e < ways; ++e) kgen_at[0] = kgen_narrow_step<op, word>(kgen_at[0], kgen_at[e]);
        }
#pragma unroll
        for (int e = 0; e < (columns > 0 ? columns : 1); ++e) leave(e, (long long)kgen_at[e]);
    }
};

// Folds elements of type T in the words in which they were read. A byte of a word is folded as the upper byte of 16 bits if
// the operation compares, because the bytes below it then do not matter, and as the lower byte if it adds.
template <class P, class T, int op, int columns> struct kgen_narrow_words {
    enum {
        size = sizeof(T),
        sign = kgen_integer<T>::sign,
        words = P::kgen_pack * size < 4 ? 1 : P::kgen_pack * size / 4,
        adds = op == kgen_adds,
        compares = op == kgen_takes_largest || op == kgen_takes_least,
        totals = adds && columns == 0,
        pair = (adds && size <= 2) || (compares && size == 1),
        // Each sum of a column of bytes has 16 bits. Others have 32 bits.
        most = columns == 0 ? 2047 : size == 1 ? 256 : 32767,
    };
    unsigned kgen_even[words], kgen_odd[words];

    static __device__ __forceinline__ unsigned kgen_step(unsigned a, unsigned b) {
        if constexpr (compares && size == 4) return kgen_narrow_step<op, T>(T(a), T(b));
        else if constexpr (op == kgen_takes_largest) return sign ? __vmaxs2(a, b) : __vmaxu2(a, b);
        else if constexpr (op == kgen_takes_least) return sign ? __vmins2(a, b) : __vminu2(a, b);
        else return kgen_narrow_step<op, unsigned>(a, b);
    }
    static __device__ __forceinline__ unsigned kgen_neutral() {
        const unsigned least = !sign ? 0 : size == 4 ? 0x80000000u : size == 2 ? 0x80008000u : 0x80808080u;
        return op == kgen_takes_largest ? least
               : op == kgen_takes_least ? ~least
                                        : kgen_narrow_neutral<op, unsigned>();
    }
    __device__ __forceinline__ void kgen_clear() {
#pragma unroll
        for (int k = 0; k < words; ++k) kgen_even[k] = kgen_odd[k] = kgen_neutral();
    }
    __device__ __forceinline__ void kgen_take_word(int k, unsigned word) {
        if constexpr (P::kgen_asks_truth && int(kgen_integer<typename P::kgen_term_type>::bits) > 1) {
            // Each element that is not 0 becomes 1. Elements of type bool already are 0 or 1.
            const unsigned low = size == 1 ? 0x7f7f7f7fu : 0x7fff7fffu;
            word = (((word & low) + low) | word) >> (8 * size - 1) & (size == 1 ? 0x01010101u : 0x00010001u);
        }
        if constexpr (totals && size == 1) {
            kgen_even[k] = sign ? (unsigned)__dp4a((int)word, 0x01010101, (int)kgen_even[k])
                                : __dp4a(word, 0x01010101u, kgen_even[k]);
        } else if constexpr (totals) {
            kgen_even[k] = sign ? (unsigned)__dp2a_lo((int)word, 0x0101, (int)kgen_even[k])
                                : __dp2a_lo(word, 0x0101u, kgen_even[k]);
        } else if constexpr (adds && size == 1) {
            if (sign) word ^= 0x80808080u;
            kgen_even[k] += word & 0x00ff00ffu;
            kgen_odd[k] += __byte_perm(word, 0, 0x4341);
        } else if constexpr (adds) {
            kgen_even[k] += sign ? (unsigned)(int)(short)word : word & 0xffffu;
            kgen_odd[k] += sign ? (unsigned)((int)word >> 16) : word >> 16;
        } else if constexpr (pair) {
            kgen_even[k] = kgen_step(kgen_even[k], word << 8);
            kgen_odd[k] = kgen_step(kgen_odd[k], word);
        } else {
            kgen_even[k] = kgen_step(kgen_even[k], word);
        }
    }
    template <class Operands, class Values, class Call>
    __device__ __forceinline__ void kgen_take(const Operands& x, const Values& values, const Call&) {
        const auto take = [&](const auto& vector) {
            kgen_vector<unsigned, words> bits;
            static_assert(sizeof bits == sizeof vector, "a vector has whole words");
            bits = (const kgen_vector<unsigned, words>&)vector;
#pragma unroll
            for (int k = 0; k < words; ++k) kgen_take_word(k, bits.kgen_at[k]);
        };
        x.kgen_each_term(take, values);
    }
    // Takes `count` elements of a row, word by word from word `begin` on. Those bytes of the first and the last word that
    // do not belong to the row are replaced by bytes that change no result.
    static __device__ __forceinline__ void kgen_see(unsigned& word, unsigned mask) {
        word = (word & mask) | (kgen_neutral() & ~mask);
    }
    template <class S> __device__ __forceinline__ void kgen_take_row(const S* row, int count, int begin) {
        const int before = (int)((unsigned long long)row % 4), end = before + count * (int)sizeof(S);
        const unsigned* const from = (const unsigned*)((const char*)row - before);
        const int last = (end - 1) / 4;
        const unsigned of_first = 0xffffffffu << 8 * before, of_last = 0xffffffffu >> (8 * (last + 1) * 4 - 8 * end);
        int k = begin <= last ? begin : begin % (last + 1);
#pragma unroll 4
        for (int taken = 0; taken <= last; ++taken) {
            unsigned word = from[k];
            if (k == 0) kgen_see(word, of_first);
            if (k == last) kgen_see(word, of_last);
            kgen_take_word(0, word);
            k = k == last ? 0 : k + 1;
        }
    }
    // Returns bits of a word as a number with or without a sign.
    static __device__ __forceinline__ long long kgen_part(unsigned word, int first, int width) {
        const unsigned top = word << (32 - first - width);
        return sign ? (long long)((int)top >> (32 - width)) : (long long)(top >> (32 - width));
    }
    __device__ __forceinline__ long long kgen_result(int e, int taken) const {
        const int per_word = 4 / size, lane = e % per_word, k = e / per_word;
        const unsigned word = pair && lane % 2 ? kgen_odd[k] : kgen_even[k];
        if constexpr (adds && size == 1) return (long long)(word >> (lane / 2 * 16) & 0xffff) - (sign ? 128 * taken : 0);
        else if constexpr (adds) return sign ? (long long)(int)word : (long long)word;
        else if constexpr (pair) return kgen_part(word, lane / 2 * 16 + 8, 8);
        else return kgen_part(word, lane * 8 * size, 8 * size);
    }
    template <class Leave> __device__ __forceinline__ void kgen_results(int taken, const Leave& leave) {
        if constexpr (columns == 0) {
#pragma unroll
            for (int k = 1; k < words; ++k) {
                kgen_even[0] = kgen_step(kgen_even[0], kgen_even[k]);
                if (pair) kgen_odd[0] = kgen_step(kgen_odd[0], kgen_odd[k]);
            }
        }
        if constexpr (totals) {
            leave(0, sign ? (long long)(int)kgen_even[0] : (long long)kgen_even[0]);
        } else {
#pragma unroll
            for (int e = 0; e < (columns > 0 ? columns : 4 / size); ++e) leave(e, kgen_result(e, taken));
        }
    }
};

// The choice for a map whose values have the type M. Words are folded if the map is a parameter or a sum of parameters, each
// with or without a cast that keeps its value.
template <class P, class M, bool by_column> struct kgen_narrow_fold<P, M, by_column, true> {
    typedef typename P::kgen_accumulator_type accumulator;
    typedef typename P::kgen_term_type term;
    typedef typename kgen_either<P::kgen_asks_truth, typename kgen_either<sizeof(term) == 1, bool, unsigned short>::type,
                                 term>::type element;
    enum {
        columns = by_column ? P::kgen_pack : 0,
        op = P::kgen_narrow,
        compares = op == kgen_takes_largest || op == kgen_takes_least,
        // A logical operation is one of bits if it has truth values.
        is_allowed = int(kgen_integer<M>::bits) == 1 || !P::kgen_is_logical,
        keeps_order = !compares || kgen_represents<accumulator, M>::value,
        is_narrow = int(kgen_integer<M>::bits) > 0 && int(kgen_integer<M>::bits) <= (op == kgen_adds ? 16 : 32),
        is_plain = P::kgen_terms > 0 && kgen_represents<M, element>::value &&
                   (!compares || kgen_represents<accumulator, element>::value) &&
                   (P::kgen_terms == 1 || int(kgen_integer<M>::bits) >= 31),
        by_words = is_allowed && is_plain,
        // A sum of narrow terms, which may have a type of more bits.
        is_short = op == kgen_adds && P::kgen_narrow_terms > 0 && int(kgen_integer<M>::bits) >= 31 &&
                   (int(kgen_integer<M>::sign) || !P::kgen_has_signs),
        some = by_words || (is_allowed && keeps_order && (is_narrow || is_short)),
        each = by_words ? P::kgen_terms : is_short ? P::kgen_narrow_terms : 1,
    };
    typedef typename kgen_either<by_words, kgen_narrow_words<P, element, op, columns>,
                                 kgen_narrow_values<P, M, op, columns>>::type state_type;
    state_type kgen_state;
    int kgen_taken;

    __device__ __forceinline__ kgen_narrow_fold() : kgen_taken(0) {
        if constexpr (some) kgen_state.kgen_clear();
    }
    // Adds what is folded so far to the accumulators.
    template <class Fold, class Reduce> __device__ __forceinline__ void kgen_leave(Fold* sums, const Reduce& reduce) {
        if constexpr (some) {
            if (kgen_taken == 0) return;
            kgen_state.kgen_results(kgen_taken, [&](int e, long long result) {
                sums[by_column ? e : 0].kgen_add(kgen_accumulated<P>(result), reduce);
            });
            kgen_state.kgen_clear();
            kgen_taken = 0;
        }
    }
    // Makes sure that `accesses` more fit.
    template <class Fold, class Reduce>
    __device__ __forceinline__ void kgen_make_room(int accesses, Fold* sums, const Reduce& reduce) {
        if constexpr (some && op == kgen_adds) {
            if (kgen_taken > state_type::most - accesses * each) kgen_leave(sums, reduce);
        }
    }
    // Folds the elements of an access. call(e) is the map's value of element e.
    template <class Operands, class Values, class Call>
    __device__ __forceinline__ void kgen_take(const Operands& x, const Values& values, const Call& call) {
        kgen_state.kgen_take(x, values, call);
        kgen_taken += each;
    }
    // Folds a row in shared memory.
    template <class Operands> __device__ __forceinline__ void kgen_take_row(const Operands& x, int row, int begin) {
        const auto take = [&](const auto* from) { kgen_state.kgen_take_row(from, row, begin); };
        x.kgen_each_term(take);
        ++kgen_taken;
    }
};
