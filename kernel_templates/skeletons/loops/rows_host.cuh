// SPDX-License-Identifier: MIT
// kgen: the loop over rows. The inner axis is a plain loop, and a counter runs over the outer axes.
template <class P, class Parameters, class Operands, class Body>
KGEN_INLINE void kgen_rows(const Parameters& p, Operands& x, const Body& body, long long begin, long long end) {
    // A range begins and ends at a multiple of 64 elements from the begin of a row. So the same elements share a
    // vector with any number of threads.
    const long long extent = p.kgen_extents[P::kgen_rank - 1];
    begin -= begin % extent % 64;
    if (end < p.kgen_count) end -= end % extent % 64;
    long long from = begin % extent;
    kgen_places<0, P::kgen_rank - 1> places;
    x.kgen_begin();
    places.kgen_begin(p, x, begin / extent);
    for (x.kgen_at = begin - from; x.kgen_at < end; x.kgen_at += extent) {
        x.kgen_begin_row();
        const long long to = extent < end - x.kgen_at ? extent : end - x.kgen_at;
        const auto compute = [&](const long long k) __attribute__((always_inline)) { x.kgen_compute(body, k); };
        if constexpr (P::kgen_drawn) {
            kgen_each_drawn(from, to, x.kgen_at, compute,
                            [&](const long long k, const long long first, const unsigned place)
                                __attribute__((always_inline)) { x.kgen_compute_drawn(body, k, first, place); });
        } else {
            kgen_each<P::kgen_independent>(from, to, compute);
        }
        from = 0;
        places.kgen_next(p, x);
    }
}
