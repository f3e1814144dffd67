// SPDX-License-Identifier: MIT
// kgen: row kernels whose rows lie along memory: row by row, which stays in the cache from pass to pass. A chunk is 16384
// elements of a row. CPU threads share the rows.
template <class P, class Operands, class Parameters, class Pass>
KGEN_INLINE void kgen_run_pass(const Parameters& p, const Operands& x, typename P::kgen_results& results, const Pass& pass) {
    typedef typename Pass::kgen_accumulator_type accumulator;
    typedef kgen_single<accumulator> single;
    const typename P::kgen_results before = results;
    const long long length = kgen_row_length<P>(p);
    const long long chunks = (p.kgen_reduced - 1) / 16384 + 1;
    kgen_tree<single> folds;
    single folded;
    for (long long chunk = 0; chunk < chunks; ++chunk) {
        const long long first = chunk * 16384;
        long long left = p.kgen_reduced - first < 16384 ? p.kgen_reduced - first : 16384;
        long long from = first % length;
        Operands row = x;
        kgen_places<P::kgen_kept, P::kgen_rank - 1> rows;
        rows.kgen_begin(p, row, first / length);
        kgen_band<accumulator, kgen_lane_count<accumulator>::kgen_count, Pass::kgen_has_identity> lanes;
        if constexpr (Pass::kgen_has_identity) lanes.kgen_start(lanes.kgen_most, pass.kgen_identity());
        for (;;) {
            const long long many = left < length - from ? left : length - from;
            row.kgen_begin_row();
            lanes.kgen_add_row(many, [&](const long long k) __attribute__((always_inline)) {
                return row.kgen_call(pass.kgen_map, before, from + k);
            }, pass.kgen_reduce);
            left -= many;
            if (left == 0) break;
            from = 0;
            rows.kgen_next(p, row);
        }
        folded = single(lanes.kgen_total(pass.kgen_reduce));
        if (chunks > 1) folds.kgen_push(folded, pass.kgen_reduce);
    }
    if (chunks > 1) folded = folds.kgen_total(pass.kgen_reduce);
    pass.kgen_post(results, folded.kgen_at.kgen_value);
}
template <class P, class Parameters, class Operands, class Body, class Finish, class... Passes>
KGEN_INLINE void kgen_fused_rows(const Parameters& p, Operands& x, const Body& body, const Finish& finish, long long begin,
                                 long long end, const Passes&... passes) {
    const long long length = kgen_row_length<P>(p);
    const kgen_units share(p.kgen_count, p.kgen_count * p.kgen_reduced, begin, end);
    kgen_places<0, P::kgen_kept> outputs;
    x.kgen_begin();
    outputs.kgen_begin(p, x, share.kgen_first);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        typename P::kgen_results results;
        (kgen_run_pass<P>(p, x, results, passes), ...);
        const typename P::kgen_results found = results;
        Operands row = x;
        kgen_places<P::kgen_kept, P::kgen_rank - 1> rows;
        rows.kgen_begin(p, row, 0);
        for (long long done = 0;;) {
            row.kgen_begin_row();
            kgen_each<true>(0, length, [&](const long long k) __attribute__((always_inline)) { row.kgen_compute(body, found, k); });
            done += length;
            if (done >= p.kgen_reduced) break;
            rows.kgen_next(p, row);
        }
        x.kgen_finish(finish, found, 0);
        outputs.kgen_next(p, x);
    }
}
