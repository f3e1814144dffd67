// SPDX-License-Identifier: MIT
#include "plan/operand.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kgen {

std::int64_t extent_product(std::span<const std::int64_t> extents) noexcept {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

AddressSpan address_span(const Operand& operand) noexcept {
    if (extent_product(operand.shape) == 0) return {operand.address, operand.address};
    std::uintptr_t begin = operand.address;
    std::uintptr_t end = operand.address + item_size(operand.dtype);
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
        const std::int64_t reach = (operand.shape[axis] - 1) * operand.strides[axis];
        (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
    }
    return {begin, end};
}

std::int64_t next_stride(std::int64_t stride, std::int64_t extent) noexcept {
    std::int64_t next = 0;
    return __builtin_mul_overflow(stride, extent, &next) ? stride : next;
}

Dims c_strides(const Dims& shape, std::size_t item_bytes) noexcept {
    Dims strides = Dims::filled(shape.rank(), 0);
    auto stride = static_cast<std::int64_t>(item_bytes);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        strides[axis] = stride;
        if (shape[axis] > 1) stride = next_stride(stride, shape[axis]);
    }
    return strides;
}

bool is_c_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes) noexcept {
    auto expected = static_cast<std::int64_t>(item_bytes);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (shape[axis] == 0) return true;
        if (shape[axis] == 1) continue;
        if (strides[axis] != expected) return false;
        expected = next_stride(expected, shape[axis]);
    }
    return true;
}

}  // namespace kgen
