// SPDX-License-Identifier: MIT
#include "cli/options/cache_options.hpp"

#include <fmt/format.h>

#include <algorithm>
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

using Row = std::vector<std::string>;

// Returns the rows with their columns aligned. Sizes and ages are aligned on the right.
std::string table_text(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string text;
    for (const Row& row : rows) {
        for (std::size_t k = 0; k + 1 < row.size(); ++k) {
            const bool is_number = rows.front()[k] == "size" || rows.front()[k] == "used";
            text += is_number ? fmt::format("{:>{}}  ", row[k], widths[k])
                              : fmt::format("{:<{}}  ", row[k], widths[k]);
        }
        text += row.back() + '\n';
    }
    return text;
}

std::string entries_text(const std::vector<CacheEntry>& entries) {
    if (entries.empty()) return "no entries\n";
    // The target of a host names all features of its CPU. This many characters tell entries apart.
    constexpr std::size_t widest_target = 20;
    const bool has_pack = std::any_of(
        entries.begin(), entries.end(), [](const CacheEntry& each) { return each.is_packed; });
    std::vector<Row> rows = {
        {"request", "kernel", "dtypes", "layout", "target", "size", "used", "producer"}};
    const std::int64_t now_s = std::time(nullptr);
    for (const CacheEntry& entry : entries) {
        rows.push_back(
            {entry.request.substr(0, 16),
             cell(entry.kernel),
             entry.dtypes.empty() ? "-" : cell(entry.dtypes),
             entry.layout.empty() ? "-" : cell(entry.layout),
             cell(entry.target).substr(0, widest_target),
             size_text(entry.size_bytes),
             age_text(now_s - entry.used_s),
             entry.problem.empty() ? cell(entry.producer) : "(" + cell(entry.problem) + ")"});
    }
    if (has_pack) {
        rows.front().insert(rows.front().end() - 1, "pack");
        for (std::size_t k = 0; k < entries.size(); ++k)
            rows[k + 1].insert(rows[k + 1].end() - 1, pack_name(entries[k]));
    }
    return table_text(rows);
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
                        {"dtypes", entry.dtypes},
                        {"layout", entry.layout},
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
