// SPDX-License-Identifier: MIT
//
// Creates arrays of ones, with diagonals, and like other arrays.
#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_creation.hpp>
#include <string>

#include "array/elements/filling.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

void check_vector(const Array& vector, std::size_t position) {
    require_value(vector, "meshgrid");
    if (vector.rank() > 1) {
        refuse<ShapeError>(
            {ErrorKind::shape, std::to_string(position), "a vector", to_text(vector.shape())},
            "meshgrid: array {} has shape {}, but vectors are expected",
            position,
            to_text(vector.shape()));
    }
}

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

Array ones(const Dims& shape, DType dtype, const ArrayOptions& options) try {
    return full(shape, 1, dtype, options);
} catch (...) {
    rethrow_as_error();
}

Array eye(std::int64_t rows, DType dtype, const EyeOptions& options) try {
    const Array matrix =
        zeros({rows, options.columns.value_or(rows)}, dtype, {.device = options.device});
    fill_elements(diagonal_of(matrix, options.diagonal), item_of(1, dtype, "eye"));
    return matrix;
} catch (...) {
    rethrow_as_error();
}

Array identity(std::int64_t rows, DType dtype, const ArrayOptions& options) try {
    return eye(rows, dtype, {.device = options.device});
} catch (...) {
    rethrow_as_error();
}

Array empty_like(const Array& array, const LikeOptions& options) try {
    require_value(array, "empty_like");
    const DType dtype = options.dtype.value_or(array.dtype());
    const Device device = options.device.value_or(array.device());
    return allocate_array(
        array.shape(), ordered_strides(array, dtype, options.order), dtype, current_stream(device));
} catch (...) {
    rethrow_as_error();
}

Array zeros_like(const Array& array, const LikeOptions& options) try {
    require_value(array, "zeros_like");
    const Array result = empty_like(array, options);
    fill_with_zeros(result);
    return result;
} catch (...) {
    rethrow_as_error();
}

Array ones_like(const Array& array, const LikeOptions& options) try {
    return filled_like(array, 1, options, "ones_like");
} catch (...) {
    rethrow_as_error();
}

Array full_like(const Array& array, const Scalar& value, const LikeOptions& options) try {
    return filled_like(array, value, options, "full_like");
} catch (...) {
    rethrow_as_error();
}

std::vector<Array> meshgrid(std::span<const Array> vectors, const MeshgridOptions& options) try {
    Dims full;
    for (std::size_t k = 0; k < vectors.size(); ++k) {
        check_vector(vectors[k], k);
        full.push_back(vectors[k].size());
    }
    const auto axis_of = [&](int k) {
        const bool swapped =
            options.indexing == MeshgridIndexing::xy && k < 2 && vectors.size() > 1;
        return swapped ? 1 - k : k;
    };
    Dims shape = full;
    for (int k = 0; k < full.rank(); ++k) shape[axis_of(k)] = full[k];
    std::vector<Array> grid;
    for (int k = 0; k < full.rank(); ++k) {
        const Array& vector = vectors[static_cast<std::size_t>(k)];
        Dims extents = Dims::filled(full.rank(), 1);
        Dims strides = Dims::filled(full.rank(), 0);
        extents[axis_of(k)] = full[k];
        strides[axis_of(k)] = vector.rank() == 0 ? 0 : vector.strides()[0];
        const Array view = ArrayAccess::view_of(vector, extents, strides, vector.data());
        grid.push_back(options.sparse ? view : view.broadcast_to(shape));
    }
    return grid;
} catch (...) {
    rethrow_as_error();
}

void detail::make_grid(std::span<const Range> ranges,
                       const MeshgridOptions& options,
                       std::span<Array> grid) try {
    std::vector<Array> vectors;
    for (const Range& range : ranges) {
        if (!range.stop) {
            refuse<ShapeError>({ErrorKind::option, "stop", "an integer", "none"},
                               "{}: range {} has no stop",
                               options.sparse ? "ogrid" : "mgrid",
                               vectors.size());
        }
        vectors.push_back(arange(range.start.value_or(0), *range.stop, range.step, int64));
    }
    std::ranges::copy(meshgrid(vectors, options), grid.begin());
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
