// SPDX-License-Identifier: MIT
//
// kgen cache list: the entries of the cache, one per line.
#include <algorithm>
#include <memory>
#include <tuple>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"

namespace kgen::cli {

namespace {

struct ListOptions : CacheOptions {
    std::string sort = "lru";
};

// lru: last used first; size: largest first; name: by kernel and target.
void sort_entries(std::vector<CacheEntry>& entries, const std::string& order) {
    std::stable_sort(entries.begin(), entries.end(), [&](const CacheEntry& a, const CacheEntry& b) {
        if (order == "size") return a.size_bytes > b.size_bytes;
        if (order == "lru") return a.used_s > b.used_s;
        return std::tie(a.kernel, a.target) < std::tie(b.kernel, b.target);
    });
}

ExitStatus print_entries(const ListOptions& options) {
    std::vector<CacheEntry> entries = list_cache(options.directory);
    sort_entries(entries, options.sort);
    print_entry_table(entries, options.common);
    return ExitStatus::done;
}

}  // namespace

Command add_cache_list_command(CLI::App& app) {
    auto options = std::make_shared<ListOptions>();
    CLI::App* command =
        add_cache_subcommand(app, "list", "list the entries, one per line", *options);
    command->add_option("--sort", options->sort, "lru (last used first), size or name")
        ->check(CLI::IsMember({"lru", "size", "name"}))
        ->type_name("ORDER");
    command->footer(
        "The size of an entry in a pack is its share: bytes that several entries share are "
        "divided\n"
        "among them. kgen cache verify checks the code too.");
    return {command, [options] { return print_entries(*options); }};
}

}  // namespace kgen::cli
