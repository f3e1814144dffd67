// SPDX-License-Identifier: MIT
//
// The element work on CUDA arrays that the array code asks for, done by kgen's own kernels.
#include "array/device_operations.hpp"

#include <kgen/elementwise_kernel.hpp>

#include "array/array_access.hpp"

namespace kgen {

namespace {

// CUDA's conversions: a float that is out of an integer's range saturates, NaN becomes 0; complex to
// real drops the imaginary part; to bool is `!= 0`.
constexpr const char* conversion =
    "template <class To, class From> struct kgen_convert {\n"
    "    static __device__ To of(const From& x) { return (To)x; }\n"
    "};\n"
    "template <class From> struct kgen_convert<bool, From> {\n"
    "    static __device__ bool of(const From& x) { return x != From(0); }\n"
    "};\n";
constexpr const char* complex_conversion =
    "template <class To, class Part> struct kgen_convert<To, complex<Part> > {\n"
    "    static __device__ To of(const complex<Part>& x) { return (To)x.real(); }\n"
    "};\n"
    "template <class Part> struct kgen_convert<bool, complex<Part> > {\n"
    "    static __device__ bool of(const complex<Part>& x) { return x.real() != 0 || x.imag() != "
    "0; }\n"
    "};\n"
    "template <class To, class Part> struct kgen_convert<complex<To>, complex<Part> > {\n"
    "    static __device__ complex<To> of(const complex<Part>& x) { return "
    "complex<To>((To)x.real(), (To)x.imag()); }\n"
    "};\n";

bool is_complex(DType dtype) {
    return kind_of(dtype) == DTypeKind::complex;
}

const ElementwiseKernel& conversion_kernel(bool with_complex) {
    static const ElementwiseKernel plain(
        "T x", "U y", "y = kgen_convert<U, T>::of(x)", "convert", {.preamble = conversion});
    static const ElementwiseKernel any("T x",
                                       "U y",
                                       "y = kgen_convert<U, T>::of(x)",
                                       "convert_complex",
                                       {.preamble = std::string(conversion) + complex_conversion});
    return with_complex ? any : plain;
}

// Complex numbers as pairs of their parts, which are aligned wherever the numbers lie.
Array parts_of(const Array& array) {
    const DType part = array.dtype() == complex64 ? float32 : float64;
    Dims shape = array.shape();
    Dims strides = array.strides();
    shape.push_back(2);
    strides.push_back(static_cast<std::int64_t>(item_size(part)));
    return ArrayAccess::make(array.storage(), part, shape, strides, array.data());
}

}  // namespace

void assign_on_device(const Array& destination, const Array& source) {
    if (destination.dtype() == source.dtype()) {
        static const ElementwiseKernel copy("T x", "T y", "y = x", "copy");
        if (is_complex(source.dtype()) && source.rank() == max_rank) {
            // No axis is left for the parts: one index of the first at a time.
            for (std::int64_t index = 0; index < source.shape()[0]; ++index) {
                assign_on_device(destination[index], source[index]);
            }
        } else if (is_complex(source.dtype())) {
            copy(parts_of(source), out(parts_of(destination)));
        } else {
            copy(source, out(destination));
        }
        return;
    }
    conversion_kernel(is_complex(destination.dtype()) || is_complex(source.dtype()))(
        source, out(destination));
}

void fill_on_device(const Array& destination, const Scalar& value) {
    static const ElementwiseKernel fill("T x", "T y", "y = x", "fill");
    fill(value, out(destination));
}

void arange_on_device(const Array& destination,
                      double start,
                      double step,
                      std::int64_t integer_start,
                      std::int64_t integer_step) {
    const DTypeKind kind = kind_of(destination.dtype());
    if (kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer) {
        static const ElementwiseKernel integers(
            "int64 start, int64 step", "T y", "y = (T)(start + i * step)", "arange");
        integers(integer_start, integer_step, out(destination));
        return;
    }
    static const ElementwiseKernel reals(
        "float64 start, float64 step", "T y", "y = T(start + i * step)", "arange_real");
    reals(start, step, out(destination));
}

}  // namespace kgen
