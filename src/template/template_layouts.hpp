// SPDX-License-Identifier: MIT
//
// Names of the layouts of arguments that a template can list to be compiled ahead of time.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "template/template_definition.hpp"

namespace kgen {

struct TemplateLayout {
    std::string_view name;
    std::string_view description;
};

inline constexpr std::array elementwise_layouts = {
    TemplateLayout{"contiguous", "all arrays dense and aligned to 16 bytes"},
    TemplateLayout{"unaligned", "all arrays dense, but aligned only to one element"},
    TemplateLayout{"in_place", "as contiguous, and the output is the first input"},
    TemplateLayout{"number", "as contiguous, and the last input is a number"},
    TemplateLayout{"row", "the last input is one row that broadcasts against matrices"},
    TemplateLayout{"column", "the last input is one column that broadcasts against matrices"},
    TemplateLayout{"strided", "matrices that are column slices of wider matrices"},
    TemplateLayout{"transposed", "the last input is transposed, the others are not"},
};

inline constexpr std::array reduction_layouts = {
    TemplateLayout{"full", "a dense array is folded along all axes"},
    TemplateLayout{"rows", "a dense matrix is folded along its last axis"},
    TemplateLayout{"columns", "a dense matrix is folded along its first axis"},
};

// Returns the layouts that a template of this kind may list.
constexpr std::span<const TemplateLayout> layouts_of(TemplateKind kind) noexcept {
    if (kind == TemplateKind::elementwise) return elementwise_layouts;
    return reduction_layouts;
}

}  // namespace kgen
