// SPDX-License-Identifier: MIT
//
// Random layouts, and a naive loop over them, against which the walks of a plan are checked.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "plan/operand.hpp"

namespace kgen::test {

using Random = std::mt19937;

inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// Returns the byte offsets of a layout's elements in C order, by one loop over 64-bit indices.
inline std::vector<std::int64_t> naive_offsets(const Dims& shape, const Dims& strides) {
    std::vector<std::int64_t> offsets;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    for (std::int64_t element = 0; element < count; ++element) {
        std::int64_t rest = element;
        std::int64_t offset = 0;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            offset += rest % shape[axis] * strides[axis];
            rest /= shape[axis];
        }
        offsets.push_back(offset);
    }
    return offsets;
}

inline Dims random_shape(Random& random, int largest_rank, std::int64_t largest_extent) {
    Dims shape;
    const auto rank = static_cast<int>(pick(random, 0, largest_rank));
    for (int axis = 0; axis < rank; ++axis) shape.push_back(pick(random, 1, largest_extent));
    return shape;
}

// Returns random strides for an array of that shape: axes in a random order, with gaps after
// some, and some axes reversed or set to 0.
inline Dims random_strides(Random& random, const Dims& shape, std::int64_t item_bytes) {
    Dims strides = Dims::filled(shape.rank(), 0);
    std::vector<int> axes;
    for (int axis = 0; axis < shape.rank(); ++axis) axes.push_back(axis);
    std::shuffle(axes.begin(), axes.end(), random);
    std::int64_t stride = item_bytes;
    for (const int axis : axes) {
        strides[axis] = stride;
        stride *= shape[axis] * pick(random, 1, 2);
        switch (pick(random, 0, 5)) {
            case 0:
                strides[axis] = -strides[axis];
                break;
            case 1:
                strides[axis] = 0;
                break;
            default:
                break;
        }
    }
    return strides;
}

}  // namespace kgen::test
