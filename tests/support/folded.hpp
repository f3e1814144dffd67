// SPDX-License-Identifier: MIT
//
// Expected results of reductions, from a plain loop over indices that shares no code with kgen; and inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <kgen/kgen.hpp>
#include <optional>
#include <type_traits>
#include <vector>

#include "support/placed.hpp"

namespace kgen::test {

// Folds the elements along the axes (not negative) in C order of their indices. The results are in
// C order too. The function is `fold(value, index of the element, index along the reduced axes)`.
template <typename Value, typename Fold>
std::vector<Value> folded(const Dims& shape,
                          const std::vector<int>& axes,
                          Value start,
                          const Fold& fold) {
    std::vector<bool> reduced(shape.size(), false);
    for (const int axis : axes) reduced[static_cast<std::size_t>(axis)] = true;
    std::int64_t results = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (!reduced[static_cast<std::size_t>(axis)]) results *= shape[axis];
    }
    std::vector<Value> values(static_cast<std::size_t>(results), start);
    Dims index = Dims::filled(shape.rank(), 0);
    for (std::int64_t element = 0; element < count_of(shape); ++element) {
        std::int64_t result = 0;
        std::int64_t along = 0;
        for (int axis = 0; axis < shape.rank(); ++axis) {
            std::int64_t& place = reduced[static_cast<std::size_t>(axis)] ? along : result;
            place = place * shape[axis] + index[axis];
        }
        Value& value = values[static_cast<std::size_t>(result)];
        value = fold(value, element, along);
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            if (++index[axis] < shape[axis]) break;
            index[axis] = 0;
        }
    }
    return values;
}

// Returns the axes that a call reduces: all if none are given. Negative axes count from the end.
inline std::vector<int> meant_axes(const std::optional<std::vector<int>>& axes, int rank) {
    std::vector<int> meant;
    for (int axis = 0; !axes && axis < rank; ++axis) meant.push_back(axis);
    for (const int axis : axes.value_or(std::vector<int>())) {
        meant.push_back(axis < 0 ? axis + rank : axis);
    }
    return meant;
}

template <typename T>
std::vector<T> counted(std::int64_t count, T start = 0) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < count; ++k)
        values.push_back(static_cast<T>(start + static_cast<T>(k)));
    return values;
}

// Returns unordered numbers that are exact in every dtype that the tests use.
template <typename T>
std::vector<T> mixed(std::int64_t count) {
    std::vector<T> values;
    for (std::int64_t k = 0; k < count; ++k)
        values.push_back(static_cast<T>((k * 7919 + 13) % 101 - (std::is_signed_v<T> ? 50 : 0)));
    return values;
}

inline ReductionKernel sum_kernel() {
    return {"T x", "T y", "x", "a + b", "y = a", "0", "sum"};
}

}  // namespace kgen::test
