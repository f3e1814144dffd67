// SPDX-License-Identifier: MIT
//
// More ways to make an Array, by NumPy's names. All are new arrays on current_device() unless the
// options name another, made on its current stream; they throw ShapeError for a negative extent or a
// size that overflows, and DeviceError when memory is short.
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
    bool endpoint = true;  // false: `stop` is left out, as if there were one element more
    std::optional<Device> device = {};
};
// `count` numbers from start to stop, evenly spaced: start + k * step, computed in float64 and rounded to
// the dtype (down to an integer); the last is `stop` exactly. Throws ShapeError for a negative count,
// TypeError if the dtype cannot hold the ends.
KGEN_EXPORT Array
linspace(double start, double stop, std::int64_t count, DType dtype, const LinspaceOptions& = {});

struct EyeOptions {
    std::optional<std::int64_t> columns = {};  // as many as rows unless given
    std::int64_t diagonal = 0;  // where the ones are: above the main one, or below (< 0)
    std::optional<Device> device = {};
};
// A matrix of zeros with ones on a diagonal.
KGEN_EXPORT Array eye(std::int64_t rows, DType dtype, const EyeOptions& = {});
KGEN_EXPORT Array identity(std::int64_t rows, DType dtype, const ArrayOptions& = {});

// How an array like another differs from it.
struct LikeOptions {
    std::optional<DType> dtype = {};
    std::optional<Device> device = {};
    Order order = Order::k;
};
// New arrays of the shape, dtype and device of another, dense in its memory order (of one that repeats
// elements by a stride of 0: in C order). full_like() throws TypeError if the value does not fit the dtype.
KGEN_EXPORT Array empty_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array zeros_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array ones_like(const Array& array, const LikeOptions& = {});
KGEN_EXPORT Array full_like(const Array& array, const Scalar& value, const LikeOptions& = {});

namespace detail {

// The numbers of nested lists, and how long the lists of each depth are.
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
    // Begins a list. Throws ShapeError if the first one of its depth is of another length.
    KGEN_EXPORT void enter(int depth, std::int64_t length);

    std::vector<Scalar> values_;
    Dims shape_;
    Dims path_ = Dims::filled(3, 0);  // which list or number of each depth is next
};

}  // namespace detail

// An array written out, as lists of numbers of one C++ type, nested up to 3 deep: of its dtype, or of a
// given one that each number must fit (see convert_scalar; else TypeError).
//
//     array({1.5, 2.5})                       // (2,), float64
//     array({{1, 2, 3}, {4, 5, 6}}, float32)  // (2, 3)
//
// Throws ShapeError if lists of the same depth differ in length.
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

// How meshgrid() lays vectors x0, x1, ... out: vector k along axis k (ij), or as a picture's
// coordinates, x0 along axis 1 and x1 along axis 0 (xy, NumPy's default).
enum class GridIndexing : std::uint8_t { xy, ij };
struct GridOptions {
    GridIndexing indexing = GridIndexing::xy;
    bool sparse = false;  // extent 1 along all other axes, instead of stride 0: writable views
};
// One array a vector, each a view of it, so that kernels broadcast them against each other; nothing is
// copied. A dense grid is read-only. Throws ShapeError for an array that has more than one axis.
KGEN_EXPORT std::vector<Array> meshgrid(std::span<const Array> vectors, const GridOptions& = {});
inline std::vector<Array> meshgrid(std::initializer_list<Array> vectors,
                                   const GridOptions& options = {}) {
    return meshgrid(std::span<const Array>(vectors.begin(), vectors.size()), options);
}
// The sparse grid by ij, as NumPy's ix_ and ogrid: auto [y, x] = open_grid(rows, columns).
template <std::same_as<Array>... Vectors>
std::array<Array, sizeof...(Vectors)> open_grid(const Vectors&... vectors) {
    std::array<Array, sizeof...(Vectors)> views = {vectors...};
    const std::vector<Array> grid = meshgrid(views, {.indexing = GridIndexing::ij, .sparse = true});
    std::copy(grid.begin(), grid.end(), views.begin());
    return views;
}

}  // namespace kgen
