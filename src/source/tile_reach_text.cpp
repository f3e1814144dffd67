// SPDX-License-Identifier: MIT
#include "source/tile_reach_text.hpp"

#include <fmt/format.h>

namespace kgen {

namespace {

// Returns the distance in bytes from the first of `count` elements along an axis to the last one.
std::string far(const CudaText& cuda, std::size_t k, std::string_view count, int axis) {
    return fmt::format("((long long)({}) - 1) * {}", count, cuda.stride(k, axis));
}

std::string extent_of(int axis, int rank) {
    if (axis < rank - 2) return fmt::format("kgen_extent_of(kgen_p.kgen_extents[{}])", axis);
    return fmt::format("kgen_p.kgen_tile.extent_{}", axis == rank - 1 ? 'a' : 'b');
}

std::string reach_of(const KernelText& text, const CudaText& cuda, std::size_t k, bool turned) {
    const int rank = text.baked().rank;
    std::string lines = fmt::format(
        "        {{\n"
        "            kgen_reach kgen_all = {{0, sizeof({})}}, kgen_part = {{0, 0}};\n",
        text.type(k));
    for (int axis = 0; axis < rank; ++axis) {
        lines += fmt::format("            kgen_all.kgen_add({});\n",
                             far(cuda, k, extent_of(axis, rank), axis));
    }
    return lines +
           fmt::format(
               "            kgen_part.kgen_add({0});\n"
               "            kgen_part.high += ((long long)kgen_count_{1} + {2} - 1) / {2} * {2} * "
               "sizeof({3});\n"
               "            kgen_inside = kgen_inside && kgen_is_inside({4}, kgen_all, "
               "kgen_at_{5}, "
               "kgen_part);\n"
               "        }}\n",
               turned ? far(cuda, k, "kgen_count_a", rank - 1)
                      : far(cuda, k, "kgen_count_b", rank - 2),
               turned ? 'b' : 'a',
               text.baked().vector,
               text.type(k),
               cuda.data(k),
               text.name(k));
}

}  // namespace

std::string tile_reach_text(const KernelText& text, const CudaText& cuda, const TileRoles& roles) {
    std::string lines = "        bool kgen_inside = true;\n";
    for (std::size_t k = 0; k < text.baked().operands.size(); ++k) {
        if (roles.is_loose(k) && roles.is_loaded(k))
            lines += reach_of(text, cuda, k, roles.is_turned(k));
    }
    return lines + "        return kgen_inside;\n";
}

}  // namespace kgen
