// SPDX-License-Identifier: MIT
//
// The shares of a copy as a picture: a row a case, a mark for kgen and one for each peer.
#pragma once

#include "benchmarks/report.hpp"

namespace kgen::bench {

// A whole SVG document. Cases without a share are left out.
std::string share_plot(const Report& report, const std::vector<PeerRow>& peers);

}  // namespace kgen::bench
