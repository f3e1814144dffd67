// SPDX-License-Identifier: MIT
//
// Index: one item between the brackets of an Array, with the meaning that it has in NumPy.
//
//     using namespace kgen::indexing;
//     x[{s(1, -1, 2), all, newaxis}]   // x[1:-1:2, :, None]
//     x[{ellipsis, s({}, {}, -1), 3}]  // x[..., ::-1, 3]
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace kgen {

// A slice of one axis, with the start, stop and step of Python. A bound that is absent lies at the end of
// the axis, so Range{} is the whole axis.
struct Range {
    std::optional<std::int64_t> start = {};
    std::optional<std::int64_t> stop = {};
    std::int64_t step = 1;
};

class Expression;  // <kgen/expression.hpp>

// The whole axis in an index, and in a call the reduction of that name: whether all elements are true.
struct AllObject : Range {
    template <typename X, typename... Markers>
    [[nodiscard]] Expression operator()(X&& x, Markers&&... markers) const;  // <kgen/math.hpp>
};
inline constexpr AllObject all = {};

// Short names in a namespace of their own: `using namespace kgen::indexing;` makes them visible.
namespace indexing {

struct NewAxis {};
struct Ellipsis {};

// Returns the slice start:stop:step. {} leaves a bound out: s(2, {}) is 2:, and s({}, 2) is :2.
constexpr Range s(std::optional<std::int64_t> start,
                  std::optional<std::int64_t> stop,
                  std::int64_t step = 1) noexcept {
    return {start, stop, step};
}
using kgen::all;
inline constexpr NewAxis newaxis = {};
inline constexpr Ellipsis ellipsis = {};

}  // namespace indexing

// One item of an index. An integer selects one element and drops the axis. A Range selects elements and keeps
// the axis. newaxis inserts an axis of extent 1. The ellipsis may appear once; it keeps all axes that no
// other item indexes.
class Index {
public:
    enum class Kind : std::uint8_t { element, range, new_axis, ellipsis };

    // Negative integers count from the end. An integer that does not fit int64 is out of range for every
    // axis.
    template <std::integral T>
    requires(!std::same_as<T, bool>) constexpr Index(T element) noexcept  // NOLINT: written bare
        : range_{.start = std::in_range<std::int64_t>(element)
                              ? static_cast<std::int64_t>(element)
                              : std::numeric_limits<std::int64_t>::max()} {}
    constexpr Index(const Range& range) noexcept : kind_(Kind::range), range_(range) {}  // NOLINT
    constexpr Index(indexing::NewAxis) noexcept : kind_(Kind::new_axis) {}               // NOLINT
    constexpr Index(indexing::Ellipsis) noexcept : kind_(Kind::ellipsis) {}              // NOLINT

    constexpr Kind kind() const noexcept { return kind_; }
    constexpr std::int64_t element() const noexcept { return *range_.start; }
    constexpr const Range& range() const noexcept { return range_; }

private:
    Kind kind_ = Kind::element;
    Range range_ = {};  // Kind::element uses only `start`
};

}  // namespace kgen
