// SPDX-License-Identifier: MIT
//
// The text of the report.
#include <fmt/format.h>

#include <cmath>

#include "benchmarks/report.hpp"

namespace kgen::bench {

namespace {

std::string target_text(const Row& row) {
    if (row.most_ms) return fmt::format("{:.5f}", *row.most_ms);
    return row.least_share ? fmt::format("{:.3f}", *row.least_share) : "-";
}

std::string optional_text(const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

}  // namespace

std::string heading_text(const Report& report) {
    return fmt::format(
        "kgen {} on {}: {}\n{}",
        version(),
        report.device,
        report.device_name,
        report.scale == Scale::quick ? "quick: tiny arrays, so the times mean nothing\n" : "");
}

std::string limits_text(const Limits& limits) {
    return fmt::format(
        "limits in GB/s: copy {:.0f} (read + write), read only {:.0f}, write only {:.0f} "
        "(kernel {:.0f}{})\n",
        limits.copy,
        limits.read,
        limits.write(),
        limits.write_kernel,
        limits.write_memset > 0 ? fmt::format(", memset {:.0f}", limits.write_memset) : "");
}

std::string columns_text() {
    return fmt::format("{:<28} {:>10} {:>10} {:>10} {:>7} {:>6} {:>10} {:>8} {:>8}  {}\n",
                       "case",
                       "median ms",
                       "lower",
                       "upper",
                       "GB/s",
                       "share",
                       "floor ms",
                       "target",
                       "error",
                       "result");
}

std::string row_text(const Row& row) {
    if (!row.problem.empty()) {
        return fmt::format("{:<28} {}: {}\n", row.name, row.result(), row.problem);
    }
    std::string result(row.result());
    if (!row.correct && std::isnan(row.error)) {
        result += ": elements that were not written, or writes outside";
    } else if (row.has_target() && row.target_source != "kgen") {
        result += fmt::format(" (of {})", row.target_source);
    }
    return fmt::format(
        "{:<28} {:>10.5f} {:>10.5f} {:>10.5f} {:>7.0f} {:>6} {:>10} {:>8} {:>8}  {}\n",
        row.name,
        row.ms.median,
        row.ms.low,
        row.ms.high,
        row.gb_per_s(),
        optional_text(row.share, 3),
        optional_text(row.floor_ms, 5),
        target_text(row),
        std::isnan(row.error) ? "-" : fmt::format("{:.1e}", row.error),
        result);
}

std::string call_costs_text(const std::vector<CallCost>& costs) {
    std::string text = fmt::format("\n{:<28} {:>10} {:>10} {:>10} {:>8}  {}\n",
                                   "ns a call beyond the bare",
                                   "median",
                                   "worst of " + std::to_string(costs.front().added_ns.size()),
                                   "bare",
                                   "target",
                                   "result");
    for (const CallCost& cost : costs) {
        text += fmt::format("{:<28} {:>10.0f} {:>10.0f} {:>10.0f} {:>8.0f}  {}\n",
                            cost.name,
                            cost.median_added_ns(),
                            cost.worst_added_ns(),
                            cost.median_bare_ns(),
                            cost.most_ns,
                            cost.meets_target() ? "ok" : "above");
    }
    return text;
}

std::string kernel_chains_text(const std::vector<KernelChain>& chains) {
    std::string text = fmt::format("\n{:<28} {:>10} {:>10} {:>7} {:>7}  {}\n",
                                   "2^14 float32, vs bare driver",
                                   "kgen ms",
                                   "bare ms",
                                   "ratio",
                                   "target",
                                   "result");
    for (const KernelChain& row : chains) {
        text += row.problem.empty()
                    ? fmt::format("{:<28} {:>10.5f} {:>10.5f} {:>7.3f} {:>7.2f}  {}\n",
                                  row.name,
                                  row.kgen_ms.median,
                                  row.bare_ms.median,
                                  row.ratio,
                                  row.most_ratio,
                                  row.result())
                    : fmt::format("{:<28} failed: {}\n", row.name, row.problem);
    }
    return text;
}

std::string transfers_text(const std::vector<Transfer>& rows) {
    std::string text = fmt::format("\n{:<36} {:>10} {:>10} {:>8} {:>7} {:>7}  {}\n",
                                   "data in and out, vs bare driver",
                                   "kgen ms",
                                   "bare ms",
                                   "GB/s",
                                   "speed",
                                   "target",
                                   "result");
    for (const Transfer& row : rows) {
        text += row.problem.empty()
                    ? fmt::format("{:<36} {:>10.4f} {:>10.4f} {:>8.1f} {:>7.3f} {:>7}  {}\n",
                                  row.name,
                                  row.kgen_ms.median,
                                  row.bare_ms.median,
                                  row.bytes / row.kgen_ms.median / 1e6,
                                  row.speed,
                                  optional_text(row.least_speed, 2),
                                  row.result())
                    : fmt::format("{:<36} failed: {}\n", row.name, row.problem);
    }
    return text;
}

std::string first_calls_text(const std::vector<FirstCall>& calls) {
    std::string text = fmt::format("\n{:<28} {:>10} {:>10} {:>10} {:>8}  {}\n",
                                   "1024 float32, new processes",
                                   "median ms",
                                   "lower",
                                   "upper",
                                   "target",
                                   "result");
    for (const FirstCall& call : calls) {
        const std::string_view result = call.meets_target() ? "ok" : "above";
        text += fmt::format("{:<28} {:>10.4f} {:>10.4f} {:>10.4f} {:>8}  {}\n",
                            call.what,
                            call.ms.median,
                            call.ms.low,
                            call.ms.high,
                            optional_text(call.most_ms, 2),
                            call.most_ms ? result : "-");
    }
    return text;
}

std::string host_loops_text(const std::vector<HostLoopRow>& rows) {
    std::string text = fmt::format("\n{:<28} {:>10} {:>10} {:>7} {:>7} {:>8} {:>10} {:>10}  {}\n",
                                   "host, vs loops built ahead",
                                   "kgen ms",
                                   "ahead ms",
                                   "speed",
                                   "target",
                                   "threads",
                                   "kgen cpu",
                                   "ahead cpu",
                                   "result");
    for (const HostLoopRow& row : rows) {
        text +=
            fmt::format("{:<28} {:>10.4f} {:>10.4f} {:>7.2f} {:>7} {:>8} {:>10.4f} {:>10.4f}  {}\n",
                        row.name,
                        row.kgen_ms,
                        row.reference_ms,
                        row.speed(),
                        optional_text(row.least_speed, 2),
                        row.threads,
                        row.kgen_cpu_ms,
                        row.reference_cpu_ms,
                        row.result());
    }
    return text;
}

std::string same_bits_text(const std::vector<SameBits>& rows) {
    std::string text = fmt::format(
        "\n{:<28} {:>6} {:>10}  {}\n", "bits, run by run", "runs", "different", "result");
    for (const SameBits& row : rows) {
        text += row.problem.empty() ? fmt::format("{:<28} {:>6} {:>10}  {}\n",
                                                  row.name,
                                                  row.runs,
                                                  row.others,
                                                  row.is_same() ? "same" : "DIFFERENT")
                                    : fmt::format("{:<28} failed: {}\n", row.name, row.problem);
    }
    return text;
}

}  // namespace kgen::bench
