// SPDX-License-Identifier: MIT
// Conversions of complex numbers, see convert.cuh.
template <class To, class Part> struct kgen_convert<To, complex<Part> > {
    static __device__ To of(const complex<Part>& x) { return (To)x.real(); }
};
template <class Part> struct kgen_convert<bool, complex<Part> > {
    static __device__ bool of(const complex<Part>& x) { return x.real() != 0 || x.imag() != 0; }
};
template <class To, class Part> struct kgen_convert<complex<To>, complex<Part> > {
    static __device__ complex<To> of(const complex<Part>& x) { return complex<To>((To)x.real(), (To)x.imag()); }
};
