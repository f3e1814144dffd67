// SPDX-License-Identifier: MIT
// kgen: reductions of all axes by an elementwise loop, whose body folds its element into an accumulator of the thread.

// The operands of the elementwise loop, which runs one of its blocks after the other.
template <class Operands> struct kgen_numbered : Operands {
    unsigned kgen_number;
    template <class Parameters> __device__ __forceinline__ explicit kgen_numbered(const Parameters& p) : Operands(p), kgen_number(0) {}
    __device__ __forceinline__ unsigned kgen_block() const { return kgen_number; }
};
// Folds a value of the map, a narrow integer into 32 bits. A thread has far fewer than 2047 elements in a block of the elementwise loop, so
// that they fit without kgen_make_room.
template <class P, class Fold, class Narrow, class M, class Reduce>
__device__ __forceinline__ void kgen_fold_value(Fold& sum, Narrow& narrow, const M& value, const Reduce& reduce) {
    if constexpr (Narrow::some) narrow.kgen_take(0, 0, [&](int) { return value; });
    else sum.kgen_add(kgen_accumulated<P>(value), reduce);
}

// Folds every pieces-th block of the elementwise loop by run(), which folds its elements into `sum` and `narrow`, then the threads' sums. The
// last block folds those of all blocks, in a fixed order.
template <class P, class Parameters, class Operands, class Inputs, class Fold, class Narrow, class Run, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_folded_elements(const Parameters& p, Operands& x, Inputs& inputs, Fold& sum, Narrow& narrow,
                                                     const Run& run, const Reduce& reduce, const Identity& identity, const Post& post) {
    enum { most_room = 2048 };  // bytes of shared memory beside that of the elementwise loop
    const kgen_folded_shape& shape = p.kgen_folded;
    const unsigned piece = ::kgen_block();
    kgen_start<P, 1>(&sum, identity);
#pragma unroll 1
    for (unsigned block = piece; block < shape.blocks; block += shape.pieces) {
        inputs.kgen_number = block;
        run();
        narrow.kgen_leave(&sum, reduce);
        __syncthreads();
    }
#pragma unroll 1
    for (bool folds_pieces = false;; folds_pieces = true) {
        kgen_fold_block<P::kgen_block_bound, P::kgen_adds_integers, most_room>(sum, reduce);
        if (folds_pieces) break;
        const kgen_handed<typename P::kgen_accumulator_type> handed(p.kgen_counters, 0, shape.pieces);
        if (piece + 1 < shape.pieces) {
            if (kgen_thread() == 0) handed.kgen_put(piece, sum.kgen_at);
            return;
        }
        if (kgen_thread() > 0) {
            sum = Fold();
            kgen_start<P, 1>(&sum, identity);
        }
        handed.kgen_fold(sum, kgen_thread(), shape.pieces - 1, P::kgen_block_bound, reduce);
        __syncthreads();
    }
    if (kgen_thread() == 0) x.kgen_finish(post, 0, sum.kgen_at.kgen_value);
}
