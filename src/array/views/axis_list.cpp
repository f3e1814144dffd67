// SPDX-License-Identifier: MIT
#include "array/views/axis_list.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Returns "has axes 0 to 2" with the owner's name in front.
std::string axes_text(std::string_view owner, int rank) {
    if (rank == 0) return fmt::format("{} has no axes", owner);
    if (rank == 1) return fmt::format("{} has only axis 0", owner);
    return fmt::format("{} has axes 0 to {}", owner, rank - 1);
}

int find_among(std::int64_t axis, int rank, std::string_view owner, std::string_view operation) {
    if (axis >= rank || axis < -rank) {
        refuse<ShapeError>({ErrorKind::option,
                            "axis",
                            fmt::format("{} to {}", -rank, rank - 1),
                            std::to_string(axis)},
                           "{}: axis {} does not exist: {}",
                           operation,
                           axis,
                           axes_text(owner, rank));
    }
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Dims find_all(const Dims& axes, int rank, std::string_view owner, std::string_view operation) {
    Dims found;
    std::array<bool, max_rank> seen{};
    for (const std::int64_t named : axes) {
        const int axis = find_among(named, rank, owner, operation);
        if (std::exchange(seen[static_cast<std::size_t>(axis)], true)) {
            refuse<ShapeError>({ErrorKind::option, "axis", "each axis once", to_text(axes)},
                               "{}: axis {} is given twice in {}",
                               operation,
                               axis,
                               to_text(axes));
        }
        found.push_back(axis);
    }
    return found;
}

}  // namespace

int find_axis(std::int64_t axis, const Dims& shape, std::string_view operation) {
    return find_among(axis, shape.rank(), "shape " + to_text(shape), operation);
}

Dims find_axes(const Dims& axes, const Dims& shape, std::string_view operation) {
    return find_all(axes, shape.rank(), "shape " + to_text(shape), operation);
}

Dims find_new_axes(const Dims& axes, int rank, std::string_view operation) {
    return find_all(axes, rank, "the result", operation);
}

}  // namespace kgen
