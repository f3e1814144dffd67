// SPDX-License-Identifier: MIT
//
// Dims: up to 16 extents, strides or indices, stored inline without allocation.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/error.hpp>
#include <kgen/export.hpp>
#include <kgen/text_formatter.hpp>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>

namespace kgen {

inline constexpr int max_rank = 16;

// The types that count as an extent or an axis. A flag or a character in its place is a mistake.
template <typename T>
concept DimInteger = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> &&
                     !std::same_as<std::remove_cv_t<T>, char>;

class Dims;
// Owners of such integers that lie next to each other, such as std::vector<int>.
template <typename T>
concept DimValues = !std::same_as<T, Dims> && std::ranges::contiguous_range<const T> &&
                    !std::ranges::view<T> && DimInteger<std::ranges::range_value_t<const T>>;

// A list of at most max_rank integers, such as the shape of an Array or its strides in bytes. Functions that
// would make it longer throw ShapeError.
class Dims {
public:
    // Sets no value beyond the rank, because that would take longer than most uses of a Dims.
    constexpr Dims() noexcept {
        if (std::is_constant_evaluated()) values_ = {};
    }
    constexpr Dims(std::initializer_list<std::int64_t> values) : Dims() { assign(values); }
    constexpr explicit Dims(std::span<const std::int64_t> values) : Dims() { assign(values); }
    // A vector of integers is a shape: zeros(shape_vector).
    template <DimValues Values>
    constexpr Dims(const Values& values) : Dims() {  // NOLINT
        for (const auto value : values) push_back(static_cast<std::int64_t>(value));
    }
    static constexpr Dims filled(int rank, std::int64_t value) {
        Dims dims;
        dims.resize(rank, value);
        return dims;
    }

    constexpr int rank() const noexcept { return rank_; }
    constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(rank_); }
    constexpr bool empty() const noexcept { return rank_ == 0; }
    constexpr std::int64_t operator[](std::integral auto axis) const noexcept {
        return values_[static_cast<std::size_t>(axis)];
    }
    constexpr std::int64_t& operator[](std::integral auto axis) noexcept {
        return values_[static_cast<std::size_t>(axis)];
    }
    constexpr const std::int64_t* begin() const noexcept { return values_.data(); }
    constexpr const std::int64_t* end() const noexcept { return values_.data() + rank_; }
    constexpr std::int64_t* begin() noexcept { return values_.data(); }
    constexpr std::int64_t* end() noexcept { return values_.data() + rank_; }
    constexpr const std::int64_t* data() const noexcept { return values_.data(); }

    constexpr void push_back(std::int64_t value) {
        if (rank_ == max_rank) [[unlikely]]
            refuse_rank(rank_ + 1);
        values_[size()] = value;
        ++rank_;
    }
    // Sets the length. Values that are added at the end are `value`.
    constexpr void resize(int rank, std::int64_t value = 0) {
        if (rank > max_rank) [[unlikely]]
            refuse_rank(rank);
        for (int axis = rank_; axis < rank; ++axis) (*this)[axis] = value;
        rank_ = rank;
    }
    constexpr operator std::span<const std::int64_t>() const noexcept { return {data(), size()}; }

    // A loop takes less time than memcmp for such short lists.
    friend constexpr bool operator==(const Dims& a, const Dims& b) noexcept {
        if (a.rank_ != b.rank_) return false;
        for (int axis = 0; axis < a.rank_; ++axis) {
            if (a[axis] != b[axis]) return false;
        }
        return true;
    }

private:
    constexpr void assign(std::span<const std::int64_t> values) {
        resize(static_cast<int>(std::min<std::size_t>(values.size(), 1000)));
        std::copy(values.begin(), values.end(), begin());
    }
    constexpr void assign(std::initializer_list<std::int64_t> values) {
        assign(std::span<const std::int64_t>(values.begin(), values.size()));
    }
    [[noreturn]] KGEN_EXPORT static void refuse_rank(int rank);

    std::array<std::int64_t, max_rank> values_;
    int rank_ = 0;
};

// Formats a shape as NumPy does: "()", "(3,)", "(3, 4)".
KGEN_EXPORT std::string to_text(const Dims& dims);

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Dims> : kgen::detail::TextFormatter<kgen::Dims> {};
