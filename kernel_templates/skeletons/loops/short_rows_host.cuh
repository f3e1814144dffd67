// SPDX-License-Identifier: MIT
// kgen: the loop over short rows (see packs_host.cuh).
template <class P, class Parameters, class Operands, class Body>
KGEN_INLINE void kgen_short_rows(const Parameters& p, Operands& x, const Body& body, long long begin, long long end) {
    kgen_row_walk<P::kgen_row_axes, P::kgen_rank> walk(p);
    const kgen_units share(walk.kgen_units_all, p.kgen_count, begin, end);
    if (share.kgen_first >= share.kgen_last) return;
    typename Operands::kgen_tables tables;
    typename Operands::kgen_packs packs;
    x.kgen_begin();
    x.kgen_begin_tables(tables, walk.kgen_height);
    x.kgen_begin_packs(packs);
    x.kgen_at = walk.kgen_begin(p, x, share.kgen_first);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        const long long count = walk.kgen_elements();
        x.kgen_fill(tables, packs, count, walk.kgen_height * walk.kgen_inner);
        x.kgen_fill_written(tables, packs, count);
        x.kgen_begin_row();
        kgen_each<true>(0, count, [&](const long long k) __attribute__((always_inline)) {
            x.kgen_compute(body, tables, packs, k);
        });
        x.kgen_empty(tables, packs, count);
        x.kgen_at += count;
        walk.kgen_next(p, x);
    }
}
