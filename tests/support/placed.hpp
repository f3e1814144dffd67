// SPDX-License-Identifier: MIT
//
// Placed: an array of any layout whose memory is written and read by plain loops over bytes. No
// code of kgen converts between the values of a test and the memory that a kernel sees.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kgen/array.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace kgen::test {

inline std::int64_t count_of(const Dims& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

// Returns the byte offset of every element, in C order of the indices.
inline std::vector<std::int64_t> offsets_of(const Dims& shape, const Dims& strides) {
    std::vector<std::int64_t> offsets = {0};
    for (int axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t extent = shape[axis], stride = strides[axis];
        std::vector<std::int64_t> wider(offsets.size() * static_cast<std::size_t>(extent));
        std::int64_t* place = wider.data();
        for (const std::int64_t offset : offsets) {
            for (std::int64_t k = 0; k < extent; ++k) *place++ = offset + k * stride;
        }
        offsets.swap(wider);
    }
    return offsets;
}

// std::vector<bool> has no data(), so bool elements are held as bytes.
template <typename T>
using Held = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

// Returns the elements of an array in C order.
template <typename T>
std::vector<Held<T>> elements(const Array& array) {
    std::vector<Held<T>> values(static_cast<std::size_t>(count_of(array.shape())));
    if (array.dtype() != dtype_of<T>()) FAIL("the array is " << to_text(array.dtype()));
    if (array.device() == Device::host()) {
        const std::vector<std::int64_t> offsets = offsets_of(array.shape(), array.strides());
        const auto* const first = static_cast<const std::byte*>(array.data());
        for (std::size_t k = 0; k < values.size(); ++k)
            std::memcpy(&values[k], first + offsets[k], sizeof(T));
    } else {
        array.copy_to_host(values.data());
    }
    return values;
}

// Call `check` with an object of each type.
template <typename... T, typename Check>
void for_types(const Check& check) {
    (check(T{}), ...);
}
template <typename Check>
void for_integers(const Check& check) {
    for_types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(check);
    for_types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(check);
}
// The types of C++ that are dtypes.
template <typename Check>
void for_plain_types(const Check& check) {
    for_integers(check);
    for_types<bool, float, double, std::complex<float>, std::complex<double>>(check);
}

inline constexpr std::byte untouched{0xa5};

struct Placed {
    Array block;  // uint8; includes the memory around the array
    Array array;
    std::int64_t origin = 0;  // byte offset of element 0 in the block

    std::vector<std::uint8_t> bytes() const {
        if (block.device() != Device::host()) return elements<std::uint8_t>(block);
        const auto* const first = static_cast<const std::uint8_t*>(block.data());
        return {first, first + count_of(block.shape())};
    }

    template <typename T>
    std::vector<Held<T>> values() const {
        const std::vector<std::uint8_t> memory = bytes();
        const std::vector<std::int64_t> offsets = offsets_of(array.shape(), array.strides());
        std::vector<Held<T>> values(offsets.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            std::memcpy(&values[k], memory.data() + origin + offsets[k], sizeof(T));
        }
        return values;
    }

    // Returns whether every byte that belongs to no element is unchanged.
    bool is_clean_around() const {
        std::vector<std::uint8_t> memory = bytes();
        const auto mark = static_cast<std::uint8_t>(untouched);
        const std::size_t item = item_size(array.dtype());
        for (const std::int64_t offset : offsets_of(array.shape(), array.strides()))
            std::memset(memory.data() + origin + offset, mark, item);
        return memory == std::vector<std::uint8_t>(memory.size(), mark);
    }
};

// Creates an array of that layout whose elements in C order are `values`. `shift` moves the
// array in its block by so many bytes, to misalign vector accesses.
template <typename T, typename Value>
Placed place(Device device,
             const std::vector<Value>& values,
             const Dims& shape,
             const Dims& strides,
             std::int64_t shift = 0) {
    constexpr std::int64_t margin = 64;
    std::int64_t low = 0;
    std::int64_t high = static_cast<std::int64_t>(sizeof(T));
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (count_of(shape) == 0) break;
        const std::int64_t reach = (shape[axis] - 1) * strides[axis];
        (reach < 0 ? low : high) += reach;
    }
    Placed placed;
    placed.origin = margin + shift - low;
    std::vector<std::uint8_t> memory(static_cast<std::size_t>(placed.origin + high + margin),
                                     static_cast<std::uint8_t>(untouched));
    const std::vector<std::int64_t> offsets = offsets_of(shape, strides);
    for (std::size_t k = 0; k < offsets.size(); ++k) {
        const auto value = static_cast<T>(values[k]);
        std::memcpy(memory.data() + placed.origin + offsets[k], &value, sizeof(T));
    }
    placed.block =
        from_host(memory.data(), uint8, {static_cast<std::int64_t>(memory.size())}, {device});
    void* pointer = static_cast<std::byte*>(placed.block.data()) + placed.origin;
    placed.array = Array::view(
        pointer,
        dtype_of<T>(),
        shape,
        {.device = device, .strides = strides, .owner = std::make_shared<Array>(placed.block)});
    return placed;
}

struct Layout {
    std::string name;
    Dims strides;
    std::int64_t shift = 0;
};

// Returns strides in bytes of a dense array. `order` lists its axes as they lie in memory, outermost
// first. Each element takes `item` bytes, and `padding` elements of space follow each whole axis.
inline Dims dense_strides(const Dims& shape,
                          const std::vector<int>& order,
                          std::int64_t item,
                          std::int64_t padding = 0) {
    Dims strides = Dims::filled(shape.rank(), 0);
    std::int64_t stride = item;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        strides[*axis] = stride;
        stride = stride * std::max<std::int64_t>(shape[*axis], 1) + padding * item;
    }
    return strides;
}

inline std::vector<int> axis_order(int rank, bool reversed = false) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    for (int axis = 0; axis < rank; ++axis)
        order[static_cast<std::size_t>(axis)] = reversed ? rank - 1 - axis : axis;
    return order;
}

inline Dims c_order(const Dims& shape, std::int64_t item) {
    return dense_strides(shape, axis_order(shape.rank()), item);
}

inline Dims f_order(const Dims& shape, std::int64_t item) {
    return dense_strides(shape, axis_order(shape.rank(), true), item);
}

inline Dims negated(Dims strides, int axis) {
    strides[axis] = -strides[axis];
    return strides;
}

}  // namespace kgen::test
