// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <kgen/array_joining.hpp>
#include <kgen/array_views.hpp>
#include <kgen/promote_types.hpp>
#include <limits>
#include <vector>

#include "array/kernels/device_operations.hpp"
#include "array/views/axis_list.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

void check_arrays(std::span<const Array> arrays, const char* operation) {
    if (arrays.empty())
        refuse<ShapeError>({ErrorKind::argument_count, {}, "at least one array", "none"},
                           "{}: no arrays are given",
                           operation);
    for (const Array& array : arrays) require_value(array, operation);
    const Device device = arrays.front().device();
    for (std::size_t k = 1; k < arrays.size(); ++k) {
        if (arrays[k].device() == device) continue;
        refuse<DeviceError>(
            {ErrorKind::device, std::to_string(k), to_text(device), to_text(arrays[k].device())},
            "{}: array {} is on {}, but array 0 is on {}; copy one of them with to(device)",
            operation,
            k,
            to_text(arrays[k].device()),
            to_text(device));
    }
}

// Throws ShapeError if an extent differs from the first array's. Extents of `axis` may differ; -1 is no axis.
void check_shapes(std::span<const Array> arrays, int axis, const char* operation) {
    const Dims& first = arrays.front().shape();
    for (std::size_t k = 1; k < arrays.size(); ++k) {
        const Dims& shape = arrays[k].shape();
        bool fits = shape.rank() == first.rank();
        for (int each = 0; fits && each < shape.rank(); ++each) {
            fits = each == axis || shape[each] == first[each];
        }
        if (fits) continue;
        refuse<ShapeError>({ErrorKind::shape, std::to_string(k), to_text(first), to_text(shape)},
                           "{}: array {} has shape {}, but array 0 has {}{}",
                           operation,
                           k,
                           to_text(shape),
                           to_text(first),
                           axis < 0 ? "" : fmt::format(": only axis {} may differ", axis));
    }
}

DType common_dtype(std::span<const Array> arrays) {
    DType dtype = arrays.front().dtype();
    for (const Array& array : arrays) dtype = promote_types(dtype, array.dtype());
    return dtype;
}

Order common_order(std::span<const Array> arrays) {
    const auto all_in = [&](Order order) {
        return std::all_of(arrays.begin(), arrays.end(), [&](const Array& array) {
            return array.is_contiguous(order);
        });
    };
    return all_in(Order::f) && !all_in(Order::c) ? Order::f : Order::c;
}

// Returns the dtype that one access of the device moves: the largest whose size divides all rows and
// addresses.
DType unit_of(std::span<const Array> arrays, const std::vector<std::int64_t>& row_bytes) {
    std::uintptr_t bits = 16;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        bits |= reinterpret_cast<std::uintptr_t>(arrays[k].data());
        bits |= static_cast<std::uintptr_t>(row_bytes[k]);
    }
    constexpr DType units[] = {uint8, uint16, uint32, uint64, complex128};
    return units[std::countr_zero(bits)];
}

// Returns a C-contiguous array as a matrix of rows of `row_bytes`.
Array matrix_of(const Array& array, std::int64_t row_bytes, DType unit) {
    const auto size = static_cast<std::int64_t>(item_size(unit));
    const Dims shape{array.size_bytes() / row_bytes, row_bytes / size};
    return ArrayAccess::make(array.storage(), unit, shape, {row_bytes, size}, array.data());
}

// Arrays that are not dense, have another dtype, or are too many for one kernel need an additional pass
// before the kernel can join their rows. The pass pays off for rows up to this size; longer rows are copied
// into slices.
constexpr std::int64_t short_row_bytes = 4096;

// Kernels join arrays that follow each other whole (one row) if there are at least so many arrays, of at most so many bytes
// on average and less than 4 GiB in all. Separate copies take longer: 16 arrays of 16 MiB ran at 0.77 of one copy.
constexpr std::size_t least_whole_arrays = 4;
constexpr std::int64_t most_whole_bytes = std::int64_t{64} << 20;

// Writes all of `result` with a kernel that traverses its rows. `result` is dense in C order and on a CUDA
// device. Returns false and writes nothing if copies into slices are better.
bool write_rows(const Array& result, std::span<const Array> arrays, int axis) {
    std::int64_t rows = 1;
    for (int each = 0; each < axis; ++each) rows *= result.shape()[each];
    if (result.size() == 0) return false;
    const std::int64_t width = result.size_bytes() / rows;
    if (width > std::numeric_limits<std::uint32_t>::max()) return false;
    std::vector<Array> dense;
    bool is_ready = true;
    for (const Array& array : arrays) {
        if (array.size() == 0) continue;
        dense.push_back(array);
        is_ready = is_ready && array.dtype() == result.dtype() && array.is_contiguous();
    }
    if (rows == 1) {
        const auto count = static_cast<std::int64_t>(dense.size());
        if (!is_ready || dense.size() < least_whole_arrays || width / count > most_whole_bytes)
            return false;
    }
    const bool is_simple = rows == 1 || (is_ready && dense.size() <= most_joined_at_once);
    if (dense.size() < 2 || (!is_simple && width > short_row_bytes)) return false;
    if (!can_join_rows_on_device(result.device())) return false;
    std::vector<std::int64_t> row_bytes;
    for (Array& array : dense) {
        if (array.dtype() != result.dtype()) array = array.astype(result.dtype());
        array = array.ascontiguous();
        row_bytes.push_back(array.size_bytes() / rows);
    }
    const DType unit = unit_of(dense, row_bytes);
    std::vector<Array> matrices;
    for (std::size_t k = 0; k < dense.size(); ++k) {
        matrices.push_back(matrix_of(dense[k], row_bytes[k], unit));
    }
    join_rows_on_device(matrix_of(result, width, unit), matrices);
    return true;
}

// Writes each array into its slice of `result`.
void write_slices(const Array& result, std::span<const Array> arrays, int axis) {
    std::vector<Range> place(static_cast<std::size_t>(axis) + 1);
    std::int64_t begin = 0;
    for (const Array& array : arrays) {
        const std::int64_t end = begin + array.shape()[axis];
        place.back() = {.start = begin, .stop = end};
        result.slice(place).assign(array);
        begin = end;
    }
}

// The arrays must have been checked.
Array join(std::span<const Array> arrays, int axis) {
    Dims shape = arrays.front().shape();
    shape[axis] = 0;
    for (const Array& array : arrays) {
        if (__builtin_add_overflow(shape[axis], array.shape()[axis], &shape[axis])) {
            refuse<ShapeError>(
                {ErrorKind::shape},
                "concatenate: the extents of axis {} add up to more than fits in 64 bits",
                axis);
        }
    }
    const DType dtype = common_dtype(arrays);
    const Array result = allocate_array(shape,
                                        contiguous_strides(shape, dtype, common_order(arrays)),
                                        dtype,
                                        current_stream(arrays.front().device()));
    if (is_on_host(result)) {
        write_slices(result, arrays, axis);
    } else if (result.is_contiguous()) {
        if (!write_rows(result, arrays, axis)) write_slices(result, arrays, axis);
    } else {
        // In Fortran order the rows are those of the transposed arrays.
        std::vector<Array> turned;
        for (const Array& array : arrays) turned.push_back(array.transpose());
        const int turned_axis = result.rank() - 1 - axis;
        if (!write_rows(result.transpose(), turned, turned_axis)) {
            write_slices(result, arrays, axis);
        }
    }
    return result;
}

}  // namespace

Array concatenate(std::span<const Array> arrays, int axis) try {
    check_arrays(arrays, "concatenate");
    const Dims& shape = arrays.front().shape();
    if (shape.rank() == 0) {
        refuse<ShapeError>({ErrorKind::shape, {}, "one axis or more", "()"},
                           "concatenate: arrays of shape () have no axis; join them with stack()");
    }
    const int along = find_axis(axis, shape, "concatenate");
    check_shapes(arrays, along, "concatenate");
    return join(arrays, along);
} catch (...) {
    rethrow_as_error();
}

Array stack(std::span<const Array> arrays, int axis) try {
    check_arrays(arrays, "stack");
    check_shapes(arrays, -1, "stack");
    const int rank = arrays.front().rank() + 1;
    const auto along = static_cast<int>(find_new_axes({axis}, rank, "stack")[0]);
    std::vector<Array> widened;
    widened.reserve(arrays.size());
    for (const Array& array : arrays) widened.push_back(expand_dims(array, along));
    return join(widened, along);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
