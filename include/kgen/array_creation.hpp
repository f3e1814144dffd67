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
#include <kgen/indexing.hpp>
#include <kgen/nested_list.hpp>
#include <kgen/scalar.hpp>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

namespace kgen {

KGEN_EXPORT Array ones(const Dims& shape, DType dtype = float64, const ArrayOptions& = {});
inline Array ones(const Dims& shape, const ArrayOptions& options) {
    return ones(shape, float64, options);
}

struct LinspaceOptions {
    bool endpoint = true;  // false: count + 1 numbers are spaced, and the last, `stop`, is left out
    std::optional<Device> device = {};
};
// Returns `count` evenly spaced numbers from start to stop. Element k is start + k * step, computed in
// float64 and rounded to the dtype; integer dtypes round down. If `endpoint` is true, the last element is
// exactly `stop`, unless there is only one. Throws ShapeError if the count is negative, TypeError if the
// dtype cannot hold start or stop.
KGEN_EXPORT Array linspace(double start,
                           double stop,
                           std::int64_t count,
                           DType dtype = float64,
                           const LinspaceOptions& = {});
inline Array linspace(double start,
                      double stop,
                      std::int64_t count,
                      const LinspaceOptions& options) {
    return linspace(start, stop, count, float64, options);
}

struct EyeOptions {
    std::optional<std::int64_t> columns = {};  // same as rows if not given
    std::int64_t diagonal = 0;  // 0: ones on the main diagonal; > 0: above it; < 0: below it
    std::optional<Device> device = {};
};
// Returns a matrix of zeros with ones on one diagonal.
KGEN_EXPORT Array eye(std::int64_t rows, DType dtype = float64, const EyeOptions& = {});
KGEN_EXPORT Array identity(std::int64_t rows, DType dtype = float64, const ArrayOptions& = {});
inline Array eye(std::int64_t rows, const EyeOptions& options) {
    return eye(rows, float64, options);
}
inline Array identity(std::int64_t rows, const ArrayOptions& options) {
    return identity(rows, float64, options);
}

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

// Returns an array of the numbers of a nested list, or a number as an array of rank 0; see kgen/nested_list.hpp.
// The dtype is that of the numbers if all have one C++ type other than int. Otherwise it is complex128 if one
// is complex, else float64 if one is a float or there is none, else int64. A number must fit a given dtype (see
// convert_scalar).
//
//     array({1.5, 2.5})                       // (2,), float64
//     array({{1, 2, 3}, {4, 5, 6}}, float32)  // (2, 3)
//     array({1, 2.5}), array({1, 2})          // float64, int64
//
// Throws ShapeError if lists at the same depth differ in length, if a number stands beside a list, or if lists
// are nested deeper than max_rank; TypeError if a number does not fit the dtype.
KGEN_EXPORT Array array(const detail::NestedList& list,
                        std::optional<DType> dtype = {},
                        const ArrayOptions& = {});
inline Array array(const detail::NestedList& list, const ArrayOptions& options) {
    return array(list, std::nullopt, options);
}
// Does the same with dtype_of<T>(): array<float>({1, 2}).
template <HasDType T>
Array array(const detail::NestedList& list, const ArrayOptions& options = {}) {
    return array(list, dtype_of<T>(), options);
}

// Copies the numbers of a vector, span, std::array, C array or any other range, or of ranges of such ranges.
// The dtype is that of their C++ type; a given dtype converts as astype() does. Throws ShapeError if ranges at
// the same depth differ in length.
template <detail::NumberRange Values>
Array array(const Values& values, const ArrayOptions& options = {}) {
    using T = typename detail::NumberOf<Values>::type;
    if constexpr (std::ranges::contiguous_range<const Values> &&
                  std::same_as<T, std::ranges::range_value_t<const Values>>) {
        const auto count = static_cast<std::int64_t>(std::ranges::size(values));
        return from_host(std::ranges::data(values), dtype_of<T>(), {count}, options);
    } else {
        // std::vector<bool> has no array of bool.
        std::vector<std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>> numbers;
        detail::ListShape shape;
        detail::collect(values, 0, shape, numbers);
        return from_host(numbers.data(), dtype_of<T>(), shape.shape(), options);
    }
}
template <detail::NumberRange Values>
Array array(const Values& values, DType dtype, const ArrayOptions& options = {}) {
    return array(values, options).astype(dtype);
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
// Returns the sparse grid with ij indexing, like NumPy's ix_.
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

namespace detail {
KGEN_EXPORT void make_grid(std::span<const Range> ranges,
                           const MeshgridOptions& options,
                           std::span<Array> grid);
}

// Return the grid of the ranges' numbers, one int64 array for each range, like NumPy's ogrid and mgrid. A range
// starts at 0 if it has no start. The arrays of ogrid() have extent 1 along all other axes; those of mgrid()
// are read-only views that have the shape of the whole grid. Throw ShapeError if a range has no stop or a step
// is 0.
//
//     auto [y, x] = ogrid(s(0, 3), s(0, 4));  // np.ogrid[0:3, 0:4]: shapes (3, 1) and (1, 4)
template <std::derived_from<Range> First, std::derived_from<Range>... More>
std::array<Array, 1 + sizeof...(More)> ogrid(const First& first, const More&... more) {
    std::array<Array, 1 + sizeof...(More)> grid;
    detail::make_grid(std::array<Range, 1 + sizeof...(More)>{first, more...},
                      {.indexing = MeshgridIndexing::ij, .sparse = true},
                      grid);
    return grid;
}
template <std::derived_from<Range> First, std::derived_from<Range>... More>
std::array<Array, 1 + sizeof...(More)> mgrid(const First& first, const More&... more) {
    std::array<Array, 1 + sizeof...(More)> grid;
    detail::make_grid(std::array<Range, 1 + sizeof...(More)>{first, more...},
                      {.indexing = MeshgridIndexing::ij},
                      grid);
    return grid;
}

}  // namespace kgen
