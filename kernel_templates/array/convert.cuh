// SPDX-License-Identifier: MIT
// Converts a value as CUDA does: a float outside an integer's range saturates. A complex number loses its imaginary
// part if it becomes real. A bool is `x != 0`.
template <class To, class From> struct kgen_convert {
    static __device__ To of(const From& x) { return (To)x; }
};
template <class From> struct kgen_convert<bool, From> {
    static __device__ bool of(const From& x) { return x != From(0); }
};
