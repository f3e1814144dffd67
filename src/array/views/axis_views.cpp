// SPDX-License-Identifier: MIT
//
// Views that drop, add, move or reverse axes.
#include <fmt/format.h>

#include <algorithm>
#include <kgen/array_views.hpp>
#include <numeric>
#include <utility>

#include "array/views/axis_list.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Dims all_axes(const Array& array) {
    Dims axes = Dims::filled(array.rank(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

bool has(const Dims& axes, int axis) {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

Array without(const Array& array, const Dims& dropped) {
    Dims shape;
    Dims strides;
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (has(dropped, axis)) continue;
        shape.push_back(array.shape()[axis]);
        strides.push_back(array.strides()[axis]);
    }
    return ArrayAccess::view_of(array, shape, strides, array.data());
}

// The axes must have been checked.
Array reversed(const Array& array, const Dims& axes) {
    Dims strides = array.strides();
    auto* data = static_cast<std::byte*>(array.data());
    for (const std::int64_t axis : axes) {
        if (array.size() > 0) data += (array.shape()[axis] - 1) * strides[axis];
        if (array.shape()[axis] > 1) strides[axis] = -strides[axis];
    }
    return ArrayAccess::view_of(array, array.shape(), strides, data);
}

}  // namespace

Array squeeze(const Array& array) try {
    require_value(array, "squeeze");
    Dims dropped;
    for (int axis = 0; axis < array.rank(); ++axis) {
        if (array.shape()[axis] == 1) dropped.push_back(axis);
    }
    return without(array, dropped);
} catch (...) {
    rethrow_as_error();
}

Array squeeze(const Array& array, const Axes& axes) try {
    require_value(array, "squeeze");
    const Dims dropped = find_axes(axes.list(), array.shape(), "squeeze");
    for (const std::int64_t axis : dropped) {
        if (array.shape()[axis] == 1) continue;
        refuse<ShapeError>(
            {ErrorKind::shape, std::to_string(axis), "1", std::to_string(array.shape()[axis])},
            "squeeze: axis {} of shape {} has {} elements, not 1",
            axis,
            to_text(array.shape()),
            array.shape()[axis]);
    }
    return without(array, dropped);
} catch (...) {
    rethrow_as_error();
}

Array expand_dims(const Array& array, const Axes& axes) try {
    require_value(array, "expand_dims");
    Dims shape = Dims::filled(array.rank(), 0);
    shape.resize(array.rank() + axes.list().rank());
    const Dims added = find_new_axes(axes.list(), shape.rank(), "expand_dims");
    Dims strides = shape;
    int from = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const bool is_new = has(added, axis);
        shape[axis] = is_new ? 1 : array.shape()[from];
        strides[axis] = is_new ? 0 : array.strides()[from];
        if (!is_new) ++from;
    }
    return ArrayAccess::view_of(array, shape, strides, array.data());
} catch (...) {
    rethrow_as_error();
}

Array moveaxis(const Array& array, const Axes& from, const Axes& to) try {
    require_value(array, "moveaxis");
    if (from.list().rank() != to.list().rank()) {
        refuse<ShapeError>({ErrorKind::argument_count,
                            {},
                            std::to_string(from.list().rank()),
                            std::to_string(to.list().rank())},
                           "moveaxis: axes {} cannot be moved to {}: got {} axes and {} positions",
                           to_text(from.list()),
                           to_text(to.list()),
                           from.list().rank(),
                           to.list().rank());
    }
    const Dims sources = find_axes(from.list(), array.shape(), "moveaxis");
    const Dims places = find_axes(to.list(), array.shape(), "moveaxis");
    Dims order = Dims::filled(array.rank(), -1);
    for (int k = 0; k < sources.rank(); ++k) order[places[k]] = sources[k];
    int next = 0;
    for (std::int64_t& axis : order) {
        if (axis >= 0) continue;
        while (has(sources, next)) ++next;
        axis = next++;
    }
    return array.transpose(order);
} catch (...) {
    rethrow_as_error();
}

Array swapaxes(const Array& array, int first, int second) try {
    require_value(array, "swapaxes");
    Dims order = all_axes(array);
    std::swap(order[find_axis(first, array.shape(), "swapaxes")],
              order[find_axis(second, array.shape(), "swapaxes")]);
    return array.transpose(order);
} catch (...) {
    rethrow_as_error();
}

Array flip(const Array& array) try {
    require_value(array, "flip");
    return reversed(array, all_axes(array));
} catch (...) {
    rethrow_as_error();
}

Array flip(const Array& array, const Axes& axes) try {
    require_value(array, "flip");
    return reversed(array, find_axes(axes.list(), array.shape(), "flip"));
} catch (...) {
    rethrow_as_error();
}

Array ravel(const Array& array) try {
    require_value(array, "ravel");
    return array.reshape({array.size()});
} catch (...) {
    rethrow_as_error();
}

Array flatten(const Array& array) try {
    require_value(array, "flatten");
    return array.copy().reshape({array.size()});
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
