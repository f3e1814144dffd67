// SPDX-License-Identifier: MIT
//
// The element work on CUDA arrays that the array code asks for, done by kgen's own kernels.
#include "array/device_operations.hpp"

#include <algorithm>
#include <kgen/array_creation.hpp>
#include <kgen/elementwise_kernel.hpp>
#include <utility>
#include <vector>

#include "api/array_kernels.hpp"
#include "api/join_kernel.hpp"
#include "api/kernel_access.hpp"
#include "array/array_access.hpp"

namespace kgen {

using array_kernels::is_complex;

namespace {

// Never destroyed: static destructors of the user's may still copy.
const ElementwiseKernel* make_kernel(Definition definition) {
    return new ElementwiseKernel(KernelAccess::make<ElementwiseKernel>(std::move(definition)));
}

// Whether all elements lie at multiples of their size: those of foreign memory need not.
bool is_naturally_aligned(const Array& array) {
    const auto size = static_cast<std::int64_t>(item_size(array.dtype()));
    const bool strides = std::all_of(array.strides().begin(),
                                     array.strides().end(),
                                     [size](std::int64_t stride) { return stride % size == 0; });
    return strides &&
           reinterpret_cast<std::uintptr_t>(array.data()) % item_size(array.dtype()) == 0;
}

// Aligned complex numbers, whose bytes one access moves: complex64 as integers of its size.
Array bits_of(const Array& array) {
    if (array.dtype() != complex64) return array;
    return ArrayAccess::make(array.storage(), uint64, array.shape(), array.strides(), array.data());
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
        if (!is_complex(source.dtype())) {
            (*copy)(source, out(destination));
        } else if (is_naturally_aligned(source) && is_naturally_aligned(destination)) {
            (*copy)(bits_of(source), out(bits_of(destination)));
        } else if (source.rank() == max_rank) {
            // No axis is left for the parts: one index of the first at a time.
            for (std::int64_t index = 0; index < source.shape()[0]; ++index) {
                assign_on_device(destination[index], source[index]);
            }
        } else {
            (*copy)(parts_of(source), out(parts_of(destination)));
        }
        return;
    }
    static const ElementwiseKernel* const plain = make_kernel(array_kernels::convert());
    static const ElementwiseKernel* const any = make_kernel(array_kernels::convert_complex());
    const bool with_complex = is_complex(destination.dtype()) || is_complex(source.dtype());
    (with_complex ? *any : *plain)(source, out(destination));
}

void join_rows_on_device(const Array& result, std::span<const Array> matrices) {
    using array_kernels::most_joined;
    if (matrices.size() > most_joined) {
        // Groups first: a row of eight is longer, and has fewer neighbours.
        const std::int64_t rows = result.shape()[0];
        std::vector<Array> groups;
        for (std::size_t begin = 0; begin < matrices.size(); begin += most_joined) {
            const auto group = matrices.subspan(begin).first(
                std::min<std::size_t>(most_joined, matrices.size() - begin));
            if (group.size() == 1) {
                groups.push_back(group.front());
                continue;
            }
            std::int64_t width = 0;
            for (const Array& matrix : group) width += matrix.shape()[1];
            groups.push_back(empty({rows, width}, result.dtype(), {.device = result.device()}));
            join_rows_on_device(groups.back(), group);
        }
        join_rows_on_device(result, groups);
        return;
    }
    static const ElementwiseKernel* const join = make_kernel(array_kernels::join());
    const auto width = static_cast<std::uint32_t>(result.shape()[1]);
    std::vector<Argument> arguments;
    std::vector<Argument> begins;
    std::uint32_t begin = 0;
    for (std::size_t k = 0; k < most_joined; ++k) {
        const bool is_given = k < matrices.size();
        arguments.emplace_back((is_given ? matrices[k] : matrices.front()).reshape({-1}));
        if (k > 0) begins.emplace_back(is_given ? begin : width);
        if (is_given) begin += static_cast<std::uint32_t>(matrices[k].shape()[1]);
    }
    arguments.insert(arguments.end(), begins.begin(), begins.end());
    arguments.emplace_back(width);
    arguments.emplace_back(static_cast<std::uint64_t>(result.size()));
    arguments.emplace_back(array_kernels::inverse_of(width));
    constexpr std::int64_t piece_bytes = 16;
    const std::int64_t pieces = (result.size_bytes() + piece_bytes - 1) / piece_bytes;
    join->call(arguments, {.outputs = {result.reshape({-1})}, .size = pieces});
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
