// SPDX-License-Identifier: MIT
// kgen: the loop over short rows. Rows with up to 512 elements together form a pack, which is computed as one row. Operands
// that are not contiguous over whole rows are first copied into a pack, column by column, because columns are long. An
// operand that is the same in all rows is copied only for the first pack of a range or of an outer index.
template <class T>
KGEN_INLINE void kgen_fill_pack(T* pack, const char* from, long long step, long long down, long long columns, long long rows,
                                bool is_first) {
    if (down == 0 && !is_first) return;
    for (long long column = 0; column < columns; ++column) {
        for (long long k = 0; k < rows; ++k) pack[k * columns + column] = *(const T*)(from + column * step + k * down);
    }
}
template <class P, class Parameters, class Operands, class Body>
KGEN_INLINE void kgen_short_rows(const Parameters& p, Operands& x, const Body& body, long long begin, long long end) {
    const long long rows = p.kgen_extents[P::kgen_rank - 2];
    const long long columns = p.kgen_extents[P::kgen_rank - 1];
    const long long height = 512 / columns;
    const long long down = (rows + height - 1) / height;
    const kgen_units share(p.kgen_count / (rows * columns) * down, p.kgen_count, begin, end);
    typename Operands::kgen_packs packs;
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        const long long row = unit % down * height;
        const long long outer = unit / down;
        const long long full = rows - row < height ? rows - row : height;
        x.kgen_begin();
        x.kgen_at = (outer * rows + row) * columns;
        x.kgen_move(P::kgen_rank - 2, row);
        kgen_places<0, P::kgen_rank - 2>().kgen_begin(p, x, outer);
        x.kgen_fill(packs, columns, full, row == 0 || unit == share.kgen_first);
        x.kgen_begin_row();
        kgen_each<true>(0, full * columns,
                        [&](const long long k) __attribute__((always_inline)) { x.kgen_compute(body, packs, k); });
    }
}
