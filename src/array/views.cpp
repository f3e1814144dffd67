// SPDX-License-Identifier: MIT
//
// The views of an Array: the same memory under another shape and other strides.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "array/array_access.hpp"
#include "array/layout.hpp"

namespace kgen {

namespace {

// The shape with its one -1 replaced by what the element count leaves for it.
Dims complete_shape(const Array& array, Dims shape) {
    std::optional<int> unknown;
    Dims known = shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] != -1) continue;
        if (unknown) {
            throw ShapeError(fmt::format("reshape: shape {} has more than one -1", to_text(shape)));
        }
        unknown = axis;
        known[axis] = 1;
    }
    const std::int64_t count = element_count(known);
    if (unknown) {
        if (count == 0 || array.size() % count != 0) {
            throw ShapeError(
                fmt::format("reshape: no extent for -1 in {} fits the {} elements of shape {}",
                            to_text(shape),
                            array.size(),
                            to_text(array.shape())));
        }
        shape[*unknown] = array.size() / count;
    } else if (count != array.size()) {
        throw ShapeError(fmt::format("reshape: shape {} has {} elements, but {} has {}",
                                     to_text(array.shape()),
                                     array.size(),
                                     to_text(shape),
                                     count));
    }
    return shape;
}

// The strides that give a view the new shape; nothing if only a copy can have it. Both shapes are cut
// into the shortest runs of axes with equal element counts; the old axes of each run must lie in memory
// like one axis, which the new ones then divide.
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

// Where a Python slice starts and how many elements it takes.
struct Extent {
    std::int64_t start = 0;
    std::int64_t count = 0;
};

Extent resolve(const Range& range, std::int64_t extent, std::int64_t step) {
    const bool forward = step > 0;
    const std::int64_t lowest = forward ? 0 : -1;
    const std::int64_t highest = forward ? extent : extent - 1;
    const auto bound = [&](const std::optional<std::int64_t>& value, std::int64_t absent) {
        if (!value) return absent;
        if (*value >= 0) return std::min(*value, highest);
        return *value < -extent ? lowest : std::max(*value + extent, lowest);
    };
    const std::int64_t start = bound(range.start, forward ? lowest : highest);
    const std::int64_t stop = bound(range.stop, forward ? highest : lowest);
    if (forward) return {start, start < stop ? (stop - start - 1) / step + 1 : 0};
    return {start, stop < start ? (start - stop - 1) / -step + 1 : 0};
}

}  // namespace

Array Array::reshape(Dims shape) const {
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
}

Array Array::transpose() const {
    Dims axes = Dims::filled(rank(), 0);
    for (int axis = 0; axis < rank(); ++axis) axes[axis] = rank() - 1 - axis;
    return transpose(axes);
}

Array Array::transpose(const Dims& axes) const {
    require_value(*this, "transpose");
    if (axes.rank() != rank()) {
        throw ShapeError(fmt::format("transpose: {} axes are given for shape {}, which has {}",
                                     axes.rank(),
                                     to_text(shape_),
                                     rank()));
    }
    Dims shape = shape_;
    Dims strides = strides_;
    std::array<bool, max_rank> seen{};
    for (int k = 0; k < rank(); ++k) {
        const std::int64_t axis = axes[k] < 0 ? axes[k] + rank() : axes[k];
        if (axis < 0 || axis >= rank()) {
            throw ShapeError(
                fmt::format("transpose: axis {} does not exist: shape {} has axes 0 to {}",
                            axes[k],
                            to_text(shape_),
                            rank() - 1));
        }
        if (std::exchange(seen[static_cast<std::size_t>(axis)], true)) {
            throw ShapeError(
                fmt::format("transpose: axis {} is named twice in {}", axis, to_text(axes)));
        }
        shape[k] = shape_[axis];
        strides[k] = strides_[axis];
    }
    return ArrayAccess::view_of(*this, shape, strides, data_);
}

Array Array::slice(std::span<const Range> ranges) const {
    require_value(*this, "slice");
    if (ranges.size() > shape_.size()) {
        throw ShapeError(fmt::format("slice: {} ranges are given for shape {}, which has {} axes",
                                     ranges.size(),
                                     to_text(shape_),
                                     rank()));
    }
    Dims shape = shape_;
    Dims strides = strides_;
    std::byte* data = data_;
    for (int axis = 0; axis < static_cast<int>(ranges.size()); ++axis) {
        const Range& range = ranges[static_cast<std::size_t>(axis)];
        if (range.step == 0) throw ShapeError(fmt::format("slice: the step of axis {} is 0", axis));
        // The negative of the most negative step does not exist; its neighbour selects the same.
        const std::int64_t step = std::max(range.step, -std::numeric_limits<std::int64_t>::max());
        const Extent extent = resolve(range, shape_[axis], step);
        if (extent.count > 0) data += extent.start * strides_[axis];
        if (extent.count > 1) strides[axis] = strides_[axis] * step;
        shape[axis] = extent.count;
    }
    return ArrayAccess::view_of(*this, shape, strides, data);
}

Array Array::operator[](std::int64_t index) const {
    require_value(*this, "operator[]");
    if (rank() == 0) {
        throw ShapeError(fmt::format("index {}: an array of shape () has no axis to index", index));
    }
    const std::int64_t extent = shape_[0];
    if (index >= extent || index < -extent) {
        throw ShapeError(fmt::format("index {} is out of range: axis 0 of shape {} has {} elements",
                                     index,
                                     to_text(shape_),
                                     extent));
    }
    Dims shape;
    Dims strides;
    for (int axis = 1; axis < rank(); ++axis) {
        shape.push_back(shape_[axis]);
        strides.push_back(strides_[axis]);
    }
    std::byte* data = data_;
    if (data != nullptr) data += (index < 0 ? index + extent : index) * strides_[0];
    return ArrayAccess::view_of(*this, shape, strides, data);
}

Array Array::broadcast_to(const Dims& shape) const {
    require_value(*this, "broadcast_to");
    checked_size_bytes(shape, dtype_);
    const int added = shape.rank() - rank();
    if (added < 0) {
        throw ShapeError(fmt::format("shape {} does not broadcast to {}: it has {} axes against {}",
                                     to_text(shape_),
                                     to_text(shape),
                                     rank(),
                                     shape.rank()));
    }
    Dims strides = Dims::filled(shape.rank(), 0);
    for (int axis = 0; axis < rank(); ++axis) {
        if (shape_[axis] == shape[axis + added]) {
            strides[axis + added] = strides_[axis];
        } else if (shape_[axis] != 1) {
            throw ShapeError(
                fmt::format("shape {} does not broadcast to {}: axis {} is {} against {}",
                            to_text(shape_),
                            to_text(shape),
                            axis + added,
                            shape_[axis],
                            shape[axis + added]));
        }
    }
    return ArrayAccess::make(storage_, dtype_, shape, strides, data_, Mutability::read_only);
}

}  // namespace kgen
