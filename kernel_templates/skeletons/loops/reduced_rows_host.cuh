// SPDX-License-Identifier: MIT
// kgen: reductions that fold output by output. A chunk is up to 16384 elements of an output. A piece is one or more chunks. CPU
// threads share the pieces. If the innermost axis has few elements (kgen_few), rows run along the axis before it, and each element of a row
// is the fold of these few.

// The operands at `count` successive places of an axis.
template <class Operands, int count> struct kgen_few_rows {
    kgen_few_rows<Operands, count - 1> kgen_before;
    Operands kgen_x;
    KGEN_INLINE kgen_few_rows(Operands& x, int axis) : kgen_before(x, axis), kgen_x(x) {
        kgen_x.kgen_begin_row();
        x.kgen_move(axis, 1);
    }
    template <class A, class Map, class Step>
    KGEN_INLINE A kgen_total(const Map& map, const Step& step, long long k) const {
        const A value = A(kgen_x.kgen_call(map, k));
        if constexpr (count == 1) return value;
        else return step(kgen_before.template kgen_total<A>(map, step, k), value);
    }
};
template <class Operands> struct kgen_few_rows<Operands, 0> {
    KGEN_INLINE kgen_few_rows(Operands&, int) {}
};
template <class P, class Parameters, class Operands, class Map, class Reduce, class Identity, class Post>
KGEN_INLINE void kgen_reduced_rows(const Parameters& p, Operands& x, const Map& map, const Reduce& reduce,
                                   const Identity& identity, const Post& post, long long begin, long long end) {
    typedef typename P::kgen_accumulator_type accumulator;
    typedef kgen_single<accumulator> single;
    typedef kgen_lane<P, decltype(x.kgen_call(map, 0))> lane;
    enum {
        few = P::kgen_few,
        last = P::kgen_rank - (few > 0 ? 2 : 1),
        each = few > 0 ? few : 1,  // elements of the output in an element of a row
        most = 16384 / (each > 4 ? 8 : each > 2 ? 4 : each)  // elements of rows in a chunk
    };
    const long long length = kgen_row_length<P, P::kgen_rank - last>(p);
    const long long reduced = p.kgen_reduced / each;
    const kgen_cutting<P> cut(p, reduced, most);
    const kgen_units share(p.kgen_count * cut.kgen_count, p.kgen_count * (p.kgen_reduced > 0 ? p.kgen_reduced : 1),
                           begin, end);
    long long output = share.kgen_first / cut.kgen_count;
    long long piece = share.kgen_first % cut.kgen_count;
    kgen_places<0, P::kgen_kept> outputs;
    x.kgen_begin();
    outputs.kgen_begin(p, x, output);
    for (long long unit = share.kgen_first; unit < share.kgen_last; ++unit) {
        // One chunk needs no tree.
        const bool is_tree = cut.kgen_end(piece) - cut.kgen_begin(piece) > 1;
        kgen_tree<single> folds;
        single folded;
        for (long long chunk = cut.kgen_begin(piece); chunk < cut.kgen_end(piece); ++chunk) {
            const long long first = chunk * most;
            long long left = reduced - first < most ? reduced - first : most;
            long long from = first > 0 ? first % length : 0;
            Operands row = x;
            kgen_places<P::kgen_kept, last> rows;
            rows.kgen_begin(p, row, first > 0 ? first / length : 0);
            const auto fold = [&](auto& lanes, const auto& step) __attribute__((always_inline)) {
                for (;;) {
                    const long long many = left < length - from ? left : length - from;
                    row.kgen_begin_row();
                    if constexpr (few > 0) {
                        Operands at = row;
                        const kgen_few_rows<Operands, few> elements(at, last + 1);
                        lanes.kgen_add_row(many, [&](const long long k) __attribute__((always_inline)) {
                            return elements.template kgen_total<decltype(lanes.kgen_total(step))>(map, step, from + k);
                        }, step);
                    } else {
                        lanes.kgen_add_row(many, [&](const long long k) __attribute__((always_inline)) {
                            return row.kgen_call(map, from + k);
                        }, step);
                    }
                    left -= many;
                    if (left == 0) return lanes.kgen_total(step);
                    from = 0;
                    rows.kgen_next(p, row);
                }
            };
            single part;
            if constexpr (lane::some) {
                kgen_band<typename lane::type, kgen_lane_count<typename lane::type>::kgen_count, false> lanes;
                part = single(kgen_widened<P>(fold(lanes, lane::kgen_step), reduce, identity));
            } else {
                kgen_band<accumulator, kgen_lane_count<accumulator>::kgen_count, P::kgen_has_identity> lanes;
                if constexpr (P::kgen_has_identity) lanes.kgen_start(lanes.kgen_most, identity());
                part = single(fold(lanes, reduce));
            }
            if (is_tree) folds.kgen_push(part, reduce);
            else folded = part;
        }
        if constexpr (P::kgen_has_identity) {
            if (cut.kgen_chunks == 0) folded = single(identity());
        }
        if (is_tree) folded = folds.kgen_total(reduce);
        if (cut.kgen_join(p, folded, 1, output, output, piece, reduce)) x.kgen_finish(post, 0, folded.kgen_at.kgen_value);
        if (++piece < cut.kgen_count) continue;
        piece = 0;
        outputs.kgen_next(p, x);
        ++output;
    }
}
