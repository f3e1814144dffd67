// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kgen/dims.hpp>

namespace kgen {

std::string to_text(const Dims& dims) {
    if (dims.rank() == 1) return fmt::format("({},)", dims[0]);
    return fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
}

}  // namespace kgen
