// SPDX-License-Identifier: MIT
// kgen: divides indices into places along axes. The launch passes factors for each extent, so a division takes three
// instructions. An ordinary 64-bit division has over a hundred, which also take time to compile.
__device__ __forceinline__ unsigned kgen_divide(unsigned index, const kgen_divisor& by) {
    return (__umulhi(index, by.multiplier) + index) >> by.shift;
}
__device__ __forceinline__ unsigned long long kgen_divide(unsigned long long index, const kgen_long_divisor& by) {
    return (__umul64hi(index, by.multiplier) + index) >> by.shift;
}
__device__ __forceinline__ unsigned kgen_extent_of(const kgen_divisor& by) { return by.extent; }
__device__ __forceinline__ unsigned long long kgen_extent_of(const kgen_long_divisor& by) { return by.extent; }

// Move an offset one step along an axis, and back by the whole axis. In between, it may lie outside the array and exceed
// 31 bits.
__device__ __forceinline__ int kgen_forth(int offset, int stride) { return (int)((unsigned)offset + (unsigned)stride); }
template <class E> __device__ __forceinline__ int kgen_back(int offset, E extent, int stride) {
    return (int)((unsigned)offset - (unsigned)extent * (unsigned)stride);
}
__device__ __forceinline__ long long kgen_forth(long long offset, long long stride) { return offset + stride; }
template <class E> __device__ __forceinline__ long long kgen_back(long long offset, E extent, long long stride) {
    return offset - (long long)extent * stride;
}
