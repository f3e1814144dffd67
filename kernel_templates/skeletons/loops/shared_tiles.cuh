// SPDX-License-Identifier: MIT
// kgen: the loop over tiles in shared memory. Inputs whose memory runs along b, while that of the output runs along a, are
// read in squares along b, turned in registers and kept in shared memory by their vectors along a. Then the tile is computed
// in rows along a: the turned inputs are read from shared memory, all others from where they are.
__device__ __forceinline__ int kgen_least(long long left, int whole) { return left < whole ? (int)left : whole; }
// The next of a thread's places: `inner` runs to `extent`, then `outer` grows.
__device__ __forceinline__ void kgen_step(int& outer, int& inner, int outer_step, int inner_step, int extent) {
    outer += outer_step;
    inner += inner_step;
    if (inner >= extent) { inner -= extent; ++outer; }
}
// Turns a square and keeps its rows, each by one access, `pitch` vectors apart.
template <class T, int side>
__device__ __forceinline__ void kgen_keep(kgen_vector<T, side>* tile, const kgen_square<T, side>& square, int pitch) {
    kgen_square<T, side> turned;
    kgen_turn(square, turned);
#pragma unroll
    for (int e = 0; e < side; ++e) (typename kgen_square<T, side>::row&)tile[e * pitch] = turned.kgen_row[e];
}
template <class P, class Parameters, class Operands, class Body>
__device__ __forceinline__ void kgen_shared_tiles(const Parameters& p, Operands& x, const Body& body) {
    extern __shared__ __align__(16) unsigned char kgen_shared[];
    const kgen_tile_shape& tile = p.kgen_tile;
    x.kgen_share(kgen_shared);
    x.kgen_find(kgen_block());  // where the tile begins, as kgen_begin_a and kgen_begin_b along the axes
    const int count_a = kgen_least(tile.extent_a - x.kgen_begin_a, tile.tile_a);
    const int count_b = kgen_least(tile.extent_b - x.kgen_begin_b, tile.tile_b);
    int a = kgen_divide(kgen_thread(), tile.by_squares_b);
    int b = kgen_thread() - a * tile.squares_b;
    for (int m = 0; m < tile.squares_a * tile.squares_b; m += P::kgen_unroll * kgen_block_size()) {
        typename Operands::kgen_squares squares[P::kgen_unroll];
        int slots[P::kgen_unroll];  // in shared memory; -1: outside of the array
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            slots[u] = -1;
            if (a * P::kgen_pack < count_a && b * P::kgen_pack < count_b) {
                slots[u] = b * tile.pitch + a;
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) x.kgen_load_square(squares[u], e, a * P::kgen_pack + e, b * P::kgen_pack);
            }
            kgen_step(a, b, tile.square_step_a, tile.square_step_b, tile.squares_b);
        }
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            if (slots[u] >= 0) x.kgen_keep_square(squares[u], slots[u]);
        }
    }
    __syncthreads();
    b = kgen_divide(kgen_thread(), tile.by_squares_a);
    a = kgen_thread() - b * tile.squares_a;
    for (int m = 0; m < tile.squares_a * tile.tile_b; m += P::kgen_rows * kgen_block_size()) {
        typename Operands::kgen_values values[P::kgen_rows];
        int rows[P::kgen_rows], vectors[P::kgen_rows];  // -1: outside of the array
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            rows[r] = -1;
            if (b < count_b && a * P::kgen_pack < count_a) {
                rows[r] = b;
                vectors[r] = a;
                // The rows of a square are kept squares_b * pitch vectors apart.
                const unsigned slot = ((unsigned)b % P::kgen_pack * tile.squares_b + (unsigned)b / P::kgen_pack) * tile.pitch + a;
                x.kgen_load_values(values[r], slot, b, a);
            }
            kgen_step(b, a, tile.row_step_b, tile.row_step_a, tile.squares_a);
        }
#pragma unroll
        for (int r = 0; r < P::kgen_rows; ++r) {
            if (rows[r] >= 0) {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) x.kgen_call(body, values[r], e, rows[r], vectors[r]);
                x.kgen_store_values(values[r], rows[r], vectors[r]);
            }
        }
    }
}
