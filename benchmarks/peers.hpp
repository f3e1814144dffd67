// SPDX-License-Identifier: MIT
//
// What other libraries reach in the same cases, read from JSON that their own programs wrote:
//
//     {"rows": [{"case": "axpb_f32_2^28", "peer": "CuPy", "ms": 1.27, "frac": 0.40}, ...]}
//
// `frac` is the share of a copy of the peer's own run; cold cases need none. Other rows and members
// are passed over.
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

// Throws IoError: no such file, not JSON, no "rows".
std::vector<PeerRow> read_peers(const std::string& path);

// The peer with the highest share, and the fastest one, in a case; nullptr if none runs it.
const PeerRow* best_share(const std::vector<PeerRow>& peers, std::string_view case_name);
const PeerRow* fastest(const std::vector<PeerRow>& peers, std::string_view case_name);

}  // namespace kgen::bench
