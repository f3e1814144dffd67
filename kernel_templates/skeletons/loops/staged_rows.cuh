// SPDX-License-Identifier: MIT
// kgen: reductions of short rows. A thread block copies its rows of each dense input to shared memory, where they follow each
// other as in global memory, and each thread folds whole rows from there. The rows of a segment lie side by side.

template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_staged_rows(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                 const Identity& identity, const Post& post) {
    typedef kgen_fold<typename P::kgen_accumulator_type, P::kgen_has_identity> fold;
    extern __shared__ __align__(16) char kgen_staged_bytes[];
    const int row = p.kgen_staged.row;
    const int columns = P::kgen_side_by_side ? (int)p.kgen_staged.by_columns.extent : 1;
    const long long begin = (long long)kgen_block() * p.kgen_staged.block;
    const long long left = p.kgen_staged.segments - begin;
    const int here = left < p.kgen_staged.block ? (int)left : p.kgen_staged.block;
    x.kgen_stage_rows(kgen_staged_bytes, begin * columns * row, here * columns * row);
    kgen_wait_for_copies();
    __syncthreads();
    for (int k = kgen_thread(); k < here * columns; k += kgen_block_size()) {
        const long long output = begin * columns + k;
        const int segment = P::kgen_side_by_side ? (int)kgen_divide((unsigned)k, p.kgen_staged.by_columns) : k;
        x.kgen_find(output, k + segment * columns * (row - 1), columns);
        fold sum;
        kgen_start<P, 1>(&sum, identity);
        kgen_narrow_fold<P, decltype(x.kgen_call(map, 0)), false> narrow;
        if constexpr (narrow.by_words) {
            narrow.kgen_take_row(x, row, k);
        } else {
            // Rows of even length begin in few banks of shared memory, so neighbouring threads begin at different elements.
            int e = row % 2 == 0 ? segment % row : 0;
#pragma unroll 4
            for (int count = 0; count < row; ++count) {
                if constexpr (narrow.some) narrow.kgen_take(x, 0, [&](int) { return x.kgen_call(map, e); });
                else sum.kgen_add(kgen_accumulated<P>(x.kgen_call(map, e)), reduce);
                if (++e == row) e = 0;
            }
        }
        narrow.kgen_leave(&sum, reduce);
        x.kgen_finish(post, output, sum.kgen_at.kgen_value);
    }
}
