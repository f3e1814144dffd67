// SPDX-License-Identifier: MIT
// kgen: the loop over tiles in shared memory. Most arrays are contiguous along axis a; arrays that are contiguous along axis b
// are called turned. Turned inputs are read along b in patches of a few elements, transposed in registers, and stored in shared
// memory as vectors along a. Then the tile is computed in rows along a: turned arrays are read from shared memory, all others directly. Results
// of turned outputs wait in shared memory too, and are stored along b in patches. A side of a tile may run over several axes;
// places along a and b count their elements in the order of the walk.

// Transposes patches of elements in registers; names call this "turn". Rows of narrow elements of square patches are stored as
// 32-bit words. Two byte permutations transpose 2 x 2 elements of 2 bytes, eight transpose 4 x 4 elements of 1 byte.
template <class T, int side_a, int side_b> struct kgen_packing {
    static const int per_word = side_a == side_b && sizeof(T) < 4 && side_b * sizeof(T) % 4 == 0 ? 4 / sizeof(T) : 1;
};
template <class T, int per_word> struct kgen_packed { typedef unsigned type; };
template <class T> struct kgen_packed<T, 1> { typedef T type; };
template <class T, int side_a, int side_b> struct kgen_patch {
    static const int per_word = kgen_packing<T, side_a, side_b>::per_word;
    typedef kgen_vector<typename kgen_packed<T, per_word>::type, side_b / per_word> row;
    row kgen_row[side_a];
};
template <int per_word> struct kgen_turned {
    template <class T, int side_a, int side_b>
    static __device__ __forceinline__ void kgen_turn(const kgen_patch<T, side_a, side_b>& from, kgen_patch<T, side_b, side_a>& to) {
#pragma unroll
        for (int row = 0; row < side_a; ++row) {
#pragma unroll
            for (int column = 0; column < side_b; ++column) to.kgen_row[column].kgen_at[row] = from.kgen_row[row].kgen_at[column];
        }
    }
};
template <> struct kgen_turned<2> {
    template <class T, int side, int>
    static __device__ __forceinline__ void kgen_turn(const kgen_patch<T, side, side>& from, kgen_patch<T, side, side>& to) {
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
    template <class T, int side, int>
    static __device__ __forceinline__ void kgen_turn(const kgen_patch<T, side, side>& from, kgen_patch<T, side, side>& to) {
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
template <class T, int side_a, int side_b>
__device__ __forceinline__ void kgen_turn(const kgen_patch<T, side_a, side_b>& from, kgen_patch<T, side_b, side_a>& to) {
    kgen_turned<kgen_packing<T, side_a, side_b>::per_word>::template kgen_turn<T, side_a, side_b>(from, to);
}
// Reads memory that nothing writes while the kernel runs. From compute capability 7.5 on, loads of 16 bytes make the L2
// cache fetch the whole line, because a neighbouring thread block reads the rest of it.
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

// Moves to the thread's next place. `inner` stays if tiles are straight. Otherwise it wraps around at `extent`, and `outer` then
// grows by one more.
template <bool straight>
__device__ __forceinline__ void kgen_step(int& outer, int& inner, int outer_step, int inner_step, int extent) {
    outer += outer_step;
    if constexpr (!straight) {
        inner += inner_step;
        if (inner >= extent) { inner -= extent; ++outer; }
    }
}

// Returns the place, or the last one of the tile after that: this one is then read again, so that no load waits for a comparison. In
// straight tiles the condition of the loop holds for the first of the places that a thread has at once (number 0).
template <bool straight> __device__ __forceinline__ int kgen_within(int number, int place, int last) {
    return straight && number == 0 ? place : min(place, last);
}

// Transposes a patch and stores its rows `pitch` vectors apart, each by one access.
template <class T, int side_a, int side_b>
__device__ __forceinline__ void kgen_keep(kgen_vector<T, side_a>* tile, const kgen_patch<T, side_a, side_b>& patch, int pitch) {
    kgen_patch<T, side_b, side_a> turned;
    kgen_turn(patch, turned);
#pragma unroll
    for (int e = 0; e < side_b; ++e) (typename kgen_patch<T, side_b, side_a>::row&)tile[e * pitch] = turned.kgen_row[e];
}
// Reads the rows of a patch from shared memory, `pitch` vectors apart, and transposes it.
template <class T, int side_a, int side_b>
__device__ __forceinline__ void kgen_turn_back(const kgen_vector<T, side_a>* tile, kgen_patch<T, side_a, side_b>& patch, int pitch) {
    kgen_patch<T, side_b, side_a> kept;
#pragma unroll
    for (int e = 0; e < side_b; ++e) kept.kgen_row[e] = (const typename kgen_patch<T, side_b, side_a>::row&)tile[e * pitch];
    kgen_turn(kept, patch);
}

// Returns the vector at which row r of a tile begins in shared memory. The rows of a patch lie patches * pitch vectors apart.
__device__ __forceinline__ unsigned kgen_tile_slot(int row, int side, int patches, int pitch) {
    return ((unsigned)row % side * patches + (unsigned)row / side) * pitch;
}

template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_shared_tiles(const Parameters& p, Operands& x, const Body& body) {
    extern __shared__ __align__(16) unsigned char kgen_shared[];
    const kgen_tile_shape& tile = p.kgen_tile;
    x.kgen_share(kgen_shared);
    x.kgen_find(x.kgen_block());  // sets kgen_begin_a and kgen_begin_b, where the tile begins along its sides
    const int count_a = kgen_least(tile.extent_a - x.kgen_begin_a, tile.tile_a);
    const int count_b = kgen_least(tile.extent_b - x.kgen_begin_b, tile.tile_b);
    constexpr bool straight = P::kgen_straight;
    const int patch_a = kgen_divide(kgen_thread(), tile.by_patches_b);
    const int patch_b = kgen_thread() - patch_a * tile.patches_b;
    const int last_a = count_a / P::kgen_pack - 1, last_b = count_b / P::kgen_pack_b - 1;
    int a = patch_a, b = patch_b;
    if constexpr (P::kgen_reads_patches) {
        for (int m = 0; straight ? a <= last_a && b <= last_b : m < tile.patches_a * tile.patches_b;
             m += P::kgen_unroll * kgen_block_size()) {
            typename Operands::kgen_patches patches[P::kgen_unroll];
            int from_a[P::kgen_unroll], from_b[P::kgen_unroll];
#pragma unroll
            for (int u = 0; u < P::kgen_unroll; ++u) {
                from_a[u] = a;
                from_b[u] = b;
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e)
                    x.kgen_load_patch(patches[u], e, kgen_within<straight>(u, a, last_a) * P::kgen_pack + e,
                                      kgen_within<straight>(0, b, last_b) * P::kgen_pack_b);
                kgen_step<straight>(a, b, tile.patch_step_a, tile.patch_step_b, tile.patches_b);
            }
#pragma unroll
            for (int u = 0; u < P::kgen_unroll; ++u) {
                if ((straight && u == 0) || (from_a[u] <= last_a && from_b[u] <= last_b))
                    x.kgen_keep_patch(patches[u], from_b[u] * tile.pitch + from_a[u]);
            }
        }
        __syncthreads();
    }
    const int row_b = kgen_divide(kgen_thread(), tile.by_patches_a);
    const int row_a = kgen_thread() - row_b * tile.patches_a;
    b = row_b;
    a = row_a;
    for (int m = 0; straight ? b < count_b && a <= last_a : m < tile.patches_a * tile.tile_b;
         m += P::kgen_rows * kgen_block_size()) {
        typename Operands::kgen_values values[P::kgen_rows];
        int rows[P::kgen_rows], vectors[P::kgen_rows];
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            rows[r] = b;
            vectors[r] = a;
            const int row = kgen_within<straight>(r, b, count_b - 1), vector = kgen_within<straight>(0, a, last_a);
            x.kgen_load_values(values[r], kgen_tile_slot(row, P::kgen_pack_b, tile.patches_b, tile.pitch) + vector, row, vector);
            kgen_step<straight>(b, a, tile.row_step_b, tile.row_step_a, tile.patches_a);
        }
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            if ((straight && r == 0) || (rows[r] < count_b && vectors[r] <= last_a)) {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) x.kgen_call(body, values[r], e, rows[r], vectors[r]);
                x.kgen_store_values(values[r], kgen_tile_slot(rows[r], P::kgen_pack_b, tile.patches_b, tile.pitch) + vectors[r], rows[r], vectors[r]);
            }
        }
    }
    if constexpr (P::kgen_stores_patches) {
        __syncthreads();
        a = patch_a;
        b = patch_b;
        for (int m = 0; m < tile.patches_a * tile.patches_b; m += kgen_block_size()) {
            if (a <= last_a && b <= last_b)
                x.kgen_store_patch(b * tile.pitch + a, a, b);
            kgen_step<straight>(a, b, tile.patch_step_a, tile.patch_step_b, tile.patches_b);
        }
    }
}
