// SPDX-License-Identifier: MIT
#include "benchmarks/report.hpp"

namespace kgen::bench {

namespace {

// Amount by which a share may be less than that of the best peer on the same GPU.
constexpr double peer_allowance = 0.02;
// Times of peers are rounded to hundredths of a microsecond.
constexpr double rounding_ms = 5e-6;

// Returns the speed to which the target refers, as a share of the copy.
std::optional<double> full_share(const Target& target,
                                 const Limits& limits,
                                 const std::vector<Row>& earlier) {
    if (target.limit == Limit::copy) return 1;
    if (target.limit == Limit::write) return limits.write() / limits.copy;
    for (const Row& row : earlier) {
        if (row.name == target.other_case) return row.share;
    }
    return std::nullopt;
}

}  // namespace

void set_share_target(Row& row,
                      const std::optional<Target>& target,
                      const Limits& limits,
                      const std::vector<PeerRow>& peers,
                      const std::vector<Row>& earlier) {
    if (const auto full = target ? full_share(*target, limits, earlier) : std::nullopt) {
        row.least_share = target->at_least * *full;
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
