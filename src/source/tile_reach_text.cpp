// SPDX-License-Identifier: MIT
#include "source/tile_reach_text.hpp"

#include <fmt/format.h>

namespace kgen {

namespace {

// Returns the distance in bytes from the first of `count` elements along an axis to the last one.
std::string far(const CudaText& cuda, std::size_t k, std::string_view count, int axis) {
    return fmt::format("((long long)({}) - 1) * {}", count, cuda.stride(k, axis));
}

// Returns the extent of an axis. That of the first axis of a side is what remains of the whole side's.
std::string extent_of(int axis, const TileSidesText& sides) {
    for (const char side : {'a', 'b'}) {
        if (axis != sides.first_of(side)) continue;
        const std::string whole = fmt::format("kgen_p.kgen_tile.extent_{}", side);
        if (sides.has_one_axis(side)) return whole;
        std::string digit = fmt::format("(unsigned)({} - 1)", whole);
        for (int inner = sides.last_of(side); inner > axis; --inner)
            digit = fmt::format("kgen_divide({}, kgen_p.kgen_extents[{}])", digit, inner);
        return digit + " + 1";
    }
    return fmt::format("kgen_extent_of(kgen_p.kgen_extents[{}])", axis);
}

std::string reach_of(const KernelText& text,
                     const CudaText& cuda,
                     const TileSidesText& sides,
                     std::size_t k,
                     bool turned) {
    std::string lines = fmt::format(
        "        {{\n"
        "            kgen_reach kgen_all = {{0, sizeof({})}}, kgen_part = {{0, 0}};\n",
        text.type(k));
    for (int axis = 0; axis < text.baked().rank; ++axis) {
        lines += fmt::format("            kgen_all.kgen_add({});\n",
                             far(cuda, k, extent_of(axis, sides), axis));
    }
    // Rows run along the array's own side. They are found along the other side; if that has several axes, the
    // array's part begins at the side's first element, so the whole side counts.
    const char across = turned ? 'a' : 'b';
    const std::string count = fmt::format("kgen_count_{}", across);
    for (int axis = sides.first_of(across); axis <= sides.last_of(across); ++axis) {
        const std::string reached = sides.has_one_axis(across) ? count : extent_of(axis, sides);
        lines += fmt::format("            kgen_part.kgen_add({});\n", far(cuda, k, reached, axis));
    }
    return lines +
           fmt::format(
               "            kgen_part.high += ((long long)kgen_count_{0} + {1} - 1) / {1} * {1} * "
               "sizeof({2});\n"
               "            kgen_inside = kgen_inside && kgen_is_inside({3}, kgen_all, "
               "kgen_at_{4}, "
               "kgen_part);\n"
               "        }}\n",
               turned ? 'b' : 'a',
               text.baked().vector,
               text.type(k),
               cuda.data(k),
               text.name(k));
}

}  // namespace

std::string tile_reach_text(const KernelText& text,
                            const CudaText& cuda,
                            const TileRoles& roles,
                            const TileSidesText& sides) {
    std::string lines = "        bool kgen_inside = true;\n";
    for (std::size_t k = 0; k < text.baked().operands.size(); ++k) {
        if (roles.is_loose(k) && roles.is_loaded(k))
            lines += reach_of(text, cuda, sides, k, roles.is_turned(k));
    }
    return lines + "        return kgen_inside;\n";
}

}  // namespace kgen
