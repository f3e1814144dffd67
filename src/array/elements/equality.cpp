// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <kgen/array_equality.hpp>
#include <kgen/promote_types.hpp>
#include <span>
#include <type_traits>

#include "dtype/conversion.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Returns the array on the host, in C order and of this dtype.
Array host_copy(const Array& array, DType dtype) {
    const Array here = array.to(Device::host());
    return (here.dtype() == dtype ? here : here.astype(dtype)).ascontiguous();
}

template <typename T>
std::span<const T> elements_of(const Array& array) {
    return {static_cast<const T*>(array.data()), static_cast<std::size_t>(array.size())};
}

template <typename T>
bool is_nan(const T& value) {
    if constexpr (is_complex_type<T>) {
        return std::isnan(value.real()) || std::isnan(value.imag());
    } else {
        return std::isnan(static_cast<double>(value));
    }
}

bool is_finite(double value) {
    return std::isfinite(value);
}
bool is_finite(const std::complex<double>& value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
}

// Both arrays are on the host, contiguous, and have the same shape and dtype, which is not bool.
bool elements_equal(const Array& a, const Array& b, bool equal_nan) {
    return visit_dtype(a.dtype(), [&]<typename T>() {
        const std::span<const T> left = elements_of<T>(a);
        const std::span<const T> right = elements_of<T>(b);
        return std::equal(left.begin(), left.end(), right.begin(), [&](const T& x, const T& y) {
            return x == y || (equal_nan && is_nan(x) && is_nan(y));
        });
    });
}

bool has_negative(const Array& integers) {
    if (kind_of(integers.dtype()) != DTypeKind::signed_integer) return false;
    const Array copied = host_copy(integers, int64);
    const std::span<const std::int64_t> values = elements_of<std::int64_t>(copied);
    return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value < 0; });
}

Dims broadcast_shape(const Dims& a, const Dims& b) {
    const Dims& longer = a.rank() >= b.rank() ? a : b;
    const Dims& shorter = a.rank() >= b.rank() ? b : a;
    Dims shape = longer;
    const int added = longer.rank() - shorter.rank();
    for (int axis = 0; axis < shorter.rank(); ++axis) {
        std::int64_t& extent = shape[axis + added];
        if (extent == 1) extent = shorter[axis];
        if (extent == shorter[axis] || shorter[axis] == 1) continue;
        refuse<ShapeError>({ErrorKind::shape, "b", to_text(a), to_text(b)},
                           "allclose: shapes {} and {} do not broadcast: axis "
                           "{} of the result is {} against {}",
                           to_text(a),
                           to_text(b),
                           axis + added,
                           a.rank() >= b.rank() ? extent : shorter[axis],
                           a.rank() >= b.rank() ? shorter[axis] : extent);
    }
    return shape;
}

template <typename T>
bool all_close(const Array& a, const Array& b, const CloseOptions& options) {
    const std::span<const T> left = elements_of<T>(a);
    const std::span<const T> right = elements_of<T>(b);
    return std::equal(left.begin(), left.end(), right.begin(), [&](const T& x, const T& y) {
        if (is_finite(y) && std::abs(x - y) <= options.atol + options.rtol * std::abs(y))
            return true;
        return x == y || (options.equal_nan && is_nan(x) && is_nan(y));
    });
}

}  // namespace

bool array_equal(const Array& a, const Array& b, const EqualOptions& options) try {
    require_value(a, "array_equal");
    require_value(b, "array_equal");
    require_host_elements(Device::host());
    if (a.shape() != b.shape()) return false;
    DType dtype = promote_types(a.dtype(), b.dtype());
    if (holds_integers(a.dtype()) && holds_integers(b.dtype()) && dtype == float64) {
        if (has_negative(a) || has_negative(b)) return false;
        dtype = uint64;
    }
    if (dtype == bool_) dtype = uint8;  // foreign memory may hold bytes other than 0 and 1
    return elements_equal(host_copy(a, dtype), host_copy(b, dtype), options.equal_nan);
} catch (...) {
    rethrow_as_error();
}

bool allclose(const Array& a, const Array& b, const CloseOptions& options) try {
    require_value(a, "allclose");
    require_value(b, "allclose");
    require_host_elements(Device::host());
    const Dims shape = broadcast_shape(a.shape(), b.shape());
    const auto fitted = [&](const Array& array, DType dtype) {
        return host_copy(host_copy(array, dtype).broadcast_to(shape), dtype);
    };
    const bool is_complex =
        kind_of(a.dtype()) == DTypeKind::complex || kind_of(b.dtype()) == DTypeKind::complex;
    if (is_complex) {
        return all_close<std::complex<double>>(
            fitted(a, complex128), fitted(b, complex128), options);
    }
    return all_close<double>(fitted(a, float64), fitted(b, float64), options);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
