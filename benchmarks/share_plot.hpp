// SPDX-License-Identifier: MIT
//
// Draws the shares of a copy: a row for each case, with a mark for kgen and one for each peer.
#pragma once

#include "benchmarks/report.hpp"

namespace kgen::bench {

// Returns an SVG document. Cases without a share are omitted.
std::string share_plot(const Report& report, const std::vector<PeerRow>& peers);

}  // namespace kgen::bench
