// SPDX-License-Identifier: MIT
// kgen: division by an extent that is known at the launch, for indices below 2^31.
struct kgen_divisor { unsigned kgen_extent, kgen_multiplier, kgen_shift; };
__device__ __forceinline__ unsigned kgen_divide(unsigned index, const kgen_divisor& by) {
    return (__umulhi(index, by.kgen_multiplier) + index) >> by.kgen_shift;
}
__device__ __forceinline__ unsigned kgen_extent_of(const kgen_divisor& by) { return by.kgen_extent; }
__device__ __forceinline__ unsigned long long kgen_divide(unsigned long long index, long long by) {
    return index / (unsigned long long)by;
}
__device__ __forceinline__ unsigned long long kgen_extent_of(long long by) { return (unsigned long long)by; }
