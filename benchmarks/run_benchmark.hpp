// SPDX-License-Identifier: MIT
//
// Runs the selected measurements on the current device: first the limits, then one case after the other, each
// alone in memory.
#pragma once

#include "benchmarks/report.hpp"
#include "benchmarks/selection.hpp"

namespace kgen::bench {

// Receives the lines of the report's text as soon as they are known.
using Progress = std::function<void(const std::string& lines)>;

// If a case fails, its row gives the reason. The run ends after the limits if they make it void. Throws
// DeviceError and other errors if nothing can be measured.
Report run_benchmark(const Selection& selection,
                     Scale scale,
                     const std::vector<PeerRow>& peers,
                     const Progress& progress);

}  // namespace kgen::bench
