// SPDX-License-Identifier: MIT
// kgen: the loop over tiles. The two inner axes are cut into tiles of 64 by 64, and a counter runs over the others. Or the
// inner axis is cut into bands of 64 columns, each of which has all rows.
template <class P, class Parameters, class Operands, class Body>
KGEN_INLINE void kgen_tiles(const Parameters& p, Operands& x, const Body& body, long long begin, long long end) {
    if constexpr (P::kgen_bands) {
        const long long columns = p.kgen_extents[P::kgen_rank - 1];
        const kgen_units share((columns + 63) / 64, p.kgen_count, begin, end);
        for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
            const long long column = unit * 64;
            const long long to = columns - column < 64 ? columns - column : 64;
            kgen_places<0, P::kgen_rank - 1> places;
            x.kgen_begin();
            x.kgen_move(P::kgen_rank - 1, column);
            places.kgen_begin(p, x, 0);
            for (long long left = p.kgen_count / columns; left > 0; --left) {
                x.kgen_begin_row();
                kgen_each<P::kgen_independent>(
                    0, to, [&](const long long k) __attribute__((always_inline)) { x.kgen_compute(body, k); });
                places.kgen_next(p, x);
            }
        }
    } else {
        const long long rows = p.kgen_extents[P::kgen_rank - 2];
        const long long columns = p.kgen_extents[P::kgen_rank - 1];
        const long long down = (rows + 63) / 64;
        const long long across = (columns + 63) / 64;
        const kgen_units share(p.kgen_count / (rows * columns) * down * across, p.kgen_count, begin, end);
        for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
            const long long column = unit % across * 64;
            const long long row = unit / across % down * 64;
            x.kgen_begin();
            x.kgen_move(P::kgen_rank - 2, row);
            x.kgen_move(P::kgen_rank - 1, column);
            kgen_places<0, P::kgen_rank - 2>().kgen_begin(p, x, unit / across / down);
            const long long to = columns - column < 64 ? columns - column : 64;
            for (long long left = rows - row < 64 ? rows - row : 64; left > 0; --left) {
                x.kgen_begin_row();
                kgen_each<P::kgen_independent>(
                    0, to, [&](const long long k) __attribute__((always_inline)) { x.kgen_compute(body, k); });
                x.kgen_move(P::kgen_rank - 2, 1);
            }
        }
    }
}
