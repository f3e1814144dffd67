// SPDX-License-Identifier: MIT
//
// Reads the results of other libraries ("peers") in the same cases, from JSON that their own programs wrote:
//
//     {"rows": [{"case": "axpb_f32_2^28", "peer": "CuPy", "ms": 1.27, "frac": 0.40}, ...]}
//
// `frac` is the share of a copy's speed in the peer's own run. Cold cases need none. Other rows and members
// are ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::bench {

struct PeerRow {
    std::string case_name;
    std::string peer;
    double ms = 0;
    std::optional<double> share = {};
};

// Throws IoError if the file does not exist, is not JSON or has no "rows".
std::vector<PeerRow> read_peers(const std::string& path);

// Return the peer with the greatest share, and the fastest peer, in a case, or nullptr if no peer has the
// case.
const PeerRow* best_share(const std::vector<PeerRow>& peers, std::string_view case_name);
const PeerRow* fastest(const std::vector<PeerRow>& peers, std::string_view case_name);

}  // namespace kgen::bench
