// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie beside each other: up to 64 of them side by side, element by element. A chunk is 256
// elements of a row. CPU threads share the blocks of rows.
template <class P, class Operands, class Parameters, class Pass>
KGEN_INLINE void kgen_run_pass(const Parameters& p, const Operands& x, typename P::kgen_results& results, long long many, const Pass& pass) {
    typedef typename Pass::kgen_accumulator_type accumulator;
    typedef kgen_band<accumulator, 64, Pass::kgen_has_identity> band;
    const long long chunks = (p.kgen_reduced - 1) / 256 + 1;
    kgen_tree<band> folds;
    band sums;
    Operands row = x;
    kgen_places<P::kgen_kept, P::kgen_rank> rows;
    rows.kgen_begin(p, row, 0);
    for (long long chunk = 0; chunk < chunks; ++chunk) {
        const long long left = p.kgen_reduced - chunk * 256;
        sums.kgen_used = 0;
        if constexpr (Pass::kgen_has_identity) sums.kgen_start(many, pass.kgen_identity());
        for (long long k = 0; k < (left < 256 ? left : 256); ++k) {
            row.kgen_begin_row();
            sums.kgen_add(many, [&](const long long c) __attribute__((always_inline)) {
                return row.kgen_call(pass.kgen_map, results.kgen_get(c), c);
            }, pass.kgen_reduce);
            rows.kgen_next(p, row);
        }
        if (chunks > 1) folds.kgen_push(sums, pass.kgen_reduce);
    }
    band& folded = chunks > 1 ? folds.kgen_total(pass.kgen_reduce) : sums;
    for (long long c = 0; c < many; ++c) {
        auto of_row = results.kgen_get(c);
        pass.kgen_post(of_row, folded.kgen_at.kgen_get(c));
        results.kgen_set(c, of_row);
    }
}
template <class P, class Parameters, class Operands, class Body, class Finish, class... Passes>
KGEN_INLINE void kgen_fused_columns(const Parameters& p, Operands& x, const Body& body, const Finish& finish, long long begin,
                                    long long end, const Passes&... passes) {
    const long long columns = p.kgen_extents[P::kgen_kept - 1];
    const long long across = (columns + 63) / 64;
    const kgen_units share(p.kgen_count / columns * across, p.kgen_count * p.kgen_reduced, begin, end);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        const long long column = unit % across * 64;
        const long long many = columns - column < 64 ? columns - column : 64;
        x.kgen_begin();
        kgen_places<0, P::kgen_kept - 1>().kgen_begin(p, x, unit / across);
        x.kgen_move(P::kgen_kept - 1, column);
        typename P::kgen_results results;
        (kgen_run_pass<P>(p, x, results, many, passes), ...);
        Operands row = x;
        kgen_places<P::kgen_kept, P::kgen_rank> rows;
        rows.kgen_begin(p, row, 0);
        for (long long k = 0; k < p.kgen_reduced; ++k) {
            row.kgen_begin_row();
            kgen_each<true>(0, many, [&](const long long c) __attribute__((always_inline)) {
                row.kgen_compute(body, results.kgen_get(c), c);
            });
            rows.kgen_next(p, row);
        }
        for (long long c = 0; c < many; ++c) x.kgen_finish(finish, results.kgen_get(c), c);
    }
}
