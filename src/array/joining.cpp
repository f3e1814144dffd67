// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_joining.hpp>
#include <kgen/array_views.hpp>
#include <kgen/promote_types.hpp>
#include <vector>

#include "array/axis_list.hpp"
#include "array/layout.hpp"

namespace kgen {

namespace {

void check_arrays(std::span<const Array> arrays, const char* operation) {
    if (arrays.empty()) throw ShapeError(fmt::format("{}: no arrays are given", operation));
    for (const Array& array : arrays) require_value(array, operation);
    const Device device = arrays.front().device();
    for (std::size_t k = 1; k < arrays.size(); ++k) {
        if (arrays[k].device() == device) continue;
        throw DeviceError(
            fmt::format("{}: array {} is on {}, but array 0 is on {}\n  to(device) copies",
                        operation,
                        k,
                        to_text(arrays[k].device()),
                        to_text(device)));
    }
}

// All extents but that of `axis` must be those of the first array. An axis of -1 is none.
void check_shapes(std::span<const Array> arrays, int axis, const char* operation) {
    const Dims& first = arrays.front().shape();
    for (std::size_t k = 1; k < arrays.size(); ++k) {
        const Dims& shape = arrays[k].shape();
        bool fits = shape.rank() == first.rank();
        for (int each = 0; fits && each < shape.rank(); ++each) {
            fits = each == axis || shape[each] == first[each];
        }
        if (fits) continue;
        throw ShapeError(
            fmt::format("{}: array {} has shape {}, but array 0 has {}{}",
                        operation,
                        k,
                        to_text(shape),
                        to_text(first),
                        axis < 0 ? "" : fmt::format(": only axis {} may differ", axis)));
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

// The arrays fit each other.
Array join(std::span<const Array> arrays, int axis) {
    Dims shape = arrays.front().shape();
    shape[axis] = 0;
    for (const Array& array : arrays) {
        if (__builtin_add_overflow(shape[axis], array.shape()[axis], &shape[axis])) {
            throw ShapeError(fmt::format(
                "concatenate: the extents of axis {} add up to more than fits in 64 bits", axis));
        }
    }
    const DType dtype = common_dtype(arrays);
    const Array result = allocate_array(shape,
                                        contiguous_strides(shape, dtype, common_order(arrays)),
                                        dtype,
                                        current_stream(arrays.front().device()));
    std::vector<Range> place(static_cast<std::size_t>(axis) + 1);
    std::int64_t begin = 0;
    for (const Array& array : arrays) {
        const std::int64_t end = begin + array.shape()[axis];
        place.back() = {.start = begin, .stop = end};
        result.slice(place).assign(array);
        begin = end;
    }
    return result;
}

}  // namespace

Array concatenate(std::span<const Array> arrays, int axis) {
    check_arrays(arrays, "concatenate");
    const Dims& shape = arrays.front().shape();
    if (shape.rank() == 0) {
        throw ShapeError("concatenate: arrays of shape () have no axis\n  stack() gives them one");
    }
    const int along = find_axis(axis, shape, "concatenate");
    check_shapes(arrays, along, "concatenate");
    return join(arrays, along);
}

Array stack(std::span<const Array> arrays, int axis) {
    check_arrays(arrays, "stack");
    check_shapes(arrays, -1, "stack");
    const int rank = arrays.front().rank() + 1;
    const auto along = static_cast<int>(find_new_axes({axis}, rank, "stack")[0]);
    std::vector<Array> widened;
    widened.reserve(arrays.size());
    for (const Array& array : arrays) widened.push_back(expand_dims(array, along));
    return join(widened, along);
}

}  // namespace kgen
