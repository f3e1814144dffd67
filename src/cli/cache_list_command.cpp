// SPDX-License-Identifier: MIT
//
// kgen cache list: the entries of the cache, a line each.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cli/cache_options.hpp"
#include "cli/commands.hpp"
#include "cli/size_text.hpp"
#include "cli/standard_output.hpp"

namespace kgen::cli {

namespace {

struct ListOptions : CacheOptions {
    std::string sort = "lru";
};

// lru: what was used last comes first; size: the largest; name: by kernel and target.
void sort_entries(std::vector<CacheEntry>& entries, const std::string& order) {
    std::stable_sort(entries.begin(), entries.end(), [&](const CacheEntry& a, const CacheEntry& b) {
        if (order == "size") return a.size_bytes > b.size_bytes;
        if (order == "lru") return a.used_s > b.used_s;
        return std::tie(a.kernel, a.target) < std::tie(b.kernel, b.target);
    });
}

std::string entries_text(const std::vector<CacheEntry>& entries) {
    if (entries.empty()) return "no entries\n";
    const std::int64_t now_s = std::time(nullptr);
    std::size_t kernel_width = 6;
    std::size_t target_width = 6;
    for (const CacheEntry& entry : entries) {
        kernel_width = std::max(kernel_width, entry.kernel.size());
        // A host's target names all features of its CPU; that much tells entries apart.
        target_width = std::max(target_width, std::min<std::size_t>(entry.target.size(), 20));
    }
    const auto row = [&](std::string_view request,
                         std::string_view kernel,
                         std::string_view target,
                         std::string_view size,
                         std::string_view used,
                         std::string_view producer) {
        return fmt::format("{:<16}  {:<{}}  {:<{}}  {:>10}  {:>8}  {}\n",
                           request,
                           kernel,
                           kernel_width,
                           target.substr(0, 20),
                           target_width,
                           size,
                           used,
                           producer);
    };
    std::string text = row("request", "kernel", "target", "size", "used", "producer");
    for (const CacheEntry& entry : entries) {
        text += row(entry.request.substr(0, 16),
                    entry.kernel,
                    entry.target,
                    size_text(entry.size_bytes),
                    age_text(now_s - entry.used_s),
                    entry.problem.empty() ? entry.producer : "(" + entry.problem + ")");
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
                        {"problem", entry.problem}});
    }
    return {{"schema", 1}, {"entries", list}};
}

ExitStatus print_entries(const ListOptions& options) {
    std::vector<CacheEntry> entries = list_cache(options.directory);
    sort_entries(entries, options.sort);
    if (options.common.format() == Format::json) {
        write_json(entries_json(entries));
    } else {
        write_text(entries_text(entries));
    }
    return ExitStatus::done;
}

}  // namespace

Command add_cache_list_command(CLI::App& app) {
    auto options = std::make_shared<ListOptions>();
    CLI::App* command = add_cache_subcommand(app, "list", "the entries, a line each", *options);
    command->add_option("--sort", options->sort, "lru (used last first), size or name")
        ->check(CLI::IsMember({"lru", "size", "name"}))
        ->type_name("ORDER");
    return {command, [options] { return print_entries(*options); }};
}

}  // namespace kgen::cli
