// SPDX-License-Identifier: MIT
//
// The views of an Array: the same memory with another shape and other strides.
#include <fmt/format.h>

#include <optional>

#include "array/views/axis_list.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Replaces the one -1 in the shape by the extent that the number of elements requires.
Dims complete_shape(const Array& array, Dims shape) {
    std::optional<int> unknown;
    Dims known = shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != -1) continue;
        if (unknown) {
            refuse<ShapeError>({ErrorKind::shape, {}, "at most one -1", to_text(shape)},
                               "reshape: shape {} has more than one -1",
                               to_text(shape));
        }
        unknown = axis;
        known[axis] = 1;
    }
    const std::int64_t count = element_count(known);
    if (unknown) {
        if (count == 0 || array.size() % count != 0) {
            refuse<ShapeError>(
                {ErrorKind::shape, {}, fmt::format("{} elements", array.size()), to_text(shape)},
                "reshape: no extent for -1 in {} fits the {} elements of shape {}",
                to_text(shape),
                array.size(),
                to_text(array.shape()));
        }
        shape[*unknown] = array.size() / count;
    } else if (count != array.size()) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, fmt::format("{} elements", array.size()), to_text(shape)},
            "reshape: shape {} has {} elements, but {} has {}",
            to_text(array.shape()),
            array.size(),
            to_text(shape),
            count);
    }
    return shape;
}

// Returns the strides that give a view the new shape, or nothing if only a copy can have it. Both shapes are
// cut into the shortest runs of axes with equal numbers of elements. The old axes of each run must lie in
// memory like one axis, and the new axes then divide it.
std::optional<Dims> reshaped_strides(const Array& array, const Dims& shape) {
    Dims old_shape;
    Dims old_strides;
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (array.shape()[axis] == 1) continue;
        old_shape.push_back(array.shape()[axis]);
        old_strides.push_back(array.strides()[axis]);
    }
    Dims strides = contiguous_strides(shape, array.dtype());  // for the axes of extent 1
    int old_begin = 0;
    int new_begin = 0;
    while (old_begin < old_shape.rank()) {
        int old_end = old_begin + 1;
        int new_end = new_begin + 1;
        std::int64_t old_count = old_shape[old_begin];
        std::int64_t new_count = shape[new_begin];
        while (old_count != new_count) {
            if (old_count < new_count) {
                old_count *= old_shape[old_end++];
            } else {
                new_count *= shape[new_end++];
            }
        }
        for (int axis = old_begin; axis + 1 < old_end; ++axis) {
            if (old_strides[axis] != old_shape[axis + 1] * old_strides[axis + 1])
                return std::nullopt;
        }
        std::int64_t stride = old_strides[old_end - 1];
        for (int axis = new_end - 1; axis >= new_begin; --axis) {
            strides[axis] = stride;
            stride *= shape[axis];
        }
        old_begin = old_end;
        new_begin = new_end;
    }
    return strides;
}

// The dtype of the two parts of a complex number.
DType part_of(DType dtype) {
    return dtype == complex64 ? float32 : float64;
}

}  // namespace

Array Array::reshape(Dims shape) const try {
    require_value(*this, "reshape");
    shape = complete_shape(*this, shape);
    if (size() == 0 || is_contiguous()) {
        return ArrayAccess::view_of(*this, shape, contiguous_strides(shape, dtype_), data_);
    }
    if (const auto strides = reshaped_strides(*this, shape)) {
        return ArrayAccess::view_of(*this, shape, *strides, data_);
    }
    const Array copied = copy();
    return ArrayAccess::view_of(copied, shape, contiguous_strides(shape, dtype_), copied.data_);
} catch (...) {
    rethrow_as_error();
}

Array Array::transpose() const try {
    Dims axes = Dims::filled(rank(), 0);
    for (int axis = 0; axis < rank(); ++axis) axes[axis] = rank() - 1 - axis;
    return transpose(axes);
} catch (...) {
    rethrow_as_error();
}

Array Array::transpose(const Dims& axes) const try {
    require_value(*this, "transpose");
    if (axes.rank() != rank()) {
        refuse<ShapeError>({ErrorKind::argument_count,
                            "axes",
                            std::to_string(rank()),
                            std::to_string(axes.rank())},
                           "transpose: {} axes are given for shape {}, which has {}",
                           axes.rank(),
                           to_text(shape_),
                           rank());
    }
    const Dims order = find_axes(axes, shape_, "transpose");
    Dims shape = shape_;
    Dims strides = strides_;
    for (int k = 0; k < rank(); ++k) {
        shape[k] = shape_[order[k]];
        strides[k] = strides_[order[k]];
    }
    return ArrayAccess::view_of(*this, shape, strides, data_);
} catch (...) {
    rethrow_as_error();
}

Array Array::real() const try {
    require_value(*this, "real");
    if (kind_of(dtype_) != DTypeKind::complex) return *this;
    return ArrayAccess::make(storage_, part_of(dtype_), shape_, strides_, data_, mutability_);
} catch (...) {
    rethrow_as_error();
}

Array Array::imag() const try {
    require_value(*this, "imag");
    if (kind_of(dtype_) != DTypeKind::complex) {
        return zeros({}, dtype_, {.device = device()}).broadcast_to(shape_);
    }
    const DType part = part_of(dtype_);
    std::byte* data = data_ == nullptr ? nullptr : data_ + item_size(part);
    return ArrayAccess::make(storage_, part, shape_, strides_, data, mutability_);
} catch (...) {
    rethrow_as_error();
}

Array Array::broadcast_to(const Dims& shape) const try {
    require_value(*this, "broadcast_to");
    checked_size_bytes(shape, dtype_);
    const int added = shape.rank() - rank();
    if (added < 0) {
        refuse<ShapeError>({ErrorKind::shape, {}, to_text(shape), to_text(shape_)},
                           "shape {} does not broadcast to {}: it has {} axes, expected at most {}",
                           to_text(shape_),
                           to_text(shape),
                           rank(),
                           shape.rank());
    }
    Dims strides = Dims::filled(shape.rank(), 0);
    for (int axis = 0; axis < rank(); ++axis) {
        if (shape_[axis] == shape[axis + added]) {
            strides[axis + added] = strides_[axis];
        } else if (shape_[axis] != 1) {
            refuse<ShapeError>({ErrorKind::shape, {}, to_text(shape), to_text(shape_)},
                               "shape {} does not broadcast to {}: axis {} is {} against {}",
                               to_text(shape_),
                               to_text(shape),
                               axis + added,
                               shape_[axis],
                               shape[axis + added]);
        }
    }
    return ArrayAccess::make(storage_, dtype_, shape, strides, data_, Mutability::read_only);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
