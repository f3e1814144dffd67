// SPDX-License-Identifier: MIT
#include "plan/broadcast.hpp"

#include <algorithm>

namespace kgen {

bool broadcast_to_both(Dims& common, const Dims& shape) {
    if (shape == common) return true;
    const int rank = std::max(common.rank(), shape.rank());
    Dims merged = Dims::filled(rank, 1);
    for (int axis = 0; axis < rank; ++axis) {
        const int a = axis - (rank - common.rank());
        const int b = axis - (rank - shape.rank());
        const std::int64_t left = a < 0 ? 1 : common[a];
        const std::int64_t right = b < 0 ? 1 : shape[b];
        if (left != right && left != 1 && right != 1) return false;
        merged[axis] = left == 1 ? right : left;
    }
    common = merged;
    return true;
}

Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& loop) {
    Dims walked = Dims::filled(loop.rank(), 0);
    broadcast_strides(shape, strides, loop, {walked.begin(), walked.end()});
    return walked;
}

void broadcast_strides(const Dims& shape,
                       const Dims& strides,
                       const Dims& loop,
                       std::span<std::int64_t> walked) noexcept {
    const int lacking = loop.rank() - shape.rank();
    for (int axis = 0; axis < loop.rank(); ++axis) {
        const bool is_own =
            axis >= lacking && loop[axis] != 1 && shape[axis - lacking] == loop[axis];
        walked[static_cast<std::size_t>(axis)] = is_own ? strides[axis - lacking] : 0;
    }
}

}  // namespace kgen
