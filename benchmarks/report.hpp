// SPDX-License-Identifier: MIT
//
// The results of a run of the benchmark, and their texts: lines of a table, and a JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "benchmarks/call_cost.hpp"
#include "benchmarks/first_call.hpp"
#include "benchmarks/host_loops.hpp"
#include "benchmarks/kernel_chain.hpp"
#include "benchmarks/limits.hpp"
#include "benchmarks/peers.hpp"
#include "benchmarks/random_calls.hpp"
#include "benchmarks/same_bits.hpp"
#include "benchmarks/statements.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

struct Row {
    std::string name;
    std::string family;
    Quartiles ms;
    Traffic traffic;
    double error = 0;  // NaN: an output was not written, or memory outside the outputs was
    bool correct = false;
    std::string problem;  // the reason if there are no times, else empty
    // Share of the speed of a copy in this run. Empty for cold cases, whose time depends on the launch.
    std::optional<double> share = {};
    std::optional<double> floor_ms = {};
    // The target: a least share, or a greatest time in milliseconds.
    std::optional<double> least_share = {};
    std::optional<double> most_ms = {};
    std::string target_source = {};  // "kgen", or the name of the peer whose result is the target

    double gb_per_s() const { return traffic.bytes() / ms.median / 1e6; }
    bool has_target() const { return least_share.has_value() || most_ms.has_value(); }
    bool meets_target() const;
    // Returns "ok", "below" (the target), "right" (there is no target), "WRONG" or "failed".
    std::string_view result() const;
};

// Sets least_share to the case's own target, as a share of the copy, or to the best peer's share minus 0.02
// if that is greater. `earlier` holds the earlier rows of this run. If the case's target is a share of a row
// that is not among them, the case has no target of its own.
void set_share_target(Row& row,
                      const std::optional<Target>& target,
                      const Limits& limits,
                      const std::vector<PeerRow>& peers,
                      const std::vector<Row>& earlier = {});
// Sets most_ms to the time of the fastest peer.
void set_time_target(Row& row, const std::vector<PeerRow>& peers);

struct Report {
    std::string device;       // "cuda:0"
    std::string device_name;  // as `kgen doctor` prints it
    Scale scale = Scale::full;
    std::optional<Limits> limits = {};
    std::string void_reason = {};  // see reason_void()
    std::vector<Row> rows = {};
    std::vector<CallCost> call_costs = {};
    std::vector<KernelChain> kernel_chains = {};
    std::vector<Transfer> transfers = {};
    std::vector<FirstCall> first_calls = {};
    std::vector<HostLoopRow> host_loops = {};
    std::vector<SameBits> same_bits = {};
    std::vector<RandomRow> random_calls = {};
    std::vector<StatementRow> statements = {};

    // Whether no result is wrong, failed or void. A missed target does not count.
    bool is_sound() const;
};

// Return the lines of the report's parts, in their order. Each line ends with a newline.
std::string heading_text(const Report& report);
std::string limits_text(const Limits& limits);
std::string columns_text();
std::string row_text(const Row& row);
std::string call_costs_text(const std::vector<CallCost>& costs);
std::string kernel_chains_text(const std::vector<KernelChain>& chains);
std::string transfers_text(const std::vector<Transfer>& rows);
std::string first_calls_text(const std::vector<FirstCall>& calls);
std::string host_loops_text(const std::vector<HostLoopRow>& rows);
std::string same_bits_text(const std::vector<SameBits>& rows);

nlohmann::ordered_json report_json(const Report& report);

}  // namespace kgen::bench
