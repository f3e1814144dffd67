// SPDX-License-Identifier: MIT
//
// NestedList: the braces of array({{1, 2}, {3, 4}}), nested to any depth, and the shape that such lists have.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

namespace kgen::detail {

// A number or a list of such items. It borrows the items, so it is valid until the end of the full expression.
class NestedList {
public:
    template <ScalarType T>
    constexpr NestedList(T number) noexcept : number_(number), is_number_(true) {}  // NOLINT
    constexpr NestedList(std::initializer_list<NestedList> items) noexcept : count_(items.size()) {
        first_ = items.begin();
    }

    constexpr bool is_number() const noexcept { return is_number_; }
    constexpr const Scalar& number() const noexcept { return number_; }
    constexpr std::span<const NestedList> items() const noexcept { return {first_, count_}; }

private:
    Scalar number_ = 0;
    const NestedList* first_ = nullptr;
    std::size_t count_ = 0;
    bool is_number_ = false;
};

// The shape of nested lists, which are walked in order. Throws ShapeError if they are not nested evenly.
class ListShape {
public:
    KGEN_EXPORT void begin_list(int depth, std::size_t length);
    KGEN_EXPORT void add_number(int depth);
    // Moves on to the next item of the list at this depth.
    void next_item(int depth) noexcept { ++path_[depth]; }
    const Dims& shape() const noexcept { return shape_; }

private:
    Dims shape_;
    Dims path_ = Dims::filled(max_rank, 0);  // index of the current item at each depth
    bool has_numbers_ = false;
};

// The type of the numbers in ranges of ranges.
template <typename T>
struct NumberOf {
    using type = T;
};
template <std::ranges::forward_range T>
struct NumberOf<T> : NumberOf<std::ranges::range_value_t<T>> {};

// Ranges of numbers, and ranges of such ranges. A text is none.
template <typename T>
concept NumberRange = !std::convertible_to<const T&, std::string_view> &&
                      std::ranges::forward_range<const T> && HasDType<typename NumberOf<T>::type>;

template <typename Values, typename Number>
void collect(const Values& values, int depth, ListShape& shape, std::vector<Number>& numbers) {
    shape.begin_list(depth, static_cast<std::size_t>(std::ranges::distance(values)));
    for (const auto& each : values) {
        if constexpr (std::ranges::forward_range<std::ranges::range_value_t<Values>>) {
            collect(each, depth + 1, shape, numbers);
        } else {
            numbers.push_back(each);
        }
        shape.next_item(depth);
    }
}

}  // namespace kgen::detail
