// SPDX-License-Identifier: MIT
//
// kgen cache prune: removes the least recently used entries and packs until the cache is within its bounds.
#include <fmt/format.h>

#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"
#include "cli/text/size_text.hpp"

namespace kgen::cli {

namespace {

struct PruneOptions : CacheOptions {
    std::string older;
    std::string size;
    std::string files;
};

template <typename Value>
std::optional<Value> read(const std::string& text,
                          std::optional<Value> (*parse)(std::string_view),
                          const char* option,
                          const char* expected) {
    if (text.empty()) return std::nullopt;
    const std::optional<Value> value = parse(text);
    if (!value) {
        throw UsageError(fmt::format("{}: got '{}', expected {}", option, text, expected));
    }
    return value;
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string_view::npos;
    return is_number ? parse_size(text) : std::nullopt;
}

ExitStatus prune(const PruneOptions& options) {
    CacheBounds bounds;
    bounds.max_age_s = read(
        options.older, &parse_age, "--older", "a whole number with s, m, h, d or w, such as 30d");
    bounds.max_bytes = read(options.size,
                            &parse_size,
                            "--size",
                            "a whole number of bytes, or with K, M, G or T, such as 500M");
    bounds.max_files = read(options.files, &parse_count, "--files", "a whole number");
    print_removal(prune_cache(bounds, options.dry_run(), options.directory), options);
    return ExitStatus::done;
}

}  // namespace

Command add_cache_prune_command(CLI::App& app) {
    auto options = std::make_shared<PruneOptions>();
    CLI::App* command = add_cache_subcommand(
        app, "prune", "remove the least recently used entries and packs", *options);
    command->add_option("--older", options->older, "remove those not used for this time: 30d")
        ->type_name("AGE");
    command->add_option("--size", options->size, "remove until at most this size is left: 500M")
        ->type_name("SIZE");
    command->add_option("--files", options->files, "remove until at most this many files are left")
        ->type_name("N");
    add_dry_run(*command, *options);
    command->footer("Without a bound, KGEN_CACHE_MAX_SIZE and KGEN_CACHE_MAX_FILES apply.");
    return {command, [options] { return prune(*options); }};
}

}  // namespace kgen::cli
