// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kgen/dims.hpp>

#include "text/rethrow.hpp"

namespace kgen {

void Dims::refuse_rank(int rank) {
    throw ShapeError("an array has at most " + std::to_string(max_rank) + " axes, but " +
                     std::to_string(rank) + " were given");
}

std::string to_text(const Dims& dims) try {
    if (dims.rank() == 1) return fmt::format("({},)", dims[0]);
    return fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
