// SPDX-License-Identifier: MIT
// kgen: reductions of few elements, or with few neighbouring outputs. Several inner kept axes form one row of outputs (see
// packs_host.cuh), whose elements are folded side by side. A few elements of an output (kgen_few) are folded at once,
// without an array of accumulators.

// The operands at element `number` of those that are folded at once, and at the elements before it.
template <class P, class Operands, int number> struct kgen_few_folds {
    kgen_few_folds<P, Operands, number - 1> kgen_before;
    Operands kgen_x;
    typename Operands::kgen_packs kgen_packed;
    // Moves `x` to the next element.
    template <class Parameters, class Tables, class Places>
    KGEN_INLINE kgen_few_folds(const Parameters& p, Operands& x, const Tables& tables, Places& places, long long count)
        : kgen_before(p, x, tables, places, count), kgen_x(x) {
        kgen_x.kgen_begin_row();
        x.kgen_begin_packs(kgen_packed);
        x.kgen_fill(tables, kgen_packed, count, count);
        if constexpr (number < P::kgen_few) places.kgen_next(p, x);
    }
    // Folds in the type A, from the first element on if nothing `starts` the fold.
    template <class A, bool starts, class Tables, class Map, class Reduce, class Identity>
    KGEN_INLINE A kgen_total(const Tables& tables, const Map& map, const Reduce& reduce, const Identity& identity,
                             long long k) const {
        if constexpr (number == 1 && !starts) return A(kgen_x.kgen_call(map, tables, kgen_packed, k));
        else return reduce(kgen_before.template kgen_total<A, starts>(tables, map, reduce, identity, k),
                           A(kgen_x.kgen_call(map, tables, kgen_packed, k)));
    }
};
template <class P, class Operands> struct kgen_few_folds<P, Operands, 0> {
    template <class Parameters, class Tables, class Places>
    KGEN_INLINE kgen_few_folds(const Parameters&, Operands&, const Tables&, Places&, long long) {}
    template <class A, bool starts, class Tables, class Map, class Reduce, class Identity>
    KGEN_INLINE A kgen_total(const Tables&, const Map&, const Reduce&, const Identity& identity, long long) const {
        return identity();
    }
};
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
KGEN_INLINE void kgen_short_folds(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                  const Identity& identity, const Post& post, long long begin, long long end) {
    typedef typename P::kgen_accumulator_type accumulator;
    typedef kgen_band<accumulator, kgen_column_count<accumulator>::kgen_count, P::kgen_has_identity> band;
    kgen_row_walk<P::kgen_row_axes, P::kgen_kept> walk(p);
    typedef kgen_lane<P, decltype(x.kgen_call(map, typename Operands::kgen_tables(), typename Operands::kgen_packs(), 0))> lane;
    const kgen_units share(walk.kgen_units_all, p.kgen_count * p.kgen_reduced, begin, end);
    if (share.kgen_first >= share.kgen_last) return;
    const long long all = walk.kgen_height * walk.kgen_inner;
    typename Operands::kgen_tables tables;
    typename Operands::kgen_packs packs;
    x.kgen_begin();
    x.kgen_begin_tables(tables, walk.kgen_height);
    x.kgen_begin_packs(packs);
    walk.kgen_begin(p, x, share.kgen_first);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit, walk.kgen_next(p, x)) {
        const long long count = walk.kgen_elements();
        x.kgen_fill_written(tables, packs, count);
        Operands inputs = x;
        kgen_places<P::kgen_kept, P::kgen_rank> places;
        places.kgen_begin(p, inputs, 0);
        if constexpr (P::kgen_few > 0) {
            const kgen_few_folds<P, Operands, P::kgen_few> few(p, inputs, tables, places, count);
            const auto total = [&](const long long k) __attribute__((always_inline)) {
                if constexpr (lane::some) {
                    return kgen_widened<P>(few.template kgen_total<typename lane::type, false>(
                        tables, map, lane::kgen_step, identity, k), reduce, identity);
                } else {
                    return few.template kgen_total<accumulator, P::kgen_has_identity>(tables, map, reduce, identity, k);
                }
            };
            if constexpr (P::kgen_folds_first) {
                kgen_values<accumulator, band::kgen_most> totals;
                for (long long first = 0; first < count; first += band::kgen_most) {
                    const long long many = count - first < band::kgen_most ? count - first : band::kgen_most;
                    kgen_each<true>(0, many, [&](const long long k) __attribute__((always_inline)) {
                        totals.kgen_set(k, total(first + k));
                    });
                    kgen_each<true>(0, many, [&](const long long k) __attribute__((always_inline)) {
                        x.kgen_finish(post, tables, packs, first + k, totals.kgen_get(k));
                    });
                }
            } else {
                kgen_each<true>(0, count, [&](const long long k) __attribute__((always_inline)) {
                    x.kgen_finish(post, tables, packs, k, total(k));
                });
            }
        } else {
            for (long long first = 0; first < count; first += band::kgen_most) {
                const long long many = count - first < band::kgen_most ? count - first : band::kgen_most;
                // As in reduced_columns: chunks of 256 elements of an output, and one chunk needs no tree.
                kgen_tree<band> folds;
                band sums;
                Operands at = inputs;
                kgen_places<P::kgen_kept, P::kgen_rank> rows = places;
                for (long long left = p.kgen_reduced; left > 0;) {
                    const auto fold = [&](auto& into, const auto& step) __attribute__((always_inline)) {
                        for (long long chunk = left < 256 ? left : 256; chunk > 0; --chunk, --left) {
                            at.kgen_begin_row();
                            at.kgen_fill(tables, packs, count, all);
                            into.kgen_add(many, [&](const long long k) __attribute__((always_inline)) {
                                return at.kgen_call(map, tables, packs, first + k);
                            }, step);
                            rows.kgen_next(p, at);
                        }
                    };
                    kgen_fold_chunk<P, lane>(sums, many, fold, reduce, identity);
                    if (p.kgen_reduced > 256) folds.kgen_push(sums, reduce);
                }
                const band& folded = p.kgen_reduced > 256 ? folds.kgen_total(reduce) : sums;
                for (long long k = 0; k < many; ++k)
                    x.kgen_finish(post, tables, packs, first + k, folded.kgen_at.kgen_get(k));
            }
        }
        x.kgen_empty(tables, packs, count);
    }
}
