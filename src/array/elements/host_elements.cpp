// SPDX-License-Identifier: MIT
#include "array/elements/host_elements.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "dtype/conversion.hpp"
#include "memory/array_access.hpp"

namespace kgen {

namespace {

// One axis of the loop over both arrays; strides in bytes.
struct LoopAxis {
    std::int64_t extent = 1;
    std::int64_t destination = 0;
    std::int64_t source = 0;
};

constexpr std::int64_t block_extent = 32;

// If the source has its smallest stride along another axis than the row, moves that axis next to the row. The
// last two axes are then traversed in blocks, so that each cache line of the source is loaded once.
bool move_source_axis_inward(std::vector<LoopAxis>& axes) {
    const LoopAxis row = axes.back();
    const auto finest =
        std::min_element(axes.begin(), axes.end() - 1, [](const LoopAxis& a, const LoopAxis& b) {
            const auto step = [](const LoopAxis& axis) { return std::abs(axis.source); };
            return step(b) == 0 ? step(a) != 0 : step(a) != 0 && step(a) < step(b);
        });
    if (finest == axes.end() - 1 || finest->source == 0 ||
        std::abs(finest->source) >= std::abs(row.source) || row.extent < 2 * block_extent ||
        finest->extent < 4) {
        return false;
    }
    std::rotate(finest, finest + 1, axes.end() - 1);
    return true;
}

// The loop over both arrays, outermost axis first, with as few axes as possible: extents of 1 are dropped,
// axes are in the order of the destination's memory, and axes that form one axis in both arrays are merged.
// The last axis is the row, and there is always one. If in_blocks is true, the last two axes are traversed in
// squares.
struct Loop {
    std::vector<LoopAxis> axes;
    bool in_blocks = false;
};

Loop make_loop(const Array& destination, const Array& source) {
    std::vector<LoopAxis> axes;
    for (int axis = 0; axis < destination.rank(); ++axis) {
        if (destination.shape()[axis] == 1) continue;
        axes.push_back(
            {destination.shape()[axis], destination.strides()[axis], source.strides()[axis]});
    }
    std::stable_sort(axes.begin(), axes.end(), [](const LoopAxis& a, const LoopAxis& b) {
        return std::abs(a.destination) > std::abs(b.destination);
    });
    std::vector<LoopAxis> merged;
    for (const LoopAxis& axis : axes) {
        if (!merged.empty() && merged.back().destination == axis.extent * axis.destination &&
            merged.back().source == axis.extent * axis.source) {
            merged.back() = {merged.back().extent * axis.extent, axis.destination, axis.source};
        } else {
            merged.push_back(axis);
        }
    }
    if (merged.empty()) merged.push_back({});
    const bool in_blocks = move_source_axis_inward(merged);
    return {std::move(merged), in_blocks};
}

// Calls row(destination, source, count) for each run of elements along the last axis.
template <typename Row>
void for_each_row(const Loop& loop,
                  std::byte* destination,
                  const std::byte* source,
                  const Row& row) {
    const std::vector<LoopAxis>& axes = loop.axes;
    const LoopAxis inner = axes.back();
    const std::size_t outer = axes.size() - (loop.in_blocks ? 2 : 1);
    const auto walk_inner = [&] {
        if (!loop.in_blocks) return row(destination, source, inner.extent);
        const LoopAxis& across = axes[outer];
        for (std::int64_t from = 0; from < across.extent; from += block_extent) {
            const std::int64_t to = std::min(from + block_extent, across.extent);
            for (std::int64_t at = 0; at < inner.extent; at += block_extent) {
                const std::int64_t count = std::min(block_extent, inner.extent - at);
                for (std::int64_t k = from; k < to; ++k) {
                    row(destination + k * across.destination + at * inner.destination,
                        source + k * across.source + at * inner.source,
                        count);
                }
            }
        }
    };
    std::array<std::int64_t, max_rank> index{};
    for (;;) {
        walk_inner();
        std::size_t axis = outer;
        for (;;) {
            if (axis == 0) return;
            --axis;
            destination += axes[axis].destination;
            source += axes[axis].source;
            if (++index[axis] < axes[axis].extent) break;
            destination -= axes[axis].extent * axes[axis].destination;
            source -= axes[axis].extent * axes[axis].source;
            index[axis] = 0;
        }
    }
}

template <typename T>
T load(const std::byte* address) {
    if constexpr (std::is_same_v<T, bool>) {
        return *address != std::byte{0};  // foreign memory may hold bytes other than 0 and 1
    } else {
        T value;
        std::memcpy(&value, address, sizeof(T));
        return value;
    }
}

// Calls each(destination, source) for each pair of elements. In dense rows the steps are constants, so that
// the compiler can use vector instructions.
template <std::int64_t to_bytes, std::int64_t from_bytes, typename Each>
void for_each_element(const Loop& loop, std::byte* to, const std::byte* from, const Each& each) {
    const LoopAxis row = loop.axes.back();
    const bool is_dense = row.destination == to_bytes && row.source == from_bytes;
    for_each_row(
        loop, to, from, [&](std::byte* destination, const std::byte* source, std::int64_t count) {
            if (is_dense) {
                for (std::int64_t k = 0; k < count; ++k)
                    each(destination + k * to_bytes, source + k * from_bytes);
            } else {
                for (std::int64_t k = 0; k < count; ++k)
                    each(destination + k * row.destination, source + k * row.source);
            }
        });
}

template <typename To, typename From>
void convert_elements(const Loop& loop, std::byte* to, const std::byte* from) {
    for_each_element<sizeof(To), sizeof(From)>(
        loop, to, from, [](std::byte* destination, const std::byte* source) {
            const To value = convert_value<To>(load<From>(source));
            std::memcpy(destination, &value, sizeof(To));
        });
}

template <std::size_t item_bytes>
void copy_items(const Loop& loop, std::byte* to, const std::byte* from) {
    const LoopAxis row = loop.axes.back();
    if (row.destination == item_bytes && row.source == item_bytes) {
        return for_each_row(
            loop,
            to,
            from,
            [](std::byte* destination, const std::byte* source, std::int64_t count) {
                std::memcpy(destination, source, static_cast<std::size_t>(count) * item_bytes);
            });
    }
    for_each_element<item_bytes, item_bytes>(
        loop, to, from, [](std::byte* destination, const std::byte* source) {
            std::memcpy(destination, source, item_bytes);
        });
}

void copy_items(std::size_t item_bytes, const Loop& loop, std::byte* to, const std::byte* from) {
    switch (item_bytes) {
        case 1:
            return copy_items<1>(loop, to, from);
        case 2:
            return copy_items<2>(loop, to, from);
        case 4:
            return copy_items<4>(loop, to, from);
        case 8:
            return copy_items<8>(loop, to, from);
        default:
            return copy_items<16>(loop, to, from);
    }
}

}  // namespace

void assign_on_host(const Array& destination, const Array& source) {
    if (destination.size() == 0) return;
    const Loop loop = make_loop(destination, source);
    auto* to = static_cast<std::byte*>(destination.data());
    const auto* from = static_cast<const std::byte*>(source.data());
    if (destination.dtype() == source.dtype()) {
        copy_items(item_size(source.dtype()), loop, to, from);
        return;
    }
    visit_dtype(destination.dtype(), [&]<typename To>() {
        visit_dtype(source.dtype(),
                    [&]<typename From>() { convert_elements<To, From>(loop, to, from); });
    });
}

void fill_on_host(const Array& destination, const void* item) {
    const Array one = Array::view(item, destination.dtype(), {}, {.device = Device::host()});
    assign_on_host(destination, one.broadcast_to(destination.shape()));
}

}  // namespace kgen
