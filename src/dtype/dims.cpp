// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kgen/dims.hpp>

#include "text/rethrow.hpp"

namespace kgen {

std::string to_text(const Dims& dims) try {
    if (dims.rank() == 1) return fmt::format("({},)", dims[0]);
    return fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
