// SPDX-License-Identifier: MIT
//
// take() and put(): elementwise kernels whose raw parameter is the array that is indexed.
#include <fmt/format.h>

#include <kgen/array_selection.hpp>
#include <kgen/array_views.hpp>
#include <kgen/elementwise_kernel.hpp>

#include "array/views/axis_list.hpp"
#include "memory/array_access.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The index of an element among n: from the end if it is negative, and around if it is out of range.
constexpr const char* preamble =
    "template <class I> long long wrapped(I index, long long n) {\n"
    "    const long long k = (long long)index % n;\n"
    "    return k < 0 ? k + n : k;\n"
    "}";
// The element at index k along axis 0 of x, whose other axes are the last ones of the loop.
constexpr const char* place =
    "ptrdiff_t at[16];\n"
    "at[0] = wrapped(index, x.shape()[0]);\n"
    "for (int axis = 1; axis < x.ndim; ++axis) at[axis] = _ind.get()[_ind.ndim - x.ndim + axis];\n";

const ElementwiseKernel& take_flat() {
    static const auto* const kernel = new ElementwiseKernel("raw T x, I index",
                                                            "T z",
                                                            "z = x[wrapped(index, x.size())]",
                                                            "take",
                                                            {.preamble = preamble});
    return *kernel;
}
const ElementwiseKernel& put_flat() {
    static const auto* const kernel = new ElementwiseKernel("I index, T value",
                                                            "raw T x",
                                                            "x[wrapped(index, x.size())] = value",
                                                            "put",
                                                            {.preamble = preamble});
    return *kernel;
}
const ElementwiseKernel& take_along_axis() {
    static const auto* const kernel =
        new ElementwiseKernel("raw T x, I index",
                              "T z",
                              std::string(place) + "z = x[(const ptrdiff_t*)at]",
                              "take",
                              {.preamble = preamble});
    return *kernel;
}
const ElementwiseKernel& put_along_axis() {
    static const auto* const kernel =
        new ElementwiseKernel("I index, T value",
                              "raw T x",
                              std::string(place) + "x[(const ptrdiff_t*)at] = value",
                              "put",
                              {.preamble = preamble});
    return *kernel;
}

void check(const Array& array, const Array& indices, std::int64_t extent, const char* operation) {
    require_value(array, operation);
    require_value(indices, operation);
    const DTypeKind kind = kind_of(indices.dtype());
    if (kind != DTypeKind::signed_integer && kind != DTypeKind::unsigned_integer) {
        refuse<TypeError>({ErrorKind::dtype,
                           "indices",
                           "an integer dtype",
                           std::string(to_text(indices.dtype()))},
                          "{}: the indices have the dtype {}; they must be integers",
                          operation,
                          to_text(indices.dtype()));
    }
    if (extent > 0 || indices.size() == 0) return;
    refuse<ShapeError>({ErrorKind::shape, "array", {}, to_text(array.shape())},
                       "{}: the array has the shape {} and no element to index",
                       operation,
                       to_text(array.shape()));
}

// The parts of an access along one axis.
struct AxisAccess {
    Array array;    // with the indexed axis first
    Array indices;  // with an axis of extent 1 for each other axis of the array
    Dims shape;     // of the loop: that of the indices, then the array's other axes
    Axes to;        // where the axes of the indices belong in the result
};

Dims range_of(int begin, int count) {
    Dims axes;
    for (int k = 0; k < count; ++k) axes.push_back(begin + k);
    return axes;
}

AxisAccess access_along(const Array& array,
                        const Array& indices,
                        const AxesArgument& given,
                        const char* operation) {
    require_value(array, operation);
    Dims list;
    for (const int each : given.axes()) list.push_back(each);
    const Dims axes = find_axes(list, array.shape(), operation);
    if (axes.rank() != 1) {
        refuse<ShapeError>({ErrorKind::option, "axis", "1 axis", std::to_string(axes.rank())},
                           "{}: {} axes are given, expected 1",
                           operation,
                           axes.rank());
    }
    const auto axis = static_cast<int>(axes[0]);
    check(array, indices, array.shape()[axis], operation);
    AxisAccess access{
        moveaxis(array, axis, 0), indices, indices.shape(), range_of(axis, indices.rank())};
    Dims stretched = indices.shape();
    for (int each = 1; each < array.rank(); ++each) {
        access.shape.push_back(access.array.shape()[each]);
        stretched.push_back(1);
    }
    access.indices = indices.reshape(stretched).broadcast_to(access.shape);
    return access;
}

}  // namespace

Array take(const Array& array, const Array& indices) try {
    check(array, indices, array.has_value() ? array.size() : 0, "take");
    return take_flat()(array, indices);
} catch (...) {
    rethrow_as_error();
}

Array take(const Array& array, const Array& indices, const AxesArgument& axis) try {
    const AxisAccess access = access_along(array, indices, axis, "take");
    // The result is in C order as the caller sees it.
    const int rank = access.shape.rank();
    Dims shape;
    const auto first = static_cast<int>(access.to.list().empty() ? 0 : access.to.list()[0]);
    for (int k = 0; k < rank; ++k) {
        const int count = indices.rank();
        shape.push_back(k < first           ? access.shape[count + k]
                        : k < first + count ? access.shape[k - first]
                                            : access.shape[k]);
    }
    Array result = empty(shape, array.dtype(), {.device = array.device()});
    const Array moved = moveaxis(result, access.to, range_of(0, indices.rank()));
    take_along_axis()(access.array, access.indices, out(moved));
    return result;
} catch (...) {
    rethrow_as_error();
}

void put(const Array& array, const Array& indices, const Array& values) try {
    check(array, indices, array.has_value() ? array.size() : 0, "put");
    require_value(values, "put");
    put_flat()(indices, values.astype(array.dtype()).broadcast_to(indices.shape()), out(array));
} catch (...) {
    rethrow_as_error();
}

void put(const Array& array, const Array& indices, const Scalar& value) try {
    check(array, indices, array.has_value() ? array.size() : 0, "put");
    put_flat()(indices, value, out(array));
} catch (...) {
    rethrow_as_error();
}

void put(const Array& array,
         const Array& indices,
         const Array& values,
         const AxesArgument& axis) try {
    const AxisAccess access = access_along(array, indices, axis, "put");
    require_value(values, "put");
    put_along_axis()(
        access.indices, values.astype(array.dtype()).broadcast_to(access.shape), out(access.array));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
