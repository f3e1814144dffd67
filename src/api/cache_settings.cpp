// SPDX-License-Identifier: MIT
//
// Implements configure_cache and cache_statistics.
#include <fmt/format.h>

#include <algorithm>
#include <kgen/cache_settings.hpp>
#include <kgen/cache_statistics.hpp>
#include <kgen/error.hpp>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "image/image_counts.hpp"
#include "image/process_store.hpp"
#include "kernel/loaded_kernel.hpp"
#include "raw/raw_program.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr std::int64_t longest_timeout_ms = 999'999'999'000;

std::string_view to_text(CacheMode mode) {
    switch (mode) {
        case CacheMode::off:
            return "off";
        case CacheMode::read_only:
            return "ro";
        case CacheMode::read_write:
            break;
        case CacheMode::refresh:
            return "refresh";
    }
    return "rw";
}

std::string_view to_text(CacheTrust trust) {
    switch (trust) {
        case CacheTrust::owner:
            break;
        case CacheTrust::group:
            return "group";
        case CacheTrust::any:
            return "any";
    }
    return "owner";
}

void check_path(const char* what, const std::string& path) {
    if (!path.empty() && path.front() == '/' && path.find('\0') == std::string::npos) return;
    refuse<Error>({ErrorKind::option, std::string(what), "an absolute path", path},
                  "configure_cache: {} is '{}'; expected an absolute path",
                  what,
                  path);
}

void check(const CacheSettings& settings) {
    if (settings.directory) check_path("directory", *settings.directory);
    for (const std::string& path : settings.read_only.value_or(std::vector<std::string>())) {
        check_path("read_only", path);
        if (path.find(':') != std::string::npos) {
            refuse<Error>({ErrorKind::option, "read_only", "a path without a colon", path},
                          "configure_cache: read_only is '{}'; expected a path without a colon",
                          path);
        }
    }
    if (settings.max_bytes == 0U) {
        refuse<Error>({ErrorKind::option, "max_bytes", "at least 1", "0"},
                      "configure_cache: max_bytes is 0; to store nothing use CacheMode::read_only");
    }
    if (settings.max_files == 0U) {
        refuse<Error>({ErrorKind::option, "max_files", "at least 1", "0"},
                      "configure_cache: max_files is 0; to store nothing use CacheMode::read_only");
    }
    if (settings.lock_timeout && settings.lock_timeout->count() < 0) {
        refuse<Error>({ErrorKind::option,
                       "lock_timeout",
                       "0 or more",
                       std::to_string(settings.lock_timeout->count())},
                      "configure_cache: lock_timeout is {} ms; expected 0 or more",
                      settings.lock_timeout->count());
    }
}

// Returns the environment variables that stand for these settings, which must have been checked.
std::map<std::string, std::string> as_variables(const CacheSettings& settings) {
    std::map<std::string, std::string> variables;
    if (settings.mode) variables["KGEN_CACHE"] = to_text(*settings.mode);
    if (settings.directory) variables["KGEN_CACHE_DIR"] = *settings.directory;
    if (settings.read_only) {
        variables["KGEN_CACHE_RO_DIRS"] = fmt::format("{}", fmt::join(*settings.read_only, ":"));
    }
    if (settings.max_bytes) variables["KGEN_CACHE_MAX_SIZE"] = std::to_string(*settings.max_bytes);
    if (settings.max_files) variables["KGEN_CACHE_MAX_FILES"] = std::to_string(*settings.max_files);
    if (settings.trust) variables["KGEN_CACHE_TRUST"] = to_text(*settings.trust);
    if (settings.locking) {
        variables["KGEN_LOCK"] = *settings.locking == CacheLocking::off ? "off" : "auto";
    }
    if (settings.lock_timeout) {
        const auto ms = std::min<std::int64_t>(settings.lock_timeout->count(), longest_timeout_ms);
        variables["KGEN_LOCK_TIMEOUT"] = fmt::format("{}.{:03}", ms / 1000, ms % 1000);
    }
    return variables;
}

}  // namespace

void configure_cache(const CacheSettings& settings) try {
    check(settings);
    const std::map<std::string, std::string> own = as_variables(settings);
    cache::SettingsSource source = cache::process_settings_source();
    source.variable = [&own, of_process = std::move(source.variable)](
                          const char* name) -> std::optional<std::string> {
        const auto found = own.find(name);
        if (found == own.end()) return of_process(name);
        if (found->second.empty()) return std::nullopt;
        return found->second;
    };
    cache::StoreSettings store = cache::resolve_settings(source);
    for (auto& [name, from] : store.sources) {
        if (own.contains(name)) from = "the program";
    }
    if (settings.directory && !store.root.empty()) store.root_source = "the program";
    if (!configure_process_store(std::move(store))) {
        throw Error(
            "configure_cache: the cache is already in use; call configure_cache before the first "
            "kernel is looked up");
    }
} catch (...) {
    rethrow_as_error();
}

CacheStatistics cache_statistics() try {
    const cache::StoreStatistics store = process_store_statistics();
    const ImageCounts& images = image_counts();
    CacheStatistics statistics;
    statistics.memory_hits = process_kernels().hits() + loaded_program_hits();
    statistics.disk_hits = store.hits;
    statistics.read_only_hits = store.read_only_hits;
    for (std::size_t k = 0; k < cache::miss_reasons; ++k) {
        if (store.misses[k] == 0) continue;
        statistics.misses[std::string(to_text(static_cast<cache::MissReason>(k)))] =
            store.misses[k];
    }
    statistics.compiles = images.compiles;
    statistics.compile_failures = images.compile_failures;
    statistics.stores = store.stores;
    statistics.store_failures = store.store_errors;
    statistics.quarantined = store.quarantined;
    statistics.driver_rejections = images.driver_rejections;
    statistics.lock_waits = store.lock_waits;
    statistics.lock_timeouts = store.lock_timeouts;
    statistics.evictions = store.evictions;
    return statistics;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
