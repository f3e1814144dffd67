// SPDX-License-Identifier: MIT
//
// What stands between the brackets of an Array, one Index an axis, as in NumPy:
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

// One axis of a slice: start, stop, step as in Python; absent ones mean the whole axis.
struct Range {
    std::optional<std::int64_t> start = {};
    std::optional<std::int64_t> stop = {};
    std::int64_t step = 1;
};

// Short names that nobody gets unasked: `using namespace kgen::indexing;`.
namespace indexing {

struct NewAxis {};
struct Ellipsis {};

// start:stop:step; {} leaves a bound out: s(2, {}) is 2:, s({}, 2) is :2.
constexpr Range s(std::optional<std::int64_t> start,
                  std::optional<std::int64_t> stop,
                  std::int64_t step = 1) noexcept {
    return {start, stop, step};
}
inline constexpr Range all = {};  // the whole axis
inline constexpr NewAxis newaxis = {};
inline constexpr Ellipsis ellipsis = {};

}  // namespace indexing

// An integer picks one element and drops the axis, a Range keeps some, newaxis puts an axis of extent
// 1, and the ellipsis, which may stand once, keeps all axes that nothing else is for.
class Index {
public:
    enum class Kind : std::uint8_t { element, range, new_axis, ellipsis };

    // Negative ones count from the end. One beyond 64 bits is out of range everywhere.
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
    Range range_ = {};  // of an element only the start
};

}  // namespace kgen
