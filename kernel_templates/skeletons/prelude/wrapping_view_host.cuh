// SPDX-License-Identifier: MIT
// kgen prelude: raw views whose size is used only as in x[k % x.size()]. The remainder is computed by multiplications
// (Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019) if both numbers are below 2^32.
struct kgen_modulus {
    ptrdiff_t kgen_value;
    unsigned long long kgen_inverse;
    KGEN_INLINE explicit kgen_modulus(ptrdiff_t value) : kgen_value(value), kgen_inverse(~0ull / value + 1) {}
    KGEN_INLINE operator ptrdiff_t() const { return kgen_value; }
};
template <class Int, class = typename kgen_if<kgen_kind<Int>::value == 1>::type>
KGEN_INLINE auto operator%(Int x, const kgen_modulus& by) -> decltype(x % by.kgen_value) {
    const unsigned long long index = x;
    if (__builtin_expect((index | by.kgen_value) >> 32 != 0, 0)) return x % by.kgen_value;
    return (unsigned __int128)(index * by.kgen_inverse) * by.kgen_value >> 64;
}
template <class View> struct kgen_wrapping_view : View {
    kgen_modulus kgen_by;
    KGEN_INLINE explicit kgen_wrapping_view(const View& view) : View(view), kgen_by(view.kgen_size) {}
    KGEN_INLINE const kgen_modulus& size() const { return kgen_by; }
};
