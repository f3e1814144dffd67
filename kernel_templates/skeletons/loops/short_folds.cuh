// SPDX-License-Identifier: MIT
// kgen: reductions of few elements. A thread folds all elements of kgen_groups vectors of kgen_pack neighbouring outputs, without
// other threads.

// Loads `count` elements of each of a whole vector of outputs, from element j on.
template <int count, class Operands>
__device__ __forceinline__ void kgen_load_elements(Operands& x, typename Operands::kgen_values (&values)[count], int j, long long column) {
#pragma unroll
    for (int u = 0; u < count; ++u) {
        x.kgen_find_row(j + u);
        x.kgen_load_values(values[u], column);
    }
}
// Folds what kgen_load_elements() loaded.
template <class P, int count, class Operands, class Fold, class Narrow, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_loaded(Operands& x, typename Operands::kgen_values (&values)[count], Fold* sums, Narrow& narrow,
                                                 int j, long long column, const Map& map, const Reduce& reduce) {
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
// Folds the elements from j on of a whole vector of outputs, `count` elements of each at once, and those that are left by fewer
// at once: loads under conditions would wait for each other.
template <class P, int count, class Operands, class Fold, class Narrow, class Map, class Reduce>
__device__ __forceinline__ void kgen_fold_elements(Operands& x, Fold* sums, Narrow& narrow, int j, int rows, long long column,
                                                   const Map& map, const Reduce& reduce) {
#pragma unroll (P::kgen_few > 0 ? P::kgen_few : 1)
    for (; j + count <= rows; j += count) {
        typename Operands::kgen_values values[count];
        narrow.kgen_make_room(count, sums, reduce);
        kgen_load_elements<count>(x, values, j, column);
        kgen_fold_loaded<P, count>(x, values, sums, narrow, j, column, map, reduce);
    }
    if constexpr (count > 1 && (P::kgen_few == 0 || P::kgen_few % count != 0))
        kgen_fold_elements<P, (count + 3) / 4>(x, sums, narrow, j, rows, column, map, reduce);
}
// Folds vector `at` of the outputs, and groups - 1 more, a block's threads apart: their elements are loaded before the first is folded.
template <class P, int groups, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_fold_outputs(const Parameters& p, Operands x, unsigned at, const Map& map, const Reduce& reduce,
                                                  const Identity& identity, const Post& post) {
    typedef kgen_fold<typename P::kgen_accumulator_type, P::kgen_has_identity> fold;
    const kgen_fold_shape& shape = p.kgen_folds;
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
    // If a thread has several vectors, columns fill whole ones: the assembler would move loads under a condition to the folds.
    const bool is_whole = P::kgen_pack == 1 || P::kgen_groups > 1 || column + P::kgen_pack <= shape.columns;
    if constexpr (groups > 1) {
        typename Operands::kgen_values values[P::kgen_few];
        const Operands next(x);
        kgen_load_elements<P::kgen_few>(x, values, 0, column);
        kgen_fold_outputs<P, groups - 1>(p, next, at + kgen_block_size(), map, reduce, identity, post);
        kgen_narrow_fold<P, decltype(x.kgen_call(map, *(const typename Operands::kgen_values*)0, 0, column)), true> narrow;
        narrow.kgen_make_room(P::kgen_few, sums, reduce);
        kgen_fold_loaded<P, P::kgen_few>(x, values, sums, narrow, 0, column, map, reduce);
        narrow.kgen_leave(sums, reduce);
    } else if (is_whole) {
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
    }
    if (is_whole) {
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
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
__device__ __forceinline__ void kgen_short_folds(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                                 const Identity& identity, const Post& post) {
    kgen_fold_outputs<P, P::kgen_groups>(p, x, kgen_block() * kgen_block_size() * P::kgen_groups + kgen_thread(), map, reduce, identity, post);
}
