// SPDX-License-Identifier: MIT
// kgen: the loop over staged runs. A thread block copies the rows of a tile along side b to shared memory as they lie in
// memory. Its threads form rows of `across` threads. Neighbours among them handle the same place along b in neighbouring rows, each
// in kgen_pack of them. Results of arrays that are contiguous along b wait in shared memory and are copied from there.

// Returns the bytes from row to row in shared memory. They equal `stride`, those in memory, modulo 16, so that rows can be
// copied by aligned vectors. A stride of 0 stands for rows at different distances, each of which begins anywhere in a vector.
// Rows that are copied apart share no vector, which a gap of 30 bytes ensures, or of 16 if all rows begin at the same place in
// a vector. Neighbouring threads read rows that lie `pack` rows apart. An odd number of vectors between these lets them begin in
// different banks.
__device__ __forceinline__ int kgen_run_pitch(const kgen_run_shape& tile, int pack, int item, long long stride) {
    const int row = tile.tile_b * item;
    if (tile.joined) return row;
    int gap = (((int)stride - row) & 15) + 16;
    if (stride % 16 != 0 && gap < 30) gap += 16;
    return row + gap + (pack == 1 && (row + gap) / 16 % 2 == 0 ? 16 : 0);
}
// Returns the bytes that are left out after each `pack` rows.
__device__ __forceinline__ int kgen_run_gap(const kgen_run_shape& tile, int pack, int pitch) {
    return !tile.joined && pack > 1 && pack * pitch / 16 % 2 == 0 ? 16 : 0;
}
// Returns the place of row r >= -tile.skew, from the place of row 0.
__device__ __forceinline__ int kgen_run_place(const kgen_run_shape& tile, int pack, int pitch, int r) {
    const int gaps = (int)((unsigned)(r + tile.skew) / pack) - tile.skew / pack;
    return r * pitch + (pack > 1 ? gaps * kgen_run_gap(tile, pack, pitch) : 0);
}
__device__ __forceinline__ int kgen_run_room(const kgen_run_shape& tile, int pack, int pitch) {
    return kgen_room_of(kgen_run_place(tile, pack, pitch, tile.tile_a) - kgen_run_place(tile, pack, pitch, -tile.skew));
}
__device__ __forceinline__ int kgen_table_room(const kgen_run_shape& tile) {
    return kgen_room_of((int)sizeof(int) * (tile.tile_a + tile.skew));
}
// Starts a copy of the aligned vectors that hold the elements, if they lie between `low` and `high`.
template <class T>
__device__ __forceinline__ void kgen_stage_run(T* to, const T* from, int count, const char* low, const char* high, int thread, int threads) {
    const char* const begin = (const char*)((unsigned long long)from / 16 * 16);
    const char* const end = (const char*)(((unsigned long long)(from + count) + 15) / 16 * 16);
    if (begin < low || end > high) return kgen_stage(to, from, count, thread, threads);
    char* const aligned = (char*)to - ((const char*)from - begin);
    for (int k = thread * 16; k < (int)(end - begin); k += threads * 16) kgen_copy_16(aligned + k, begin + k);
}
// Copies the bytes [at, end) of a vector of 16 bytes, but not all of them, in the largest aligned pieces, of which each has at
// least `bytes`.
template <int bytes> __device__ __forceinline__ void kgen_copy_pieces(char* to, const char* from, int at, int end) {
    if constexpr (bytes < 16) {
        typedef typename kgen_word<bytes>::type word;
        if ((at & bytes) != 0 && at + bytes <= end) {
            *(word*)(to + at) = *(const word*)(from + at);
            at += bytes;
        }
        const bool is_last = (end & bytes) != 0 && at + bytes <= end;
        if (is_last) end -= bytes;
        kgen_copy_pieces<2 * bytes>(to, from, at, end);
        if (is_last) *(word*)(to + end) = *(const word*)(from + end);
    }
}
// Copies back. Both addresses are equal modulo 16. Vectors that the elements fill in part are written in pieces, because each
// store that fills a sector of memory in part takes as long as a whole one.
template <class T> __device__ __forceinline__ void kgen_unstage(T* to, const T* from, int count, int thread, int threads) {
    const int before = (int)((unsigned long long)to & 15), end = before + count * (int)sizeof(T);
    char* const to_begin = (char*)to - before;
    const char* const from_begin = (const char*)from - before;
    for (int k = thread * 16; k < end; k += threads * 16) {
        const int first = k == 0 ? before : 0;
        if (first == 0 && end - k >= 16) *(uint4*)(to_begin + k) = *(const uint4*)(from_begin + k);
        else kgen_copy_pieces<sizeof(T)>(to_begin + k, from_begin + k, first, end - k < 16 ? end - k : 16);
    }
}
// Calls copy(row, rows, thread, threads) for the rows [first, last) of a tile: for all of them together, or for each with some
// threads.
template <class Copy> __device__ __forceinline__ void kgen_each_run(const kgen_run_shape& tile, int first, int last, const Copy& copy) {
    if (tile.joined) return copy(first, last - first, kgen_thread(), kgen_block_size());
    const int lanes = 1 << tile.log_lanes;
    for (int r = first + (kgen_thread() >> tile.log_lanes); r < last; r += kgen_block_size() >> tile.log_lanes)
        copy(r, 1, kgen_thread() & (lanes - 1), lanes);
}

template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_staged_runs(const Parameters& p, Operands& x, const Body& body) {
    extern __shared__ __align__(16) char kgen_staged_bytes[];
    const kgen_run_shape& tile = p.kgen_tile;
    x.kgen_find(x.kgen_block());  // sets kgen_begin_a and kgen_begin_b, where the tile begins along its sides
    const int back = kgen_least(x.kgen_begin_a, tile.skew);  // rows that are staged before the first one
    const int rows = kgen_least(tile.extent_a - x.kgen_begin_a, tile.tile_a);
    const int count = kgen_least(tile.extent_b - x.kgen_begin_b, tile.tile_b);
    x.kgen_share(kgen_staged_bytes, count);
    if constexpr (P::kgen_has_tables) {
        for (int r = kgen_thread() - back; r < rows; r += kgen_block_size()) x.kgen_fill_tables(r);
        __syncthreads();
    }
    if constexpr (P::kgen_stages_inputs) {
        x.kgen_stage_inputs(-back, rows, count);
        kgen_wait_for_copies();
        __syncthreads();
    }
    const int height = kgen_block_size() >> tile.log_across;
    // The warps that have the same places along b lie beside each other along a.
    const int warp = kgen_thread() / 32, lane = kgen_thread() % 32, warps = tile.log_across - tile.log_near;
    const int begin = (warp >> warps << (5 - tile.log_near)) + (lane >> tile.log_near);
    const int column = ((warp & ((1 << warps) - 1)) << tile.log_near) + (lane & ((1 << tile.log_near) - 1));
    const int step = tile.across * P::kgen_pack;
    const bool is_even = (tile.tile_a & (P::kgen_unroll * step - 1)) == 0;
    for (int e = begin < height ? begin : count; e < count; e += height) {
        x.kgen_find_element(e);
        // The tile begins along a where a sector of the output does.
        const int skew = tile.skew > 0 ? x.kgen_find_skew() : 0;
        const int end = tile.tile_a - skew;
        int r = column * P::kgen_pack - skew;
        if (P::kgen_pack == 1 && is_even && skew <= back && end <= rows) {
#pragma unroll 1
            for (; r < end; r += P::kgen_unroll * step) {
                typename Operands::kgen_values values[P::kgen_unroll];
#pragma unroll
                for (int u = 0; u < P::kgen_unroll; ++u) x.kgen_load_values(values[u], r + u * step);
#pragma unroll
                for (int u = 0; u < P::kgen_unroll; ++u) x.kgen_call(body, values[u], 0, r + u * step);
#pragma unroll
                for (int u = 0; u < P::kgen_unroll; ++u) x.kgen_store_values(values[u], r + u * step);
            }
            continue;
        }
#pragma unroll 1
        for (; r < end && r < rows; r += step) {
            typename Operands::kgen_values values;
            if (P::kgen_pack > 1 && r >= -back && r + P::kgen_pack <= kgen_least(end, rows)) {
                x.kgen_find_rows(r);
                x.kgen_load_values(values, r);
#pragma unroll
                for (int k = 0; k < P::kgen_pack; ++k) x.kgen_call(body, values, k, r + k);
                x.kgen_store_values(values, r);
                continue;
            }
#pragma unroll 1
            for (int row = r; row < r + P::kgen_pack && row < end && row < rows; ++row) {
                if (row < -back) continue;
                x.kgen_load_element(values, row);
                x.kgen_call(body, values, 0, row);
                x.kgen_store_element(values, row);
            }
        }
    }
    if constexpr (P::kgen_stages_outputs) {
        __syncthreads();
        x.kgen_store_outputs(rows, count);
    }
}
