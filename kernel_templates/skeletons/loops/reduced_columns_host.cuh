// SPDX-License-Identifier: MIT
// kgen: reductions that fold neighbouring outputs side by side, row by row. A chunk is 256 rows. A piece is one or more
// chunks of up to kgen_most columns. CPU threads share the pieces. If rows are short, several that follow each other in
// memory are folded as one wide row.
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
KGEN_INLINE void kgen_reduced_columns(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                      const Identity& identity, const Post& post, long long begin, long long end) {
    typedef typename P::kgen_accumulator_type accumulator;
    typedef kgen_band<accumulator, kgen_column_count<accumulator>::kgen_count, P::kgen_has_identity> band;
    typedef kgen_lane<P, decltype(x.kgen_call(map, 0))> lane;
    const long long width = band::kgen_most;
    const long long columns = p.kgen_extents[P::kgen_kept - 1];
    const long long length = kgen_row_length<P>(p);
    const long long high = P::kgen_wide && width > columns ? width / columns : 1;
    const long long down = length / high + (length % high != 0);
    const long long rows = length > 0 ? p.kgen_reduced / length * down : 0;
    const long long across = (columns + width - 1) / width;
    const kgen_cutting<P> cut(p, rows, 256);
    const kgen_units share(p.kgen_count / columns * across * cut.kgen_count,
                           p.kgen_count * (p.kgen_reduced > 0 ? p.kgen_reduced : 1), begin, end);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        const long long piece = unit % cut.kgen_count;
        const long long block = unit / cut.kgen_count;
        const long long column = block % across * width;
        const long long many = columns - column < width ? columns - column : width;
        // Returns the number of elements in the wide row that begins with row `first`.
        const auto wide = [&](const long long first) __attribute__((always_inline)) {
            if (!P::kgen_wide || high == 1) return many;
            return columns * (high < length - first ? high : length - first);
        };
        x.kgen_begin();
        kgen_places<0, P::kgen_kept - 1>().kgen_begin(p, x, block / across);
        x.kgen_move(P::kgen_kept - 1, column);
        // One chunk needs no tree, which would copy it.
        const bool is_tree = cut.kgen_end(piece) - cut.kgen_begin(piece) > 1;
        kgen_tree<band> folds;
        band sums;
        for (long long chunk = cut.kgen_begin(piece); chunk < cut.kgen_end(piece); ++chunk) {
            const long long first = chunk * 256;
            long long left = rows - first < 256 ? rows - first : 256;
            long long row = first % down;
            Operands inputs = x;
            kgen_places<P::kgen_kept, P::kgen_rank - 1> outer;
            outer.kgen_begin(p, inputs, first / down);
            const auto fold = [&](auto& into, const auto& step) __attribute__((always_inline)) {
                for (;;) {
                    Operands at = inputs;
                    if constexpr (P::kgen_rank > P::kgen_kept) at.kgen_move(P::kgen_rank - 1, row * high);
                    at.kgen_begin_row();
                    into.kgen_add(wide(row * high), [&](const long long k) __attribute__((always_inline)) {
                        return at.kgen_call(map, k);
                    }, step);
                    if (--left == 0) return;
                    if (++row < down) continue;
                    row = 0;
                    outer.kgen_next(p, inputs);
                }
            };
            kgen_fold_chunk<P, lane>(sums, wide(0), fold, reduce, identity);
            if (is_tree) folds.kgen_push(sums, reduce);
        }
        if constexpr (P::kgen_has_identity) {
            if (cut.kgen_chunks == 0) sums.kgen_start(many, identity());
        }
        band& folded = is_tree ? folds.kgen_total(reduce) : sums;
        if (P::kgen_wide && high > 1) folded.kgen_fold(columns, reduce);
        if (!cut.kgen_join(p, folded, many, block / across * columns + column, block, piece, reduce)) continue;
        for (long long k = 0; k < many; ++k) x.kgen_finish(post, k, folded.kgen_at.kgen_get(k));
    }
}
