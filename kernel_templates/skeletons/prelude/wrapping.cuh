// SPDX-License-Identifier: MIT
// kgen prelude: values whose sums, differences and products wrap around. An overflow of signed integers is undefined, and NVRTC
// has no option that defines it. uint16 becomes int in arithmetic.
template <class T> KGEN_INLINE T kgen_wrapping(T x) { return x; }
KGEN_INLINE unsigned kgen_wrapping(unsigned short x) { return x; }
KGEN_INLINE unsigned kgen_wrapping(int x) { return (unsigned)x; }
KGEN_INLINE unsigned long long kgen_wrapping(long long x) { return (unsigned long long)x; }
