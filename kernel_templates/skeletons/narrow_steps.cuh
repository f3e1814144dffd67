// SPDX-License-Identifier: MIT
// kgen: integer types and the operations by which narrow integers are folded.

template <bool is_first, class A, class B> struct kgen_either { typedef A type; };
template <class A, class B> struct kgen_either<false, A, B> { typedef B type; };
// Number of bits of a value without its sign, and whether it has a sign. 0 for types that are not integers.
template <class T> struct kgen_integer { enum { bits = 0, sign = 0 }; };
#define KGEN_INTEGER(type, width, has_sign) \
    template <> struct kgen_integer<type> { enum { bits = width, sign = has_sign }; };
KGEN_INTEGER(bool, 1, 0)
KGEN_INTEGER(char, 8 - (char(-1) < 0), char(-1) < 0)
KGEN_INTEGER(signed char, 7, 1)
KGEN_INTEGER(unsigned char, 8, 0)
KGEN_INTEGER(short, 15, 1)
KGEN_INTEGER(unsigned short, 16, 0)
KGEN_INTEGER(int, 31, 1)
KGEN_INTEGER(unsigned, 32, 0)
KGEN_INTEGER(long, 8 * sizeof(long) - 1, 1)
KGEN_INTEGER(unsigned long, 8 * sizeof(long), 0)
KGEN_INTEGER(long long, 63, 1)
KGEN_INTEGER(unsigned long long, 64, 0)
#undef KGEN_INTEGER
// Whether type T represents every value of type S.
template <class T, class S> struct kgen_represents {
    enum { value = int(kgen_integer<S>::bits) > 0 && int(kgen_integer<T>::bits) >= int(kgen_integer<S>::bits) &&
                   (int(kgen_integer<T>::sign) || !int(kgen_integer<S>::sign)) };
};

enum { kgen_adds = 1, kgen_takes_largest, kgen_takes_least, kgen_joins, kgen_intersects, kgen_toggles };

// One step of an operation.
template <int op, class W> __device__ __forceinline__ W kgen_narrow_step(W a, W b) {
    return op == kgen_adds            ? W((unsigned)a + (unsigned)b)
           : op == kgen_takes_largest ? (a < b ? b : a)
           : op == kgen_takes_least   ? (b < a ? b : a)
           : op == kgen_joins         ? a | b
           : op == kgen_intersects    ? a & b
                                      : a ^ b;
}
