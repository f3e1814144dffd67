// SPDX-License-Identifier: MIT
#include "cli/options/cache_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

CLI::App& cache_group(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == "cache") return *command;
    }
    return *app.add_subcommand("cache", "inspect and maintain the cache of compiled kernels");
}

CLI::App* add_cache_subcommand(CLI::App& app,
                               const std::string& name,
                               const std::string& description,
                               CacheOptions& options) {
    CLI::App* command = cache_group(app).add_subcommand(name, description);
    command->add_option("--dir", options.directory, "cache directory (default: the one in use)")
        ->type_name("DIR");
    add_common_options(*command, options.common);
    return command;
}

void add_dry_run(CLI::App& command, CacheOptions& options) {
    command.add_flag("--dry-run", options.is_dry_run, "only print what would be done");
}

void print_removal(const CacheRemoval& removal, const CacheOptions& options) {
    if (options.common.json) {
        write_json({{"schema", 1},
                    {"dry_run", options.is_dry_run},
                    {"bytes", removal.bytes},
                    {"paths", removal.paths}});
        return;
    }
    std::string text;
    if (options.is_dry_run) {
        for (const std::string& path : removal.paths) text += in_line(path) + "\n";
    }
    text += fmt::format("{} {}, {}\n",
                        options.is_dry_run ? "would remove" : "removed",
                        counted(removal.paths.size(), "file"),
                        size_text(removal.bytes));
    write_text(text);
}

namespace {

// Shortens a value, because values from files may have any length and each column is as wide as its widest
// cell.
std::string cell(std::string_view value) {
    constexpr std::size_t widest = 100;
    std::string text = in_line(value.substr(0, widest));
    return value.size() > widest ? text + "..." : text;
}

std::string pack_name(const CacheEntry& entry) {
    return entry.is_packed ? cell(entry.path.substr(entry.path.rfind('/') + 1)) : "-";
}

std::string entries_text(const std::vector<CacheEntry>& entries) {
    if (entries.empty()) return "no entries\n";
    // The target of a host names all features of its CPU. This many characters tell entries apart.
    constexpr std::size_t widest_target = 20;
    std::size_t kernel_width = 6;
    std::size_t target_width = 6;
    std::size_t pack_width = 0;  // the column for packs is shown only if there is a pack
    for (const CacheEntry& entry : entries) {
        kernel_width = std::max(kernel_width, cell(entry.kernel).size());
        target_width = std::max(target_width, std::min(cell(entry.target).size(), widest_target));
        if (entry.is_packed) pack_width = std::max(pack_width, pack_name(entry).size());
    }
    std::string text;
    const auto add_row = [&](const std::array<std::string, 7>& cells) {
        text += fmt::format("{:<16}  {:<{}}  {:<{}}  {:>10}  {:>8}  ",
                            cells[0],
                            cells[1],
                            kernel_width,
                            cells[2].substr(0, widest_target),
                            target_width,
                            cells[3],
                            cells[4]);
        if (pack_width != 0) text += fmt::format("{:<{}}  ", cells[5], pack_width);
        text += cells[6] + '\n';
    };
    add_row({"request", "kernel", "target", "size", "used", "pack", "producer"});
    const std::int64_t now_s = std::time(nullptr);
    for (const CacheEntry& entry : entries) {
        add_row({entry.request.substr(0, 16),
                 cell(entry.kernel),
                 cell(entry.target),
                 size_text(entry.size_bytes),
                 age_text(now_s - entry.used_s),
                 pack_name(entry),
                 entry.problem.empty() ? cell(entry.producer) : "(" + cell(entry.problem) + ")"});
    }
    return text;
}

nlohmann::ordered_json entries_json(const std::vector<CacheEntry>& entries) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const CacheEntry& entry : entries) {
        list.push_back({{"request", entry.request},
                        {"kernel", entry.kernel},
                        {"symbol", entry.symbol},
                        {"target", entry.target},
                        {"producer", entry.producer},
                        {"kgen", entry.kgen_version},
                        {"size_bytes", entry.size_bytes},
                        {"created_s", entry.created_s},
                        {"used_s", entry.used_s},
                        {"path", entry.path},
                        {"packed", entry.is_packed},
                        {"problem", entry.problem}});
    }
    return {{"schema", 1}, {"entries", list}};
}

}  // namespace

void print_entry_table(const std::vector<CacheEntry>& entries, const CommonOptions& options) {
    write_result(options.json, entries_json(entries), entries_text(entries));
}

}  // namespace kgen::cli
