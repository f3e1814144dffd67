// SPDX-License-Identifier: MIT
#include "benchmarks/run_benchmark.hpp"

#include <fmt/format.h>

#include "benchmarks/cold_time.hpp"

namespace kgen::bench {

namespace {

constexpr int host_repetitions = 15;

std::string name_of(Device device) {
    const std::string subject =
        device.kind() == DeviceKind::host ? "host compiler" : "GPU " + to_text(device);
    for (const Finding& finding : inspect_system()) {
        if (finding.subject == subject) return finding.detail;
    }
    return "";
}

// Targets apply to GPUs and full sizes only.
bool has_targets(Scale scale) {
    return scale == Scale::full && current_device().kind() == DeviceKind::cuda;
}

// Allocates the memory of a case, checks its result, times it and frees the memory.
Row run_case(const Case& given,
             Scale scale,
             const std::function<Quartiles(const std::function<void()>&)>& time) {
    Row row{.name = given.name, .family = given.family};
    try {
        const PreparedCase prepared(given, scale);
        row.traffic = prepared.traffic();
        row.error = prepared.largest_error();
        row.correct = row.error <= given.tolerance();
        row.ms = time([&] { prepared.call(); });
    } catch (const Error& error) {
        row.problem = error.what();
        row.correct = false;
    }
    return row;
}

Row run_share_case(const Case& given,
                   Scale scale,
                   const Limits& limits,
                   const std::vector<PeerRow>& peers,
                   const std::vector<Row>& earlier) {
    Row row = run_case(
        given, scale, [scale](const std::function<void()>& work) { return time_ms(work, scale); });
    if (!row.problem.empty()) return row;
    row.share = row.gb_per_s() / limits.copy;
    row.floor_ms = limits.floor_ms(row.traffic);
    if (has_targets(scale)) set_share_target(row, given.target, limits, peers, earlier);
    return row;
}

Row run_cold_case(const Case& given, const std::vector<PeerRow>& peers) {
    Row row = run_case(given, Scale::full, cold_time_ms);
    set_time_target(row, peers);
    return row;
}

}  // namespace

Report run_benchmark(const Selection& selection,
                     Scale scale,
                     const std::vector<PeerRow>& peers,
                     const Progress& progress) {
    const Device device = current_device();
    Report report{.device = to_text(device), .device_name = name_of(device), .scale = scale};
    progress(heading_text(report));
    const auto add = [&](Row row) {
        progress(row_text(row));
        report.rows.push_back(std::move(row));
    };
    if (!selection.cases.empty() || selection.random || !selection.statements.empty()) {
        report.limits = measure_limits(scale);
        progress(limits_text(*report.limits));
        if (scale == Scale::full) {
            report.void_reason = reason_void(*report.limits, report.device_name);
        }
        if (!report.void_reason.empty()) {
            progress(report.void_reason + "\n");
            return report;
        }
    }
    if (!selection.cases.empty() || !selection.cold.empty()) progress(columns_text());
    for (const Case& given : selection.cases) {
        add(run_share_case(given, scale, *report.limits, peers, report.rows));
    }
    for (const Case& given : selection.cold) add(run_cold_case(given, peers));
    if (selection.call_costs) {
        report.call_costs = measure_call_costs(scale);
        progress(call_costs_text(report.call_costs));
    }
    if (selection.kernel_chains) {
        report.kernel_chains = measure_kernel_chains(scale);
        progress(kernel_chains_text(report.kernel_chains));
    }
    if (selection.transfers) report.transfers = measure_copies(scale);
    if (selection.gpu_copies) {
        for (Transfer& row : measure_gpu_copies(scale)) report.transfers.push_back(std::move(row));
    }
    if (selection.files) {
        for (Transfer& row : measure_files(scale)) report.transfers.push_back(std::move(row));
    }
    if (!report.transfers.empty()) progress(transfers_text(report.transfers));
    if (selection.first_calls) {
        report.first_calls = measure_first_calls(scale);
        progress(first_calls_text(report.first_calls));
    }
    if (selection.host_loops) {
        const int repetitions = scale == Scale::quick ? 1 : host_repetitions;
        report.host_loops = measure_host_loops(repetitions);
        for (HostLoopRow& row : measure_host_folds(repetitions)) {
            report.host_loops.push_back(std::move(row));
        }
        progress(host_loops_text(report.host_loops));
    }
    if (selection.same_bits) {
        report.same_bits = measure_same_bits(scale);
        progress(same_bits_text(report.same_bits));
    }
    if (selection.random) {
        report.random_calls =
            measure_random_calls(*selection.random, scale, *report.limits, progress);
    }
    if (!selection.statements.empty()) {
        report.statements =
            measure_statements(selection.statements, scale, *report.limits, progress);
    }
    return report;
}

}  // namespace kgen::bench
