// SPDX-License-Identifier: MIT
//
// What a run of the benchmark found, and how it is written down: lines of a table as they come, and
// one JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "benchmarks/call_cost.hpp"
#include "benchmarks/first_call.hpp"
#include "benchmarks/host_loops.hpp"
#include "benchmarks/kernel_chain.hpp"
#include "benchmarks/limits.hpp"
#include "benchmarks/peers.hpp"
#include "benchmarks/same_bits.hpp"
#include "benchmarks/transfers.hpp"

namespace kgen::bench {

struct Row {
    std::string name;
    std::string family;
    Quartiles ms;
    Traffic traffic;
    double error = 0;  // NaN: something was not written, or was written that should not be
    bool correct = false;
    std::string problem;  // why there are no times, else ""
    // Of a copy of this run; none for cold cases, which the launch bounds.
    std::optional<double> share = {};
    std::optional<double> floor_ms = {};
    // What counts here: a share of a copy at least, or milliseconds at most.
    std::optional<double> least_share = {};
    std::optional<double> most_ms = {};
    std::string target_source = {};  // "kgen" or the peer's name

    double gb_per_s() const { return traffic.bytes() / ms.median / 1e6; }
    bool has_target() const { return least_share.has_value() || most_ms.has_value(); }
    bool meets_target() const;
    // "ok", "below" the target, "right" where there is none, "WRONG", "failed".
    std::string_view result() const;
};

// The higher of the case's own target, as a share of the copy, and the best peer less 0.02. `earlier` are
// the rows of this run that it may be a share of; without that row the case has none of its own.
void set_share_target(Row& row,
                      const std::optional<Target>& target,
                      const Limits& limits,
                      const std::vector<PeerRow>& peers,
                      const std::vector<Row>& earlier = {});
// No slower than the fastest peer.
void set_time_target(Row& row, const std::vector<PeerRow>& peers);

struct Report {
    std::string device;       // "cuda:0"
    std::string device_name;  // what `kgen doctor` says of it
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

    // Nothing is wrong, failed or void; a missed target is no problem of the program.
    bool is_sound() const;
};

// Lines with their ends, for the parts of the report in their order.
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
