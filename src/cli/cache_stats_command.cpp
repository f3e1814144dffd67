// SPDX-License-Identifier: MIT
//
// kgen cache stats: how full the cache is, and what all processes counted.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cache_options.hpp"
#include "cli/commands.hpp"
#include "cli/size_text.hpp"
#include "cli/standard_output.hpp"

namespace kgen::cli {

namespace {

struct StatsOptions : CacheOptions {
    bool zero = false;
};

std::string files_text(std::uint64_t files, std::uint64_t bytes, const char* noun) {
    return files == 0 ? std::string("none")
                      : fmt::format("{}, {}", counted(files, noun), size_text(bytes));
}

std::string bound_text(std::uint64_t bound, const std::string& text) {
    return bound == UINT64_MAX ? std::string("unlimited") : text;
}

std::string statistics_text(const CacheStatistics& statistics) {
    std::string text = fmt::format("{:<24} {}\n", "directory", statistics.directory);
    text += fmt::format(
        "{:<24} {}\n", "entries", files_text(statistics.entries, statistics.entry_bytes, "entry"));
    text += fmt::format("{:<24} {} files, {}\n",
                        "bounds",
                        bound_text(statistics.max_files, std::to_string(statistics.max_files)),
                        bound_text(statistics.max_bytes, size_text(statistics.max_bytes)));
    text += fmt::format("{:<24} {}\n",
                        "being written or left",
                        files_text(statistics.temporary_files, statistics.temporary_bytes, "file"));
    text +=
        fmt::format("{:<24} {}\n",
                    "in quarantine",
                    files_text(statistics.quarantined_files, statistics.quarantined_bytes, "file"));
    for (const auto& [name, count] : statistics.totals) {
        text += fmt::format("{:<24} {}\n", name, count);
    }
    return text;
}

nlohmann::ordered_json statistics_json(const CacheStatistics& statistics) {
    nlohmann::ordered_json totals = nlohmann::ordered_json::object();
    for (const auto& [name, count] : statistics.totals) totals[name] = count;
    return {{"schema", 1},
            {"directory", statistics.directory},
            {"entries", statistics.entries},
            {"entry_bytes", statistics.entry_bytes},
            {"temporary_files", statistics.temporary_files},
            {"temporary_bytes", statistics.temporary_bytes},
            {"quarantined_files", statistics.quarantined_files},
            {"quarantined_bytes", statistics.quarantined_bytes},
            {"max_bytes", statistics.max_bytes},
            {"max_files", statistics.max_files},
            {"totals", totals}};
}

ExitStatus print_statistics(const StatsOptions& options) {
    if (options.zero) zero_cache_totals(options.directory);
    const CacheStatistics statistics = cache_statistics(options.directory);
    if (options.common.format() == Format::json) {
        write_json(statistics_json(statistics));
    } else {
        write_text(statistics_text(statistics));
    }
    return ExitStatus::done;
}

}  // namespace

Command add_cache_stats_command(CLI::App& app) {
    auto options = std::make_shared<StatsOptions>();
    CLI::App* command =
        add_cache_subcommand(app, "stats", "how full the cache is, and its counters", *options);
    command->add_flag("--zero", options->zero, "set the counters to zero first");
    command->footer(
        "Counters are those of all processes, about: a process adds its own from time to time.");
    return {command, [options] { return print_statistics(*options); }};
}

}  // namespace kgen::cli
