// SPDX-License-Identifier: MIT
//
// Creates arrays of ones, with diagonals, and like other arrays.
#include <algorithm>
#include <kgen/array_creation.hpp>

#include "array/elements/filling.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"

namespace kgen {

namespace {

// Returns a view of the elements (k, k + diagonal) of a matrix.
Array diagonal_of(const Array& matrix, std::int64_t diagonal) {
    const std::int64_t rows = matrix.shape()[0];
    const std::int64_t columns = matrix.shape()[1];
    // Limited first, because -diagonal might overflow. Beyond the matrix the diagonal is empty anyway.
    const std::int64_t row = diagonal < 0 ? -std::max(diagonal, -rows) : 0;
    const std::int64_t column = diagonal > 0 ? std::min(diagonal, columns) : 0;
    const std::int64_t count = std::min(rows - row, columns - column);
    if (count == 0) return matrix.slice({{0, 0}}).reshape({0});
    const Dims& strides = matrix.strides();
    auto* first = static_cast<std::byte*>(matrix.data()) + row * strides[0] + column * strides[1];
    return ArrayAccess::view_of(matrix, {count}, {strides[0] + strides[1]}, first);
}

Array filled_like(const Array& array,
                  const Scalar& value,
                  const LikeOptions& options,
                  const char* operation) {
    require_value(array, operation);
    const Item item = item_of(value, options.dtype.value_or(array.dtype()), operation);
    const Array result = empty_like(array, options);
    fill_elements(result, item);
    return result;
}

}  // namespace

Array ones(const Dims& shape, DType dtype, const ArrayOptions& options) {
    return full(shape, 1, dtype, options);
}

Array eye(std::int64_t rows, DType dtype, const EyeOptions& options) {
    const Array matrix =
        zeros({rows, options.columns.value_or(rows)}, dtype, {.device = options.device});
    fill_elements(diagonal_of(matrix, options.diagonal), item_of(1, dtype, "eye"));
    return matrix;
}

Array identity(std::int64_t rows, DType dtype, const ArrayOptions& options) {
    return eye(rows, dtype, {.device = options.device});
}

Array empty_like(const Array& array, const LikeOptions& options) {
    require_value(array, "empty_like");
    const DType dtype = options.dtype.value_or(array.dtype());
    const Device device = options.device.value_or(array.device());
    return allocate_array(
        array.shape(), ordered_strides(array, dtype, options.order), dtype, current_stream(device));
}

Array zeros_like(const Array& array, const LikeOptions& options) {
    require_value(array, "zeros_like");
    const Array result = empty_like(array, options);
    fill_with_zeros(result);
    return result;
}

Array ones_like(const Array& array, const LikeOptions& options) {
    return filled_like(array, 1, options, "ones_like");
}

Array full_like(const Array& array, const Scalar& value, const LikeOptions& options) {
    return filled_like(array, value, options, "full_like");
}

}  // namespace kgen
