// SPDX-License-Identifier: MIT
#include "entry_writer.hpp"

#include <cerrno>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "entry_file.hpp"
#include "quarantine.hpp"

namespace kgen::cache {

namespace {

constexpr int failures_before_stop = 3;
constexpr std::string_view consequence =
    "; kernels still run, but are compiled again in each process";
constexpr std::string_view nearly_full =
    "the file system is nearly full (2 % of it or 256 MiB are left free)";

}  // namespace

EntryWriter::EntryWriter(const StoreSettings& settings, KeptRoot& root, StoreCounters& counters)
    : settings_(settings),
      root_(root),
      counters_(counters),
      eviction_(settings.max_bytes, settings.max_files, settings.trust, counters.evictions),
      totals_(settings.trust) {}

bool EntryWriter::put(Entry&& entry, const std::string& path) {
    if (failures_in_row_.load() >= failures_before_stop) return false;
    if (entry.created_s == 0) {
        entry.created_s = std::chrono::duration_cast<std::chrono::seconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count();
    }
    Result result;
    try {
        const std::vector<std::byte> bytes = encode_entry(entry);
        if (eviction_.is_too_large(bytes.size())) return decline(path, bytes.size());
        result = write(path, bytes);
    } catch (const std::bad_alloc&) {
        result = {ENOMEM, error_text(ENOMEM)};
    } catch (const std::length_error& problem) {  // exceeds a limit of the format
        result = {EFBIG, problem.what()};
    }
    if (result.error != 0) return fail(path, result);
    failures_in_row_ = 0;
    ++counters_.stores;
    if (const KeptRoot::Directory directory = root_.open(CreateRoot::no)) {
        totals_.flush_sometimes(directory->get(), counters_);
    }
    return true;
}

EntryWriter::Result EntryWriter::write(const std::string& path, std::span<const std::byte> bytes) {
    int error = ENOENT;
    for (int attempt = 0; attempt < 2 && error != 0; ++attempt) {
        std::string problem;
        const KeptRoot::Directory directory = root_.open(CreateRoot::yes, &problem);
        if (directory == nullptr) {
            return {EACCES, problem.empty() ? "the cache is off" : std::move(problem)};
        }
        if (eviction_.missing_space(directory->get()) != 0) {
            return {ENOSPC, std::string(nearly_full)};
        }
        error = write_entry_file(directory->get(), path, bytes, settings_.trust);
        if (error == 0) {
            eviction_.after_put(directory->get(), bytes.size(), path);
        } else if (error == ENOENT) {
            root_.close(directory);
        } else if (error == EISDIR || error == ENOTEMPTY || error == EEXIST) {
            // A directory occupies the path of the entry. Move it away and try again.
            if (!move_to_quarantine(directory->get(), path, {}, settings_.trust)) break;
            ++counters_.quarantined;
        } else {
            break;
        }
    }
    if (error != 0) return {error, error_text(error)};
    return {};
}

void EntryWriter::flush_totals() noexcept {
    try {
        if (const KeptRoot::Directory directory = root_.open(CreateRoot::no)) {
            totals_.flush(directory->get(), counters_);
        }
    } catch (const std::exception&) {
        // Out of memory: the counts are lost.
    }
}

bool EntryWriter::decline(const std::string& path, std::size_t size_bytes) {
    ++counters_.declined;
    if (!warned_of_size_.exchange(true)) {
        tell(settings_.warn,
             "cache: not stored '" + full_path(path) + "': it has " + std::to_string(size_bytes) +
                 " bytes, more than a fifth of the cache's bound of " +
                 std::to_string(settings_.max_bytes) + std::string(consequence));
    }
    return false;
}

bool EntryWriter::fail(const std::string& path, const Result& result) {
    ++failures_in_row_;
    counters_.count_store_failure(result.error);
    // KeptRoot has already warned of a refused directory.
    if (!root_.is_refused() && !warned_of_failure_.exchange(true)) {
        tell(settings_.warn,
             "cache: cannot store '" + full_path(path) + "': " + result.problem +
                 std::string(consequence));
    }
    return false;
}

}  // namespace kgen::cache
