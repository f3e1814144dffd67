// SPDX-License-Identifier: MIT
// kgen: reductions of short rows. A block copies its rows of each dense input to shared memory, one behind the other as they
// are in memory, and each thread folds whole rows from there.
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_fold_staged_rows(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                      const Identity& identity, const Post& post) {
    typedef kgen_fold<typename P::kgen_accumulator_type, P::kgen_has_identity> fold;
    extern __shared__ __align__(16) char kgen_staged_bytes[];
    const int row = p.kgen_staged.row;
    const long long begin = (long long)kgen_block() * p.kgen_staged.block;
    const long long left = p.kgen_staged.rows - begin;
    const int here = left < p.kgen_staged.block ? (int)left : p.kgen_staged.block;
    x.kgen_stage_rows(kgen_staged_bytes, begin * row, here * row);
    kgen_wait_for_copies();
    __syncthreads();
    for (int k = kgen_thread(); k < here; k += kgen_block_size()) {
        const long long output = begin + k;
        x.kgen_find(output, k * row);
        fold sum;
        kgen_start<P, 1>(&sum, identity);
        // Rows of an even length begin in few of the memory's banks: there neighbours begin at different elements.
        int e = row % 2 == 0 ? k % row : 0;
        if constexpr (kgen_adds_narrow<P, decltype(x.kgen_call(map, 0))>::value) {
            int narrow = 0;
#pragma unroll 4
            for (int count = 0; count < row; ++count) {
                narrow += (int)x.kgen_call(map, e);
                if (++e == row) e = 0;
            }
            sum.kgen_add(kgen_accumulated<P>(narrow), reduce);
        } else {
#pragma unroll 4
            for (int count = 0; count < row; ++count) {
                sum.kgen_add(kgen_accumulated<P>(x.kgen_call(map, e)), reduce);
                if (++e == row) e = 0;
            }
        }
        x.kgen_finish(post, output, sum.kgen_at.kgen_value);
    }
}
