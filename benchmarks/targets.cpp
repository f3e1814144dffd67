// SPDX-License-Identifier: MIT
#include "benchmarks/report.hpp"

namespace kgen::bench {

namespace {

// How far below the best peer of the same GPU a share may stay.
constexpr double peer_allowance = 0.02;
// Peers' times of a few microseconds are given to hundredths of one.
constexpr double rounding_ms = 5e-6;

}  // namespace

void set_share_target(Row& row,
                      const std::optional<Target>& target,
                      const Limits& limits,
                      const std::vector<PeerRow>& peers) {
    if (target) {
        const double limit = target->limit == Limit::copy ? limits.copy : limits.write();
        row.least_share = target->at_least * limit / limits.copy;
        row.target_source = "kgen";
    }
    const PeerRow* best = best_share(peers, row.name);
    if (best == nullptr) return;
    const double share = *best->share - peer_allowance;
    if (row.least_share && *row.least_share >= share) return;
    row.least_share = share;
    row.target_source = best->peer;
}

void set_time_target(Row& row, const std::vector<PeerRow>& peers) {
    const PeerRow* best = fastest(peers, row.name);
    if (best == nullptr) return;
    row.most_ms = best->ms + rounding_ms;
    row.target_source = best->peer;
}

}  // namespace kgen::bench
