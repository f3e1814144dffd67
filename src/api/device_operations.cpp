// SPDX-License-Identifier: MIT
//
// The element work on CUDA arrays that the array code asks for, done by kgen's own kernels.
#include "array/device_operations.hpp"

#include <kgen/elementwise_kernel.hpp>
#include <utility>

#include "api/array_kernels.hpp"
#include "api/kernel_access.hpp"
#include "array/array_access.hpp"

namespace kgen {

using array_kernels::is_complex;

namespace {

// Never destroyed: static destructors of the user's may still copy.
const ElementwiseKernel* make_kernel(Definition definition) {
    return new ElementwiseKernel(KernelAccess::make<ElementwiseKernel>(std::move(definition)));
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
        static const ElementwiseKernel* const copy = make_kernel(array_kernels::copy());
        if (is_complex(source.dtype()) && source.rank() == max_rank) {
            // No axis is left for the parts: one index of the first at a time.
            for (std::int64_t index = 0; index < source.shape()[0]; ++index) {
                assign_on_device(destination[index], source[index]);
            }
        } else if (is_complex(source.dtype())) {
            (*copy)(parts_of(source), out(parts_of(destination)));
        } else {
            (*copy)(source, out(destination));
        }
        return;
    }
    static const ElementwiseKernel* const plain = make_kernel(array_kernels::convert());
    static const ElementwiseKernel* const any = make_kernel(array_kernels::convert_complex());
    const bool with_complex = is_complex(destination.dtype()) || is_complex(source.dtype());
    (with_complex ? *any : *plain)(source, out(destination));
}

void fill_on_device(const Array& destination, const Scalar& value) {
    static const ElementwiseKernel* const fill = make_kernel(array_kernels::fill());
    (*fill)(value, out(destination));
}

void arange_on_device(const Array& destination,
                      double start,
                      double step,
                      std::int64_t integer_start,
                      std::int64_t integer_step) {
    const DTypeKind kind = kind_of(destination.dtype());
    if (kind == DTypeKind::signed_integer || kind == DTypeKind::unsigned_integer) {
        static const ElementwiseKernel* const integers = make_kernel(array_kernels::arange());
        (*integers)(integer_start, integer_step, out(destination));
        return;
    }
    static const ElementwiseKernel* const reals = make_kernel(array_kernels::arange_real());
    (*reals)(start, step, out(destination));
}

}  // namespace kgen
