// SPDX-License-Identifier: MIT
// kgen: a square of elements in registers, turned: its rows become its columns. Rows of narrow elements are kept as
// 32-bit words, within which 2 x 2 elements of 2 bytes are turned by two permutations and 4 x 4 of 1 byte by eight.
template <class T, int side> struct kgen_packing {
    static const int per_word = sizeof(T) < 4 && side * sizeof(T) % 4 == 0 ? 4 / sizeof(T) : 1;
};
template <class T, int per_word> struct kgen_packed { typedef unsigned type; };
template <class T> struct kgen_packed<T, 1> { typedef T type; };
template <class T, int side> struct kgen_square {
    static const int per_word = kgen_packing<T, side>::per_word;
    typedef kgen_vector<typename kgen_packed<T, per_word>::type, side / per_word> row;
    row kgen_row[side];
};
template <int per_word> struct kgen_turned {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; ++row) {
#pragma unroll
            for (int column = 0; column < side; ++column) to.kgen_row[column].kgen_at[row] = from.kgen_row[row].kgen_at[column];
        }
    }
};
template <> struct kgen_turned<2> {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; row += 2) {
#pragma unroll
            for (int word = 0; word < side / 2; ++word) {
                const unsigned a = from.kgen_row[row].kgen_at[word], b = from.kgen_row[row + 1].kgen_at[word];
                to.kgen_row[2 * word].kgen_at[row / 2] = __byte_perm(a, b, 0x5410);
                to.kgen_row[2 * word + 1].kgen_at[row / 2] = __byte_perm(a, b, 0x7632);
            }
        }
    }
};
template <> struct kgen_turned<4> {
    template <class S, int side> static __device__ __forceinline__ void kgen_turn(const S& from, S& to) {
#pragma unroll
        for (int row = 0; row < side; row += 4) {
#pragma unroll
            for (int word = 0; word < side / 4; ++word) {
                const unsigned a = from.kgen_row[row].kgen_at[word], b = from.kgen_row[row + 1].kgen_at[word];
                const unsigned c = from.kgen_row[row + 2].kgen_at[word], d = from.kgen_row[row + 3].kgen_at[word];
                const unsigned ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
                const unsigned cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
                to.kgen_row[4 * word].kgen_at[row / 4] = __byte_perm(ab_low, cd_low, 0x5410);
                to.kgen_row[4 * word + 1].kgen_at[row / 4] = __byte_perm(ab_low, cd_low, 0x7632);
                to.kgen_row[4 * word + 2].kgen_at[row / 4] = __byte_perm(ab_high, cd_high, 0x5410);
                to.kgen_row[4 * word + 3].kgen_at[row / 4] = __byte_perm(ab_high, cd_high, 0x7632);
            }
        }
    }
};
template <class T, int side> __device__ __forceinline__ void kgen_turn(const kgen_square<T, side>& from, kgen_square<T, side>& to) {
    kgen_turned<kgen_packing<T, side>::per_word>::template kgen_turn<kgen_square<T, side>, side>(from, to);
}
// Reads memory that nobody writes while the kernel runs, and has the L2 cache fetch whole lines: what is not read now
// is read by a neighbouring block.
template <class V> __device__ __forceinline__ V kgen_load_line(const V* pointer) {
#if __CUDA_ARCH__ >= 750
    if constexpr (sizeof(V) == 16) {
        uint4 bits;
        asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w) : "l"(pointer));
        return (V&)bits;
    }
#endif
    return kgen_load_read_only(pointer);
}
