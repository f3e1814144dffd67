// SPDX-License-Identifier: MIT
//
// Elements of SVG documents as text.
#pragma once

#include <string>
#include <string_view>

namespace kgen::bench {

// Returns an empty white picture; `</svg>` ends it.
std::string svg_start(int width, int height);

// `anchor` is "start", "middle" or "end".
std::string svg_text(double x, double y, std::string_view anchor, std::string_view text);

// `style` has attributes such as `stroke="#222222"`.
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view style);

}  // namespace kgen::bench
