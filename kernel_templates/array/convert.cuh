// SPDX-License-Identifier: MIT
// CUDA's conversions: a float outside an integer's range saturates, and NaN becomes 0. Complex to real drops
// the imaginary part. To bool is `!= 0`.
template <class To, class From> struct kgen_convert {
    static __device__ To of(const From& x) { return (To)x; }
};
template <class From> struct kgen_convert<bool, From> {
    static __device__ bool of(const From& x) { return x != From(0); }
};
