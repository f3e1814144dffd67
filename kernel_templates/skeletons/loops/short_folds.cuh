// SPDX-License-Identifier: MIT
// kgen: reductions of few elements. A thread folds all elements of kgen_pack neighbouring outputs, without other threads.

// Folds the elements from j on of whole vectors of outputs, `count` elements of each at once, and those that are left by fewer at
// once: loads under conditions would wait for each other.
template <class P, int count, class Operands, class Fold, class Narrow, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_elements(Operands& x, Fold* sums, Narrow& narrow, int j, int rows, long long column,
                                                   const Map& map, const Reduce& reduce) {
#pragma unroll (P::kgen_few > 0 ? P::kgen_few : 1)
    for (; j + count <= rows; j += count) {
        typename Operands::kgen_values values[count];
        narrow.kgen_make_room(count, sums, reduce);
#pragma unroll
        for (int u = 0; u < count; ++u) {
            x.kgen_find_row(j + u);
            x.kgen_load_values(values[u], column);
        }
#pragma unroll
        for (int u = 0; u < count; ++u) {
            if constexpr (P::kgen_counts) x.kgen_find_row(j + u);
            if constexpr (Narrow::some) {
                narrow.kgen_take(x, values[u], [&](int e) { return x.kgen_call(map, values[u], e, column + e); });
            } else {
#pragma unroll
                for (int e = 0; e < P::kgen_pack; ++e)
                    sums[e].kgen_add(kgen_accumulated<P>(x.kgen_call(map, values[u], e, column + e)), reduce);
            }
        }
    }
    if constexpr (count > 1 && (P::kgen_few == 0 || P::kgen_few % count != 0))
        kgen_fold_elements<P, (count + 3) / 4>(x, sums, narrow, j, rows, column, map, reduce);
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
            kgen_narrow_fold<P, decltype(x.kgen_call(map, *(const typename Operands::kgen_values*)0, 0, column)), true> narrow;
            kgen_fold_elements<P, P::kgen_unroll>(x, sums, narrow, 0, rows, column, map, reduce);
            narrow.kgen_leave(sums, reduce);
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
