// SPDX-License-Identifier: MIT
//
// TextFormatter: lets fmt format the types of kgen that have a to_text().
#pragma once

// In a .cu file, fmt 9 and older leave out a `constexpr` that their own C++20 code needs, unless this macro is defined.
#if defined(__NVCC__) && !defined(FMT_USE_CONSTEXPR)
#define FMT_USE_CONSTEXPR 1
#endif
#include <fmt/format.h>

namespace kgen::detail {

// Takes the format specifications of a string: fmt::format("{:>12}", x.shape()).
template <typename T>
struct TextFormatter : fmt::formatter<fmt::string_view> {
    template <typename Context>
    auto format(const T& value, Context& context) const {
        return fmt::formatter<fmt::string_view>::format(to_text(value), context);
    }
};

}  // namespace kgen::detail
