// SPDX-License-Identifier: MIT
//
// Draws how the figures of random calls are distributed: for each class, the fraction of calls below a value.
#pragma once

#include "benchmarks/report.hpp"

namespace kgen::bench {

// Returns an SVG document with the distributions of floor / time and best / chosen of the right calls.
std::string random_plot(const Report& report);

}  // namespace kgen::bench
