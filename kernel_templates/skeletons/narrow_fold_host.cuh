// SPDX-License-Identifier: MIT
// kgen: folds of narrow integers on the host. The values of a chunk are folded in lanes of the values' type, or of 32 bits
// for sums, because a vector holds more of them. An int holds the sum of 16384 values below 65536.
template <class P, class M> struct kgen_lane<P, M, true> {
    enum {
        op = P::kgen_narrow,
        bits = kgen_integer<M>::bits,
        compares = op == kgen_takes_largest || op == kgen_takes_least,
        is_narrow = bits > 0 && bits <= (op == kgen_adds ? 16 : 32),
        // A logical operation is one of bits if it has truth values.
        is_allowed = (!P::kgen_is_logical || bits == 1) &&
                     (!compares || kgen_represents<typename P::kgen_accumulator_type, M>::value),
        some = (is_narrow && is_allowed) || P::kgen_has_narrow_terms,
    };
    typedef typename kgen_either<op == kgen_adds, int, typename kgen_either<bits == 1, unsigned char, M>::type>::type type;
    static KGEN_INLINE type kgen_step(type a, type b) { return kgen_narrow_step<op, type>(a, b); }
};
