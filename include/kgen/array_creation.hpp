// SPDX-License-Identifier: MIT
//
// More functions that create arrays, named as in NumPy. The new array is on current_device() unless the
// options or the function's comment say otherwise, and is written on that device's current stream. The
// functions throw ShapeError if an extent is negative or the size overflows, and DeviceError if the device
// is out of memory.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <optional>
#include <span>
#include <vector>

namespace kgen {

KGEN_EXPORT Array ones(const Dims& shape, DType dtype, const ArrayOptions& = {});

struct LinspaceOptions {
    bool endpoint = true;  // false: count + 1 numbers are spaced, and the last, `stop`, is left out
    std::optional<Device> device = {};
};
// Returns `count` evenly spaced numbers from start to stop. Element k is start + k * step, computed in
// float64 and rounded to the dtype; integer dtypes round down. If `endpoint` is true, the last element is
// exactly `stop`, unless there is only one. Throws ShapeError if the count is negative, TypeError if the
// dtype cannot hold start or stop.
KGEN_EXPORT Array
linspace(double start, double stop, std::int64_t count, DType dtype, const LinspaceOptions& = {});

struct EyeOptions {
    std::optional<std::int64_t> columns = {};  // same as rows if not given
    std::int64_t diagonal = 0;  // 0: ones on the main diagonal; > 0: above it; < 0: below it
    std::optional<Device> device = {};
};
// Returns a matrix of zeros with ones on one diagonal.
KGEN_EXPORT Array eye(std::int64_t rows, DType dtype, const EyeOptions& = {});
KGEN_EXPORT Array identity(std::int64_t rows, DType dtype, const ArrayOptions& = {});

// Options of empty_like() and the functions after it. The dtype and the device default to those of the given
// array.
struct LikeOptions {
    std::optional<DType> dtype = {};
    std::optional<Device> device = {};
    Order order = Order::k;
};
// Return a new dense array with the shape, dtype, device and memory order of `array`. The order is C if
// `array` has a stride of 0. full_like() throws TypeError if the value does not fit the dtype.
KGEN_EXPORT Array empty_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array zeros_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array ones_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array full_like(const Array& array, const Scalar& value, const LikeOptions& = {});

namespace detail {

// The numbers of a nested list and the length of the lists at each depth.
class NestedList {
public:
    template <typename T>
    explicit NestedList(const std::initializer_list<T>& list) {
        add(list, 0);
    }
    KGEN_EXPORT Array make_array(DType dtype, const ArrayOptions& options) const;

private:
    template <ScalarType T>
    void add(T value, int) {
        values_.push_back(value);
    }
    template <typename T>
    void add(const std::initializer_list<T>& list, int depth) {
        enter(depth, static_cast<std::int64_t>(list.size()));
        for (const T& each : list) {
            add(each, depth + 1);
            ++path_[depth];
        }
    }
    // Begins a list. Throws ShapeError if its length differs from the first list at the same depth.
    KGEN_EXPORT void enter(int depth, std::int64_t length);

    std::vector<Scalar> values_;
    Dims shape_;
    Dims path_ = Dims::filled(3, 0);  // index of the next list or number at each depth
};

}  // namespace detail

// Returns an array of the listed numbers, which have one C++ type. Lists may be nested up to 3 deep. The
// dtype is dtype_of<T>() if not given. A number must fit a given dtype (see convert_scalar).
//
//     array({1.5, 2.5})                       // (2,), float64
//     array({{1, 2, 3}, {4, 5, 6}}, float32)  // (2, 3)
//
// Throws ShapeError if lists at the same depth differ in length, TypeError if a number does not fit the
// dtype.
template <ScalarType T>
Array array(std::initializer_list<T> list, DType dtype, const ArrayOptions& options = {}) {
    return detail::NestedList(list).make_array(dtype, options);
}
template <ScalarType T>
Array array(std::initializer_list<std::initializer_list<T>> list,
            DType dtype,
            const ArrayOptions& options = {}) {
    return detail::NestedList(list).make_array(dtype, options);
}
template <ScalarType T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> list,
            DType dtype,
            const ArrayOptions& options = {}) {
    return detail::NestedList(list).make_array(dtype, options);
}
template <ScalarType T>
Array array(std::initializer_list<T> list, const ArrayOptions& options = {}) {
    return array(list, dtype_of<T>(), options);
}
template <ScalarType T>
Array array(std::initializer_list<std::initializer_list<T>> list,
            const ArrayOptions& options = {}) {
    return array(list, dtype_of<T>(), options);
}
template <ScalarType T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> list,
            const ArrayOptions& options = {}) {
    return array(list, dtype_of<T>(), options);
}

// Axis of each vector in the result of meshgrid(). ij: vector k lies along axis k. xy, NumPy's default:
// vector 0 lies along axis 1 and vector 1 along axis 0, like the coordinates of a picture.
enum class MeshgridIndexing : std::uint8_t { xy, ij };
struct MeshgridOptions {
    MeshgridIndexing indexing = MeshgridIndexing::xy;
    bool sparse = false;  // true: extent 1 along all other axes instead of stride 0
};
using GridIndexing [[deprecated("use MeshgridIndexing")]] = MeshgridIndexing;
using GridOptions [[deprecated("use MeshgridOptions")]] = MeshgridOptions;
// Returns one view per vector, without copying. The views broadcast against each other in a kernel. The
// views of a dense grid are read-only; the views of a sparse grid are writable if the vectors are. Throws
// ShapeError if an array has more than one axis.
KGEN_EXPORT std::vector<Array> meshgrid(std::span<const Array> vectors,
                                        const MeshgridOptions& = {});
inline std::vector<Array> meshgrid(std::initializer_list<Array> vectors,
                                   const MeshgridOptions& options = {}) {
    return meshgrid(std::span<const Array>(vectors.begin(), vectors.size()), options);
}
// Returns the sparse grid with ij indexing, like NumPy's ix_ and ogrid.
//
//     auto [y, x] = open_grid(rows, columns);
template <std::same_as<Array>... Vectors>
std::array<Array, sizeof...(Vectors)> open_grid(const Vectors&... vectors) {
    std::array<Array, sizeof...(Vectors)> views = {vectors...};
    const std::vector<Array> grid =
        meshgrid(views, {.indexing = MeshgridIndexing::ij, .sparse = true});
    std::copy(grid.begin(), grid.end(), views.begin());
    return views;
}

}  // namespace kgen
