// SPDX-License-Identifier: MIT
#include "benchmarks/report.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

namespace kgen::bench {

namespace {

using nlohmann::ordered_json;

// Returns null for an absent number, an infinite one and NaN.
ordered_json number_or_null(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json();
}

void add_times(ordered_json& object, const Quartiles& ms) {
    object["median_ms"] = ms.median;
    object["low_ms"] = ms.low;
    object["high_ms"] = ms.high;
}

ordered_json row_json(const Row& row) {
    ordered_json object = {{"case", row.name}, {"family", row.family}, {"result", row.result()}};
    if (!row.problem.empty()) {
        object["problem"] = row.problem;
        return object;
    }
    add_times(object, row.ms);
    object["bytes"] = row.traffic.bytes();
    object["gb_per_s"] = row.gb_per_s();
    object["share"] = number_or_null(row.share);
    object["floor_ms"] = number_or_null(row.floor_ms);
    object["least_share"] = number_or_null(row.least_share);
    object["most_ms"] = number_or_null(row.most_ms);
    object["target_from"] = row.target_source;
    object["error"] = number_or_null(row.error);
    object["correct"] = row.correct;
    return object;
}

std::string utc_date() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

bool Row::meets_target() const {
    if (least_share && share && *share < *least_share) return false;
    return !most_ms || ms.median <= *most_ms;
}

std::string_view Row::result() const {
    if (!problem.empty()) return "failed";
    if (!correct) return "WRONG";
    if (!has_target()) return "right";
    return meets_target() ? "ok" : "below";
}

bool Report::is_sound() const {
    return void_reason.empty() &&
           std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.correct; }) &&
           std::all_of(kernel_chains.begin(),
                       kernel_chains.end(),
                       [](const KernelChain& row) { return row.correct; }) &&
           std::all_of(transfers.begin(),
                       transfers.end(),
                       [](const Transfer& row) { return row.correct && row.problem.empty(); }) &&
           std::all_of(host_loops.begin(),
                       host_loops.end(),
                       [](const HostLoopRow& row) { return row.equal; }) &&
           std::all_of(same_bits.begin(),
                       same_bits.end(),
                       [](const SameBits& row) { return row.is_same(); }) &&
           std::all_of(statements.begin(),
                       statements.end(),
                       [](const StatementRow& row) { return row.problem.empty(); }) &&
           std::all_of(random_calls.begin(), random_calls.end(), [](const RandomRow& row) {
               return row.is_right();
           });
}

ordered_json report_json(const Report& report) {
    ordered_json object = {{"schema", 1},
                           {"kgen", version()},
                           {"date", utc_date()},
                           {"device", report.device},
                           {"device_name", report.device_name},
                           {"quick", report.scale == Scale::quick}};
    for (const Finding& finding : inspect_system()) {
        object["system"][finding.subject] = finding.detail;
    }
    if (!report.void_reason.empty()) object["void"] = report.void_reason;
    if (report.limits) {
        object["limits"] = {{"copy_gb_per_s", report.limits->copy},
                            {"read_gb_per_s", report.limits->read},
                            {"write_kernel_gb_per_s", report.limits->write_kernel},
                            {"write_memset_gb_per_s", report.limits->write_memset}};
    }
    object["rows"] = ordered_json::array();
    for (const Row& row : report.rows) object["rows"].push_back(row_json(row));
    if (!report.call_costs.empty()) {
        object["call_costs"] = ordered_json::array();
        for (const CallCost& cost : report.call_costs) {
            object["call_costs"].push_back({{"name", cost.name},
                                            {"added_ns", cost.added_ns},
                                            {"bare_ns", cost.bare_ns},
                                            {"most_ns", cost.most_ns},
                                            {"result", cost.meets_target() ? "ok" : "above"}});
        }
    }
    if (!report.kernel_chains.empty()) {
        object["kernel_chains"] = ordered_json::array();
        for (const KernelChain& row : report.kernel_chains) {
            object["kernel_chains"].push_back({{"name", row.name},
                                               {"kgen_ms", row.kgen_ms.median},
                                               {"bare_ms", row.bare_ms.median},
                                               {"ratio", row.ratio},
                                               {"most_ratio", row.most_ratio},
                                               {"problem", row.problem},
                                               {"result", row.result()}});
        }
    }
    if (!report.transfers.empty()) {
        object["transfers"] = ordered_json::array();
        for (const Transfer& row : report.transfers) {
            object["transfers"].push_back({{"name", row.name},
                                           {"bytes", row.bytes},
                                           {"kgen_ms", row.kgen_ms.median},
                                           {"bare_ms", row.bare_ms.median},
                                           {"speed", row.speed},
                                           {"least_speed", number_or_null(row.least_speed)},
                                           {"problem", row.problem},
                                           {"result", row.result()}});
        }
    }
    if (!report.first_calls.empty()) {
        object["first_calls"] = ordered_json::array();
        for (const FirstCall& call : report.first_calls) {
            ordered_json entry = {{"what", call.what}};
            add_times(entry, call.ms);
            entry["most_ms"] = number_or_null(call.most_ms);
            object["first_calls"].push_back(std::move(entry));
        }
    }
    if (!report.host_loops.empty()) {
        object["host_loops"] = ordered_json::array();
        for (const HostLoopRow& row : report.host_loops) {
            object["host_loops"].push_back({{"name", row.name},
                                            {"threads", row.threads},
                                            {"kgen_ms", row.kgen_ms},
                                            {"ahead_ms", row.reference_ms},
                                            {"speed", row.speed()},
                                            {"least_speed", number_or_null(row.least_speed)},
                                            {"kgen_cpu_ms", row.kgen_cpu_ms},
                                            {"ahead_cpu_ms", row.reference_cpu_ms},
                                            {"correct", row.equal}});
        }
    }
    if (!report.same_bits.empty()) {
        object["same_bits"] = ordered_json::array();
        for (const SameBits& row : report.same_bits) {
            object["same_bits"].push_back({{"name", row.name},
                                           {"runs", row.runs},
                                           {"others", row.others},
                                           {"problem", row.problem},
                                           {"same", row.is_same()}});
        }
    }
    if (!report.random_calls.empty()) object["random"] = random_rows_json(report.random_calls);
    if (!report.statements.empty()) object["statements"] = statement_rows_json(report.statements);
    return object;
}

}  // namespace kgen::bench
