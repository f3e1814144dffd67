// SPDX-License-Identifier: MIT
// kgen: the way of accumulators from one thread block to another.

// A group of places where thread blocks put accumulators for another block. Each word of one lies beside a mark and is stored and loaded
// together with it, so that no fence has to order the two, as in "Single-pass Parallel Prefix Scan with Decoupled Look-back"
// (Merrill and Garland, 2016). The first words of all accumulators of the group lie beside each other, then their second
// words and so on. All of it is zero between launches: one thread reads a place and makes it zero again. A block may wait only for
// blocks with lower numbers. That blocks start in the order of their numbers is what the scans of CUB assume, too.
template <class A> struct kgen_handed {
    enum { words = (sizeof(A) + 3) / 4, unrolled = words <= 16 ? words : 1 };
    volatile unsigned long long* kgen_words;
    unsigned kgen_places;
    __device__ __forceinline__ volatile unsigned long long& kgen_word(unsigned place, int w) const {
        return kgen_words[place + (unsigned long long)w * kgen_places];
    }
    union value {
        kgen_slot<A> kgen_at;
        unsigned kgen_words[words];
        __device__ __forceinline__ value() {}
    };
    // Group `group` of those in `memory`, each of which has `places` places.
    __device__ __forceinline__ kgen_handed(unsigned* memory, unsigned group, unsigned places)
        : kgen_words((volatile unsigned long long*)memory + (long long)group * places * words), kgen_places(places) {}
    // Puts an accumulator into a place, once in a launch.
    __device__ __forceinline__ void kgen_put(unsigned place, const kgen_slot<A>& at) const {
        value put;
        put.kgen_at = at;
#pragma unroll unrolled
        for (int w = 0; w < words; ++w) kgen_word(place, w) = 1ull << 32 | put.kgen_words[w];
    }
    // Waits for the accumulators that other blocks put into places first, first + step, ... below `end`, folds them, and leaves
    // these places zero.
    template <class Fold, class Reduce>
    __device__ __forceinline__ void kgen_fold(Fold& fold, unsigned first, unsigned end, unsigned step, const Reduce& reduce) const {
        enum { together = words <= 1 ? 4 : words <= 4 ? 2 : 1 };
#pragma unroll 1
        for (unsigned k = first; k < end; k += together * step) {
            value taken[together];
            unsigned marks;
            do {
                marks = 1;
#pragma unroll
                for (int u = 0; u < together; ++u) {
                    // The first place stands for missing ones, because branches around loads take time to compile.
                    const unsigned place = k + u * step < end ? k + u * step : k;
#pragma unroll unrolled
                    for (int w = 0; w < words; ++w) {
                        const unsigned long long word = kgen_word(place, w);
                        taken[u].kgen_words[w] = (unsigned)word;
                        marks &= (unsigned)(word >> 32);
                    }
                }
            } while (marks == 0);
#pragma unroll
            for (int u = 0; u < together; ++u) {
                if (k + u * step < end) fold.kgen_add(taken[u].kgen_at.kgen_value, reduce);
            }
        }
        // Zeroing is a loop of its own. Otherwise registers hold the addresses of places for longer, and fewer blocks fit.
#pragma unroll 1
        for (unsigned k = first; k < end; k += step) {
#pragma unroll 1
            for (int w = 0; w < words; ++w) kgen_word(k, w) = 0;
        }
    }
};
