// SPDX-License-Identifier: MIT
#include "benchmarks/touched_memory.hpp"

#include <algorithm>
#include <cstdlib>

namespace kgen::bench {

namespace {

struct Axis {
    std::int64_t stride;  // its absolute value in bytes
    std::int64_t extent;
};

// Returns the axes with more than one distinct place, those with small strides first.
std::vector<Axis> walked_axes(const Array& array) {
    std::vector<Axis> axes;
    for (int axis = 0; axis < array.rank(); ++axis) {
        const Axis each{std::abs(array.strides()[axis]), array.shape()[axis]};
        if (each.stride != 0 && each.extent > 1) axes.push_back(each);
    }
    std::sort(
        axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
    return axes;
}

// The units that a block of elements touches. The count depends on where in a unit the block begins.
struct Block {
    std::int64_t unit;
    std::int64_t span;            // bytes from its first to its last
    std::vector<double> touched;  // units, by the place of its first byte in a unit

    explicit Block(std::int64_t unit_bytes, std::int64_t element_bytes)
        : unit(unit_bytes), span(element_bytes) {
        for (std::int64_t place = 0; place < unit; ++place) {
            touched.push_back(static_cast<double>((place + span + unit - 1) / unit));
        }
    }

    // Repeats the block. Two neighbours share at most one unit: that of the last byte of the first.
    void repeat(const Axis& axis) {
        // The places of the blocks in a unit repeat after `unit` blocks.
        const std::int64_t rounds = axis.extent / unit;
        const std::int64_t rest = axis.extent % unit;
        std::vector<double> all;
        for (std::int64_t begin = 0; begin < unit; ++begin) {
            double sum = 0;
            for (std::int64_t k = 0; k < std::min(unit, axis.extent); ++k) {
                const std::int64_t place = (begin + k * axis.stride) % unit;
                const bool shares = (place + span - 1) / unit == (place + axis.stride) / unit;
                const std::int64_t times = rounds + (k < rest ? 1 : 0);
                // The last block of all has no neighbour behind it.
                const std::int64_t neighbours = times - (k == (axis.extent - 1) % unit ? 1 : 0);
                sum += touched[static_cast<std::size_t>(place)] * static_cast<double>(times);
                if (shares) sum -= static_cast<double>(neighbours);
            }
            all.push_back(sum);
        }
        touched = std::move(all);
        span += (axis.extent - 1) * axis.stride;
    }
};

}  // namespace

std::int64_t memory_unit_bytes(DeviceKind device) {
    return device == DeviceKind::cuda ? 32 : 64;
}

double distinct_bytes(const Array& array) {
    auto bytes = static_cast<double>(item_size(array.dtype()));
    for (const Axis& axis : walked_axes(array)) bytes *= static_cast<double>(axis.extent);
    return array.size() == 0 ? 0 : bytes;
}

std::uintptr_t lowest_address(const Array& array) {
    auto address = reinterpret_cast<std::uintptr_t>(array.data());
    for (int axis = 0; axis < array.rank(); ++axis) {
        const std::int64_t stride = array.strides()[axis];
        if (stride < 0) address -= static_cast<std::uintptr_t>(-stride * (array.shape()[axis] - 1));
    }
    return address;
}

bool is_element_at(const Array& array, std::int64_t offset) {
    if (offset < 0 || array.size() == 0) return false;
    const std::vector<Axis> axes = walked_axes(array);
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        offset -= std::min(offset / axis->stride, axis->extent - 1) * axis->stride;
    }
    return offset == 0;
}

double touched_bytes(const Array& array, std::int64_t unit_bytes) {
    if (array.size() == 0) return 0;
    Block block(unit_bytes, static_cast<std::int64_t>(item_size(array.dtype())));
    for (const Axis& axis : walked_axes(array)) block.repeat(axis);
    const auto place =
        static_cast<std::size_t>(lowest_address(array) % static_cast<std::uintptr_t>(unit_bytes));
    return block.touched[place] * static_cast<double>(unit_bytes);
}

}  // namespace kgen::bench
