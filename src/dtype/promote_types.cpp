// SPDX-License-Identifier: MIT
#include <algorithm>
#include <kgen/promote_types.hpp>

#include "dtype/dtype_table.hpp"

namespace kgen {

namespace {

DType real_part(DType dtype) {
    return dtype == complex64 ? float32 : dtype == complex128 ? float64 : dtype;
}

// Returns the signed integer of that size; float64 for more than 8 bytes, as in NumPy.
DType signed_of(std::size_t bytes) {
    return bytes == 2 ? int16 : bytes == 4 ? int32 : bytes == 8 ? int64 : float64;
}

DType promote_integers(DType a, DType b) {
    const std::size_t size_a = item_size(a);
    const std::size_t size_b = item_size(b);
    if (kind_of(a) == kind_of(b)) return size_a > size_b ? a : b;
    const bool a_is_signed = kind_of(a) == DTypeKind::signed_integer;
    const std::size_t signed_bytes = a_is_signed ? size_a : size_b;
    const std::size_t unsigned_bytes = a_is_signed ? size_b : size_a;
    return signed_of(std::max(signed_bytes, 2 * unsigned_bytes));
}

DType promote_reals(DType a, DType b) {
    if (item_size(a) == item_size(b)) return float32;  // float16 and bfloat16
    return item_size(a) > item_size(b) ? a : b;
}

// Returns the smallest floating dtype that holds the range and the digits of both.
DType promote_integer_and_real(DType integer, DType real) {
    const int bits = 8 * static_cast<int>(item_size(integer));
    for (const DType each : {real, float32}) {
        if (row_of(each).real.digits >= bits) return each;
    }
    return float64;
}

}  // namespace

DType promote_types(DType a, DType b) noexcept {
    if (a == b || b == bool_) return a;
    if (a == bool_) return b;
    const DTypeKind kind_a = kind_of(a);
    const DTypeKind kind_b = kind_of(b);
    if (kind_a == DTypeKind::complex || kind_b == DTypeKind::complex) {
        return promote_types(real_part(a), real_part(b)) == float64 ? complex128 : complex64;
    }
    if (kind_a == DTypeKind::real && kind_b == DTypeKind::real) return promote_reals(a, b);
    if (kind_a == DTypeKind::real) return promote_integer_and_real(b, a);
    if (kind_b == DTypeKind::real) return promote_integer_and_real(a, b);
    return promote_integers(a, b);
}

}  // namespace kgen
