// SPDX-License-Identifier: MIT
//
// kgen cache stats: how full the cache is, and the counts of all processes.
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"
#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct StatsOptions : CacheOptions {
    bool zero = false;
};

std::string files_text(std::uint64_t files, std::uint64_t bytes, const char* noun) {
    return files == 0 ? std::string("none")
                      : fmt::format("{}, {}", counted(files, noun), size_text(bytes));
}

std::string packs_text(const CacheUsage& usage) {
    const std::string files = files_text(usage.packs, usage.pack_bytes, "pack");
    if (usage.packs == 0) return files;
    return fmt::format("{}, {}", files, counted(usage.packed_entries, "entry"));
}

std::string bound_text(std::uint64_t bound, const std::string& text) {
    return bound == UINT64_MAX ? std::string("unlimited") : text;
}

std::string usage_text(const CacheUsage& usage) {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<24} {}\n", name, value);
    };
    add("directory", in_line(usage.directory));
    add("entries", files_text(usage.entries, usage.entry_bytes, "entry"));
    add("packs", packs_text(usage));
    add("bounds",
        fmt::format("{} files, {}",
                    bound_text(usage.max_files, std::to_string(usage.max_files)),
                    bound_text(usage.max_bytes, size_text(usage.max_bytes))));
    add("temporary files", files_text(usage.temporary_files, usage.temporary_bytes, "file"));
    add("in quarantine", files_text(usage.quarantined_files, usage.quarantined_bytes, "file"));
    for (const auto& [name, count] : usage.totals) add(name, std::to_string(count));
    return text;
}

nlohmann::ordered_json usage_json(const CacheUsage& usage) {
    nlohmann::ordered_json totals = nlohmann::ordered_json::object();
    for (const auto& [name, count] : usage.totals) totals[name] = count;
    return {{"schema", 1},
            {"directory", usage.directory},
            {"entries", usage.entries},
            {"entry_bytes", usage.entry_bytes},
            {"packs", usage.packs},
            {"pack_bytes", usage.pack_bytes},
            {"packed_entries", usage.packed_entries},
            {"temporary_files", usage.temporary_files},
            {"temporary_bytes", usage.temporary_bytes},
            {"quarantined_files", usage.quarantined_files},
            {"quarantined_bytes", usage.quarantined_bytes},
            {"max_bytes", usage.max_bytes},
            {"max_files", usage.max_files},
            {"totals", totals}};
}

ExitStatus print_usage(const StatsOptions& options) {
    if (options.zero) zero_cache_totals(options.directory);
    const CacheUsage usage = cache_usage(options.directory);
    write_result(options.common.json, usage_json(usage), usage_text(usage));
    return ExitStatus::done;
}

}  // namespace

Command add_cache_stats_command(CLI::App& app) {
    auto options = std::make_shared<StatsOptions>();
    CLI::App* command = add_cache_subcommand(
        app, "stats", "print the size of the cache and its counters", *options);
    command->add_flag("--zero", options->zero, "set the counters to zero first");
    command->footer(
        "The counters are approximate sums over all processes. A process adds its own counts from "
        "time\n"
        "to time.");
    return {command, [options] { return print_usage(*options); }};
}

}  // namespace kgen::cli
