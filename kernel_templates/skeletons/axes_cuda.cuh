// SPDX-License-Identifier: MIT
// kgen: indices divided into axes. A division by an extent that is known at the launch takes three instructions; a division
// of 64 bits has over a hundred, which all must be compiled too.
__device__ __forceinline__ unsigned kgen_divide(unsigned index, const kgen_divisor& by) {
    return (__umulhi(index, by.multiplier) + index) >> by.shift;
}
__device__ __forceinline__ unsigned long long kgen_divide(unsigned long long index, const kgen_long_divisor& by) {
    return (__umul64hi(index, by.multiplier) + index) >> by.shift;
}
__device__ __forceinline__ unsigned kgen_extent_of(const kgen_divisor& by) { return by.extent; }
__device__ __forceinline__ unsigned long long kgen_extent_of(const kgen_long_divisor& by) { return by.extent; }

// An offset moved along an axis, and back by the whole axis. On the way it may lie outside of the array, and of 31 bits.
__device__ __forceinline__ int kgen_forth(int offset, int stride) { return (int)((unsigned)offset + (unsigned)stride); }
template <class E> __device__ __forceinline__ int kgen_back(int offset, E extent, int stride) {
    return (int)((unsigned)offset - (unsigned)extent * (unsigned)stride);
}
__device__ __forceinline__ long long kgen_forth(long long offset, long long stride) { return offset + stride; }
template <class E> __device__ __forceinline__ long long kgen_back(long long offset, E extent, long long stride) {
    return offset - (long long)extent * stride;
}
