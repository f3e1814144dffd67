// SPDX-License-Identifier: MIT
// kgen: indices divided into axes. Division by an extent that is known at the launch, for indices below 2^31, or 2^63:
// a division of 64 bits has over a hundred instructions, which all must be compiled too.
struct kgen_divisor { unsigned kgen_extent, kgen_multiplier, kgen_shift; };
__device__ __forceinline__ unsigned kgen_divide(unsigned index, const kgen_divisor& by) {
    return (__umulhi(index, by.kgen_multiplier) + index) >> by.kgen_shift;
}
__device__ __forceinline__ unsigned kgen_extent_of(const kgen_divisor& by) { return by.kgen_extent; }
struct kgen_long_divisor { unsigned long long kgen_extent, kgen_multiplier, kgen_shift; };
__device__ __forceinline__ unsigned long long kgen_divide(unsigned long long index, const kgen_long_divisor& by) {
    return (__umul64hi(index, by.kgen_multiplier) + index) >> by.kgen_shift;
}
__device__ __forceinline__ unsigned long long kgen_extent_of(const kgen_long_divisor& by) { return by.kgen_extent; }

// An offset moved along an axis, and back by the whole axis. On the way it may lie outside of the array, and of 31 bits.
__device__ __forceinline__ int kgen_forth(int offset, int stride) { return (int)((unsigned)offset + (unsigned)stride); }
template <class E> __device__ __forceinline__ int kgen_back(int offset, E extent, int stride) {
    return (int)((unsigned)offset - (unsigned)extent * (unsigned)stride);
}
__device__ __forceinline__ long long kgen_forth(long long offset, long long stride) { return offset + stride; }
template <class E> __device__ __forceinline__ long long kgen_back(long long offset, E extent, long long stride) {
    return offset - (long long)extent * stride;
}

// The rows that a thread of group g takes: g * first + r * step, below extent.
struct kgen_row_steps { long long kgen_extent, kgen_first, kgen_step; };

// Tiles of two axes, cut into squares that a thread turns. In shared memory a tile has rows of vectors along a.
struct kgen_tile_shape {
    long long kgen_extent_a, kgen_extent_b;
    int kgen_tile_a, kgen_tile_b, kgen_squares_a, kgen_squares_b, kgen_pitch, kgen_room;
    int kgen_square_step_a, kgen_square_step_b, kgen_row_step_a, kgen_row_step_b;
    kgen_divisor kgen_by_squares_a, kgen_by_squares_b;
};
__device__ __forceinline__ int kgen_least(long long left, int whole) { return left < whole ? (int)left : whole; }
// The next of a thread's places: `inner` runs to `extent`, then `outer` grows.
__device__ __forceinline__ void kgen_step(int& outer, int& inner, int outer_step, int inner_step, int extent) {
    outer += outer_step;
    inner += inner_step;
    if (inner >= extent) { inner -= extent; ++outer; }
}
