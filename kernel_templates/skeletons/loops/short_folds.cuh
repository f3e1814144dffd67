// SPDX-License-Identifier: MIT
// kgen: reductions of few elements. A thread folds all elements of kgen_pack neighbouring outputs, without other threads.

// Folds the elements of whole vectors of outputs, kgen_unroll elements of each at once.
template <class P, class Operands, class Fold, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_vectors(Operands& x, Fold* sums, int rows, long long column, const Map& map,
                                                  const Reduce& reduce) {
    kgen_narrow_fold<P, decltype(x.kgen_call(map, *(const typename Operands::kgen_values*)0, 0, column)), true> narrow;
#pragma unroll (P::kgen_few > 0 ? P::kgen_few : 1)
    for (int j = 0; j < rows; j += P::kgen_unroll) {
        typename Operands::kgen_values values[P::kgen_unroll];
        narrow.kgen_make_room(P::kgen_unroll, sums, reduce);
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            if (j + u < rows) {
                x.kgen_find_row(j + u);
                x.kgen_load_values(values[u], column);
            }
        }
#pragma unroll
        for (int u = 0; u < P::kgen_unroll; ++u) {
            if (j + u < rows) {
                if constexpr (P::kgen_counts) x.kgen_find_row(j + u);
                if constexpr (narrow.some) {
                    narrow.kgen_take(x, values[u], [&](int e) { return x.kgen_call(map, values[u], e, column + e); });
                } else {
#pragma unroll
                    for (int e = 0; e < P::kgen_pack; ++e)
                        sums[e].kgen_add(kgen_accumulated<P>(x.kgen_call(map, values[u], e, column + e)), reduce);
                }
            }
        }
    }
    narrow.kgen_leave(sums, reduce);
}
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_short_folds(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                 const Identity& identity, const Post& post) {
    typedef kgen_fold<typename P::kgen_accumulator_type, P::kgen_has_identity> fold;
    const kgen_fold_shape& shape = p.kgen_folds;
    const unsigned at = kgen_block() * kgen_block_size() + kgen_thread();
    if (at >= shape.vectors) return;
    unsigned outer, vector;
    if constexpr (P::kgen_turned) {
        const unsigned group = at >> (31 - __clz(shape.side)), side_by_side = kgen_divide(group, shape.by_vectors);
        outer = group - side_by_side * shape.by_vectors.extent;
        vector = side_by_side * shape.side + (at & (shape.side - 1));
        if ((long long)vector * P::kgen_pack >= shape.columns) return;
    } else {
        outer = kgen_divide(at, shape.by_vectors);
        vector = at - outer * shape.by_vectors.extent;
    }
    const long long column = (long long)vector * P::kgen_pack;
    const int rows = P::kgen_few > 0 ? (int)P::kgen_few : shape.rows;
    x.kgen_find(outer);
    fold sums[P::kgen_pack];
    kgen_start<P, P::kgen_pack>(sums, identity);
    if (P::kgen_pack == 1 || column + P::kgen_pack <= shape.columns) {
        if constexpr (P::kgen_along) {
            // The elements of an output are neighbours, so the vectors have those of one output after the other.
            typename Operands::kgen_values values[P::kgen_few];
#pragma unroll
            for (int v = 0; v < P::kgen_few; ++v) x.kgen_load_along(values[v], column, v);
#pragma unroll
            for (int j = 0; j < P::kgen_few; ++j) {
                x.kgen_find_row(j);
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e) {
                    const int from = e * P::kgen_few + j;
                    sums[e].kgen_add(kgen_accumulated<P>(x.kgen_call_along(map, values[from / P::kgen_pack],
                                                                           from % P::kgen_pack, column + e)), reduce);
                }
            }
        } else {
            kgen_fold_vectors<P>(x, sums, rows, column, map, reduce);
        }
        x.kgen_finish_values(post, column, sums);
    } else if constexpr (P::kgen_pack > 1) {
        // The last outputs do not fill a vector.
        for (long long each = column; each < shape.columns; ++each) {
            fold sum;
            kgen_start<P, 1>(&sum, identity);
            for (int j = 0; j < rows; ++j) {
                x.kgen_find_row(j);
                sum.kgen_add(kgen_accumulated<P>(x.kgen_compute(map, each)), reduce);
            }
            x.kgen_finish(post, each, sum.kgen_at.kgen_value);
        }
    }
}
