// SPDX-License-Identifier: MIT
//
// Runs what is selected on the current device: the limits first, then each case alone in memory.
#pragma once

#include "benchmarks/report.hpp"
#include "benchmarks/selection.hpp"

namespace kgen::bench {

// Gets the lines of the report's text as soon as they are known.
using Progress = std::function<void(const std::string& lines)>;

// A case that fails is a row that says so; a void run ends after its limits. Throws DeviceError and
// others where nothing can be measured.
Report run_benchmark(const Selection& selection,
                     Scale scale,
                     const std::vector<PeerRow>& peers,
                     const Progress& progress);

}  // namespace kgen::bench
