// SPDX-License-Identifier: MIT
//
// Small arrays that tests make and read.
#pragma once

#include <kgen/array_creation.hpp>
#include <vector>

namespace kgen::test {

// The numbers from 0 as int32.
inline Array range(const Dims& shape, Device device = Device::host()) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return arange(count, int32, {.device = device}).reshape(shape);
}

inline Array floats(const std::vector<float>& values, const Dims& shape, Device device) {
    return from_vector(values, shape, {device});
}

using List = std::vector<int>;

inline List list_of(const Array& array) {
    return array.to_vector<int>();
}

}  // namespace kgen::test
